//===- Shapes.cpp - Steps on extents, types and names -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Edits.h"

#include "kiln/program_names.h"
#include "kiln/program_visit.h"

#include <algorithm>

namespace kiln::trial {

using program::Id;
using program::IndexKind;
using program::IndexNode;
using program::none;
using program::Op;
using program::Program;
using program::View;

namespace {

using Numbers = std::vector<std::int64_t>;

/// The stride of the same step in another layout; 0 where there is none.
std::int64_t moved(std::int64_t stride, const Numbers &before,
                   const Numbers &after) {
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i] > 0 && stride % before[i] == 0)
      return stride / before[i] * after[i];
  return stride;
}

/// The element of the same position, as near as the new shape has one.
std::int64_t movedOffset(std::int64_t offset, const Numbers &before,
                         const Numbers &after, const Numbers &extents,
                         std::size_t first) {
  std::int64_t result = 0;
  for (std::size_t i = first; i < before.size(); ++i) {
    const std::int64_t at = offset / before[i];
    offset -= at * before[i];
    result += std::min(at, extents[i] - 1) * after[i];
  }
  return result;
}

} // namespace

void replaceExtent(Program &program, std::int64_t from, std::int64_t to) {
  std::vector<Numbers> before, after;
  std::vector<bool> changed;
  for (program::Value &value : program.values) {
    before.push_back(program::denseStrides(value.kind, value.shape));
    const Numbers former = value.shape;
    std::replace(value.shape.begin(), value.shape.end(), from, to);
    after.push_back(program::denseStrides(value.kind, value.shape));
    changed.push_back(former != value.shape);
  }
  for (Op *op : flatten(program))
    forEachView(*op, [&](View &view) {
      std::replace(view.sizes.begin(), view.sizes.end(), from, to);
      if (!changed[view.value])
        return;
      const program::Value &value = program.values[view.value];
      const bool onChip = value.kind != program::ValueKind::tensor;
      const std::size_t first = onChip ? 1 : 0;
      for (std::size_t i = first; i < view.strides.size(); ++i)
        view.strides[i] =
            moved(view.strides[i], before[view.value], after[view.value]);
      if (onChip && !value.shape.empty() && !view.sizes.empty())
        view.row = std::max<std::int64_t>(
            0, std::min(view.row, value.shape[0] - view.sizes[0]));
      if (view.offset == none)
        return;
      IndexNode node = program.indices[view.offset];
      if (node.kind != IndexKind::constant)
        return;
      node.value = movedOffset(node.value, before[view.value],
                               after[view.value], value.shape, first);
      program.indices.push_back(node);
      view.offset = static_cast<Id>(program.indices.size() - 1);
    });
}

void replaceType(Program &program, isa::DType from, isa::DType to) {
  for (program::Value &value : program.values)
    if (value.dtype == from)
      value.dtype = to;
  for (Op *op : flatten(program))
    forEachView(*op, [&](View &view) {
      if (view.dtype == from)
        view.dtype = to;
    });
}

void dropNames(Program &program) {
  for (program::Location &location : program.locations)
    location.scopes.clear();
  for (program::Value &value : program.values)
    if (value.kind != program::ValueKind::tensor)
      value.name.clear();
  for (Op *op : flatten(program))
    op->name.clear();
}

void dropUnused(Program &program) {
  std::vector<Id> values(program.values.size(), none);
  std::vector<Id> indices(program.indices.size(), none);
  std::vector<Id> locations(program.locations.size(), none);
  Program rest;
  const auto value = [&](Id id) {
    if (id == none)
      return id;
    if (values[id] == none) {
      values[id] = static_cast<Id>(rest.values.size());
      rest.values.push_back(program.values[id]);
    }
    return values[id];
  };
  const auto index = [&](auto &self, Id id) -> Id {
    if (id == none)
      return id;
    if (indices[id] != none)
      return indices[id];
    IndexNode node = program.indices[id];
    if (node.kind == IndexKind::variable) {
      node.lhs = value(node.lhs);
    } else {
      node.lhs = self(self, node.lhs);
      node.rhs = self(self, node.rhs);
    }
    indices[id] = static_cast<Id>(rest.indices.size());
    rest.indices.push_back(node);
    return indices[id];
  };
  std::vector<bool> used(program.values.size());
  for (const Op *op : flatten(program))
    forEachView(*op, [&](const View &view) { used[view.value] = true; });
  for (const program::Argument &argument : program.arguments)
    if (used[argument.value])
      rest.arguments.push_back({value(argument.value), argument.kind});
  const auto copy = [&](auto &self,
                        const std::vector<Op> &body) -> std::vector<Op> {
    std::vector<Op> result;
    for (const Op &op : body) {
      Op next = op;
      forEachView(next, [&](View &view) {
        view.value = value(view.value);
        view.offset = index(index, view.offset);
      });
      forEachIndex(next, [&](program::IndexRef &ref) {
        ref.index = index(index, ref.index);
      });
      next.result = value(next.result);
      if (next.location != none) {
        Id &location = locations[next.location];
        if (location == none) {
          location = static_cast<Id>(rest.locations.size());
          rest.locations.push_back(program.locations[next.location]);
        }
        next.location = location;
      }
      next.body = self(self, op.body);
      result.push_back(std::move(next));
    }
    return result;
  };
  rest.body = copy(copy, program.body);
  rest.kernel = program.kernel;
  rest.parameters = program.parameters;
  rest.semaphores = program.semaphores;
  rest.memoryScopes = program.memoryScopes;
  rest.core = program.core;
  rest.cores = program.cores;
  rest.generation = program.generation;
  program = std::move(rest);
}

} // namespace kiln::trial

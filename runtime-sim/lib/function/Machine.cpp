//===- Machine.cpp - State and meaning of instructions --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <cstring>
#include <type_traits>

namespace kiln::sim {

namespace {

constexpr const char *noSuchOperator =
    "uses an operator that the executor has no meaning for in this place";

} // namespace

const char *Machine::execute(const isa::Body &body, isa::Engine stream,
                             const StreamCursor &position, std::uint64_t serial,
                             LaneRange lanes) {
  cursor = &position;
  range = lanes;
  engine = stream;
  problem = nullptr;
  numPlaceLists = 0;
  converter.begin(static_cast<std::uint64_t>(stream), serial);
  std::visit(
      [&](const auto &op) {
        if constexpr (requires { run(op); })
          run(op);
        else
          problem = "is not an engine instruction";
      },
      body);
  range = {};
  return problem;
}

Kernels::Binary Machine::binary(isa::AluOp op) {
  const Kernels::Binary row = kernels.vv[static_cast<std::size_t>(op)];
  if (!row)
    problem = noSuchOperator;
  return row ? row : kernels.vv[static_cast<std::size_t>(isa::AluOp::add)];
}
Kernels::Scalar Machine::withScalar(isa::AluOp op, bool reversed) {
  const auto &table = reversed ? kernels.sv : kernels.vs;
  const Kernels::Scalar row = table[static_cast<std::size_t>(op)];
  if (!row)
    problem = noSuchOperator;
  return row ? row : table[static_cast<std::size_t>(isa::AluOp::add)];
}
Kernels::Bits Machine::onBits(isa::AluOp op, bool isSigned) {
  const auto &table = isSigned ? kernels.onSigned : kernels.onUnsigned;
  const Kernels::Bits row = table[static_cast<std::size_t>(op)];
  if (!row)
    problem = noSuchOperator;
  return row ? row : table[static_cast<std::size_t>(isa::AluOp::add)];
}

bool Machine::startAccumulator(AccumulatorLanes registers,
                               isa::ReduceCommand command, float identity,
                               const LaneScalar *load, unsigned lanes,
                               bool isRead) {
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (resets(command))
      registers.start(lane, identity);
    else if (command == isa::ReduceCommand::load_reduce)
      registers.start(lane, load->at(lane));
  }
  if ((accumulates(command) || isRead) && !registers.allDefined(lanes))
    problem = AccumulatorLanes::undefined;
  return problem == nullptr;
}

void Machine::writeColumn(const View &view, const float *values) {
  RowSink sink(converter, view, buffers[10], buffers[11], false);
  for (unsigned p = 0; p < view.lanes; ++p) {
    float value = values[p];
    sink.finish(p, &value);
  }
}

void Machine::narrowOne(float value, isa::DType dtype, void *out) {
  converter.narrow(dtype, &value, out, 1);
}

bool Machine::understands(const isa::Body &body) {
  const isa::InstructionInfo &info = isa::info(isa::opcode(body));
  if (info.isControl)
    return StreamCursor::understands(body);
  return std::visit(
      [&](const auto &op) {
        return requires(Machine machine, TransferViews views) {
          machine.run(op);
        } || requires(Machine machine, TransferViews views) {
          machine.prepare(op, views);
        };
      },
      body);
}

/// Narrow integers widen by their sign; a float keeps its bits.
std::int32_t Machine::loadElement(const View &view) const {
  std::uint32_t bits = 0;
  std::memcpy(&bits, view.data, view.layout.elementBytes);
  switch (view.dtype) {
  case isa::DType::i8:
    return static_cast<std::int8_t>(bits);
  case isa::DType::i16:
    return static_cast<std::int16_t>(bits);
  default:
    return static_cast<std::int32_t>(bits);
  }
}

/// The low bits, as many as the element has.
void Machine::storeElement(const View &view, std::int32_t value) const {
  std::memcpy(view.data, &value, view.layout.elementBytes);
}

} // namespace kiln::sim

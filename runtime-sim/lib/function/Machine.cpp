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

const char *Machine::execute(const isa::Body &body, isa::Engine stream,
                             const StreamCursor &position, std::uint64_t serial,
                             LaneRange lanes) {
  cursor = &position;
  range = lanes;
  engine = stream;
  problem = nullptr;
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

void Machine::narrowOne(float value, isa::DType dtype, void *out) {
  converter.narrow(dtype, &value, out, 1);
}

std::int32_t Machine::loadElement(const View &view) const {
  if (view.layout.elementBytes == 1)
    return *view.data;
  std::int32_t value = 0;
  std::memcpy(&value, view.data, view.layout.elementBytes);
  return value;
}

void Machine::storeElement(const View &view, std::int32_t value) const {
  if (view.layout.elementBytes == 1)
    *view.data = static_cast<std::uint8_t>(value);
  else
    std::memcpy(view.data, &value, view.layout.elementBytes);
}

} // namespace kiln::sim

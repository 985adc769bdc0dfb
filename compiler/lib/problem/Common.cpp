//===- Common.cpp - What the problem libraries share ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/problem/Common.h"

#include <charconv>

namespace kiln::problems {

std::string executionStreamName(ExecutionStream stream) {
  if (!isQueue(stream))
    return std::string(isa::engineNames[stream]);
  return std::string("q").append(std::to_string(stream - isa::numEngines));
}

std::optional<ExecutionStream> parseExecutionStream(std::string_view text) {
  if (std::optional<isa::Engine> engine = isa::parseEngine(text))
    return static_cast<ExecutionStream>(*engine);
  if (text.size() < 2 || text[0] != 'q')
    return std::nullopt;
  unsigned queue = 0;
  auto [end, error] =
      std::from_chars(text.data() + 1, text.data() + text.size(), queue);
  if (error != std::errc() || end != text.data() + text.size() ||
      queue >= isa::dmaQueues)
    return std::nullopt;
  return static_cast<ExecutionStream>(isa::numEngines + queue);
}

} // namespace kiln::problems

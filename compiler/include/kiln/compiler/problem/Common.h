//===- Common.h - What the problem libraries share ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_PROBLEM_COMMON_H
#define KILN_COMPILER_PROBLEM_COMMON_H

#include "kiln/isa/dtype.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kiln::problems {

/// Nothing, or one sentence that says what is wrong.
using Problem = std::optional<std::string>;

/// The value, or why the text is not one ("line 3: ...").
template <class T> struct Parsed {
  std::optional<T> value;
  std::string error;
};

/// Where an instruction executes: 0..4 the engines, 5 + q DMA queue q.
using ExecutionStream = std::uint8_t;
inline constexpr unsigned numExecutionStreams =
    isa::numEngines + isa::dmaQueues;

constexpr ExecutionStream executionStream(isa::Engine engine,
                                          std::int32_t queue) {
  return queue < 0 ? static_cast<ExecutionStream>(engine)
                   : static_cast<ExecutionStream>(isa::numEngines +
                                                  static_cast<unsigned>(queue));
}
constexpr bool isQueue(ExecutionStream stream) {
  return stream >= isa::numEngines;
}

/// "vector" or "q3".
std::string executionStreamName(ExecutionStream stream);
std::optional<ExecutionStream> parseExecutionStream(std::string_view text);

} // namespace kiln::problems

#endif // KILN_COMPILER_PROBLEM_COMMON_H

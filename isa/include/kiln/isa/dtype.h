//===- dtype.h - Element types, memories, engines, generations ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The small vocabulary that every layer shares. Standard library only: the
// language includes this header in every kernel file.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_DTYPE_H
#define KILN_ISA_DTYPE_H

#include "kiln/isa/dtype_list.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kiln::isa {

/// The numbers are part of the binary format.
enum class DType : std::uint8_t {
#define KILN_ISA_DTYPE(name, number, ...) name = (number),
  KILN_ISA_DTYPES(KILN_ISA_DTYPE)
#undef KILN_ISA_DTYPE
};

struct DTypeInfo {
  DType dtype;
  std::string_view name; ///< Spelling in text, assembly and `--dtype`.
  unsigned bytes;
  bool isFloat;
  bool isSigned;
  unsigned values; ///< Per element; 4 for the packed types.
};

/// In numerical order.
inline constexpr auto dtypeTable = std::to_array<DTypeInfo>({
#define KILN_ISA_DTYPE(name, number, ...) {DType::name, __VA_ARGS__},
    KILN_ISA_DTYPES(KILN_ISA_DTYPE)
#undef KILN_ISA_DTYPE
});
/// One more than the largest number: the size of a table indexed by DType.
inline constexpr std::size_t numDTypes = dtypeTable.size() + 1;

constexpr const DTypeInfo &info(DType dtype) {
  const auto number = static_cast<std::size_t>(dtype);
  return dtypeTable[number - 1 < dtypeTable.size() ? number - 1 : 0];
}
/// True for types with four small floats per element, for the MX instructions.
constexpr bool isPacked(DType dtype) { return info(dtype).values > 1; }
constexpr std::string_view name(DType dtype) { return info(dtype).name; }
constexpr unsigned sizeInBytes(DType dtype) { return info(dtype).bytes; }
constexpr bool isFloat(DType dtype) { return info(dtype).isFloat; }
constexpr std::optional<DType> parseDType(std::string_view text) {
  for (const DTypeInfo &entry : dtypeTable)
    if (entry.name == text)
      return entry.dtype;
  return std::nullopt;
}

/// Where a tensor lives. SBUF and PSUM have 128 partitions; HBM is linear.
enum class Space : std::uint8_t { hbm = 0, sbuf = 1, psum = 2 };
inline constexpr std::array<std::string_view, 3> spaceNames{"hbm", "sbuf",
                                                            "psum"};
constexpr std::string_view name(Space space) {
  return spaceNames[static_cast<std::size_t>(space)];
}

/// The five instruction streams. Also the index of the stream in a module.
enum class Engine : std::uint8_t {
  tensor = 0,
  vector = 1,
  scalar = 2,
  gpsimd = 3,
  sync = 4,
};
inline constexpr std::size_t numEngines = 5;
inline constexpr std::array<std::string_view, numEngines> engineNames{
    "tensor", "vector", "scalar", "gpsimd", "sync"};
constexpr std::string_view name(Engine engine) {
  return engineNames[static_cast<std::size_t>(engine)];
}
constexpr std::optional<Engine> parseEngine(std::string_view text) {
  for (std::size_t i = 0; i < numEngines; ++i)
    if (engineNames[i] == text)
      return static_cast<Engine>(i);
  return std::nullopt;
}

/// NeuronCore generations: v2 = trn1, v3 = trn2, v4 = trn3.
enum class Generation : std::uint8_t { v2 = 2, v3 = 3, v4 = 4 };

/// Limits that hold on every generation.
inline constexpr unsigned maxPartitions = 128;
inline constexpr unsigned psumBanks = 8;
inline constexpr unsigned psumBankBytes = 2048;             ///< Per partition.
inline constexpr unsigned psumBankSums = psumBankBytes / 4; ///< In f32.
inline constexpr unsigned maxFreeDims = 4;
inline constexpr unsigned registersPerEngine = 64;
inline constexpr unsigned numSemaphores = 256;
inline constexpr unsigned dmaQueues = 16;

} // namespace kiln::isa

#endif // KILN_ISA_DTYPE_H

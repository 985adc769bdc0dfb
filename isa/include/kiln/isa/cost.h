//===- cost.h - What an instruction asks of its engine --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row for each cost class that a record in td/ may name. The rows say how
// many elements pass through a lane; target.h says how fast a generation
// processes them. A new instruction names a class and needs no code; a record
// that names a class without a row does not compile.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_COST_H
#define KILN_ISA_COST_H

#include "kiln/isa/enums.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace kiln::isa {

/// Which elements of a partition are counted.
enum class CostSize : std::uint8_t {
  longest, ///< Those of the largest operand.
  input,   ///< Those of the largest operand that is read.
  output,  ///< Those of the largest operand that is written.
};

/// When elements pass faster than one per cycle; machine conditions are in
/// docs/timing.md.
enum class FastMode : std::uint8_t {
  none,
  copy,   ///< One tile in, one out: the Vector and Scalar copy modes.
  fill,   ///< As copy; zeros of 16 bits pass two per cycle.
  pair,   ///< Two tiles in: the 16-bit SBUF mode, and the bf16 forms.
  reduce, ///< bf16 sums and maxima to bf16.
  random, ///< The generator's numbers per cycle set the rate.
};

/// Forms that no product of factors describes.
enum class CostForm : std::uint8_t {
  control,     ///< A sequencer's slot.
  product,     ///< Tensor engine.
  transfer,    ///< DMA.
  collective,  ///< Between cores or ranks: ends together with its peers.
  lanes,       ///< elements x cyclesPerElement x passes / mode.
  gatherPart,  ///< GpSimd: a start for each 512 elements of the source.
  gatherLocal, ///< GpSimd: the published formula of local_gather.
  select,      ///< GpSimd: cyclesPerElement x the operand `n`, plus outputs.
  partitions,  ///< GpSimd: over all partitions, sixteen lanes at a time.
};

struct CostModel {
  std::string_view name;
  CostForm form = CostForm::lanes;
  CostSize size = CostSize::longest;
  FastMode mode = FastMode::none;
  /// Tile inputs that share a read port: two cost two passes unless they come
  /// from both memories.
  int tiles = 1;
  /// Cycles for an element, by engine.
  double vector = 1;
  double scalar = 1;
  double gpsimd = 1;
  /// Reads an accumulator out at the end even without an operand for it.
  bool readsOut = false;
  /// D = a public document, F = read off a published figure, I = arithmetic
  /// from those, choice = ours where nothing is published.
  std::string_view source = {};
};

inline constexpr std::array costModels{
    CostModel{.name = "control", .form = CostForm::control, .source = "F"},
    CostModel{
        .name = "registerLoad", .form = CostForm::control, .source = "choice"},
    CostModel{.name = "matmul", .form = CostForm::product, .source = "D"},
    CostModel{.name = "transpose",
              .form = CostForm::product,
              .source = "D; Vector: lanes"},
    CostModel{.name = "dma", .form = CostForm::transfer, .source = "D, I"},
    CostModel{
        .name = "dmaTranspose", .form = CostForm::transfer, .source = "D, I"},
    CostModel{
        .name = "dmaCompute", .form = CostForm::transfer, .source = "D, I"},
    CostModel{
        .name = "collective", .form = CostForm::collective, .source = "choice"},
    CostModel{.name = "copy", .mode = FastMode::copy, .source = "D"},
    CostModel{.name = "tensorScalar", .mode = FastMode::copy, .source = "D"},
    CostModel{.name = "memset", .mode = FastMode::fill, .source = "D"},
    CostModel{.name = "activation", .source = "D"},
    CostModel{.name = "tensorTensor",
              .mode = FastMode::pair,
              .tiles = 2,
              .source = "D; GpSimd: choice"},
    CostModel{.name = "scan", .vector = 2, .source = "D"},
    CostModel{.name = "select", .tiles = 2, .source = "D"},
    CostModel{.name = "reduce",
              .size = CostSize::input,
              .mode = FastMode::reduce,
              .source = "D"},
    CostModel{.name = "scalarReduce", .readsOut = true, .source = "D"},
    // Two published profiles have kernels whose Vector engine has no time for
    // the 8 N of an older page.
    CostModel{.name = "reciprocal", .source = "fit"},
    CostModel{.name = "stream", .source = "D"},
    CostModel{.name = "bnAggregate",
              .size = CostSize::input,
              .vector = 13.0 / 3.0,
              .source = "D"},
    CostModel{.name = "quantize",
              .size = CostSize::input,
              .vector = 0.25,
              .source = "D"},
    CostModel{.name = "exponential", .vector = 0.25, .source = "D"},
    CostModel{
        .name = "random", .mode = FastMode::random, .source = "D, choice"},
    CostModel{.name = "pool", .source = "D"},
    CostModel{.name = "poolTwice", .gpsimd = 2, .source = "choice"},
    CostModel{.name = "poolBounds",
              .size = CostSize::input,
              .gpsimd = 4,
              .source = "choice"},
    CostModel{.name = "poolPartitions",
              .form = CostForm::partitions,
              .gpsimd = 2,
              .source = "choice"},
    CostModel{.name = "poolGather",
              .form = CostForm::gatherPart,
              .size = CostSize::output,
              .gpsimd = 8,
              .source = "D: the parts, choice"},
    CostModel{.name = "poolGatherLocal",
              .form = CostForm::gatherLocal,
              .source = "D"},
    CostModel{.name = "poolTopk",
              .form = CostForm::select,
              .size = CostSize::output,
              .gpsimd = 4,
              .source = "D"},
};

/// The row called `name`, or null.
constexpr const CostModel *findCostModel(std::string_view name) {
  for (const CostModel &model : costModels)
    if (model.name == name)
      return &model;
  return nullptr;
}

namespace detail {
constexpr std::size_t numCostClasses = EnumTraits<CostClass>::entries.size();
/// The row of each CostClass, or costModels.size() if it has none.
inline constexpr auto costRows = [] {
  std::array<std::size_t, numCostClasses> rows{};
  for (const auto &entry : EnumTraits<CostClass>::entries) {
    std::size_t row = 0;
    while (row < costModels.size() && costModels[row].name != entry.name)
      ++row;
    rows[static_cast<std::size_t>(entry.value)] = row;
  }
  return rows;
}();
constexpr bool everyClassHasRow() {
  for (const std::size_t row : costRows)
    if (row == costModels.size())
      return false;
  return true;
}
static_assert(everyClassHasRow(),
              "a record in isa/td names a cost class that has no row in "
              "costModels");
} // namespace detail

constexpr const CostModel &costModel(CostClass costClass) {
  return costModels[detail::costRows[static_cast<std::size_t>(costClass)]];
}

/// The function tables of the Scalar engine, which holds one at a time. Nothing
/// is published about which functions share one, so that is our choice.
enum class FunctionTable : std::uint8_t {
  all, ///< In every table, so it never causes a load.
  exponential,
  root,
  sigmoid,
  gelu,
  rest,
};

constexpr FunctionTable functionTable(ActivationFunction function) {
  using enum ActivationFunction;
  switch (function) {
  case copy:
  case square:
  case relu:
  case sign:
  case abs:
    return FunctionTable::all;
  case exp:
  case log:
  case softplus:
    return FunctionTable::exponential;
  case sqrt:
  case rsqrt:
  case reciprocal:
    return FunctionTable::root;
  case ActivationFunction::sigmoid:
  case tanh:
  case silu:
    return FunctionTable::sigmoid;
  case ActivationFunction::gelu:
  case gelu_apprx_tanh:
  case gelu_apprx_sigmoid:
    return FunctionTable::gelu;
  default:
    return FunctionTable::rest;
  }
}

} // namespace kiln::isa

#endif // KILN_ISA_COST_H

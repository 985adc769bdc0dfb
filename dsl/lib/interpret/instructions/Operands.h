//===- Operands.h - Places, engines, accumulators of calls --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERPRET_INSTRUCTIONS_OPERANDS_H
#define KILN_INTERPRET_INSTRUCTIONS_OPERANDS_H

#include "../Machine.h"

#include "Stages.h"
#include "kiln/isa/shapes.h"

#include <array>
#include <initializer_list>
#include <map>
#include <string_view>

namespace kiln::interpret {

//===----------------------------------------------------------------------===//
// Elements by pattern or by index
//===----------------------------------------------------------------------===//

/// Lanes that share a list of places: those of the tensor engine are more.
inline constexpr std::int64_t laneGroup = isa::poolLanes, tensorLaneGroup = 32;

/// The elements of an on-chip operand, as they are. If there is an operand
/// NAME_index, element i of lane p is the one at the place that stands in lane
/// i % group, column i / group, of the lane's group.
Array readPlaces(Call &call, std::string_view name,
                 std::int64_t group = laneGroup);
/// The first `cols` elements of each lane of an operand; by places if there is
/// an operand `indexName`.
Array readColumns(Call &call, std::string_view name, std::string_view indexName,
                  std::int64_t cols, std::int64_t group);
/// The same as fp32.
Array readWidePlaces(Call &call, std::string_view name,
                     std::int64_t group = laneGroup);
/// Writes them; of equal places the last one stays.
void writePlaces(Call &call, std::string_view name, const Array &array,
                 std::int64_t group = laneGroup);

/// Writes one lane of an operand.
void writeLane(Call &call, std::string_view name, std::int64_t lane,
               const Array &array);
/// Writes some elements of an operand and leaves the others: `numbers` and
/// `chosen` are in row-major order. Open: it may be written.
void writeWhere(Call &call, std::string_view name, const Array &array,
                const std::vector<Truth> &chosen);

//===----------------------------------------------------------------------===//
// About the operands
//===----------------------------------------------------------------------===//

/// True if an operand is in PSUM.
bool usesPsum(const Call &call);
/// The type of an operand.
inline DType typeOf(Call &call, std::string_view name) {
  return call.operand(name).window.dtype();
}
inline bool isWide(DType dtype) {
  return dtype == DType::i32 || dtype == DType::u32;
}
/// Partitions, and elements in each.
inline std::int64_t rowsOf(Call &call, std::string_view name) {
  return call.operand(name).window.sizes.front();
}
inline std::int64_t colsOf(Call &call, std::string_view name) {
  const Window &window = call.operand(name).window;
  return window.elements() / window.sizes.front();
}

/// The operator that operand `name` must be.
isa::AluOp operatorOf(Call &call, std::string_view name);
/// A ScalarOrTile operand of each row, as fp32; `init` where it is absent.
std::vector<Number> columnOf(Call &call, std::string_view name,
                             std::int64_t rows, double init = 0);
/// Fails unless all have as many numbers as the first.
bool areEqualCounts(Call &call, std::initializer_list<const Array *> arrays);
/// The first if `choice` says yes; open: the likely one, or the other.
Number selected(Truth choice, bool isLikely, const Number &first,
                const Number &second);
/// The opposite, if it is known.
Truth opposite(Truth truth);
/// Like `array`, with numbers of another type that numberAt(row, i) makes.
template <class Make>
Array mapped(const Array &array, DType dtype, Make &&numberAt) {
  Array result = array;
  result.dtype = dtype;
  const std::int64_t cols = array.cols();
  for (std::size_t i = 0; i < result.numbers.size(); ++i)
    result.numbers[i] = numberAt(
        static_cast<std::size_t>(static_cast<std::int64_t>(i) / cols), i);
  return result;
}

//===----------------------------------------------------------------------===//
// State of the engines
// ===----------------------------------------------------------------------===//

/// The Scalar or Vector engine's reduction registers, one for each lane.
struct Accumulators {
  std::array<Number, isa::maxPartitions> values;
  std::array<bool, isa::maxPartitions> isDefined{};

  /// Initialises those of the first `rows` lanes for `command`. load_reduce
  /// takes operand `loaded`.
  void start(Call &call, isa::ReduceCommand command, isa::AluOp op,
             std::int64_t rows, std::string_view loaded = {});
  /// Takes the elements of each lane of `array` in order, if `command` reduces.
  void take(isa::ReduceCommand command, isa::AluOp op, const Array &array);
  /// Writes operand `name`, if it is given.
  void store(Call &call, std::string_view name, bool isNegated = false);
  void forget(std::int64_t rows);
};
Accumulators &scalarAccumulators(Machine &machine);
Accumulators &vectorAccumulators(Machine &machine);

/// acc = acc op x of an accumulator.
Number folded(isa::AluOp op, const Number &accumulator, const Number &x);

/// One XORWOW generator; `isKnown` after its state was set.
struct Generator {
  std::array<std::uint32_t, 6> words{};
  bool isKnown = false;
  std::uint32_t next();
};
/// Generators of one engine: `each` a lane, taken in turn.
struct Generators {
  struct Lane {
    std::array<Generator, 4> generators;
    std::size_t turn = 0;
  };
  std::array<Lane, isa::maxPartitions> lanes;
  std::size_t each = 1;
  /// The next 32 bits of a lane.
  Number next(std::int64_t lane);
  void forget();
};
/// Those of the engine that a call names, by default `init`.
Generators &generators(Call &call, isa::Engine init);

/// What the engines of a core keep between calls.
struct EngineState {
  Accumulators scalar, vector;
  Generators vectorRandom, gpsimdRandom;
  /// Operations that make the tiles of the program, by tile; made when asked.
  std::map<Id, const Op *> definitions;
};
EngineState &engineState(Machine &machine);

} // namespace kiln::interpret

#endif // KILN_INTERPRET_INSTRUCTIONS_OPERANDS_H

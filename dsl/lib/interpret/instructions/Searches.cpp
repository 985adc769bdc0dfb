//===- Searches.cpp - The largest of a row, and where they are ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The i-th largest of numbers with bounds lies between the i-th largest of
// their lower ends and that of their upper ends. Its place is open if others
// are as near; and so is whether it occurs at all, unless the values are known
// to be the eight largest of the same tile.
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"
#include "Operands.h"

#include "kiln/isa/rounding.h"
#include "kiln/program_visit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kiln::interpret {

namespace {

using Row = std::vector<Number>;

Row rowOf(const Array &array, std::int64_t row) {
  const auto first = array.numbers.begin() + row * array.cols();
  return {first, first + array.cols()};
}
bool areExact(const Row &row) {
  return std::all_of(row.begin(), row.end(),
                     [](const Number &n) { return isExact(n); });
}
/// A NaN is below everything.
bool isAbove(double a, double b) { return a > b || (b != b && a == a); }

/// The `count` largest, descending.
Row largest(const Row &row, std::size_t count) {
  std::vector<double> centers, lows, highs;
  for (const Number &n : row) {
    if (isUnknown(n))
      return Row(count, unknown());
    centers.push_back(n.value);
    lows.push_back(low(n));
    highs.push_back(high(n));
  }
  for (std::vector<double> *list : {&centers, &lows, &highs})
    std::sort(list->begin(), list->end(), isAbove);
  Row result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(within(centers[i], lows[i], highs[i]));
  return result;
}

/// Place of each of eight values in `data`, by their centers; -1 for none. Of
/// equal values the next one takes the next place. `descending`: from the last
/// value to the first.
std::vector<std::int64_t> placesOf(const Row &data, const Row &values,
                                   bool descending) {
  std::vector<std::int64_t> places(values.size(), -1);
  std::vector<bool> taken(data.size());
  for (std::size_t step = 0; step < values.size(); ++step) {
    const std::size_t i = descending ? values.size() - 1 - step : step;
    for (std::size_t j = 0; j < data.size() && places[i] < 0; ++j)
      if (!taken[j] && data[j].value == values[i].value) {
        taken[j] = true;
        places[i] = static_cast<std::int64_t>(j);
      }
  }
  return places;
}

/// All bits one.
double noPlace(DType dtype) { return roundTo(dtype, 0x1p40); }

/// The places at which `value` may occur, if any.
struct Candidates {
  double first = 0, last = 0;
  bool any = false;
};
Candidates candidatesOf(const Row &data, const Number &value) {
  Candidates result;
  for (std::size_t j = 0; j < data.size(); ++j) {
    if (compare(isa::AluOp::equal, data[j], value) == Truth::no)
      continue;
    result.last = static_cast<double>(j);
    if (!result.any)
      result.first = result.last;
    result.any = true;
  }
  return result;
}

/// True if, by the text of the program, `vals` are the eight largest of `data`.
/// Tiles never change.
bool areLargestOfData(Call &call) {
  const Machine &machine = call.machine;
  EngineState &state = engineState(call.machine);
  if (state.definitions.empty()) {
    std::vector<const std::vector<Op> *> bodies{&machine.program.body};
    for (std::size_t i = 0; i < bodies.size(); ++i)
      for (const Op &op : *bodies[i]) {
        bodies.push_back(&op.body);
        if (op.result != program::none)
          state.definitions[op.result] = &op;
      }
  }
  const View *data = nullptr, *values = nullptr;
  for (const program::Operand &operand : call.said.operands) {
    if (operand.name == "data")
      data = &operand.view;
    if (operand.name == "vals")
      values = &operand.view;
  }
  const auto isTile = [&](const View *view) {
    return view &&
           machine.program.values[view->value].kind == program::ValueKind::tile;
  };
  if (!isTile(data) || !isTile(values))
    return false;
  const auto found = state.definitions.find(values->value);
  return found != state.definitions.end() &&
         found->second->mnemonic() == "max8" &&
         *program::viewAt(*found->second, 0) == *data && values->row == 0 &&
         values->offset == program::none &&
         values->sizes == machine.program.values[values->value].shape;
}

/// Checks the shapes of a search for eight values.
bool fitsEight(Call &call, const Array &data, const Array &values) {
  if (values.cols() != 8 || data.cols() < 8 || values.rows() != data.rows())
    call.fail("'" + call.mnemonic +
              "' needs eight values, and rows of at least eight elements");
  return !call.failed();
}

} // namespace

void interpretMax8(Call &call) {
  const Array src = call.readWide("src");
  Array result = call.resultOf("dst");
  if (src.cols() < 8 || result.cols() != 8 || result.rows() != src.rows())
    return call.fail("'max8' takes eight elements or more and gives eight");
  for (std::int64_t row = 0; row < src.rows(); ++row) {
    const Row best = largest(rowOf(src, row), 8);
    for (std::int64_t i = 0; i < 8; ++i)
      result.at(row, i) = best[static_cast<std::size_t>(i)];
  }
  call.write("dst", result);
}

void interpretFindIndex8(Call &call) {
  const Array data = call.readWide("data"), vals = call.readWide("vals");
  if (!fitsEight(call, data, vals))
    return;
  const DType dtype = typeOf(call, "dst");
  Array result = makeArray(dtype, call.operand("dst").window.sizes);
  if (result.numbers.size() != vals.numbers.size())
    return call.fail("dst of 'nc_find_index8' is not eight in each partition");
  const bool areThere = areLargestOfData(call);
  for (std::int64_t row = 0; row < data.rows(); ++row) {
    const Row all = rowOf(data, row), values = rowOf(vals, row);
    const bool isDecided = areExact(all) && areExact(values);
    const std::vector<std::int64_t> places = placesOf(all, values, false);
    for (std::size_t i = 0; i < 8; ++i) {
      const double none = noPlace(dtype);
      const double center =
          places[i] < 0 ? none : static_cast<double>(places[i]);
      const Candidates where = candidatesOf(all, values[i]);
      Number &number = result.at(row, static_cast<std::int64_t>(i));
      if (isDecided || !where.any)
        number = exactly(isDecided ? center : none);
      else
        number = within(
            std::clamp(center, where.first, areThere ? where.last : none),
            where.first, areThere ? where.last : none);
    }
  }
  call.write("dst", result);
}

void interpretMatchReplace8(Call &call) {
  const Array raw = call.read("data");
  const Array data = call.readWide("data"), vals = call.readWide("vals");
  if (!fitsEight(call, data, vals))
    return;
  const DType dtype = typeOf(call, "dst");
  const Number by =
      exactly(roundTo(dtype, roundTo(DType::f32, call.number("imm"))));
  Array result = mapped(raw, dtype, [&](auto, std::size_t i) {
    return convert(raw.numbers[i], raw.dtype, dtype);
  });
  const bool hasPlaces = call.has("dst_idx");
  const DType placeType = hasPlaces ? typeOf(call, "dst_idx") : DType::u32;
  Array found = makeArray(placeType, {data.rows(), 8});
  for (std::int64_t row = 0; row < data.rows(); ++row) {
    const Row all = rowOf(data, row), values = rowOf(vals, row);
    const bool isDecided = areExact(all) && areExact(values);
    const std::vector<std::int64_t> places = placesOf(all, values, true);
    std::vector<bool> isCenter(all.size());
    for (std::size_t i = 0; i < 8; ++i) {
      const double none = noPlace(placeType);
      const double center =
          places[i] < 0 ? none : static_cast<double>(places[i]);
      if (places[i] >= 0)
        isCenter[static_cast<std::size_t>(places[i])] = true;
      const Candidates where = candidatesOf(all, values[i]);
      found.at(row, static_cast<std::int64_t>(i)) =
          isDecided    ? exactly(center)
          : !where.any ? exactly(none)
                       : within(center, where.first, none);
    }
    for (std::size_t j = 0; j < all.size(); ++j) {
      Number &number = result.at(row, static_cast<std::int64_t>(j));
      const bool mayMatch =
          std::any_of(values.begin(), values.end(), [&](const Number &value) {
            return compare(isa::AluOp::equal, all[j], value) != Truth::no;
          });
      if (isDecided ? isCenter[j] : mayMatch)
        number = isDecided     ? by
                 : isCenter[j] ? either(by, number)
                               : either(number, by);
    }
  }
  call.write("dst", result);
  if (hasPlaces)
    call.write("dst_idx", found);
}

/// Each 16 lanes hold one list, lane by lane.
void interpretTopk(Call &call) {
  const Array src = call.readWide("src");
  const std::int64_t n = call.integer("n");
  Array values = call.resultOf("val_dst");
  Array places = makeArray(DType::u32, call.operand("idx_dst").window.sizes);
  const std::int64_t k = values.cols();
  if (places.numbers.size() != values.numbers.size() || k > n ||
      values.rows() != src.rows() || src.rows() % laneGroup != 0 ||
      isa::ceilDiv(n, laneGroup) > src.cols())
    return call.fail("operands of 'topk' do not fit");
  for (std::int64_t group = 0; group < src.rows(); group += laneGroup) {
    Row all;
    for (std::int64_t e = 0; e < n; ++e)
      all.push_back(src.at(group + e % laneGroup, e / laneGroup));
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // Of equal ones, the lower place is preferred and comes first.
    std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) {
      return isAbove(all[x].value, all[y].value);
    });
    order.resize(static_cast<std::size_t>(k));
    std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) {
      return isAbove(all[y].value, all[x].value) ||
             (!isAbove(all[x].value, all[y].value) && x < y);
    });
    const Row best = largest(all, order.size());
    const bool isDecided = areExact(all);
    for (std::int64_t i = 0; i < k; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const auto place = static_cast<double>(order[at]);
      const Number where = isDecided
                               ? exactly(place)
                               : within(place, 0, static_cast<double>(n - 1));
      for (std::int64_t row = group; row < group + laneGroup; ++row) {
        values.at(row, i) = best[order.size() - 1 - at];
        places.at(row, i) = where;
      }
    }
  }
  call.write("val_dst", values);
  call.write("idx_dst", places);
}

} // namespace kiln::interpret

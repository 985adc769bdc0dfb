//===- Transfers.cpp - What DMA moves -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"
#include "Operands.h"

#include <algorithm>
#include <set>

namespace kiln::interpret {

namespace {

/// The elements of an operand in row-major order, and whether they take part:
/// those outside of the tensor may be skipped.
struct Listed {
  static constexpr std::int64_t any =
      -1; ///< The language does not define which.
  Window window;
  std::vector<std::int64_t> elements;
  std::vector<Truth> takesPart;
};

/// The numbers of an index: of [P, K] lane by lane if `lanesFirst`.
std::vector<Number> indexNumbers(Call &call, std::string_view indexName,
                                 bool lanesFirst) {
  const Array index = call.read(indexName);
  std::vector<Number> numbers;
  for (std::int64_t col = 0; col < index.cols() && lanesFirst; ++col)
    for (std::int64_t row = 0; row < index.rows(); ++row)
      numbers.push_back(index.at(row, col));
  return lanesFirst ? numbers : index.numbers;
}

bool skipsOutside(const Call &call) {
  return call.choice("oob_mode", isa::OobMode::error) == isa::OobMode::skip;
}

/// How many rows of the window's stride its tensor has.
std::int64_t rowsOfTensor(const Window &window) {
  const std::int64_t stride = window.strides.front();
  std::int64_t elements = 1;
  for (const std::int64_t extent : window.storage->shape)
    elements *= extent;
  return stride > 0 ? elements / stride : window.storage->shape.front();
}

/// Row w of `window` is row index[w] of its tensor.
Listed listedByIndex(Call &call, const Window &window,
                     const std::vector<Number> &index) {
  Listed result{window, {}, {}};
  const std::int64_t rows = window.sizes.front();
  const std::int64_t extent = rowsOfTensor(window);
  if (static_cast<std::int64_t>(index.size()) < rows) {
    call.fail("an index of '" + call.mnemonic + "' lists " +
              std::to_string(index.size()) + " rows for " +
              std::to_string(rows));
    return result;
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    const Number &number = index[static_cast<std::size_t>(row)];
    Window one = window.rows(0, 1);
    const auto count = static_cast<std::size_t>(one.elements());
    if (!isExact(number)) {
      result.elements.insert(result.elements.end(), count, Listed::any);
      result.takesPart.insert(result.takesPart.end(), count,
                              skipsOutside(call) ? Truth::open : Truth::yes);
      continue;
    }
    const auto named = static_cast<std::int64_t>(number.value);
    one.offset += named * window.strides.front();
    std::vector<std::int64_t> elements = one.list();
    const bool isInside =
        named >= 0 && named < extent &&
        std::find(elements.begin(), elements.end(), -1) == elements.end();
    if (!isInside && !skipsOutside(call))
      call.fail("an index of '" + call.mnemonic + "' names row " +
                std::to_string(named) + " of " + std::to_string(extent));
    result.elements.insert(result.elements.end(), elements.begin(),
                           elements.end());
    result.takesPart.insert(result.takesPart.end(), count,
                            isInside ? Truth::yes : Truth::no);
  }
  return result;
}

/// The pattern. Of one that a register moved outside, with oob_mode=skip, the
/// rows that lie outside are left out, or all of it.
Listed listedByPattern(Call &call, const Window &window) {
  Listed result{window, window.list(), {}};
  result.takesPart.assign(result.elements.size(), Truth::yes);
  const auto isOutside = [](std::int64_t element) { return element < 0; };
  if (std::none_of(result.elements.begin(), result.elements.end(), isOutside))
    return result;
  if (!skipsOutside(call)) {
    call.fail("'" + call.mnemonic + "': " + window.text() + " reaches outside");
    return result;
  }
  const auto perRow =
      static_cast<std::ptrdiff_t>(window.elements() / window.sizes.front());
  for (std::ptrdiff_t row = 0; row < window.sizes.front(); ++row) {
    const auto first = result.elements.begin() + row * perRow;
    const bool isPart = std::any_of(first, first + perRow, isOutside);
    std::fill_n(result.takesPart.begin() + row * perRow, perRow,
                isPart ? Truth::no : Truth::open);
  }
  return result;
}

Listed listed(Call &call, const Window &window, std::string_view indexName,
              bool lanesFirst = false) {
  return call.has(indexName)
             ? listedByIndex(call, window,
                             indexNumbers(call, indexName, lanesFirst))
             : listedByPattern(call, window);
}

Array read(Call &call, const Listed &from) {
  Array result = makeArray(from.window.dtype(), from.window.sizes);
  const std::size_t parts = from.window.storage->perElement;
  for (std::size_t i = 0; i < from.elements.size(); ++i)
    for (std::size_t part = 0; part < parts; ++part)
      result.numbers[i * parts + part] =
          from.takesPart[i] == Truth::no || from.elements[i] == Listed::any
              ? unknown()
              : call.machine.readElement(*from.window.storage, from.elements[i],
                                         part);
  return result;
}

Truth both(Truth a, Truth b) {
  return a == Truth::no || b == Truth::no     ? Truth::no
         : a == Truth::yes && b == Truth::yes ? Truth::yes
                                              : Truth::open;
}

/// `takesPart` is about the source. Of equal elements, the last one wins.
void write(Call &call, const Listed &to, const Array &array,
           const std::vector<Truth> &takesPart) {
  Storage &storage = *to.window.storage;
  const std::size_t parts = storage.perElement;
  if (to.elements.size() != takesPart.size() ||
      array.numbers.size() != takesPart.size() * parts)
    return call.fail("operands of '" + call.mnemonic + "' have " +
                     std::to_string(takesPart.size()) + " and " +
                     std::to_string(to.elements.size()) + " elements");
  for (std::size_t i = 0; i < to.elements.size() && !call.failed(); ++i) {
    const Truth moves = both(takesPart[i], to.takesPart[i]);
    if (moves == Truth::no)
      continue;
    if (to.elements[i] == Listed::any) {
      Machine::spoil(storage);
      continue;
    }
    for (std::size_t part = 0; part < parts; ++part) {
      const Number number =
          convert(array.numbers[i * parts + part], array.dtype, storage.dtype);
      call.machine.writeElement(
          storage, to.elements[i],
          moves == Truth::yes
              ? number
              : either(number,
                       call.machine.readElement(storage, to.elements[i], part)),
          part);
    }
  }
}

} // namespace

void interpretDmaCopy(Call &call) {
  const Listed from = listed(call, call.operand("src").window, "src_index");
  const Listed to = listed(call, call.operand("dst").window, "dst_index");
  if (!call.failed())
    write(call, to, read(call, from), from.takesPart);
}

/// Keeps the parts of a table that the trigger needs: rows 0, 1 and, of receive
/// displacements, 3; of all_gather_v column 0 alone.
void interpretPrepare(Call &call) {
  const Window from = call.operand("metadata_tensor").window;
  const Window to = call.operand("prepared").window;
  const std::vector<std::int64_t> given = from.list(), kept = to.list();
  const bool hasPlaces = call.flag("has_rdispls");
  const std::size_t ranks = given.size() / (hasPlaces ? 4 : 3);
  const std::size_t asked =
      call.mnemonic.starts_with("all_gather_v") ? 1 : ranks;
  if (given.size() != kept.size() || ranks == 0)
    return call.fail("a table and what keeps it have different sizes");
  for (const std::size_t row : {0, 1, 3})
    for (std::size_t column = 0; column < asked; ++column) {
      const std::size_t place = row * ranks + column;
      if (row == 3 && !hasPlaces)
        continue;
      if (given[place] < 0 || kept[place] < 0)
        return call.fail("a table reaches outside of its tensor");
      call.machine.writeElement(
          *to.storage, kept[place],
          call.machine.readElement(*from.storage, given[place]));
    }
}

/// Reorders the dimensions: [1, 0], [2, 1, 0], [3, 1, 2, 0].
void interpretDmaTranspose(Call &call) {
  const Window window = call.operand("src").window;
  const Listed from = listed(call, window, "src_index", true);
  if (call.failed())
    return;
  const Array data = read(call, from);
  const std::size_t dims = window.sizes.size();
  if (dims < 2 || dims > 4)
    return call.fail("'dma_transpose' takes two to four dimensions");
  std::vector<std::size_t> order(dims);
  for (std::size_t i = 0; i < dims; ++i)
    order[i] = i;
  std::swap(order.front(), order.back());
  std::vector<std::int64_t> sizes, place(dims, 0), steps(dims, 1);
  for (std::size_t i = dims; i-- > 1;)
    steps[i - 1] = steps[i] * window.sizes[i];
  for (const std::size_t dim : order)
    sizes.push_back(window.sizes[dim]);
  Array turned = makeArray(data.dtype, sizes);
  std::vector<Truth> takesPart;
  const std::size_t parts = window.storage->perElement;
  for (std::int64_t i = 0; i < window.elements(); ++i) {
    std::int64_t at = 0, rest = i;
    for (std::size_t d = dims; d-- > 0;) {
      at += rest % sizes[d] * steps[order[d]];
      rest /= sizes[d];
    }
    takesPart.push_back(from.takesPart[static_cast<std::size_t>(at)]);
    for (std::size_t part = 0; part < parts; ++part)
      turned.numbers[static_cast<std::size_t>(i) * parts + part] =
          data.numbers[static_cast<std::size_t>(at) * parts + part];
  }
  write(call, listedByPattern(call, call.operand("dst").window), turned,
        takesPart);
}

/// Without an index the sum of the sources; with one the rows that it names
/// are read, added to and written.
void interpretDmaCompute(Call &call) {
  const std::size_t count = call.count("srcs");
  for (const std::string_view name : {"dst_index", "srcs_index"}) {
    if (!call.has(name))
      continue;
    std::set<double> rows;
    for (const Number &number : indexNumbers(call, name, false))
      if (isExact(number) && !rows.insert(number.value).second)
        return call.fail("'" + std::string(name) +
                         "' of 'dma_compute' names "
                         "row " +
                         std::to_string(number.value) + " twice");
  }
  const Listed to = listed(call, call.operand("dst").window, "dst_index");
  if (call.failed())
    return;
  std::vector<Truth> takesPart(to.elements.size(), Truth::yes);
  Array sum;
  for (std::size_t i = 0; i < count; ++i) {
    // dst_index applies to the first source, srcs_index to the last one.
    const std::string_view index = i == 0           ? "dst_index"
                                   : i + 1 == count ? "srcs_index"
                                                    : "";
    const Listed from = listed(call, call.operand("srcs", i).window, index);
    if (call.failed())
      return;
    Array source = read(call, from);
    if (from.elements.size() != to.elements.size())
      return call.fail("sources of 'dma_compute' differ in their elements");
    source = mapped(source, DType::f32, [&](auto, std::size_t at) {
      return widen(source.numbers[at], source.dtype);
    });
    sum = i == 0 ? source : mapped(sum, DType::f32, [&](auto, std::size_t at) {
      return stage(isa::AluOp::add, sum.numbers[at], source.numbers[at]);
    });
    for (std::size_t at = 0; at < takesPart.size(); ++at)
      takesPart[at] = both(takesPart[at], from.takesPart[at]);
  }
  write(call, to, sum, takesPart);
}

} // namespace kiln::interpret

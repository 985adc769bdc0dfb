//===- Collectives.cpp - What ranks exchange -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Collectives.h"

#include <array>
#include <functional>
#include <utility>

namespace kiln::interpret {

using isa::AluOp;

namespace {

using Calls = std::vector<Call>;
using Arrays = std::vector<Array>;

/// Elements `first` to `first + count - 1` of an array, as a flat one.
Array pieceOf(const Array &array, std::int64_t first, std::int64_t count) {
  const auto per = static_cast<std::int64_t>(isa::info(array.dtype).values);
  Array piece{array.dtype, {count}, {}};
  if (first < 0 ||
      (first + count) * per > static_cast<std::int64_t>(array.numbers.size()))
    return piece;
  piece.numbers.assign(array.numbers.begin() + first * per,
                       array.numbers.begin() + (first + count) * per);
  return piece;
}
std::int64_t elementsOf(const Array &array) { return countOf(array.sizes); }

/// Operand `number` of that name of every rank.
Arrays readAll(Calls &calls, std::string_view name, std::size_t number) {
  Arrays arrays;
  for (Call &call : calls)
    arrays.push_back(call.read(name, number));
  return arrays;
}

/// The same element of several arrays, reduced in fp32, in any order.
Array reduce(const Arrays &arrays, AluOp op) {
  Array result = makeArray(DType::f32, arrays.front().sizes);
  std::vector<Number> terms(arrays.size());
  for (std::size_t i = 0; i < result.numbers.size(); ++i) {
    for (std::size_t k = 0; k < arrays.size(); ++k)
      terms[k] = widen(arrays[k].numbers[i], arrays[k].dtype);
    Number folded = op == AluOp::add ? sum(terms) : terms.front();
    if (op != AluOp::add)
      for (const Number &term : terms)
        folded = apply(op, folded, term);
    result.numbers[i] = folded;
  }
  return result;
}

bool sameSizes(Calls &calls, const Arrays &arrays) {
  for (const Array &array : arrays)
    if (array.numbers.size() != arrays.front().numbers.size()) {
      calls.front().fail("the ranks of a collective give different sizes");
      return false;
    }
  return true;
}

void allReduce(Calls &calls, std::size_t k) {
  const Arrays sources = readAll(calls, "srcs", k);
  if (!sameSizes(calls, sources))
    return;
  const Array total = reduce(sources, calls.front().choice("op", AluOp::add));
  for (Call &call : calls)
    call.write("dsts", total, k);
}

void reduceScatter(Calls &calls, std::size_t k) {
  const Arrays sources = readAll(calls, "srcs", k);
  if (!sameSizes(calls, sources))
    return;
  const Array total = reduce(sources, calls.front().choice("op", AluOp::add));
  const std::int64_t part =
      elementsOf(total) / static_cast<std::int64_t>(calls.size());
  for (std::size_t r = 0; r < calls.size(); ++r)
    calls[r].write(
        "dsts", pieceOf(total, static_cast<std::int64_t>(r) * part, part), k);
}

/// Along dimension 0, or in SBUF also along the others: then rows of all
/// sources, one row after the other.
void allGather(Calls &calls, std::size_t k) {
  const Arrays sources = readAll(calls, "srcs", k);
  if (!sameSizes(calls, sources))
    return;
  const bool byRows = calls.front().integer("collective_dim") != 0;
  const std::int64_t rows = byRows ? sources.front().rows() : 1;
  Array all{sources.front().dtype, {}, {}};
  for (std::int64_t row = 0; row < rows; ++row)
    for (const Array &source : sources) {
      const std::int64_t count = elementsOf(source) / rows;
      const Array piece = pieceOf(source, row * count, count);
      all.numbers.insert(all.numbers.end(), piece.numbers.begin(),
                         piece.numbers.end());
    }
  for (Call &call : calls)
    call.write("dsts", all, k);
}

void allToAll(Calls &calls, std::size_t k) {
  const Arrays sources = readAll(calls, "srcs", k);
  if (!sameSizes(calls, sources))
    return;
  const std::int64_t part =
      elementsOf(sources.front()) / static_cast<std::int64_t>(calls.size());
  for (std::size_t j = 0; j < calls.size(); ++j) {
    Array gathered{sources.front().dtype, {}, {}};
    for (const Array &source : sources) {
      const Array piece =
          pieceOf(source, static_cast<std::int64_t>(j) * part, part);
      gathered.numbers.insert(gathered.numbers.end(), piece.numbers.begin(),
                              piece.numbers.end());
    }
    calls[j].write("dsts", gathered, k);
  }
}

void ringStep(Calls &calls, std::size_t k) {
  const Arrays sources = readAll(calls, "srcs_by_channel", k);
  for (std::size_t r = 0; r < calls.size(); ++r)
    calls[(r + 1) % calls.size()].write("dsts_by_channel", sources[r], k);
}

void ringStepReduce(Calls &calls, std::size_t k) {
  const Arrays first = readAll(calls, "srcs0", k);
  const Arrays second = readAll(calls, "srcs1", k);
  const AluOp op = calls.front().choice("op", AluOp::add);
  for (std::size_t r = 0; r < calls.size(); ++r) {
    if (!sameSizes(calls, {first[r], second[r]}))
      return;
    calls[(r + 1) % calls.size()].write("dsts",
                                        reduce({first[r], second[r]}, op), k);
  }
}

//===----------------------------------------------------------------------===//
// Counted pieces
//===----------------------------------------------------------------------===//

/// A rank's table, or what a preparation kept of it: send counts, send
/// displacements, receive counts, receive displacements.
class Table {
public:
  Table(Call &call, std::string_view name, std::size_t ranks)
      : call(call), window(call.operand(name).window), places(window.list()),
        ranks(ranks) {}

  std::int64_t at(std::size_t row, std::size_t column) {
    const std::size_t place = row * ranks + column;
    if (place >= places.size() || places[place] < 0) {
      call.fail("the table of a collective is too small");
      return 0;
    }
    const Number number =
        call.machine.readElement(*window.storage, places[place]);
    if (!isExact(number)) {
      call.fail("a count of a collective is a number that is left open",
                Fault::undecided);
      return 0;
    }
    return static_cast<std::int64_t>(number.value);
  }
  void set(std::size_t row, std::size_t column, std::int64_t value) {
    if (const std::size_t place = row * ranks + column; place < places.size())
      call.machine.writeElement(*window.storage, places[place],
                                exactly(static_cast<double>(value)));
  }

private:
  Call &call;
  Window window;
  std::vector<std::int64_t> places;
  std::size_t ranks;
};

/// The tables that are needed, by rank.
std::vector<Table> tablesOf(Calls &calls) {
  const bool isPrepared = calls.front().mnemonic.ends_with("_trigger");
  std::vector<Table> tables;
  for (Call &call : calls)
    tables.emplace_back(call, isPrepared ? "prepared" : "metadata_tensor",
                        calls.size());
  return tables;
}

void setReceiveCount(Call &call, std::size_t ranks, std::size_t from,
                     std::int64_t count) {
  if (!call.flag("recv_counts_known"))
    Table(call, "metadata_tensor", ranks).set(2, from, count);
}

/// Rank j gets the sum of the pieces j, which may lie elsewhere on each rank.
void reduceCounted(Calls &calls) {
  const std::size_t ranks = calls.size();
  const Arrays sources = readAll(calls, "srcs", 0);
  std::vector<Table> tables = tablesOf(calls);
  for (std::size_t j = 0; j < ranks; ++j) {
    Call &call = calls[j];
    const std::int64_t count = tables[0].at(0, j);
    Arrays pieces;
    for (std::size_t s = 0; s < ranks; ++s) {
      if (tables[s].at(0, j) != count)
        return call.fail("the ranks give different counts to a sum");
      pieces.push_back(pieceOf(sources[s], tables[s].at(1, j), count));
      if (pieces.back().numbers.empty() != (count == 0))
        return call.fail("a counted piece reaches outside of its tensor");
      setReceiveCount(call, ranks, s, count);
    }
    Window &target = call.operand("dsts").window;
    if (count > target.elements())
      return call.fail("a counted sum is larger than its tensor");
    const Array total = reduce(pieces, call.choice("op", AluOp::add));
    const std::vector<std::int64_t> places = target.list();
    for (std::size_t i = 0; i < total.numbers.size(); ++i)
      call.machine.writeElement(
          *target.storage, places[i],
          convert(total.numbers[i], total.dtype, target.dtype()));
  }
}

/// Rank s sends one piece to all, or one to each.
void exchangeCounted(Calls &calls) {
  const bool isGather = calls.front().mnemonic.starts_with("all_gather_v");
  const std::size_t ranks = calls.size();
  const Arrays sources = readAll(calls, "srcs", 0);
  std::vector<Table> tables = tablesOf(calls);
  for (std::size_t j = 0; j < ranks; ++j) {
    Call &call = calls[j];
    Window &target = call.operand("dsts").window;
    const auto slot = target.elements() / static_cast<std::int64_t>(ranks);
    const std::vector<std::int64_t> places = target.list();
    for (std::size_t s = 0; s < ranks; ++s) {
      const std::size_t column = isGather ? 0 : j;
      const std::int64_t count = tables[s].at(0, column);
      const std::int64_t from = tables[s].at(1, column);
      const std::int64_t to = call.flag("has_rdispls")
                                  ? tables[j].at(3, s)
                                  : static_cast<std::int64_t>(s) * slot;
      const Array piece = pieceOf(sources[s], from, count);
      if (piece.numbers.empty() != (count == 0) || to < 0 ||
          to + count > target.elements())
        return call.fail("a counted piece reaches outside of its tensor");
      const auto per = target.storage->perElement;
      for (std::size_t i = 0; i < piece.numbers.size(); ++i)
        call.machine.writeElement(
            *target.storage, places[static_cast<std::size_t>(to) + i / per],
            convert(piece.numbers[i], piece.dtype, target.dtype()), i % per);
      setReceiveCount(call, ranks, s, count);
    }
  }
}

struct Meaning {
  std::string_view mnemonic;
  /// For each operand `k` of the lists called `sources`.
  void (*interpret)(Calls &calls, std::size_t k);
  std::string_view sources;
};
constexpr std::array meanings{
    Meaning{"all_reduce", allReduce, "srcs"},
    Meaning{"all_gather", allGather, "srcs"},
    Meaning{"reduce_scatter", reduceScatter, "srcs"},
    Meaning{"all_to_all", allToAll, "srcs"},
    Meaning{"collective_permute_implicit", ringStep, "srcs_by_channel"},
    Meaning{"collective_permute_implicit_reduce", ringStepReduce, "srcs0"},
};
bool isCounted(std::string_view mnemonic) {
  return mnemonic == "all_gather_v" || mnemonic == "all_to_all_v" ||
         mnemonic == "all_gather_v_trigger" ||
         mnemonic == "all_to_all_v_trigger";
}

} // namespace

bool isCollective(std::string_view mnemonic) {
  for (const Meaning &meaning : meanings)
    if (meaning.mnemonic == mnemonic)
      return true;
  return isCounted(mnemonic) || mnemonic == "reduce_scatter_v" ||
         mnemonic == "collective_permute";
}

void interpretCollective(Calls &calls) {
  if (isCounted(calls.front().mnemonic))
    return exchangeCounted(calls);
  if (calls.front().mnemonic == "reduce_scatter_v")
    return reduceCounted(calls);
  for (const Meaning &meaning : meanings)
    if (meaning.mnemonic == calls.front().mnemonic)
      for (std::size_t k = 0; k < calls.front().count(meaning.sources); ++k)
        meaning.interpret(calls, k);
}

} // namespace kiln::interpret

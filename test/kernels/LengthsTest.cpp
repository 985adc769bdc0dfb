//===- LengthsTest.cpp - Attention of every length around a boundary ------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTensors.h"
#include "catch.h"
#include "inputs.h"

#include "kiln/compiler/compile.h"
#include "kiln/isa/target.h"
#include "kiln/kernels/library.h"
#include "kiln/kernels/reference.h"
#include "kiln/kernels/tolerance.h"
#include "kiln/record_parameters.h"
#include "kiln/sim/executor.h"
#include "kiln/tool/float_format.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace kiln::test::lengths_test {

namespace {

/// Caches, and how many keys each of them holds.
struct Caches {
  std::int64_t keys, block, headDim, heads, kvHeads;
  bool paged;
  std::vector<double> lengths;
  std::int64_t newTokens = 1;

  ParameterValues parameters() const {
    return {{"batch", std::to_string(lengths.size())},
            {"heads", std::to_string(heads)},
            {"kv_heads", std::to_string(kvHeads)},
            {"head_dim", std::to_string(headDim)},
            {"max_keys", std::to_string(keys)},
            {"block", std::to_string(block)},
            {"paged", paged ? "true" : "false"},
            {"new_tokens", std::to_string(newTokens)}};
  }
  std::string text() const {
    std::string text;
    for (const auto &[name, value] : parameters())
      text.append(name).append("=").append(value).append(" ");
    return text;
  }
  /// Each page once, in another order.
  std::size_t page(std::size_t listed) const {
    const auto blocks = static_cast<std::size_t>(keys / block);
    return listed * 29 % (lengths.size() * blocks);
  }
  /// Where the cache has element c of a key of a sequence and head.
  std::size_t place(std::size_t sequence, std::int64_t head, std::int64_t key,
                    std::int64_t c) const {
    const std::int64_t rows = paged ? block : keys;
    const auto part = static_cast<std::int64_t>(
        paged ? page(sequence * static_cast<std::size_t>(keys / block) +
                     static_cast<std::size_t>(key / block))
              : sequence);
    return static_cast<std::size_t>(
        ((part * kvHeads + head) * rows + key % rows) * headDim + c);
  }
};

constexpr double noNumber = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

/// Behind its length, the cache of a sequence holds no numbers.
void spoil(const Caches &caches, std::vector<double> &cache) {
  for (std::size_t b = 0; b < caches.lengths.size(); ++b)
    for (std::int64_t head = 0; head < caches.kvHeads; ++head)
      for (auto key = static_cast<std::int64_t>(caches.lengths[b]);
           key < caches.keys; ++key)
        for (std::int64_t c = 0; c < caches.headDim; ++c)
          cache[caches.place(b, head, key, c)] =
              (key + c) % 2 == 0 ? noNumber : infinite;
}

/// One number of a key that counts is none: of sequence b, `specials[b]`, in
/// the first step and in the last one.
void plant(const Caches &caches, const std::vector<double> &specials,
           std::vector<double> &cache) {
  for (std::size_t b = 0; b < caches.lengths.size(); ++b)
    if (const auto length = static_cast<std::int64_t>(caches.lengths[b]);
        specials[b] != 0 && length > 0)
      for (const std::int64_t key : {length / 5, length - 1})
        cache[caches.place(b, 0, key, key % caches.headDim)] = specials[b];
}

/// The same of the last of several new tokens: no other one sees it.
void plantNew(const Caches &caches, const std::vector<double> &specials,
              std::vector<double> &fresh) {
  const auto rows = caches.kvHeads * caches.newTokens;
  for (std::size_t b = 0; caches.newTokens > 1 && b < specials.size(); ++b)
    if (specials[b] != 0 && caches.lengths[b] == 0)
      fresh[static_cast<std::size_t>(
          (static_cast<std::int64_t>(b) * rows + caches.newTokens - 1) *
          caches.headDim)] = specials[b];
}

/// What the caches hold inside of their lengths, by sequence; 0 is a number.
struct Specials {
  std::vector<double> keys, values;
};

void check(const std::string &targetName, const Caches &caches,
           const Specials &specials, std::uint64_t interleavings) {
  INFO(targetName << ": " << caches.text());
  const isa::Target target = *isa::findTarget(targetName);
  const KernelEntry &kernel = *kernels::find("decode_attention");
  const ParameterValues parameters = caches.parameters();
  const program::Program program =
      kernel.record(parameters, {0, 1, target.generation});
  compiler::CompileOptions options;
  options.target = target;
  const auto compiled = compiler::compile(program, options);
  REQUIRE(compiled.module);

  std::uint64_t seedOf = 0;
  auto [inputs, tensors, types] = test::tensorsOf(
      program, [&](const program::Value &value, std::size_t count) {
        std::vector<double> values =
            test::inputs(1, count, test::Distribution::normal, ++seedOf);
        if (value.name == "lengths")
          values = caches.lengths;
        else if (value.name == "table")
          for (std::size_t i = 0; i < count; ++i)
            values[i] = static_cast<double>(caches.page(i));
        else if (value.name.ends_with("cache")) {
          spoil(caches, values);
          plant(caches,
                value.name == "k_cache" ? specials.keys : specials.values,
                values);
        } else if (value.name == "k" || value.name == "v")
          plantNew(caches, value.name == "k" ? specials.keys : specials.values,
                   values);
        return values;
      });
  std::vector<kernels::ReferenceTensors> expected{std::move(tensors)};
  kernels::computeReference(kernel, parameters, expected);
  for (std::uint64_t seed = 0; seed < interleavings; ++seed) {
    INFO("interleaving " << seed);
    sim::Options order;
    order.interleaveSeed = seed;
    const sim::Result run = sim::run(*compiled.module, target, inputs, order);
    if (run.fault)
      UNSCOPED_INFO(run.fault->code << " " << run.fault->text);
    REQUIRE(!run.fault);
    for (const sim::TensorData &output : run.outputs) {
      const isa::DType type = types.at(output.name);
      if (output.name == "o") // The caches hold what is no number.
        CHECK(kernels::compare(tool::decodeValues(output.bytes, type),
                               expected[0].at(output.name).values, type)
                  .withinTolerance);
    }
  }
}

/// Most are pages of which one transfer gathers several. With four steps,
/// products run side by side in the PE array: those of values, and if heads are
/// small, those of keys. A sanitizer would take long for these.
std::vector<Caches> pagedCaches(bool withLong) {
  const std::vector<double> few{0, 1, 255, 256, 300, 511};
  const std::vector<double> many{0, 1, 2048, 2049, 6000, 8191};
  std::vector<Caches> all{{512, 256, 32, 4, 2, true, few}, // too few to gather
                          {512, 32, 32, 4, 2, true, few},
                          {512, 32, 128, 2, 1, true, few}};
  if (withLong && KILN_CASE_STEP == 1) {
    all.push_back({8192, 16, 64, 2, 1, true, many});
    all.push_back({8192, 128, 128, 4, 1, true, many});
  }
  return all;
}

} // namespace

TEST_CASE("decode attention of every length around a boundary", "[small]") {
  // Where loops make no trip, one, or two; where a block is full, or has one
  // key more or less; and the same for the rows of a block, which have two
  // keys.
  const std::vector<double> lengths{0,   1,   2,   3,   127, 128,
                                    129, 255, 256, 257, 258, 511,
                                    512, 513, 767, 768, 769, 1023};
  const Specials none{std::vector<double>(lengths.size()),
                      std::vector<double>(lengths.size())};
  for (const bool paged : {false, true})
    for (const char *target : {"trn1", "trn2", "trn3"})
      check(target, {1024, 256, 32, 4, 2, paged, lengths}, none, 3);
  for (const std::string target : {"trn2", "trn3"})
    for (const Caches &caches : pagedCaches(target == "trn3"))
      check(target, caches, none, 1);
}

TEST_CASE("decode attention of several new tokens", "[small]") {
  // The last ones fill the cache, or begin before its end.
  const std::vector<double> lengths{0,   1,   127, 128, 129,  252,  253,
                                    255, 256, 257, 767, 1019, 1020, 1023};
  const Specials none{std::vector<double>(lengths.size()),
                      std::vector<double>(lengths.size())};
  for (const std::int64_t count : {2, 4})
    for (const bool paged : {false, true})
      for (const char *target : {"trn1", "trn2", "trn3"})
        check(target, {1024, 256, 32, 4, 2, paged, lengths, count}, none, 2);
  const Specials specials{{0, noNumber, 0, infinite, 0, -infinite, 0, 0},
                          {0, 0, noNumber, 0, infinite, 0, 0, 0}};
  for (const std::string target : {"trn2", "trn3"})
    for (Caches caches : pagedCaches(target == "trn3")) {
      caches.newTokens = 3;
      check(target, caches, {std::vector<double>(6), std::vector<double>(6)},
            1);
      caches.lengths = {0, 0, 0, 0, 0, 0, 1, 300};
      check(target, caches, specials, 1);
    }
}

TEST_CASE("decode attention with keys and values that are no numbers",
          "[small]") {
  // Of the other sequences and heads, the results are numbers.
  const Specials specials{{0, infinite, 0, noNumber, -infinite, 0},
                          {0, 0, noNumber, 0, 0, -infinite}};
  const std::vector<double> lengths{0, 1, 255, 256, 300, 511};
  for (const std::string target : {"trn2", "trn3"}) {
    check(target, {512, 256, 32, 4, 2, false, lengths}, specials, 1);
    for (const Caches &caches : pagedCaches(target == "trn2"))
      check(target, caches, specials, 1);
  }
}

TEST_CASE("long causal attention is recorded for what parts leave over",
          "[small]") {
  // What parts of 1024 leave over: one query, too few for a part, just enough.
  for (const auto &[queries, heads] :
       {std::pair("16385", "1"), std::pair("17152", "1"),
        std::pair("17153", "1"), std::pair("36865", "4")}) {
    INFO(queries << " queries of " << heads << " heads");
    const program::Program program = kernels::find("flash_attention")
                                         ->record({{"seq_q", queries},
                                                   {"seq_k", queries},
                                                   {"heads", heads},
                                                   {"causal", "true"}},
                                                  {0, 1, isa::Generation::v3});
    CHECK(!program.body.empty());
  }
}

} // namespace kiln::test::lengths_test

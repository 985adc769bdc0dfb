//===- KernelTest.cpp - Parameters, export, static linking ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <boost/hana/define_struct.hpp> // Before Kiln: Sample is a Hana struct.

#include "catch.h"
#include "kiln/kernels/library.h"
#include "kiln/kiln.h"
#include "kiln/program_check.h"
#include "kiln/program_text.h"
#include "kiln/record.h"

#include <boost/hana/accessors.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/second.hpp>

using namespace kiln;

namespace {

template <class T> struct Sample {
  BOOST_HANA_DEFINE_STRUCT(Sample, (int, row_count), (float, factor),
                           (bool, flag), (std::string, text));
  static Sample defaults() { return {4, 0.5f, false, "hello"}; }
  void describe(Signature &s) const {
    s.summary("a sample");
    s.doc("row_count", "how many");
    s.argument("x", {row_count, 8});
    if (flag)
      s.argument("extra", {8});
    else
      s.absent("extra");
    s.argument("y", {row_count, 8});
    s.flops(row_count);
    s.tokens(row_count / 2.0);
    s.random("x", 0.25);
    s.random("extra", factor);
    if (flag)
      s.parts();
  }
  void operator()(In<T, 2> x, In<T, 1>, Out<T, 2> y) const {
    store(y, load(x) * factor);
  }
  void reference(Doubles x, Doubles extra, Doubles y) const {
    for (std::int64_t r = 0; r < x.dim(0); ++r)
      for (int c = 0; c < 8; ++c)
        y(r, c) = factor * x(r, c) + (flag ? extra[7] : 0);
  }
};

struct Plain {
  BOOST_HANA_DEFINE_STRUCT(Plain, (int, rows));
  void describe(Signature &s) const {
    s.argument("y", {rows, 8});
    if (rows > 4)
      s.random(rows == 5 ? "z" : "y", 2);
  }
  void operator()(Out<f32, 2> y) const { store(y, zeros<f32>(rows, 8_c)); }
};

KILN_CHOICES(Norm, none, root_mean_square, layer)

struct Chosen {
  BOOST_HANA_DEFINE_STRUCT(Chosen, (Norm, norm), (int, rows));
  static Chosen defaults() { return {Norm::root_mean_square, 4}; }
  void describe(Signature &s) const {
    s.doc("norm", "what comes first");
    s.argument("y", {rows, 8});
  }
  void operator()(Out<f32, 2> y) const {
    store(y, full<f32>(static_cast<int>(norm), rows, 8_c));
  }
};

std::string codeOf(const KernelEntry &entry, const ParameterValues &values) {
  try {
    entry.record(values);
  } catch (const RecordError &error) {
    return error.code;
  }
  return "none";
}

} // namespace

struct ForTarget {
  BOOST_HANA_DEFINE_STRUCT(ForTarget, (bool, asks));
  static ForTarget defaults() { return {true}; }
  void describe(Signature &s) const { s.argument("y", {4, 8}); }
  void operator()(Out<f32, 2> y) const {
    const bool is_new = asks && target().generation >= nc::Generation::v4;
    store(y, full<f32>(is_new ? 1.0 : 0.0, 4_c, 8_c));
  }
};

KILN_EXPORT(for_target, ForTarget)
KILN_EXPORT(chosen, Chosen)
KILN_EXPORT(sample, Sample<f32>, Sample<bf16>)
KILN_EXPORT(plain, Plain)

extern "C" const kiln::KernelTable *kiln_kernels();

TEST_CASE("the table holds this program's kernels and the library's") {
  const KernelTable &table = *kiln_kernels();
  CHECK(table.abiVersion == program::abiVersion);
  CHECK(findKernel(table, "sample") != nullptr);
  CHECK(findKernel(table, "nothing") == nullptr);
  // The library is a static archive: its entries survived linking.
  CHECK(kernels::library().size() == KILN_KERNEL_FOLDERS);
  for (const KernelEntry *entry : kernels::library()) {
    CHECK(findKernel(table, entry->name) == entry);
    CHECK(kernels::find(entry->name) == entry);
    CHECK(!entry->summary().empty());
    for (const KernelParameter &parameter : entry->parameters())
      CHECK(!parameter.doc.empty());
  }
}

TEST_CASE("parameters come from the struct") {
  const KernelEntry &entry = *findKernel(*kiln_kernels(), "sample");
  const auto parameters = entry.parameters();
  REQUIRE(parameters.size() == 5);
  CHECK(parameters[0].name == "row-count");
  CHECK(parameters[0].type == std::string("int"));
  CHECK(parameters[0].defaultValue == "4");
  CHECK(parameters[0].doc == "how many");
  CHECK(parameters[1].defaultValue == "0.5");
  CHECK(parameters[2].type == std::string("bool"));
  CHECK(parameters[4].name == "dtype");
  CHECK(parameters[4].doc == "element type: f32, bf16");

  const program::Program p =
      entry.record({{"row-count", "6"}, {"dtype", "bf16"}, {"factor", "0.25"}});
  CHECK(p.kernel == "sample");
  CHECK(p.flops == 6);
  CHECK(p.tokens == 3);
  // A part that is not whole is not known.
  CHECK(entry.record({{"row-count", "7"}, {"dtype", "bf16"}}).tokens == 0);
  REQUIRE(p.arguments.size() == 2);
  CHECK(p.values[p.arguments[0].value].shape ==
        std::vector<std::int64_t>{6, 8});
  CHECK(p.values[p.arguments[0].value].dtype == isa::DType::bf16);
  CHECK(p.parameters[0].value == "6");
  CHECK(p.parameters.back().value == "bf16");
  CHECK(entry.record({{"row_count", "6"}}) ==
        entry.record({{"row-count", "6"}}));
  CHECK(entry.arguments({{"flag", "true"}}).size() == 3);
  CHECK(entry.arguments({})[1].kind == program::ArgumentKind::output);
}

TEST_CASE("a kernel declares its random values and its parts") {
  const KernelEntry &entry = *findKernel(*kiln_kernels(), "sample");
  const program::Program plain = entry.record({});
  CHECK(plain.arguments[0].deviation == 0.25);
  CHECK(plain.arguments[1].deviation == 1);
  CHECK_FALSE(plain.hasParts);
  const program::Program flagged = entry.record({{"flag", "true"}});
  CHECK(flagged.arguments[1].deviation == 0.5);
  CHECK(flagged.hasParts);
  CHECK(entry.arguments({})[0].deviation == 0.25);
  // Of a tensor that is absent, nothing is said.
  CHECK(codeOf(entry, {{"factor", "0"}}) == "none");
  for (const char *wrong : {"0", "-1", "inf"})
    CHECK(codeOf(entry, {{"flag", "true"}, {"factor", wrong}}) == "KILN-A011");
  const KernelEntry &wrong = *findKernel(*kiln_kernels(), "plain");
  CHECK(codeOf(wrong, {{"rows", "4"}}) == "none");
  CHECK(codeOf(wrong, {{"rows", "5"}}) == "KILN-A011"); // Not listed.
  CHECK(codeOf(wrong, {{"rows", "6"}}) == "KILN-A011"); // An output.
}

TEST_CASE("a kernel is a Hana struct if Hana comes first") {
  const Sample<f32> sample = Sample<f32>::defaults();
  std::vector<std::pair<std::string, const void *>> hana, own;
  boost::hana::for_each(boost::hana::accessors<Sample<f32>>(), [&](auto pair) {
    hana.emplace_back(boost::hana::first(pair).c_str(),
                      &boost::hana::second(pair)(sample));
  });
  const auto list = [&](const dsl::ParameterField *fields, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      own.emplace_back(fields[i].name, fields[i].address);
  };
  dsl::withFields(sample, list);
  REQUIRE(own.size() == 4);
  CHECK(own == hana);

  // Of a kernel that has its members from another.
  struct Derived : Sample<bf16> {};
  own.clear();
  dsl::withFields(Derived{Sample<bf16>::defaults()}, list);
  REQUIRE(own.size() == 4);
  CHECK(own.back().first == "text");
}

TEST_CASE("a parameter may be one of several names") {
  const KernelEntry &entry = *findKernel(*kiln_kernels(), "chosen");
  const KernelParameter norm = entry.parameters()[0];
  CHECK(norm.type == "choice");
  CHECK(norm.defaultValue == "root-mean-square");
  CHECK(norm.doc == "what comes first; one of none, root-mean-square, layer");
  const auto filled = [&](const std::string &name) {
    const program::Program p = entry.record({{"norm", name}});
    CHECK(p.parameters[0].value == name);
    return static_cast<double>(p.body.front().as<program::Fill>().value);
  };
  CHECK(filled("none") == 0);
  CHECK(filled("root-mean-square") == 1);
  CHECK(filled("layer") == 2);
  CHECK(entry.record({{"norm", "root_mean_square"}}) == entry.record({}));
  for (const char *wrong : {"", "1", "Layer", "none,layer"})
    CHECK(codeOf(entry, {{"norm", wrong}}) == "KILN-A010");
}

TEST_CASE("a kernel may ask for its target") {
  const KernelEntry &entry = *findKernel(*kiln_kernels(), "for_target");
  for (const auto generation :
       {isa::Generation::v2, isa::Generation::v3, isa::Generation::v4}) {
    const program::Program p = entry.record({}, Core{0, 1, generation});
    CHECK(p.generation == generation);
    CHECK(static_cast<double>(p.body.front().as<program::Fill>().value) ==
          (generation == isa::Generation::v4));
    const auto read = program::parseProgram(program::printProgram(p));
    REQUIRE(read.program.has_value());
    CHECK(*read.program == p);
    CHECK(!program::checkProgram(p));
    CHECK(
        !entry.record({{"asks", "false"}}, Core{0, 1, generation}).generation);
  }
  program::Program wrong = entry.record({});
  for (const unsigned number : {0u, 1u, 5u, 255u}) {
    wrong.generation = static_cast<isa::Generation>(number);
    CHECK(program::checkProgram(wrong)->code == "KILN-P010");
  }
}

TEST_CASE("a kernel may bring a reference") {
  const KernelEntry &entry = *findKernel(*kiln_kernels(), "sample");
  CHECK(entry.hasReference({}));
  CHECK(!findKernel(*kiln_kernels(), "plain")->hasReference({}));
  const std::int64_t shape[] = {2, 8}, row[] = {8};
  std::vector<double> x(16, 3), y(16), extra(8, 5);
  const DoublesByName tensors{{"x", Doubles(x.data(), shape, 2)},
                              {"extra", Doubles(extra.data(), row, 1)},
                              {"y", Doubles(y.data(), shape, 2)}};
  entry.runReference({{"row-count", "2"}, {"factor", "2"}}, {tensors});
  CHECK(y == std::vector<double>(16, 6));
  entry.runReference({{"row-count", "2"}, {"flag", "true"}}, {tensors});
  CHECK(y == std::vector<double>(16, 6.5));
  CHECK(tensors.at("x").size() == 16);
  CHECK(Doubles().size() == 0);
}

TEST_CASE("wrong parameters are refused with what is allowed") {
  const KernelEntry &entry = *findKernel(*kiln_kernels(), "sample");
  CHECK(codeOf(entry, {{"rows", "4"}}) == "KILN-A009");
  CHECK(codeOf(entry, {{"row-count", "4x"}}) == "KILN-A010");
  CHECK(codeOf(entry, {{"row-count", "99999999999"}}) == "KILN-A010");
  CHECK(codeOf(entry, {{"factor", ""}}) == "KILN-A010");
  CHECK(codeOf(entry, {{"flag", "maybe"}}) == "KILN-A010");
  CHECK(codeOf(entry, {{"dtype", "f64"}}) == "KILN-A010");
  CHECK(codeOf(entry, {{"row-count", "0"}}) == "KILN-A012");
  CHECK(codeOf(entry, {{"row-count", "-3"}}) == "KILN-A012");
  try {
    entry.record({{"rows", "4"}});
  } catch (const RecordError &error) {
    CHECK(error.fix == "it has --row-count --factor --flag --text --dtype");
  }
}

TEST_CASE("flash attention records every kind of size") {
  const KernelEntry &flash = *kernels::find("flash_attention");
  for (const char *q : {"1", "127", "128", "300", "1024"})
    for (const char *k : {"1", "511", "512", "700", "1024"})
      for (const char *causal : {"0", "1"})
        CHECK(codeOf(flash, {{"seq-q", q}, {"seq-k", k}, {"causal", causal}}) ==
              "none");
  // Those that stay on chip, folded and not, and one that is too long.
  for (const char *size : {"2000", "2048", "3072", "65536"})
    for (const char *causal : {"0", "1"})
      CHECK(codeOf(flash, {{"heads", "4"},
                           {"kv-heads", "2"},
                           {"seq-q", size},
                           {"seq-k", size},
                           {"causal", causal}}) == "none");
  CHECK(codeOf(flash, {{"head-dim", "129"}}) == "KILN-A017");
  CHECK(codeOf(flash, {{"heads", "3"}, {"kv-heads", "2"}}) == "KILN-A017");
  CHECK(codeOf(flash, {{"kv-heads", "0"}}) != "none");
  // A causal square of n visits n (n + 1) / 2 pairs.
  CHECK(
      flash.record({{"seq-q", "64"}, {"seq-k", "64"}, {"causal", "1"}}).flops ==
      4 * (64 * 65 / 2) * 128);
  CHECK(flash.record({{"seq-q", "3"}, {"seq-k", "2"}, {"causal", "1"}}).flops ==
        4 * 3 * 128);
}

// Resident keys and values are loaded in pieces of 1024, each by one load. From
// 16384 on, the diagonal has loops of its own.
TEST_CASE("a Program grows with the sequence by the loads of it alone") {
  const KernelEntry &flash = *kernels::find("flash_attention");
  const auto small =
      flash.record({{"seq-q", "8192"}, {"seq-k", "8192"}, {"causal", "1"}});
  const auto large =
      flash.record({{"seq-q", "12288"}, {"seq-k", "12288"}, {"causal", "1"}});
  constexpr std::size_t pieces = (12288 - 8192) / 1024;
  CHECK(large.values.size() == small.values.size() + 2 * pieces);
  CHECK(large.locations.size() == small.locations.size());
}

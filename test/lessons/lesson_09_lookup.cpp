//===- lesson_09_lookup.cpp - Lesson 9: looking things up -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/compile.h"
#include "kiln/isa/target.h"
#include "kiln/kiln.h"
#include "kiln/record.h"
#include "kiln/sim/executor.h"
#include "lesson.h"

#include <cstring>

using namespace kiln;

/// For each row the eight best of its scores, and the weights of the page whose
/// number stands in memory.
struct Route {
  BOOST_HANA_DEFINE_STRUCT(Route, (int, experts), (int, pages));
  void describe(Signature &s) const {
    s.argument("scores", {128, experts});
    s.argument("page", {1, 1});
    s.argument("table", {pages * 16, 64});
    s.argument("best", {128, 8});
    s.argument("expert", {128, 8});
    s.argument("weights", {16, 64});
  }
  void operator()(In<f32, 2> scores, In<i32, 2> page, In<f32, 2> table,
                  Out<f32, 2> best, Out<u32, 2> expert,
                  Out<f32, 2> weights) const {
    auto s = load(scores);
    auto top = sbuf<f32>(128_c, 8_c);
    auto places = sbuf<u32>(128_c, 8_c);
    nc::max8(top, s, {.name = "eight best"});
    nc::nc_find_index8(places, s, top);
    store(best, top);
    store(expert, places);

    const Index p = nc::register_load(page);
    store(weights, load(table.rows(p, 16_c)));
  }
};

template <class T> std::vector<std::uint8_t> bytesOf(const std::vector<T> &v) {
  std::vector<std::uint8_t> bytes(v.size() * sizeof(T));
  std::memcpy(bytes.data(), v.data(), bytes.size());
  return bytes;
}
template <class T> T at(const sim::TensorData &tensor, std::size_t i) {
  T value;
  std::memcpy(&value, tensor.bytes.data() + i * sizeof(T), sizeof value);
  return value;
}

int main() {
  const auto compiled = compiler::compile(record(Route{32, 4}, "route"));
  lesson::expect(compiled.module.has_value(), "it compiles");
  std::vector<float> scores(128 * 32), table(4 * 16 * 64);
  for (std::size_t i = 0; i < scores.size(); ++i)
    scores[i] = static_cast<float>(i * 7 % 32);
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = static_cast<float>(i / 1024);
  const auto run = [&](std::int32_t page) {
    return sim::run(*compiled.module, isa::trn2,
                    {{"scores", bytesOf(scores)},
                     {"page", bytesOf(std::vector{page})},
                     {"table", bytesOf(table)}},
                    {});
  };
  const sim::Result good = run(3);
  lesson::expect(!good.fault, "page 3 exists");
  std::cout << "row 0: score " << at<float>(good.outputs[0], 0) << " at expert "
            << at<std::uint32_t>(good.outputs[1], 0) << ", page "
            << at<float>(good.outputs[2], 0) << '\n';
  lesson::expect(at<float>(good.outputs[0], 0) == 31 &&
                     at<std::uint32_t>(good.outputs[1], 0) == 9,
                 "31 is the largest score, and stands at 9");
  lesson::expect(at<float>(good.outputs[2], 0) == 3, "the page was 3");
  const sim::Result bad = run(4);
  lesson::expect(bad.fault && bad.fault->kind == sim::FaultKind::outOfBounds,
                 "page 4 does not exist, and the run says so");
  std::cout << bad.fault->text << '\n';
}

//===- lesson_11_ranks.cpp - Tutorial, lesson 11 --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/compile.h"
#include "kiln/isa/checks.h"
#include "kiln/isa/target.h"
#include "kiln/kiln.h"
#include "kiln/record.h"
#include "kiln/sim/launch.h"
#include "lesson.h"

#include <cstring>

using namespace kiln;

/// y = the sum of all rows of x, from both cores.
struct Total {
  BOOST_HANA_DEFINE_STRUCT(Total, (int, rows), (int, cols));
  void describe(Signature &s) const {
    s.argument("x", {rows, cols});
    s.argument("y", {2, cols});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    const auto half = rows / num_programs(), first = program_id() * half;
    auto sums = shared_hbm<f32>("sums", num_programs(), cols);
    store(sums.rows_at(program_id(), 1_c),
          col_sum(load(x.rows_at(first, half))));
    if (num_programs() == 2)
      nc::core_barrier(sums);
    store(y.rows_at(program_id(), 1_c), col_sum(load(sums)));
  }
};

/// One core forgets the other.
struct Lonely {
  BOOST_HANA_DEFINE_STRUCT(Lonely, (int, unused));
  void describe(Signature &s) const { s.argument("y", {2, 8}); }
  void operator()(Out<f32, 2> y) const {
    store(y.rows_at(program_id(), 1_c), full<f32>(1.0, 1_c, 8_c));
    if (program_id() == 0)
      nc::core_barrier(y);
  }
};

/// y = the x of both ranks.
struct Ring {
  BOOST_HANA_DEFINE_STRUCT(Ring, (int, rows), (int, cols));
  void describe(Signature &s) const {
    s.argument("x", {rows, cols});
    s.argument("y", {2 * rows, cols});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    const nc::ReplicaGroup ring = nc::ranks_to(2);
    auto other = hbm<f32>("other", rows, cols);
    auto keep = [&](int step, const auto &at_hand) {
      const Index from =
          nc::collective_permute_implicit_current_processing_rank_id(step,
                                                                     ring);
      nc::dma_copy(y.rows_at(from * rows, rows), at_hand);
    };
    keep(0, x);
    nc::collective_permute_implicit(x, other, ring);
    keep(1, other);
  }
};

template <class Kernel>
std::vector<isa::Module> compileFor(const Kernel &kernel, std::uint32_t cores) {
  std::vector<isa::Module> modules;
  for (std::uint32_t i = 0; i < cores; ++i) {
    auto compiled = compiler::compile(record(kernel, "lesson", {i, cores}));
    lesson::expect(compiled.module.has_value(), "it compiles");
    modules.push_back(std::move(*compiled.module));
  }
  return modules;
}

std::vector<std::uint8_t> bytesOf(const std::vector<float> &values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
float valueOf(const std::vector<std::uint8_t> &bytes, std::size_t i) {
  float value = 0;
  std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
  return value;
}

int main() {
  const auto cores = compileFor(Total{64, 8}, 2);
  const std::vector<sim::TensorData> ones{
      {"x", bytesOf(std::vector<float>(64 * 8, 1.0f))}};
  sim::Launch launch;
  launch.modules = cores;
  launch.inputs = ones;
  const auto total = sim::runLaunch(launch, isa::trn2, {});
  lesson::expect(!total.fault, "two cores run");
  lesson::expect(valueOf(total.outputs[0][0].bytes, 0) == 64, "64 rows of 1");
  lesson::expect(valueOf(total.outputs[0][0].bytes, 8) == 64, "on both cores");

  const auto lonely = isa::checkMeetings(compileFor(Lonely{0}, 2));
  lesson::expect(lonely && lonely->code == "KILN-I085", "nobody comes");
  std::cout << lonely->str() << '\n';

  const auto ring = compileFor(Ring{4, 8}, 1);
  const std::vector<sim::TensorData> first{
      {"x", bytesOf(std::vector<float>(4 * 8, 3.0f))}};
  const std::vector<sim::TensorData> second{
      {"x", bytesOf(std::vector<float>(4 * 8, 5.0f))}};
  sim::Launch two;
  two.modules = ring;
  two.ranks = 2;
  two.inputsOfRank = {first, second};
  const auto gathered = sim::runLaunch(two, isa::trn2, {});
  lesson::expect(!gathered.fault, "two ranks run");
  for (const auto &outputs : gathered.outputs) {
    lesson::expect(valueOf(outputs[0].bytes, 0) == 3, "rank 0's");
    lesson::expect(valueOf(outputs[0].bytes, 4 * 8) == 5, "rank 1's");
  }
}

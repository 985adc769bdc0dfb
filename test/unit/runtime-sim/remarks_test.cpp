//===- remarks_test.cpp - What is allowed but seldom meant ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "function/Bench.h"

#include "catch.h"

using namespace bench;

namespace {

/// x and y of 4 x 64 elements each.
struct Scene : Program {
  explicit Scene(DType in = DType::f32, DType out = DType::f32) {
    tensor("x", in, isa::TensorKind::input, {4, 64});
    tensor("y", out, isa::TensorKind::output, {4, 64});
  }

  static Access tile(DType dtype, std::int64_t offset, unsigned n = 64) {
    return sbuf(dtype, 4, n, offset);
  }
  Access rows(unsigned index) const {
    return hbm(index, module.tensors[index].dtype, {{64, 4}, {1, 64}});
  }
  void load(const Access &to) {
    then(Engine::sync, isa::DmaCopy{to, rows(0), 0, {}});
  }
  void store(const Access &from) {
    then(Engine::sync, isa::DmaCopy{rows(1), from, 0, {}});
  }
  void copy(const Access &to, const Access &from) {
    isa::TensorCopy op;
    op.dst = to;
    op.src = from;
    then(Engine::vector, op);
  }
  void twice(const Access &to, const Access &from) {
    isa::TensorScalar op;
    op.dst = to;
    op.data = from;
    op.op0 = isa::AluOp::multiply;
    op.operand0 = 2.0f;
    then(Engine::vector, op);
  }
  void fill(const Access &to, float value) {
    isa::Memset op;
    op.dst = to;
    op.value = value;
    then(Engine::vector, op);
  }

  sim::Execution go(const sim::Options &options = {}) const {
    const std::size_t bytes = module.tensors[0].sizeInBytes();
    sim::Execution run =
        sim::execute(module, isa::trn2,
                     {data("x", std::vector<std::uint8_t>(bytes, 1))}, options);
    if (run.fault)
      FAIL(run.fault->code << " " << run.fault->text);
    return run;
  }
  /// The codes of all remarks.
  std::string codes(const sim::Options &options = {}) const {
    std::string all;
    for (const sim::Fault &remark : go(options).remarks)
      all += (all.empty() ? "" : " ") + remark.code;
    return all;
  }
};

/// What one type wrote and another reads, both of four bytes.
Scene retyped(DType written, DType read) {
  Scene scene;
  scene.load(Scene::tile(DType::f32, 0));
  scene.copy(Scene::tile(written, 1024), Scene::tile(DType::f32, 0));
  scene.copy(Scene::tile(DType::f32, 2048), Scene::tile(read, 1024));
  scene.store(Scene::tile(DType::f32, 2048));
  return scene;
}

} // namespace

TEST_CASE("bytes that are read with another type than they were written") {
  CHECK(retyped(DType::f32, DType::f32).codes().empty());
  CHECK(retyped(DType::f32, DType::i32).codes() == "KILN-X060");
  CHECK(retyped(DType::i32, DType::f32).codes() == "KILN-X060");
  // Signed and unsigned are one form, and so are the two of 32-bit floats.
  CHECK(retyped(DType::u32, DType::i32).codes().empty());
  CHECK(retyped(DType::f32, DType::tf32).codes().empty());
  const Scene scene = retyped(DType::i32, DType::f32);
  const sim::Execution run = scene.go();
  REQUIRE(run.remarks.size() == 1);
  const sim::Fault &remark = run.remarks[0];
  CHECK(remark.kind == sim::FaultKind::retyped);
  CHECK(remark.text.find("reads sbuf partition 0 byte 1024 (src) as f32") !=
        std::string::npos);
  CHECK(remark.text.find("wrote it as i32") != std::string::npos);
  REQUIRE(remark.instructions.size() == 2);
  CHECK(remark.instructions[0].location.line == 3);
  CHECK(remark.instructions[1].location.line == 2);
  CHECK(run.outputs.size() == 1);
}

TEST_CASE("a smaller type in what a larger one wrote") {
  Scene scene;
  scene.load(Scene::tile(DType::f32, 0));
  scene.copy(Scene::tile(DType::f32, 2048),
             place(Space::sbuf, DType::bf16, 0, 4, 2, {{2, 64}}));
  scene.store(Scene::tile(DType::f32, 2048));
  CHECK(scene.codes() == "KILN-X060");
}

TEST_CASE("a tensor read or written with another type than its own") {
  for (const bool writes : {false, true}) {
    Scene scene(DType::bf16, DType::bf16);
    const Access wrong = hbm(writes, DType::f16, {{64, 4}, {1, 64}});
    const Access half = Scene::tile(DType::bf16, 0);
    scene.then(Engine::sync,
               isa::DmaCopy{half, writes ? scene.rows(0) : wrong, 0, {}});
    scene.then(Engine::sync,
               isa::DmaCopy{writes ? wrong : scene.rows(1), half, 0, {}});
    const auto remarks = scene.go().remarks;
    REQUIRE(remarks.size() == 1);
    CHECK(remarks[0].code == "KILN-X060");
    CHECK(remarks[0].text.find(writes ? "writes tensor y (dst) as f16"
                                      : "reads tensor x (src) as f16") !=
          std::string::npos);
    CHECK(remarks[0].text.find("declared bf16") != std::string::npos);
  }
}

TEST_CASE("bits that are moved as integers keep no type") {
  // Pairs of bf16 go over as u32, by a DMA and by an engine.
  Scene scene(DType::bf16, DType::bf16);
  const auto pairs = [](std::int64_t offset) {
    return Scene::tile(DType::u32, offset, 32);
  };
  scene.then(
      Engine::sync,
      isa::DmaCopy{pairs(0), hbm(0, DType::u32, {{32, 4}, {1, 32}}), 0, {}});
  scene.copy(pairs(1024), pairs(0));
  scene.copy(Scene::tile(DType::bf16, 2048), Scene::tile(DType::bf16, 1024));
  scene.store(Scene::tile(DType::bf16, 2048));
  CHECK(scene.codes().empty());
}

TEST_CASE("integers from a tensor of integers are no floats") {
  Scene scene(DType::i32);
  scene.load(Scene::tile(DType::i32, 0));
  scene.copy(Scene::tile(DType::f32, 2048), Scene::tile(DType::f32, 0));
  scene.store(Scene::tile(DType::f32, 2048));
  CHECK(scene.codes() == "KILN-X060");
}

TEST_CASE("bitwise operators take and leave bits") {
  Scene scene;
  scene.load(Scene::tile(DType::f32, 0));
  isa::TensorScalar clear;
  clear.dst = Scene::tile(DType::u32, 1024);
  clear.data = Scene::tile(DType::u32, 0);
  clear.op0 = isa::AluOp::bitwise_and;
  clear.operand0 = std::int32_t{0x7fffffff};
  scene.then(Engine::vector, clear);
  scene.store(Scene::tile(DType::f32, 1024));
  CHECK(scene.codes().empty());
}

TEST_CASE("zeros and patterns fill memory of any type") {
  const auto filled = [](DType dtype, float value) {
    Scene scene;
    scene.fill(Scene::tile(dtype, 0, dtype == DType::bf16 ? 128 : 64), value);
    scene.store(Scene::tile(DType::f32, 0));
    return scene.codes();
  };
  CHECK(filled(DType::bf16, 0).empty());
  CHECK(filled(DType::u32, 127 << 23).empty());
  CHECK(filled(DType::bf16, 1) == "KILN-X060");
}

TEST_CASE("a result that is overwritten before anything reads it") {
  enum Writer { computes, fills, copies };
  const auto scene = [](bool reads, bool half, Writer writer) {
    Scene scene;
    scene.load(Scene::tile(DType::f32, 0));
    if (writer == fills)
      scene.fill(Scene::tile(DType::f32, 1024), 1);
    else if (writer == copies)
      scene.copy(Scene::tile(DType::f32, 1024), Scene::tile(DType::f32, 0));
    else
      scene.twice(Scene::tile(DType::f32, 1024), Scene::tile(DType::f32, 0));
    if (reads) // One element of it.
      scene.copy(Scene::tile(DType::f32, 4096, 1),
                 Scene::tile(DType::f32, 1024, 1));
    scene.copy(Scene::tile(DType::f32, half ? 1152 : 1024, half ? 32 : 64),
               Scene::tile(DType::f32, 0, half ? 32 : 64));
    if (half) // The other half is used later.
      scene.copy(Scene::tile(DType::f32, 8192), Scene::tile(DType::f32, 1024));
    scene.store(Scene::tile(DType::f32, 1024));
    return scene.codes();
  };
  CHECK(scene(false, false, computes) == "KILN-X061");
  CHECK(scene(true, false, computes).empty());
  CHECK(scene(false, true, computes).empty());
  // What fills memory or copies computes nothing.
  CHECK(scene(false, false, fills).empty());
  CHECK(scene(false, false, copies).empty());
}

TEST_CASE("a state after its last trip is not lost") {
  const auto scene = [](unsigned first, unsigned second, bool setsAnew) {
    Scene scene;
    scene.module.buffers = {0, 0, 0};
    Access tile = Scene::tile(DType::f32, 1024);
    scene.load(Scene::tile(DType::f32, 0));
    tile.tensor = static_cast<std::uint16_t>(first);
    scene.twice(tile, Scene::tile(DType::f32, 0));
    tile.tensor = static_cast<std::uint16_t>(second);
    if (setsAnew)
      scene.fill(tile, 1);
    else
      scene.twice(tile, Scene::tile(DType::f32, 0));
    scene.store(tile);
    return scene.codes();
  };
  CHECK(scene(1, 1, false) == "KILN-X061");
  CHECK(scene(0, 1, false) == "KILN-X061");
  CHECK(scene(1, 2, false).empty()); // The memory of another buffer.
  CHECK(scene(1, 1, true).empty());
}

TEST_CASE("a product that does not add") {
  for (const bool adds : {false, true}) {
    Scene scene;
    scene.load(Scene::tile(DType::f32, 0));
    isa::NcMatmul product;
    product.dst = psum(DType::f32, 4, 64);
    product.stationary = Scene::tile(DType::f32, 0, 4);
    product.moving = Scene::tile(DType::f32, 0);
    scene.then(Engine::tensor, product);
    product.accumulate = adds;
    scene.then(Engine::tensor, product);
    scene.copy(Scene::tile(DType::f32, 1024), psum(DType::f32, 4, 64));
    scene.store(Scene::tile(DType::f32, 1024));
    const auto remarks = scene.go().remarks;
    REQUIRE(remarks.size() == (adds ? 0 : 1));
    if (adds)
      continue;
    CHECK(remarks[0].code == "KILN-X061");
    CHECK(remarks[0].instructions[0].location.line == 3);
    CHECK(remarks[0].instructions[1].location.line == 2);
    CHECK(remarks[0].text.find("accumulate") != std::string::npos);
  }
}

TEST_CASE("stores that overlap at the edge of a tensor lose nothing") {
  Scene scene;
  scene.load(Scene::tile(DType::f32, 0));
  for (const std::int64_t first : {0, 16}) {
    Access part = hbm(1, DType::f32, {{64, 4}, {1, 48}}, first * 4);
    scene.then(
        Engine::sync,
        isa::DmaCopy{part, Scene::tile(DType::f32, first * 4, 48), 0, {}});
  }
  CHECK(scene.codes().empty());
  // All of it again: the first one was in vain.
  scene.store(Scene::tile(DType::f32, 0));
  CHECK(scene.codes() == "KILN-X061 KILN-X061");
}

TEST_CASE("in a loop each trip counts, and is told once") {
  Scene scene;
  scene.load(Scene::tile(DType::f32, 0));
  isa::Instruction &begin =
      scene.add(Engine::vector, isa::LoopBegin{{1}, {0}, {5}, 1});
  begin.waits.push_back({7, 1});
  scene.module.streams[4][0].signals.push_back({7, 1});
  isa::TensorScalar op;
  op.dst = Scene::tile(DType::f32, 1024);
  op.data = Scene::tile(DType::f32, 0);
  op.op0 = isa::AluOp::multiply;
  op.operand0 = 2.0f;
  scene.add(Engine::vector, op);
  scene.add(Engine::vector, isa::LoopEnd{});
  scene.add(Engine::vector, isa::Semaphore{}).signals.push_back({8, 1});
  scene.add(Engine::sync, isa::DmaCopy{scene.rows(1), op.dst, 1, {}})
      .waits.push_back({8, 1});
  // The last trip's result is read, those before it are lost.
  CHECK(scene.codes() == "KILN-X061");
}

TEST_CASE("remarks that are not wanted") {
  const Scene scene = retyped(DType::i32, DType::f32);
  sim::Options options;
  options.remarks = false;
  CHECK(scene.codes(options).empty());
  const auto permitted = [&](const sim::Permission &permission) {
    sim::Options some;
    some.permissions = {permission};
    return scene.codes(some).empty();
  };
  CHECK(permitted({"KILN-X060", "", 0, {}, 0}));
  CHECK_FALSE(permitted({"KILN-X061", "", 0, {}, 0}));
  // At the instruction that reads, or at that which wrote.
  CHECK(permitted({"KILN-X060", "kernel.cpp", 3, {}, 0}));
  CHECK(permitted({"KILN-X060", "kernel.cpp", 2, {}, 0}));
  CHECK_FALSE(permitted({"KILN-X060", "kernel.cpp", 1, {}, 0}));
  CHECK_FALSE(permitted({"KILN-X060", "other.cpp", 3, {}, 0}));
  CHECK(permitted({"KILN-X060", "", 0, Engine::vector, 1}));
  CHECK_FALSE(permitted({"KILN-X060", "", 0, Engine::vector, 2}));
  CHECK_FALSE(permitted({"KILN-X060", "", 0, Engine::scalar, 1}));
}

TEST_CASE("all orders make the same remarks") {
  const Scene scene = retyped(DType::i32, DType::f32);
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    sim::Options options;
    options.interleaveSeed = seed;
    CHECK(scene.codes(options) == "KILN-X060");
  }
}

//===- roofline_test.cpp - What no compiler changes -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profiled.h"

using namespace kiln::sim::test;

TEST_CASE("a roofline knows the flops and the arguments alone") {
  Profiled p = profiled();
  // As a kernel of one input and one output of 128 x 512 bf16 each, which its
  // 20 iterations move again and again.
  p.module.tensors = {
      {"x", DType::bf16, isa::TensorKind::input, {128, 512}, {}},
      {"y", DType::bf16, isa::TensorKind::output, {128, 512}, {}},
      {"s", DType::bf16, isa::TensorKind::internal, {128, 512}, {}}};
  p.module.facts["model_flops"] = "7864320";
  const ProfileReport small = makeProfile(p.module, p.timing, isa::trn2);
  CHECK(small.roofline.readBytes == 131072);
  CHECK(small.roofline.writeBytes == 131072);
  CHECK(small.roofline.memoryNs == Approx(262144 / 716.8));
  CHECK(small.roofline.computeNs == Approx(100));
  CHECK(small.roofline.timeNs == small.roofline.memoryNs);
  CHECK(small.roofline.boundBy == "hbm");
  p.module.facts["model_flops"] = "78643200";
  const ProfileReport large = makeProfile(p.module, p.timing, isa::trn2);
  CHECK(large.roofline.timeNs == Approx(1000));
  CHECK(large.roofline.boundBy == "flops");
  // A table of which the kernel reads a part.
  p.module.tensors[0].shape = {1 << 20, 512};
  const ProfileReport part = makeProfile(p.module, p.timing, isa::trn2);
  CHECK(part.roofline.readBytes == part.hbmReadBytes);
  // Each of two cores has half of the arguments, and half of the stack.
  p.module.tensors[0].shape = {128, 512};
  const std::array both = {p.module, p.module};
  const ProfileReport half = makeProfile(both, p.timing, 1, isa::trn2);
  CHECK(half.roofline.readBytes == 65536);
  CHECK(half.roofline.memoryNs == Approx(262144 / 716.8));
}

TEST_CASE("8-bit operands have their own peak from trn2 on") {
  Profiled p = profiled(DType::f8e4m3);
  CHECK(p.report.productType == "fp8");
  CHECK(p.report.peakOfTypeFlopsPerNs == Approx(2 * 78643.2));
  CHECK(p.report.mfuOfType == Approx(p.report.mfu / 2));
  CHECK(makeProfile(p.module, p.timing, isa::trn1).productType == "bf16");
}

TEST_CASE("a transpose counts as the product with an identity") {
  ModuleBuilder builder;
  isa::NcTranspose transpose;
  transpose.dst = psum(DType::bf16, 64, 128);
  transpose.data = sbuf(DType::bf16, 128, 64);
  builder.loop(Engine::tensor, 3)
      .add(Engine::tensor, transpose)
      .add(Engine::tensor, matmul(DType::bf16, 128, 128, 512))
      .endLoop(Engine::tensor);
  builder.add(Engine::tensor,
              dmaCopy(sbuf(DType::bf16, 128, 64), hbm(DType::bf16, 128, 64)));
  builder.module.facts["model_flops"] = "1000000";
  const ProfileReport report =
      makeProfile(builder.module, builder.time(), isa::trn2);
  CHECK(report.matmulFlops == 3u * 2 * 128 * 128 * 512);
  CHECK(report.hardwareFlops == report.matmulFlops + 3u * 2 * 128 * 128 * 64);
  CHECK(report.hfu == Approx(static_cast<double>(report.hardwareFlops) /
                             (report.makespanNs * 78643.2)));
}

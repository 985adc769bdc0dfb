//===- emulated_test.cpp - The AVX-512 product without AVX-512 ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../function/Bench.h"
#include "Oracle.h"
#include "kernels/Kernels.h"

#include "catch.h"

#include <cstring>

using namespace bench;

namespace kiln::sim {
const Kernels &kernelsEmulatedAvx512();
} // namespace kiln::sim

TEST_CASE("the AVX-512 product gives the bits of the plain one") {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    WARN("not tested: the emulation needs AVX2");
    return;
  }
  constexpr std::ptrdiff_t leftPitch = 150, rightPitch = 160;
  constexpr std::size_t depth = 45;
  const std::vector<float> in = someFloats(depth * rightPitch, 3);
  const std::vector<float> right = someFloats(depth * rightPitch, 4);
  const sim::Kernels &plain = *sim::allKernels()[0];
  const sim::Kernels &emulated = sim::kernelsEmulatedAvx512();
  // Tiles of eight rows, so it is the wide version.
  CHECK(emulated.packedSize(14, 1) == 16);
  for (const bool isBf16 : {false, true})
    for (std::size_t m = 1; m <= 140; ++m)
      for (const std::size_t n :
           {std::size_t{1}, std::size_t{31}, std::size_t{32}, 150 - m / 2})
        for (const bool accumulate : {false, true}) {
          const auto product = [&](const sim::Kernels &k) {
            const std::ptrdiff_t size = isBf16 ? 2 : 4;
            std::vector<float> packed(k.packedSize(m, depth));
            std::vector<float> panel(depth * sim::Kernels::panelColumns);
            std::vector<float> out(m * n, 1.5f);
            k.pack({in.data(), leftPitch * size, isBf16}, m, depth,
                   packed.data());
            const sim::Kernels::Product product{
                packed.data(),
                {right.data(), rightPitch * size, isBf16},
                out.data(),
                accumulate};
            k.matmul(&product, 1, {depth, m, n, n}, panel.data());
            return out;
          };
          const auto a = product(plain), b = product(emulated);
          INFO("bf16 " << isBf16 << ", " << m << " x " << n << ", adds "
                       << accumulate);
          REQUIRE(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) ==
                  0);
        }
}

//===- EmulatedAvx512.cpp - The AVX-512 product on hosts without it -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels with the 512-bit vectors of the product, which SIMDe carries out
// with AVX2. The other rows come out as for AVX2.
//
//===----------------------------------------------------------------------===//

#include <immintrin.h>

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>

#include <cstdint>
#include <cstring>

namespace {

// Those that SIMDe's aliases leave to the compiler, with all lanes in the mask.
simde__m512i wideOf(__m256i narrow) {
  std::uint16_t in[16];
  std::uint32_t out[16];
  std::memcpy(in, &narrow, sizeof in);
  for (int i = 0; i < 16; ++i)
    out[i] = in[i];
  simde__m512i result;
  std::memcpy(&result, out, sizeof result);
  return result;
}
simde__m512i shifted(simde__m512i value, unsigned bits) {
  std::uint32_t lanes[16];
  std::memcpy(lanes, &value, sizeof lanes);
  for (std::uint32_t &lane : lanes)
    lane <<= bits;
  std::memcpy(&value, lanes, sizeof value);
  return value;
}

} // namespace

#define _mm512_maskz_cvtepu16_epi32(mask, a) wideOf(a)
#define _mm512_maskz_slli_epi32(mask, a, bits) shifted(a, bits)

#define KILN_EMULATED_AVX512
#define KILN_KERNELS_NAME "avx512-emulated"
#define KILN_KERNELS_FUNCTION kernelsEmulatedAvx512
#include "kernels/Table.inc"

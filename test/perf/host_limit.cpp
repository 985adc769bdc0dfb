//===- host_limit.cpp - The most that this host can multiply and add ------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Usage: host-limit [THREADS]
//
// Prints how many billion fp32 operations a second THREADS do at once, if they
// do nothing but fused multiply-adds on registers: no product in which every
// output is a chain of these can be faster. One line: billions NUMBER.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace {

/// More chains than two pipes keep busy for the latency of an addition.
constexpr int chains = 12;
constexpr long rounds = 20'000'000;

#if defined(__x86_64__) || defined(__i386__)
__attribute__((target("avx2,fma"))) int multiplyAvx2(float start) {
  __m256 sum[chains];
  const __m256 factor = _mm256_set1_ps(start);
  for (__m256 &s : sum)
    s = factor;
  for (long i = 0; i < rounds; ++i)
    for (__m256 &s : sum)
      asm volatile("vfmadd231ps %1, %1, %0" : "+x"(s) : "x"(factor));
  return 8;
}
__attribute__((target("avx512f"))) int multiplyAvx512(float start) {
  __m512 sum[chains];
  const __m512 factor = _mm512_set1_ps(start);
  for (__m512 &s : sum)
    s = factor;
  for (long i = 0; i < rounds; ++i)
    for (__m512 &s : sum)
      asm volatile("vfmadd231ps %1, %1, %0" : "+v"(s) : "v"(factor));
  return 16;
}
#endif

int multiplyPlain(float start) {
  float sum[chains];
  for (float &s : sum)
    s = start;
  for (long i = 0; i < rounds; ++i)
    for (float &s : sum)
      s = __builtin_fmaf(start, start, s);
  volatile float kept = sum[0];
  for (const float s : sum)
    kept = kept + s;
  return 1;
}

/// Runs all chains; returns how many numbers each of them holds.
int multiply(float start) {
#if defined(__x86_64__) || defined(__i386__)
  if (__builtin_cpu_supports("avx512f"))
    return multiplyAvx512(start);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return multiplyAvx2(start);
#endif
  return multiplyPlain(start);
}

} // namespace

int main(int argc, char **argv) {
  const int threads = argc > 1 ? std::clamp(std::atoi(argv[1]), 1, 256) : 1;
  std::atomic<int> arrived{0};
  std::vector<double> rates(static_cast<std::size_t>(threads));
  std::vector<std::thread> workers;
  for (double &rate : rates)
    workers.emplace_back([&] {
      // All at once: one core alone may be faster.
      ++arrived;
      while (arrived < threads) {
      }
      const auto begin = std::chrono::steady_clock::now();
      const double numbers = multiply(0.0f);
      const std::chrono::duration<double> seconds =
          std::chrono::steady_clock::now() - begin;
      rate = 2.0 * numbers * chains * rounds / seconds.count() / 1e9;
    });
  double sum = 0;
  for (std::thread &worker : workers)
    worker.join();
  for (const double rate : rates)
    sum += rate;
  std::printf("billions %.1f\n", sum);
}

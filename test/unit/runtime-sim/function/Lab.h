//===- Lab.h - One instruction on memories full of bits ---------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills SBUF and PSUM with given bytes, runs instructions, and returns all the
// bytes, so that a test sees what an instruction wrote and what it must not
// touch. Models read and write the same bytes element by element, converting
// with APFloat; they share nothing with the executor.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_RUNTIME_SIM_LAB_H
#define KILN_TEST_RUNTIME_SIM_LAB_H

#include "../numerics/Oracle.h"
#include "Bench.h"

#include "catch.h"

namespace lab {

using namespace bench;

inline constexpr unsigned partitions = 128;
inline constexpr unsigned sbufBytes = 4096, psumBytes = 2048;

/// The number that element type `dtype` has for `bits`, as fp32.
inline float widen(DType dtype, std::uint32_t bits) {
  if (dtype == DType::f32)
    return std::bit_cast<float>(bits);
  if (dtype == DType::boolean)
    return bits ? 1.0f : 0.0f;
  for (const oracle::Integer &type : oracle::integers())
    if (type.dtype == dtype)
      return oracle::floatOf(bits, type);
  for (const oracle::Format &format : oracle::floatFormats())
    if (format.dtype == dtype)
      return std::bit_cast<float>(oracle::widened(format, bits));
  FAIL("no number");
  return 0;
}
inline std::uint32_t narrow(DType dtype, float x) {
  if (dtype == DType::f32)
    return std::bit_cast<std::uint32_t>(x);
  if (dtype == DType::boolean)
    return x != 0;
  for (const oracle::Integer &type : oracle::integers())
    if (type.dtype == dtype)
      return static_cast<std::uint32_t>(oracle::integerOf(x, type));
  for (const oracle::Format &format : oracle::floatFormats())
    if (format.dtype == dtype)
      return oracle::narrowed(format, x);
  FAIL("no number");
  return 0;
}
/// What arithmetic leaves: one NaN.
inline float settled(float x) {
  return std::isnan(x) ? std::bit_cast<float>(0x7fc00000u) : x;
}

/// The bytes of both memories.
struct Image {
  std::vector<std::uint8_t> sbuf =
      std::vector<std::uint8_t>(partitions * sbufBytes);
  std::vector<std::uint8_t> psum =
      std::vector<std::uint8_t>(partitions * psumBytes);

  /// Where element `i` of lane `p` lies.
  std::uint8_t *at(const Access &access, unsigned p, std::uint64_t i) {
    std::int64_t byte = access.offset;
    for (unsigned d = access.rank; d-- > 0;) {
      const auto size = access.dims[d].size;
      byte += static_cast<std::int64_t>(i % size) * access.dims[d].stride *
              isa::sizeInBytes(access.dtype);
      i /= size;
    }
    const unsigned lane = access.partition + p;
    return access.space == Space::sbuf ? sbuf.data() + lane * sbufBytes + byte
                                       : psum.data() + lane * psumBytes + byte;
  }
  std::uint32_t bits(const Access &access, unsigned p, std::uint64_t i) {
    std::uint32_t value = 0;
    std::memcpy(&value, at(access, p, i), isa::sizeInBytes(access.dtype));
    return value;
  }
  void setBits(const Access &access, unsigned p, std::uint64_t i,
               std::uint32_t value) {
    std::memcpy(at(access, p, i), &value, isa::sizeInBytes(access.dtype));
  }
  float get(const Access &access, unsigned p, std::uint64_t i) {
    return widen(access.dtype, bits(access, p, i));
  }
  /// A result of arithmetic.
  void put(const Access &access, unsigned p, std::uint64_t i, float x) {
    setBits(access, p, i, narrow(access.dtype, settled(x)));
  }
  /// The number of `operand` for lane `p`.
  float scalar(const isa::ScalarOrTile &operand, unsigned p) {
    if (const auto *tile = std::get_if<Access>(&operand))
      return get(*tile, p, 0);
    return std::get<float>(operand);
  }
  void fill(const Access &access, const std::vector<float> &values) {
    for (unsigned p = 0; p < access.partitions; ++p)
      for (std::uint64_t i = 0; i < access.elements(); ++i)
        setBits(access, p, i,
                narrow(access.dtype,
                       values[(p * access.elements() + i) % values.size()]));
  }
  std::vector<float> read(const Access &access) {
    std::vector<float> result;
    for (unsigned p = 0; p < access.partitions; ++p)
      for (std::uint64_t i = 0; i < access.elements(); ++i)
        result.push_back(get(access, p, i));
    return result;
  }
};

/// Bytes of any value: all NaNs, subnormals and infinities of every type.
Image randomImage(unsigned seed);

/// Instructions to run one after the other on an image.
class Lab {
public:
  explicit Lab(isa::Generation generation) {
    program.module.generation = generation;
    const auto tensor = [&](const char *name, isa::TensorKind kind,
                            unsigned bytes) {
      return program.tensor(name, DType::u32, kind, {partitions, bytes / 4});
    };
    sbufIn = tensor("sbuf_in", isa::TensorKind::input, sbufBytes);
    psumIn = tensor("psum_in", isa::TensorKind::input, psumBytes);
    sbufOut = tensor("sbuf_out", isa::TensorKind::output, sbufBytes);
    psumOut = tensor("psum_out", isa::TensorKind::output, psumBytes);
    program.load(sbuf(DType::u32, partitions, sbufBytes / 4, 0), sbufIn);
    program.load(staging, psumIn);
    program.then(Engine::vector, isa::TensorCopy{psumAll, staging});
  }

  Lab &then(Engine engine, isa::Body body) {
    program.then(engine, std::move(body));
    return *this;
  }
  sim::Result tryRun(const Image &image, sim::Options options = {}) {
    Program whole = program;
    whole.then(Engine::vector, isa::TensorCopy{staging, psumAll});
    whole.store(psumOut, staging);
    whole.store(sbufOut, sbuf(DType::u32, partitions, sbufBytes / 4, 0));
    return sim::run(whole.module, isa::target(whole.module.generation),
                    {data("sbuf_in", image.sbuf), data("psum_in", image.psum)},
                    options);
  }
  Image run(const Image &image, const sim::Options &options = {}) {
    const sim::Result result = tryRun(image, options);
    if (result.fault)
      FAIL(result.fault->code + " " + result.fault->text);
    Image after;
    after.sbuf = result.outputs[0].bytes;
    after.psum = result.outputs[1].bytes;
    return after;
  }

private:
  Program program;
  unsigned sbufIn, psumIn, sbufOut, psumOut;
  Access staging = sbuf(DType::u32, partitions, psumBytes / 4, sbufBytes);
  Access psumAll = psum(DType::u32, partitions, psumBytes / 4);
};

/// One instruction on one image.
inline Image after(const Image &before, Engine engine, isa::Body body,
                   isa::Generation generation = isa::Generation::v4) {
  return Lab(generation).then(engine, std::move(body)).run(before);
}

/// Checks that two images have the same bytes; names the first that differ.
inline void checkSame(const Image &got, const Image &want) {
  const auto differ = [](const std::vector<std::uint8_t> &a,
                         const std::vector<std::uint8_t> &b, unsigned width,
                         const char *name) {
    if (a == b) // As a block: that is fast under a sanitizer, too.
      return;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) {
        CAPTURE(std::string(name), i / width, i % width, int(a[i]), int(b[i]));
        FAIL("memories differ");
        return;
      }
  };
  differ(got.sbuf, want.sbuf, sbufBytes, "sbuf partition, byte");
  differ(got.psum, want.psum, psumBytes, "psum partition, byte");
  CHECK(got.sbuf == want.sbuf);
}

/// Calls element(p, i) for every element of `access`.
template <class Element> void each(const Access &access, Element &&element) {
  for (unsigned p = 0; p < access.partitions; ++p)
    for (std::uint64_t i = 0; i < access.elements(); ++i)
      element(p, i);
}

/// Every type that holds numbers.
inline std::vector<DType> numbers() {
  std::vector<DType> result;
  for (const isa::DTypeInfo &type : isa::dtypeTable)
    if (!isa::isPacked(type.dtype) && type.dtype != DType::f8e8m0)
      result.push_back(type.dtype);
  return result;
}

/// The operators on fp32 as the manual words them.
inline float apply(isa::AluOp op, float a, float b) {
  using enum isa::AluOp;
  const auto one = [](bool holds) { return holds ? 1.0f : 0.0f; };
  switch (op) {
  case add:
    return a + b;
  case subtract:
    return a - b;
  case multiply:
    return a * b;
  case maximum:
    return std::isnan(a) || std::isnan(b) ? NAN
           : a == b                       ? (std::signbit(a) ? b : a)
                                          : std::max(a, b);
  case minimum:
    return std::isnan(a) || std::isnan(b) ? NAN
           : a == b                       ? (std::signbit(a) ? a : b)
                                          : std::min(a, b);
  case abs_max:
    return std::isnan(a) || std::fabs(a) > std::fabs(b) ? a : b;
  case abs_min:
    return std::isnan(a) || std::fabs(a) < std::fabs(b) ? a : b;
  case equal:
    return one(a == b);
  case not_equal:
    return one(a != b);
  case greater_equal:
    return one(a >= b);
  case greater:
    return one(a > b);
  case less_equal:
    return one(a <= b);
  case less:
    return one(a < b);
  case logical_and:
    return one(a != 0 && b != 0);
  case logical_or:
    return one(a != 0 || b != 0);
  case logical_xor:
    return one((a != 0) != (b != 0));
  case abs:
    return std::fabs(a);
  case square:
    return a * a;
  case relu:
    return std::isnan(a) || a > 0 ? a : 0.0f;
  case reciprocal:
    return 1.0f / a;
  case rsqrt:
    return static_cast<float>(1.0L / std::sqrt(static_cast<long double>(a)));
  case bypass:
    return a;
  default:
    FAIL("no arithmetic operator");
    return 0;
  }
}

} // namespace lab

#endif // KILN_TEST_RUNTIME_SIM_LAB_H

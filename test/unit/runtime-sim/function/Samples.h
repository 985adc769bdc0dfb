//===- Samples.h - One line for each instruction -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions with small tiles that are legal, run, and keep apart: the tests
// that go through all records change their types and patterns.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_RUNTIME_SIM_SAMPLES_H
#define KILN_TEST_RUNTIME_SIM_SAMPLES_H

#include "Lab.h"

#include "kiln/isa/assembly.h"
#include "kiln/isa/checks.h"

namespace samples {

using namespace lab;

enum class Rule {
  widen, ///< As on fp32.
  bits,  ///< As on unsigned integers.
  runs,  ///< It runs; its values have tests of their own.
};

struct Sample {
  Rule rule;
  Engine engine;
  std::string line;
  isa::Generation generation = isa::Generation::v4;
};

inline constexpr auto T = Engine::tensor, V = Engine::vector,
                      S = Engine::scalar, G = Engine::gpsimd, Y = Engine::sync;

/// Tiles keep room for elements of four bytes.
inline const std::vector<Sample> &allSamples() {
  static const std::vector<Sample> list = [] {
    const std::string d = "dst=sbuf[p0:32, 0x0: f32 16x1]",
                      a = "sbuf[p0:32, 0x100: f32 16x1]",
                      b = "sbuf[p0:32, 0x200: f32 16x1]",
                      one = "sbuf[p0:32, 0x300: f32]",
                      two = "sbuf[p0:32, 0x340: f32]",
                      res = "reduce_res=sbuf[p0:32, 0x380: f32]",
                      u32 = "sbuf[p0:32, 0x100: u32 16x1]",
                      u8 = "sbuf[p0:32, 0x100: u8 16x1]";
    using enum Rule;
    return std::vector<Sample>{
        {bits, Y, "dma_copy " + d + ", src=" + a + ", queue=1"},
        {widen, Y, "dma_copy " + d + ", src=" + a + ", queue=1"},
        {bits, Y,
         "dma_transpose dst=sbuf[p0:16, 0x0: f32 32x1], src=" + a +
             ", queue=1"},
        {widen, Y,
         "dma_compute " + d + ", srcs=[" + a + ", " + b + "], queue=1"},
        {bits, V, "tensor_copy " + d + ", src=" + a},
        {widen, V, "tensor_copy " + d + ", src=" + a},
        {bits, V, "memset " + d + ", value=0"},
        {widen, V, "memset " + d + ", value=3.3"},
        {widen, G,
         "iota " + d +
             ", pattern=index[16x3], offset=20, "
             "channel_multiplier=1"},
        {widen, G,
         "affine_select " + d +
             ", pattern=index[16x-1], "
             "channel_multiplier=1, on_true_tile=" +
             a + ", on_false_value=-2.5, cmp_op=greater_equal"},
        {widen, V,
         "select_reduce " + d +
             ", predicate=sbuf[p0:32, 0x400: u8 "
             "16x1], on_true=" +
             a + ", on_false=" + one + ", " + res +
             ", reduce_cmd=reset_reduce"},
        {bits, V,
         "tensor_copy_predicated " + d + ", src=" + a +
             ", predicate=sbuf[p0:32, 0x400: u8 16x1]"},
        {widen, V,
         "range_select " + d + ", on_true_tile=" + a +
             ", comp_op0=greater_equal, comp_op1=less, bound0=" + one +
             ", bound1=" + two + ", " + res + ", reduce_cmd=reset_reduce"},
        {bits, V,
         "nc_stream_shuffle " + d + ", src=" + a +
             ", shuffle_mask=[31, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "
             "12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, "
             "27, 28, 29, 255]"},
        {bits, G,
         "local_gather " + d + ", src_buffer=" + a +
             ", index="
             "sbuf[p0:32, 0x400: u16], num_valid_indices=16"},
        {bits, G,
         "nc_n_gather " + d + ", data=" + a +
             ", indices=sbuf[p0:32, "
             "0x400: u32 16x1]"},
        {widen, V,
         "tensor_tensor " + d + ", data1=" + a + ", data2=" + b + ", op=add"},
        {widen, V,
         "tensor_scalar " + d + ", data=" + a +
             ", op0=multiply, "
             "operand0=" +
             one + ", op1=subtract, operand1=" + two},
        {bits, V,
         "tensor_scalar dst=sbuf[p0:32, 0x0: u32 16x1], data=" + u32 +
             ", op0=bitwise_and, operand0=sbuf[p0:32, 0x300: u32], op1="
             "bitwise_xor, operand1=sbuf[p0:32, 0x340: u32]"},
        {widen, V,
         "scalar_tensor_tensor " + d + ", data=" + a +
             ", op0="
             "multiply, operand0=" +
             one + ", op1=add, operand1=" + b},
        {widen, V, "reciprocal " + d + ", data=" + a},
        {widen, S,
         "activation " + d + ", op=relu, data=" + a + ", bias=" + one +
             ", scale=" + two + ", reduce_op=add, " + res +
             ", reduce_cmd=reset_reduce"},
        {widen, S,
         "activation_reduce " + d + ", op=square, data=" + a + ", " + res +
             ", bias=" + one + ", scale=" + two},
        {widen, S,
         "activate2 " + d + ", op=prelu, data=" + a + ", imm0=" + one +
             ", imm1=" + two +
             ", op0=multiply, op1=subtract, relu_param="
             "sbuf[p0:32, 0x3c0: f32], reduce_op=maximum, " +
             res + ", reduce_cmd=reset_reduce"},
        {widen, V,
         "exponential " + d + ", src=" + a + ", max_value=" + one + ", " + res +
             ", reduce_cmd=load_reduce, reduce_init=" + two},
        {bits, V, "dropout " + d + ", data=" + a + ", prob=0.5"},
        {runs, V,
         "dropout " + d + ", data=" + a +
             ", prob=sbuf[p0:32, 0x400: "
             "f32]"},
        {widen, V,
         "tensor_reduce dst=sbuf[p0:32, 0x0: f32 4x1], op=add, "
         "data=sbuf[p0:32, 0x100: f32 4x4, 4x1], axes=1"},
        {widen, G,
         "tensor_partition_reduce dst=sbuf[p0:1, 0x0: f32 16x1], "
         "op=add, data=" +
             a},
        {widen, V,
         "tensor_scalar_cumulative " + d + ", src=" + a +
             ", op0="
             "multiply, op1=add, imm0=" +
             one + ", imm1=" + two + ", reduce_cmd=load_reduce"},
        {widen, V,
         "tensor_scalar_reduce " + d + ", data=" + a +
             ", op0="
             "multiply, operand0=" +
             one + ", reduce_op=add, " + res +
             ", reduce_cmd=load_reduce, reduce_init=" + two},
        {widen, V,
         "tensor_tensor_scan " + d + ", data0=" + a + ", data1=" + b +
             ", initial=" + one + ", op0=multiply, op1=add"},
        {widen, V, "bn_stats dst=sbuf[p0:32, 0x0: f32 6x1], data=" + a},
        {widen, V,
         "bn_aggr dst=sbuf[p0:32, 0x0: f32 2x1], data=sbuf[p0:32, "
         "0x100: f32 12x1]"},
        {widen, V, "max8 dst=sbuf[p0:32, 0x0: f32 8x1], src=" + a},
        {widen, V,
         "nc_find_index8 dst=sbuf[p0:32, 0x0: u32 8x1], data=" + a +
             ", vals=sbuf[p0:32, 0x200: f32 8x1]"},
        {widen, V,
         "nc_match_replace8 " + d + ", data=" + a +
             ", vals="
             "sbuf[p0:32, 0x200: f32 8x1], imm=0.5, dst_idx=sbuf[p0:32, "
             "0x300: u32 8x1]"},
        {runs, G,
         "topk val_dst=sbuf[p0:32, 0x0: bf16 8x1], idx_dst=sbuf[p0:32, "
         "0x100: u32 8x1], src=sbuf[p0:32, 0x200: bf16 16x1], n=256"},
        {runs, G,
         "nonzero_with_count dst=sbuf[p0:32, 0x0: i32 17x1], src="
         "sbuf[p0:32, 0x100: i32 16x1]"},
        {runs, G,
         "sequence_bounds dst=sbuf[p0:1, 0x0: i32 32x1], segment_ids="
         "sbuf[p0:1, 0x400: i32 16x1]"},
        {runs, V,
         "quantize_mx dst=sbuf[p0:32, 0x0: f8e4m3fn_x4 4x1], src="
         "sbuf[p0:32, 0x100: bf16 16x1], dst_scale=sbuf[p0:4, 0x200: "
         "u8 4x1]"},
        {runs, V, "rng dst=sbuf[p0:32, 0x0: u32 16x1]"},
        {runs, V, "rand2 " + d + ", min=" + one + ", max=" + two},
        {runs, V, "set_rng_seed src_seeds=sbuf[p0:1, 0x0: u32]"},
        {runs, G, "rand_set_state src_seeds=sbuf[p0:32, 0x0: u32 6x1]"},
        {runs, G, "rand_get_state dst=sbuf[p0:32, 0x0: u32 6x1]"},
        {widen, T,
         "nc_matmul dst=psum[p0:16, 0x0: f32 16x1], stationary=" + a +
             ", moving=" + b},
        {runs, T,
         "nc_matmul dst=psum[p0:16, 0x0: f32 32x1], stationary=" + a +
             ", moving=sbuf[p0:32, 0x400: f32 32x1], is_transpose"},
        {bits, V, "nc_transpose dst=sbuf[p0:16, 0x0: f32 32x1], data=" + a},
        {runs, T,
         "nc_matmul_mx dst=psum[p0:16, 0x0: f32 16x1], stationary="
         "sbuf[p0:32, 0x100: f8e4m3fn_x4 16x1], moving=sbuf[p0:32, "
         "0x200: f8e4m3fn_x4 16x1], stationary_scale=sbuf[p0:4, 0x300: "
         "u8 16x1], moving_scale=sbuf[p0:4, 0x340: u8 16x1]"},
        {runs, Y, "register_load dst=r0, src=sbuf[p0:1, 0x0: i32]"},
        {runs, Y, "register_store dst=sbuf[p0:1, 0x0: i32], src=77"},
    };
  }();
  return list;
}

inline isa::Module surroundings(isa::Generation generation) {
  isa::Module module;
  module.generation = generation;
  return module;
}

inline isa::Instruction parsed(const Sample &sample) {
  const auto module =
      isa::parseAssembly(".stream sync\n" + sample.line + "\n", "sample");
  if (!module)
    FAIL(module.error().str());
  return module->streams[static_cast<std::size_t>(Engine::sync)].at(0);
}

template <class Visit> struct AccessVisitor {
  Visit &visit;
  void operator()(std::string_view name, Access &access) const {
    visit(name, access);
  }
  template <isa::AnyOptional T>
  void operator()(std::string_view name, T &field) const {
    if (field)
      (*this)(name, *field);
  }
  void operator()(std::string_view name, std::vector<Access> &list) const {
    for (Access &access : list)
      visit(name, access);
  }
  void operator()(std::string_view name, isa::ScalarOrTile &operand) const {
    if (auto *access = std::get_if<Access>(&operand))
      visit(name, *access);
  }
  template <class Other> void operator()(std::string_view, Other &) const {}
};

/// Calls visit(name, Access &) for each memory operand that takes part.
template <class Visit> void eachAccess(isa::Body &body, Visit &&visit) {
  std::visit(
      [&](auto &instruction) {
        forEachOperand(instruction,
                       AccessVisitor<std::remove_reference_t<Visit>>{visit});
      },
      body);
}

inline const isa::OperandInfo &operandOf(const isa::Body &body,
                                         std::string_view name) {
  return *isa::info(isa::opcode(body)).operand(name);
}
inline bool allows(const isa::OperandInfo &operand, DType type) {
  return operand.types & isa::maskOf(type);
}

inline bool isPlaces(std::string_view name) {
  return name == "index" || name == "indices" || name.ends_with("_index") ||
         name == "segment_ids" || name == "predicate" || name == "prob";
}

/// Small numbers where lists of places, identities and seeds are read.
inline void fillPlaces(Image &image) {
  std::mt19937 random(77);
  for (unsigned p = 0; p < partitions; ++p)
    for (unsigned i = 0x400; i < 0x480; i += 4) {
      const unsigned place = random() % 8;
      std::memcpy(&image.sbuf[p * sbufBytes + i], &place, 4);
    }
}

/// Places of any width hold the same small numbers.
inline void writePlaces(Image &image, const Access &access) {
  std::mt19937 random(5);
  each(access, [&](unsigned p, std::uint64_t i) {
    const unsigned place = random() % 8;
    image.setBits(access, p, i,
                  isa::isFloat(access.dtype)
                      ? narrow(access.dtype, static_cast<float>(place) / 8)
                      : place);
  });
}

} // namespace samples

#endif // KILN_TEST_RUNTIME_SIM_SAMPLES_H

//===- kernel.h - Row softmax, every instruction placed by hand ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_NORMALIZATION_SOFTMAX_EXPERT_KERNEL_H
#define KILN_KERNELS_NORMALIZATION_SOFTMAX_EXPERT_KERNEL_H

#include "kiln/kiln.h"
#include "support/list.h"
#include "support/plain.h"

namespace kiln::kernels {

/// y[r, :] = exp(x[r, :] - max x[r, :]) / sum, for rows that fit on chip: the
/// order of every stream, the engines, the queues and the number of buffers are
/// those of the text.
template <class T> struct SoftmaxExpert {
  BOOST_HANA_DEFINE_STRUCT(SoftmaxExpert, (int, rows), (int, cols));

  static SoftmaxExpert defaults() { return {512, 1024}; }

  void describe(Signature &s) const {
    s.summary("softmax of every row, at the instruction level");
    s.doc("rows", "rows, independent of each other");
    s.doc("cols", "elements of a row; it must fit on chip several times");
    s.argument("x", {rows, cols});
    s.argument("y", {rows, cols});
    s.flops(5.0 * rows * cols);
  }

  /// Blocks of rows that are on their way in, and out.
  static constexpr int loads = 5, stores = 4;
  /// Blocks for which the exponential and the scaling are at work.
  static constexpr int exponentials = 2, columns = 3;
  /// Bytes of a partition that every target has.
  static constexpr std::int64_t room = 176 * 1024;

  /// Columns of which a row fits on chip several times.
  static constexpr std::int64_t most =
      room / (isa::sizeInBytes(T::dtype) * (loads + stores) + 4 * exponentials);

  void check() const {
    require(cols <= most,
            {"cols is <|", cols, "|>, expected [|at most ", most,
             "|]: a row must fit on chip several times"},
            "use the kernel softmax for longer rows");
  }

  static void copy(auto to, auto from, int queue, nc::Engine engine) {
    nc::dma_copy(
        to, from,
        {.queue = queue, .dge_mode = nc::DgeMode::none, .engine = engine});
  }

  /// exp(x + bias), and the sums of its rows.
  static void sumExponentials(auto x, auto bias, auto powers, auto sums) {
    nc::activation(powers, nc::ActivationFunction::exp, x,
                   {.bias = bias,
                    .reduce_op = nc::AluOp::add,
                    .reduce_res = sums,
                    .reduce_cmd = nc::ReduceCommand::reset_reduce});
  }

  void operator()(In<T, 2> x, Out<T, 2> y) const {
    check();
    const auto in = ring<T>(loads, cols), out = ring<T>(stores, cols);
    const auto powers = ring<f32>(exponentials, cols);
    const auto least = ring<f32>(columns, 1), sums = ring<f32>(columns, 1),
               inverses = ring<f32>(columns, 1);
    const int blocks = isa::ceilDiv(rows, 128);

    // Steps of block i; those that a stream runs ahead are asked for behind the
    // last block, too.
    const auto height = [&](int i) {
      return plain::min<std::int64_t>(128, rows - i * 128);
    };
    const auto load = [&](int i) {
      if (i < blocks)
        copy(slot(in, i, height(i)), x.rows_at(i * 128, height(i)), 1 + i % 2,
             nc::Engine::sync);
    };
    const auto maximum = [&](int i) {
      if (i < blocks)
        nc::tensor_reduce(slot(least, i, height(i)), nc::AluOp::maximum,
                          slot(in, i, height(i)), {.negate = true});
    };
    const auto exponential = [&](int i) {
      if (i < blocks)
        sumExponentials(slot(in, i, height(i)), slot(least, i, height(i)),
                        slot(powers, i, height(i)), slot(sums, i, height(i)));
    };
    const auto scale = [&](int i, std::int64_t from, std::int64_t width) {
      nc::tensor_scalar(slot(out, i, height(i)).cols_at(from, width),
                        slot(powers, i, height(i)).cols_at(from, width),
                        nc::AluOp::multiply, slot(inverses, i, height(i)),
                        {.engine = nc::Engine::vector});
    };
    const auto store = [&](int i, std::int64_t from, std::int64_t width) {
      copy(y.rows_at(i * 128, height(i)).cols_at(from, width),
           slot(out, i, height(i)).cols_at(from, width), 8 + i % 2,
           nc::Engine::gpsimd);
    };

    no_reorder keep;
    for (int i = 0; i < loads; ++i)
      load(i);
    maximum(0);
    exponential(0);
    maximum(1);
    for (int i = 0; i < blocks; ++i) {
      load(i + loads);
      exponential(i + 1);
      nc::reciprocal(slot(inverses, i, height(i)), slot(sums, i, height(i)));
      // Of the last block, the store of a part runs beside the next part.
      const std::int64_t width = i + 1 < blocks ? cols : (cols + 3) / 4;
      for (std::int64_t from = 0; from < cols; from += width) {
        scale(i, from, plain::min<std::int64_t>(width, cols - from));
        store(i, from, plain::min<std::int64_t>(width, cols - from));
      }
      maximum(i + 2);
    }
  }

  template <class E> using Block = decltype(sbuf<E>(128_c, std::int64_t{1}));

  template <class E>
  static List<Block<E>> ring(int copies, std::int64_t width) {
    List<Block<E>> made;
    for (int i = 0; i < copies; ++i)
      made.push_back(sbuf<E>(128_c, width));
    return made;
  }

  /// What block `i` has of a ring.
  static auto slot(const auto &ring, int i, std::int64_t height) {
    return ring[static_cast<std::size_t>(i) % ring.size()].rows_at(0, height);
  }

  void reference(Doubles x, Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_NORMALIZATION_SOFTMAX_EXPERT_KERNEL_H

//===- kernel.h - Matrix product, every instruction placed by hand -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_MATMUL_EXPERT_KERNEL_H
#define KILN_KERNELS_LINEAR_MATMUL_EXPERT_KERNEL_H

#include "kiln/kiln.h"
#include "support/list.h"
#include "support/plain.h"

namespace kiln::kernels {

/// c[M, N] = a[M, K] b[K, N] for operands that fit on chip: the order of every
/// stream, the engines, the queues and the PSUM banks are those of the text.
template <class T> struct MatmulExpert {
  BOOST_HANA_DEFINE_STRUCT(MatmulExpert, (int, m), (int, k), (int, n));

  static MatmulExpert defaults() { return {512, 1024, 1024}; }

  void describe(Signature &s) const {
    s.summary("c = a b, at the instruction level");
    s.doc("m", "rows of a and c");
    s.doc("k", "columns of a, rows of b");
    s.doc("n", "columns of b and c");
    s.argument("a", {m, k});
    s.argument("b", {k, n});
    s.argument("c", {m, n});
    s.flops(2.0 * m * k * n);
  }

  static constexpr std::int64_t banks = 8, width = 512, height = 128;
  /// Results that wait for their store.
  static constexpr std::size_t results = 4;
  /// Bytes of a partition that every target has.
  static constexpr std::int64_t room = 172 * 1024;

  /// A block of c: its rows, its columns, and where it is summed.
  struct Part {
    std::int64_t row, rows, col, cols, bank;
  };

  void operator()(In<T, 2> a, In<T, 2> b, Out<T, 2> c) const {
    constexpr std::int64_t bytes = isa::sizeInBytes(T::dtype);
    const std::int64_t slices = isa::ceilDiv(k, 128);
    require(slices * (m + n) * bytes <= room,
            {"the operands take <|", slices * (m + n) * bytes,
             "|> bytes of each partition, expected [|at most ", room, "|]"},
            "use the kernel matmul for larger ones");
    Step step{a, b, c, {}, {}, {}, {}};
    for (std::int64_t s = 0; s < slices; ++s) {
      step.left.push_back(sbuf<T>(128_c, std::int64_t{m}));
      step.right.push_back(sbuf<T>(128_c, std::int64_t{n}));
    }
    for (std::size_t i = 0; i < results; ++i)
      step.out.push_back(sbuf<T>(128_c, width));
    for (int i = 0; i < banks; ++i)
      step.sums.push_back(psum<f32>(128_c, 512_c, bank(i)));

    List<Part> parts;
    for (std::int64_t row = 0; row < m; row += height)
      for (std::int64_t col = 0; col < n; col += width)
        parts.push_back({row, plain::min<std::int64_t>(height, m - row), col,
                         plain::min<std::int64_t>(width, n - col),
                         static_cast<std::int64_t>(parts.size()) % banks});
    // The first parts take all banks, slice by slice as operands arrive.
    const std::size_t first = plain::min<std::size_t>(banks, parts.size());
    const std::int64_t rows = parts[first - 1].row + parts[first - 1].rows;

    no_reorder keep;
    for (std::int64_t s = 0; s < slices; ++s) {
      step.loadLeft(s, 0, rows);
      step.loadRight(s);
    }
    for (std::int64_t row = rows; row < m; row += 2 * height)
      for (std::int64_t s = 0; s < slices; ++s)
        step.loadLeft(s, row, plain::min<std::int64_t>(2 * height, m - row));
    for (std::int64_t s = 0; s < slices; ++s)
      for (std::size_t i = 0; i < first; ++i)
        step.multiply(s, parts[i]);
    for (std::size_t i = 0; i < first; ++i)
      step.finish(parts[i]);
    for (std::size_t i = first; i < parts.size(); ++i) {
      for (std::int64_t s = 0; s < slices; ++s)
        step.multiply(s, parts[i]);
      step.finish(parts[i]);
    }
  }

  struct Step {
    In<T, 2> a, b;
    Out<T, 2> c;
    List<decltype(sbuf<T>(128_c, std::int64_t{1}))> left, right, out;
    List<decltype(psum<f32>(128_c, 512_c))> sums;
    int loads = 0;
    std::size_t stores = 0;

    int nextQueue() { return 1 + loads++ % 8; }
    std::int64_t depth(std::int64_t s) const {
      return plain::min<std::int64_t>(128, b.dim(0) - s * 128);
    }
    auto part(const auto &slice, std::int64_t s, std::int64_t from,
              std::int64_t size) const {
      return slice[static_cast<std::size_t>(s)]
          .rows_at(0, depth(s))
          .cols_at(from, size);
    }

    void loadLeft(std::int64_t s, std::int64_t row, std::int64_t rows) {
      nc::dma_transpose(part(left, s, row, rows),
                        a.rows_at(row, rows).cols_at(s * 128, depth(s)),
                        {.queue = nextQueue(),
                         .dge_mode = nc::DgeMode::none,
                         .engine = nc::Engine::sync});
    }
    void loadRight(std::int64_t s) {
      nc::dma_copy(part(right, s, 0, b.dim(1)), b.rows_at(s * 128, depth(s)),
                   {.queue = nextQueue(),
                    .dge_mode = nc::DgeMode::none,
                    .engine = nc::Engine::sync});
    }
    auto sumOf(const Part &of) const {
      return sums[static_cast<std::size_t>(of.bank)]
          .rows_at(0, of.rows)
          .cols_at(0, of.cols);
    }
    void multiply(std::int64_t s, const Part &of) const {
      nc::nc_matmul(sumOf(of), part(left, s, of.row, of.rows),
                    part(right, s, of.col, of.cols), {.accumulate = s > 0});
    }
    /// Vector and Scalar engine empty the banks in turn.
    void finish(const Part &of) {
      const auto result =
          out[stores % results].rows_at(0, of.rows).cols_at(0, of.cols);
      nc::tensor_copy(
          result, sumOf(of),
          {.engine = stores % 2 ? nc::Engine::vector : nc::Engine::scalar});
      nc::dma_copy(c.rows_at(of.row, of.rows).cols_at(of.col, of.cols), result,
                   {.queue = 9 + static_cast<int>(stores % 4),
                    .dge_mode = nc::DgeMode::none,
                    .engine = nc::Engine::gpsimd});
      ++stores;
    }
  };

  void reference(Doubles a, Doubles b, Doubles c) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_MATMUL_EXPERT_KERNEL_H

//===- kernel.h - A feed-forward layer on several ranks -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_COLLECTIVES_TENSOR_PARALLEL_MLP_KERNEL_H
#define KILN_KERNELS_COLLECTIVES_TENSOR_PARALLEL_MLP_KERNEL_H

#include "collectives/group.h"
#include "linear/norm_mlp/kernel.h"

namespace kiln::kernels {

/// norm_mlp with its inner columns divided among ranks: every rank has the
/// tokens, some columns of wg and wu, and these rows of wd. The results of all
/// ranks are added.
template <class T> struct TensorParallelMlp {
  BOOST_HANA_DEFINE_STRUCT(TensorParallelMlp, (int, group), (int, tokens),
                           (int, hidden), (int, inner), (bool, norm),
                           (bool, residual), (float, epsilon));

  static TensorParallelMlp defaults() {
    return {1, 128, 256, 256, true, true, 1e-5f};
  }

  NormMlp<T> part() const {
    NormMlp<T> mlp{tokens,
                   hidden,
                   inner,
                   norm,
                   residual,
                   epsilon,
                   false,
                   Scales::none,
                   1,
                   1,
                   GateActivation::silu};
    mlp.share = 1.0f / static_cast<float>(group);
    return mlp;
  }

  void describe(Signature &s) const {
    s.summary("RMSNorm, gated feed-forward layer and residual on several "
              "ranks, with an all-reduce");
    s.doc("group", "ranks, from 0 on; run with as many (--ranks)");
    s.doc("tokens", "rows of x and y");
    s.doc("hidden", "model width, columns of x and y");
    s.doc("inner", "columns of the gate on each rank");
    s.doc("norm", "normalise each row of x, times gamma");
    s.doc("residual", "add x, which is the same on all ranks, to the result");
    s.doc("epsilon", "added to the mean square");
    const auto weights = [&](std::string_view name, std::int64_t inputs,
                             std::int64_t outputs) {
      weightArgument<T>(s, name, inputs, outputs);
    };
    part().describeTensors(s, weights, [] {});
    s.tokens(double(tokens) / group); // All ranks have the same ones.
  }

  /// While the sums of a block of tokens travel, the next one is computed.
  void operator()(In<T, 2> x, In<T, 1> gamma, In<T, 2> wg, In<T, 2> wu,
                  In<T, 2> wd, Out<T, 2> y) const {
    auto sums = hbm<T>("sums", tokens, hidden);
    part().inBlocks(
        x, gamma, wg, wu, wd, {}, sums, [&](Index first, std::int64_t count) {
          nc::all_reduce(sums.rows_at(first, count), y.rows_at(first, count),
                         ranksOf(group), nc::AluOp::add);
        });
  }

  void reference(const DoublesOfRanks &x, const DoublesOfRanks &gamma,
                 const DoublesOfRanks &wg, const DoublesOfRanks &wu,
                 const DoublesOfRanks &wd,
                 const DoublesOfRanks &y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_COLLECTIVES_TENSOR_PARALLEL_MLP_KERNEL_H

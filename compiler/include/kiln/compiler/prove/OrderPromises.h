//===- OrderPromises.h - Order that the user asked for --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_PROVE_ORDERPROMISES_H
#define KILN_COMPILER_PROVE_ORDERPROMISES_H

#include "kiln/compiler/prove/SourceOrder.h"
#include "kiln/isa/dtype.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kiln::problems {

/// The order that emitted streams must keep in addition to the flow of data.
/// Instructions are identified by isa::Instruction::position.
struct OrderPromises {
  /// no_reorder: every stream runs the instructions of a scope in the order of
  /// their places. Several instructions may share a place.
  struct Place {
    std::uint32_t position = 0;
    std::int64_t scope = 0, place = 0;
  };
  /// An instruction of a label. A label may name several together.
  struct Label {
    std::uint32_t position = 0;
    std::int64_t label = 0;
  };
  /// after(): `later` starts when `earlier` is complete, within each iteration
  /// of the loops around both.
  struct Edge {
    std::int64_t later = 0, earlier = 0; ///< Labels.
  };
  /// engine =: the stream that the user chose.
  struct Stream {
    std::uint32_t position = 0;
    isa::Engine engine = isa::Engine::sync;
  };
  std::vector<Place> places;
  std::vector<Label> labels;
  std::vector<Edge> edges;
  std::vector<Stream> streams;
  /// Conflicting accesses follow the order of the source, where it is known.
  std::optional<SourceOrder> source;
};

} // namespace kiln::problems

#endif // KILN_COMPILER_PROVE_ORDERPROMISES_H

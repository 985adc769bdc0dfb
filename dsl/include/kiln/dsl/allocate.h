//===- allocate.h - Where the memory of a part of a kernel lies -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler chooses the place of each tile, unless the kernel says where:
//
//   auto b = sbuf<f32>(128_c, 512_c, at(0, 4096));   // one buffer, exactly
//   allocate_in weights("weights", sbuf_bytes(0, 65536));
//   auto w = load(x);                                // somewhere in there
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_ALLOCATE_H
#define KILN_DSL_ALLOCATE_H

#include "kiln/dsl/recording.h"

namespace kiln {

/// Bytes `begin` to `end` - 1 of each partition.
constexpr MemoryRange sbuf_bytes(std::int64_t begin, std::int64_t end) {
  return {isa::Space::sbuf, begin, end};
}
/// Banks `begin` to `end` - 1.
constexpr MemoryRange psum_banks(std::int64_t begin, std::int64_t end) {
  return {isa::Space::psum, begin, end};
}

/// While it is alive, what is recorded takes memory only in the range. Scopes
/// nest: an inner one narrows the outer one.
class allocate_in {
public:
  allocate_in(std::string_view name, MemoryRange range,
              dsl::Where where = dsl::Where::current())
      : recorder(dsl::recording(where)) {
    recorder.openMemory(name, &range, 1, where);
  }
  /// One in SBUF and one in PSUM.
  allocate_in(std::string_view name, MemoryRange first, MemoryRange second,
              dsl::Where where = dsl::Where::current())
      : recorder(dsl::recording(where)) {
    const MemoryRange both[] = {first, second};
    recorder.openMemory(name, both, 2, where);
  }
  ~allocate_in() { recorder.closeMemory(); }
  allocate_in(const allocate_in &) = delete;
  allocate_in &operator=(const allocate_in &) = delete;

private:
  dsl::Recording &recorder;
};

} // namespace kiln

#endif // KILN_DSL_ALLOCATE_H

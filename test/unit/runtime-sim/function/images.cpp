//===- images.cpp - Memories full of bits ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lab.h"

#include "kiln/isa/split_mix.h"

namespace lab {

Image randomImage(unsigned seed) {
  std::uint64_t state = seed;
  Image image;
  for (std::vector<std::uint8_t> *bytes : {&image.sbuf, &image.psum})
    for (std::size_t i = 0; i < bytes->size(); i += sizeof state) {
      const std::uint64_t word = isa::splitMix(state);
      std::memcpy(bytes->data() + i, &word, sizeof word);
    }
  return image;
}

} // namespace lab

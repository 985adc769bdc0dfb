//===- SeamTest.cpp - Shapes where one kernel calls another ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"
#include "kiln/kiln.h"
#include "kiln/record.h"

using namespace kiln;

namespace {

struct Inner {
  BOOST_HANA_DEFINE_STRUCT(Inner, (int, rows), (int, cols), (bool, biased));
  void describe(Signature &s) const {
    s.argument("x", {rows, cols});
    if (biased)
      s.argument("bias", {1, cols});
    else
      s.absent("bias");
    s.argument("y", {rows, cols});
  }
  void operator()(In<f32, 2> x, In<f32, 2> bias, Out<f32, 2> y) const {
    if (biased)
      store(y, load(x) + load(bias));
    else
      store(y, load(x));
  }
};

/// Calls another kernel as `Body` says.
template <class Body> struct Outer {
  BOOST_HANA_DEFINE_STRUCT(Outer, (int, unused));
  const Body *body = nullptr;
  void describe(Signature &s) const {
    s.argument("a", {64, 512});
    s.argument("b", {1, 512});
    s.argument("c", {64, 512});
  }
  void operator()(In<f32, 2> a, In<f32, 2> b, Out<f32, 2> c) const {
    (*body)(a, b, c);
  }
};

/// The message, or nothing where the shapes agree.
template <class Body> std::string messageOf(const Body &body) {
  Outer<Body> kernel{};
  kernel.body = &body;
  try {
    record(kernel);
    return "";
  } catch (const RecordError &error) {
    CHECK(error.code == "KILN-A038");
    CHECK(std::string_view(error.file).ends_with("SeamTest.cpp"));
    return error.message;
  }
}

} // namespace

TEST_CASE("KILN-A038 shapes are compared where kernels meet") {
  const In<f32, 2> none({});
  CHECK(messageOf([&](auto a, auto b, auto c) {
          call(Inner{64, 512, true})(a, b, c);
        }) == "");
  // What the kernel does not use may be left out, or be there.
  CHECK(messageOf([&](auto a, auto, auto c) {
          call(Inner{64, 512, false})(a, none, c);
        }) == "");
  CHECK(messageOf([&](auto a, auto b, auto c) {
          call(Inner{64, 512, false})(a, b, c);
        }) == "");
  CHECK(messageOf([&](auto a, auto b, auto c) {
          call(Inner{64, 256, true})(a, b, c);
        }) ==
        "dimension 1 of 'x' has extent 512, the called kernel describes 256");
  // The last tensor counts as the first does, and so do views.
  CHECK(messageOf([&](auto a, auto b, auto c) {
          call(Inner{64, 512, true})(a, b, c.rows_at(0, 63));
        }) ==
        "dimension 0 of 'y' has extent 63, the called kernel describes 64");
  CHECK(messageOf([&](auto a, auto b, auto c) {
          call(Inner{32, 512, true})(a.rows_at(32, 32), b, c.rows_at(0, 32));
        }) == "");
  CHECK(messageOf([&](auto a, auto, auto c) {
          call(Inner{64, 512, true})(a, none, c);
        }) == "'bias' is left out, but the called kernel needs it");
}

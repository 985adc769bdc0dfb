//===- AbsentTest.cpp - Tensors that describe() leaves out ----------------===//
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

/// Its tensors are all optional, and absent.
template <class Body> struct Absent {
  BOOST_HANA_DEFINE_STRUCT(Absent, (int, unused));
  const Body *body = nullptr;
  void describe(Signature &s) const {
    s.absent("a");
    s.absent("n");
    s.absent("z");
    s.argument("y", {128, 512});
  }
  void operator()(In<f32, 2> a, In<i32, 2> n, Out<f32, 2> z,
                  Out<f32, 2> y) const {
    (*body)(a, n, z, y);
  }
  void reference(Doubles a, Doubles, Doubles, Doubles y) const {
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = a[i];
  }
};

/// Any use of an absent tensor is an error that names it.
template <class Body>
void expectAbsent(
    const char *name, const Body &body,
    std::source_location where = std::source_location::current()) {
  Absent<Body> kernel{};
  kernel.body = &body;
  try {
    record(kernel);
    FAIL("no error");
  } catch (const RecordError &error) {
    INFO(error.what());
    CHECK(error.code == "KILN-A034");
    CHECK(error.message.find(name) != std::string::npos);
    CHECK(error.file == where.file_name());
    CHECK(error.line >= where.line());
    CHECK(error.line <= where.line() + 8);
  }
}

} // namespace

TEST_CASE("KILN-A034 views of an absent tensor") {
  using In2 = In<f32, 2>;
  const auto view = [](const auto &use) {
    return [=](In2 a, auto, auto, auto) { use(a); };
  };
  expectAbsent("tensor a", view([](In2 a) { a.rows(0, 128_c); }));
  expectAbsent("tensor a", view([](In2 a) { a.rows_at(0, 128_c); }));
  expectAbsent("tensor a", view([](In2 a) { a.cols(1, 64_c); }));
  expectAbsent("tensor a", view([](In2 a) { a.cols_at(0, 64); }));
  expectAbsent("tensor a", view([](In2 a) { a.slice(0, 0, 2, 2); }));
  expectAbsent("tensor a", view([](In2 a) { a.slice(0_c, 0, 2_c); }));
  expectAbsent("tensor a", view([](In2 a) { a.select(0_c, 3); }));
  expectAbsent("tensor a", view([](In2 a) { a[3]; }));
  expectAbsent("tensor a", view([](In2 a) { a.permute(1, 0); }));
  expectAbsent("tensor a", view([](In2 a) { a.reshape(512); }));
  expectAbsent("tensor a", view([](In2 a) { a.dim(0); }));
  expectAbsent("tensor a", view([](In2 a) { a.broadcast(0, 8); }));
  // A view of nothing, through another kernel's parameter.
  expectAbsent("was left out", [](auto, auto, auto, auto) {
    In<f32, 1> none({});
    none.reshape(1, 512);
  });
}

TEST_CASE("KILN-A034 loads, stores and instructions on an absent tensor") {
  expectAbsent("tensor a", [](auto a, auto, auto, auto) { auto t = load(a); });
  expectAbsent("tensor a",
               [](auto a, auto, auto, auto) { auto t = load_transposed(a); });
  expectAbsent("tensor z", [](auto, auto, auto z, auto) {
    store(z, zeros<f32>(128_c, 512_c));
  });
  expectAbsent("tensor a",
               [](auto a, auto, auto, auto y) { nc::dma_copy(y, a, {}); });
  expectAbsent("tensor z", [](auto, auto, auto z, auto) {
    auto t = sbuf<f32>(128_c, 512_c);
    t = zeros<f32>(128_c, 512_c);
    nc::dma_copy(z, t, {});
  });
  expectAbsent("tensor n", [](auto, auto n, auto, auto) {
    const Index count = nc::register_load(n);
  });
  expectAbsent("tensor n", [](auto, auto n, auto, auto) {
    auto places = sbuf<i32>(128_c, 1_c);
    nc::dma_copy(places, n, {});
  });
  expectAbsent("tensor a", [](auto a, auto, auto, auto) {
    auto places = sbuf<u32>(128_c, 1_c);
    nc::iota(places, {{0, 1}}, {.channel_multiplier = 1});
    auto t = load_rows(a, places);
  });
  expectAbsent("tensor z", [](auto, auto, auto z, auto) {
    auto places = sbuf<u32>(128_c, 1_c);
    nc::iota(places, {{0, 1}}, {.channel_multiplier = 1});
    store_rows(z, places, zeros<f32>(128_c, 512_c));
  });
  expectAbsent("tensor a", [](auto a, auto, auto, auto y) {
    nc::all_reduce(a, y, nc::ranks_to(2), nc::AluOp::add);
  });
  expectAbsent("tensor z",
               [](auto, auto, auto z, auto) { nc::core_barrier(z); });
}

TEST_CASE("KILN-A034 a reference that reads an absent tensor") {
  const auto nothing = [](auto, auto, auto, auto) {};
  using Kernel = Absent<decltype(nothing)>;
  Kernel kernel{};
  std::int64_t shape[] = {1, 4};
  double values[4] = {};
  const Doubles none, given(values, shape, 2);
  const auto code = [](const auto &use) {
    try {
      use();
    } catch (const RecordError &error) {
      return error.code;
    }
    return std::string();
  };
  CHECK(code([&] { kernel.reference(none, none, none, given); }) ==
        "KILN-A034");
  CHECK(code([&] { none(0, 0); }) == "KILN-A034");
  CHECK(code([&] { none.dim(0); }) == "KILN-A034");
  CHECK(code([&] { kernel.reference(given, none, none, given); }).empty());
  CHECK(none.size() == 0);
  CHECK(none.rank() == 0);
}

//===- RecordErrorTest.cpp - Every mistake found while recording ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"
#include "kiln/kiln.h"
#include "kiln/record.h"

#include <limits>

using namespace kiln;

namespace {

template <class Body> struct Around {
  BOOST_HANA_DEFINE_STRUCT(Around, (int, unused));
  const Body *body = nullptr;
  void describe(Signature &s) const {
    s.argument("x", {256, 512});
    s.argument("y", {256, 512});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const { (*body)(x, y); }
};

/// Expects a RecordError with this code, on the line of the lambda's body.
template <class Body>
void expect(const char *code, const char *words, const Body &body,
            std::source_location where = std::source_location::current()) {
  Around<Body> kernel{};
  kernel.body = &body;
  try {
    record(kernel);
    FAIL("no error; wanted " << code);
  } catch (const RecordError &error) {
    INFO(error.what());
    CHECK(error.code == code);
    CHECK((error.message + "\n" + error.fix).find(words) != std::string::npos);
    CHECK(!error.fix.empty());
    CHECK(error.file == where.file_name());
    CHECK(error.line >= where.line() - 8);
    CHECK(error.line <= where.line() + 8);
    CHECK(std::string(error.what()).find(code) != std::string::npos);
  }
}

std::int64_t number(std::int64_t n) { return n; }

KILN_CHOICES(Weight, light, medium, heavy)

} // namespace

TEST_CASE("KILN-A001 element-wise shapes") {
  expect("KILN-A001", "[256, 512] and [128, 512]",
         [](auto x, auto) { auto a = load(x) + load(x.rows(0, number(128))); });
}

TEST_CASE("KILN-A002 matmul contraction") {
  expect("KILN-A002", "contracts 256 (dimension 0 of [256, 512]) with 128",
         [](auto x, auto) {
           auto a = matmul(load(x), load(x.rows(0, number(128))));
         });
}

TEST_CASE("KILN-A003 view out of bounds") {
  expect("KILN-A003", "covers 0 to 383 of dimension 0, which has extent 256",
         [](auto x, auto) {
           loop("i", 3, [&](Index i) { auto t = load(x.rows(i, 128_c)); });
         });
  expect("KILN-A003", "covers 500 to 531",
         [](auto x, auto) { auto t = load(x.cols_at(500, number(32))); });
}

TEST_CASE("KILN-A004 dimensions and reshapes") {
  expect("KILN-A004", "dimension 2 of a view of shape [256, 512]",
         [](auto x, auto) { x.dim(2); });
  expect("KILN-A004", "cannot be reshaped to [100, 100] (10000)",
         [](auto x, auto) { x.reshape(100, 100); });
  expect("KILN-A004", "are not contiguous",
         [](auto x, auto) { x.cols(0, 256_c).reshape(65536); });
  expect("KILN-A004", "reshape before slicing",
         [](auto x, auto) { x.cols(0, 256_c).reshape(65536); });
  expect("KILN-A004", "reshape before permuting",
         [](auto x, auto) { x.permute(1, 0).reshape(131072); });
  expect("KILN-A004", "reshape before permuting", [](auto x, auto) {
    x.reshape(4, 64, 512).permute(0, 2, 1).reshape(4, 32768);
  });
  expect("KILN-A004", "reshape before repeating",
         [](auto x, auto) { x.rows_at(0, 1).broadcast(0, 2).reshape(1024); });
  expect("KILN-A004", "[0, 0] does not permute",
         [](auto x, auto) { x.permute(0, 0); });
  expect("KILN-A004", "cannot be repeated",
         [](auto x, auto) { x.broadcast(0, 2); });
}

TEST_CASE("KILN-A005 assigned and stored shapes") {
  expect("KILN-A005",
         "a tile of shape [256, 512] is stored to a view of shape "
         "[128, 512]",
         [](auto x, auto y) { store(y.rows(0, number(128)), load(x)); });
  expect("KILN-A005", "is assigned to a variable of shape [256, 512]",
         [](auto x, auto) {
           auto t = load(x);
           t = load(x.rows(0, number(128)));
         });
}

TEST_CASE("KILN-A006 indices that are not affine") {
  expect("KILN-A006", "product of two loop indices",
         [](auto, auto) { loop("i", 2, [&](Index i) { auto j = i * i; }); });
  expect("KILN-A006", "divided by 0",
         [](auto, auto) { loop("i", 2, [&](Index i) { auto j = i / 0; }); });
}

TEST_CASE("KILN-A008 outside of a kernel") {
  try {
    auto t = zeros<f32>(128_c, 128_c);
    FAIL("no error");
  } catch (const RecordError &error) {
    CHECK(error.code == "KILN-A008");
  }
}

TEST_CASE("KILN-A012 extents and steps below one") {
  expect("KILN-A012", "ranks are divided into lists by 0", [](auto x, auto y) {
    nc::all_reduce(x, y, nc::ranks_by(4, nc::Partition::mod, 0),
                   nc::AluOp::add);
  });
  expect("KILN-A012", "[128, 0]",
         [](auto, auto) { auto t = zeros<f32>(128_c, number(0)); });
  expect("KILN-A012", "has step 0",
         [](auto, auto) { loop("i", 0, 4, 0, [](Index) {}); });
  expect("KILN-A012", "size 0", [](auto x, auto) { x.slice(0, 0, number(0)); });
  expect("KILN-A012", "[0, 4]",
         [](auto, auto) { auto b = sbuf<f32>(number(0), 4_c); });
}

TEST_CASE("KILN-A013 use outside of the declaring loop") {
  expect("KILN-A013", "outside the loop body that declares it",
         [](auto x, auto y) {
           Index escaped = 0;
           loop("i", 2, [&](Index i) { escaped = i; });
           store(y.rows(escaped, 128_c), load(x.rows(0, 128_c)));
         });
}

TEST_CASE("KILN-A014 impossible placements") {
  expect("KILN-A014", "128 rows is pinned to partition 64",
         [](auto, auto) { auto b = sbuf<f32>(128_c, 4_c, at(64, 0)); });
  expect("KILN-A014", "bank 9",
         [](auto, auto) { auto b = psum<f32>(128_c, 4_c, bank(9)); });
}

TEST_CASE("KILN-A015 instruction operands") {
  expect("KILN-A015", "operand bias has shape [128, 4]", [](auto, auto) {
    auto b = sbuf<f32>(128_c, 4_c);
    nc::activation(b, nc::ActivationFunction::exp, b, {.bias = b});
  });
  expect("KILN-A015", "operand srcs has 17 entries", [](auto x, auto y) {
    nc::dma_compute(y, {x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x});
  });
  expect("KILN-A017", "reached", [](auto x, auto y) { // 16 are fine
    nc::dma_compute(y, {x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x});
    require(false, "reached", "nothing to fix");
  });
  expect("KILN-A015", "operand dst is memory of 129 rows",
         [](auto, auto) { nc::memset(sbuf<f32>(129, 4_c), 1.0); });
  expect("KILN-A015", "operand src is memory of 256 rows", [](auto, auto) {
    auto tall = ones<f32>(256_c, 4_c);
    nc::tensor_copy(sbuf<f32>(128_c, 4_c), tall.rows_at(128, 128_c));
  });
  expect("KILN-A015", "has 0 dimensions", [](auto, auto) {
    auto b = sbuf<f32>(128_c, 4_c);
    nc::iota(b, {});
  });
}

TEST_CASE("KILN-A016 views that the partition axis forbids") {
  expect("KILN-A016", "rows of a tile are chosen with a step",
         [](auto x, auto) { copy(load(x).slice(0, 0, 64, 2)); });
  expect(
      "KILN-A016", "the assignment is to a part of rows that an index chooses",
      [](auto x, auto) {
        auto t = load(x);
        loop("i", 2, [&](Index i) { t.rows(i, 128_c).cols_at(0, 4_c) = 0.0; });
      });
  expect("KILN-A016", "an instruction writes rows of a tile that an index",
         [](auto x, auto) {
           auto t = load(x);
           loop("i", 2, [&](Index i) { nc::memset(t.rows(i, 128_c), 0.0); });
         });
  expect("KILN-A016", "cannot move its rows",
         [](auto x, auto) { load(x).permute(1, 0); });
  expect("KILN-A016", "would mix rows and columns",
         [](auto x, auto) { load(x).reshape(512, 256); });
  expect("KILN-A016", "without rows or columns",
         [](auto x, auto) { load(x).select(1, 0); });
  expect("KILN-A016", "cannot be repeated by a view", [](auto x, auto) {
    load(x.rows(0, 1_c).cols(0, 4_c)).broadcast(0_c, 128_c);
  });
}

TEST_CASE("KILN-A017 a kernel's own conditions") {
  expect("KILN-A017", "cols must be even", [](auto, auto) {
    require(false, "cols must be even", "pad the matrix");
  });
  // Numbers with the digits of their type, and choices with their names.
  expect("KILN-A017", "0.1, 0.1, 0.10000000149011612, 3, -7, nan, 1e-45, heavy",
         [](auto, auto) {
           const float tenth = 0.1f;
           const std::int8_t seven = -7;
           require(false,
                   {tenth, ", ", 0.1, ", ", double(tenth), ", ", 3.0, ", ",
                    seven, ", ", std::numeric_limits<float>::quiet_NaN(), ", ",
                    std::numeric_limits<float>::denorm_min(), ", ",
                    Weight::heavy},
                   "none");
         });
  expect("KILN-A017", "light and medium", [](auto, auto) {
    require(false, {Weight::light, " and ", Weight::medium}, "none");
  });
}

TEST_CASE("KILN-A160 numbers in packed floats and in their scales") {
  expect("KILN-A160", "a tile of f8e8m0 is filled with a number, 0",
         [](auto, auto) { zeros<f8e8m0>(8_c, 8_c); });
  expect("KILN-A160", "a tile of f8e4m3fn_x4 is filled with a number, 1",
         [](auto, auto) { full<f8e4m3fn_x4>(1.0, 8_c, 8_c); });
  expect("KILN-A160", "f8e8m0", [](auto, auto) {
    auto scales = sbuf<f8e8m0>(8_c, 8_c);
    scales = 0.0;
  });
}

TEST_CASE("KILN-A018 element types of matmul") {
  expect("KILN-A018", "bf16 and f16", [](auto x, auto) {
    auto t = matmul(cast<bf16>(load(x)), cast<f16>(load(x)));
  });
  expect("KILN-A018", "integers", [](auto x, auto) {
    auto t = matmul(cast<i32>(load(x)), cast<i32>(load(x)));
  });
}

TEST_CASE("KILN-A018 packed floats without scales") {
  expect("KILN-A018", "lacks their scales", [](auto x, auto) {
    const auto t = cast<bf16>(load(x));
    const auto q = quantize_mx<f8e4m3fn_x4>(t);
    auto p = matmul(q.data, q.data);
  });
}

TEST_CASE("KILN-A022 shapes of scaled tiles") {
  expect("KILN-A022", "the tile has 100 rows, expected a multiple of 128",
         [](auto x, auto) {
           auto q = quantize_mx<f8e4m3fn_x4>(load(x.rows_at(0, number(100))));
         });
  expect("KILN-A022", "a product of scaled tiles has 3 rows", [](auto x, auto) {
    const auto q = quantize_mx<f8e4m3fn_x4>(load(x));
    auto p = matmul(q.cols_at(0, number(3)), q);
  });
  expect("KILN-A022", "[64, 4] packed floats and [2, 4] scales",
         [](auto x, auto) {
           const auto q = quantize_mx<f8e4m3fn_x4>(load(x)).cols_at(0, 4_c);
           const auto part = scaled(q.data, q.scales.rows_at(0, number(2)));
           auto p = matmul(part, part);
         });
}

namespace {
template <class T> struct WrongCount {
  BOOST_HANA_DEFINE_STRUCT(WrongCount, (int, n));
  void describe(Signature &s) const { s.argument("x", {4, 4}); }
  void operator()(In<T, 2>, Out<T, 2>) const {}
};
template <class T> struct WrongRank {
  BOOST_HANA_DEFINE_STRUCT(WrongRank, (int, n));
  void describe(Signature &s) const { s.argument("x", {4, 4, 4}); }
  void operator()(In<T, 2>) const {}
};
template <class T> struct Huge {
  BOOST_HANA_DEFINE_STRUCT(Huge, (int, rows));
  void describe(Signature &s) const { s.argument("x", {rows, 1 << 19}); }
  void operator()(In<T, 2>) const {}
};
template <class Kernel> std::string messageOf(Kernel kernel = {}) {
  try {
    record(kernel);
  } catch (const RecordError &error) {
    return error.code + " " + error.message;
  }
  return "none";
}
} // namespace

TEST_CASE("KILN-A011 a description that does not fit the kernel") {
  CHECK(messageOf<WrongCount<f32>>() ==
        "KILN-A011 the kernel takes 2 tensors but describes 1");
  CHECK(messageOf<WrongRank<f32>>() == "KILN-A011 tensor x is described with "
                                       "rank 3, but the kernel takes rank 2");
}

TEST_CASE("KILN-A021 a tensor of more than 2^40 bytes") {
  CHECK(messageOf(Huge<bf16>{1 << 20}) == "none");
  CHECK(messageOf(Huge<bf16>{(1 << 20) + 1}) ==
        "KILN-A021 tensor x has shape [1048577, 524288], more than the allowed "
        "1099511627776 bytes");
}

TEST_CASE("KILN-A019 registers hold one integer") {
  expect("KILN-A019", "shape [1, 512] and type f32",
         [](auto x, auto) { nc::register_load(x.rows_at(0, number(1))); });
  expect("KILN-A019", "shape [1, 2] and type i32", [](auto x, auto) {
    auto t = cast<i32>(load(x.rows_at(0, 1_c).cols_at(0, 2_c)));
    nc::register_load(t);
  });
  expect("KILN-A013", "outside the loop body that declares it",
         [](auto x, auto y) {
           Index escaped = 0;
           loop("i", 2, [&](Index) {
             auto t = cast<i32>(load(x.rows_at(0, 1_c).cols_at(0, 1_c)));
             escaped = nc::register_load(t);
           });
           store(y.rows(escaped, 128_c), load(x.rows(0, 128_c)));
         });
}

TEST_CASE("KILN-A020 registers do not address tiles without a bound") {
  expect("KILN-A020", "a register chooses rows or columns of",
         [](auto x, auto) {
           auto t = load(x.rows_at(0, 128_c));
           auto flag = cast<i32>(load(x.rows_at(0, 1_c).cols_at(0, 1_c)));
           const Index n = nc::register_load(flag);
           auto part = copy(t.cols_at(n, 1_c));
         });
  expect("KILN-A020", "-2147483648 to 512 as far as is known",
         [](auto x, auto) {
           auto t = load(x.rows_at(0, 128_c));
           auto flag = cast<i32>(load(x.rows_at(0, 1_c).cols_at(0, 1_c)));
           const Index n = nc::register_load(flag);
           loop("j", n, min(n, 513),
                [&](Index j) { auto part = copy(t.cols_at(j, 1_c)); });
         });
  // Bounded from both sides it is fine.
  expect("KILN-A017", "reached", [](auto x, auto) {
    auto t = load(x.rows_at(0, 128_c));
    auto flag = cast<i32>(load(x.rows_at(0, 1_c).cols_at(0, 1_c)));
    const Index n = nc::register_load(flag);
    loop("j", min(n, 512),
         [&](Index j) { auto part = copy(t.cols_at(j, 1_c)); });
    require(false, "reached", "nothing to fix");
  });
}

TEST_CASE("KILN-A035 bytes that are no elements of another type") {
  expect("KILN-A035", "2 bytes, expected a multiple of 4", [](auto x, auto) {
    bitcast<f32>(bitcast<bf16>(x).cols_at(0, number(1)));
  });
  expect("KILN-A035",
         "elements of its last dimension are 8 bytes apart, expected 4",
         [](auto x, auto) { bitcast<u8>(x.slice(1, 0, 4, 2)); });
  expect("KILN-A035", "elements of dimension 0 are 6 bytes apart",
         [](auto x, auto) {
           auto bytes = bitcast<u8>(x).rows_at(0, 1_c).cols_at(0, 1536_c);
           bitcast<f32>(bytes.reshape(256, 6).cols_at(0, number(4)));
         });
  expect("KILN-A035", "it may start between two elements of 4 bytes",
         [](auto x, auto) {
           bitcast<f32>(bitcast<u16>(x).cols_at(1, number(2)));
         });
  expect("KILN-A035", "it may start between", [](auto x, auto) {
    loop("i", 4,
         [&](Index i) { bitcast<f32>(bitcast<u16>(x).cols_at(i, number(2))); });
  });
  expect("KILN-A035", "a row of the tile has 6 bytes", [](auto x, auto) {
    auto t = cast<u8>(load(x.cols_at(0, number(6))));
    bitcast<f32>(t.cols_at(0, number(4)));
  });
  expect("KILN-A017", "reached", [](auto x, auto) {
    loop("i", 4, [&](Index i) {
      bitcast<f32>(bitcast<u16>(x).cols_at(2 * i + 4, number(2)));
      bitcast<f32>(bitcast<u16>(x).cols(min(i, 3), number(2)));
    });
    require(false, "reached", "nothing to fix");
  });
}

TEST_CASE("KILN-A030 semaphores of a kernel's own") {
  expect("KILN-A030", "semaphore \"s32\" is number 33", [](auto, auto) {
    for (int i = 0; i < 33; ++i)
      semaphore("s" + std::to_string(i));
  });
  // A name stands for one semaphore; 32 of them are fine.
  expect("KILN-A017", "reached", [](auto, auto) {
    for (int i = 0; i < 64; ++i)
      semaphore("s" + std::to_string(i % 32));
    require(false, "reached", "nothing to fix");
  });
}

TEST_CASE("KILN-A031 tokens of a wait or signal") {
  for (std::int64_t tokens : {0, -1, 65536})
    expect("KILN-A031",
           ("has " + std::to_string(tokens) + " tokens; expected").c_str(),
           [&](auto, auto) {
             nc::semaphore_signal(nc::Engine::vector, semaphore("s"), tokens);
           });
  expect("KILN-A031", "a wait for semaphore \"s\" has 65536 tokens",
         [](auto, auto) {
           const Semaphore s = semaphore("s");
           nc::semaphore_wait(nc::Engine::vector, s, 65535).wait(s);
         });
  expect("KILN-A017", "reached", [](auto, auto) {
    const Semaphore s = semaphore("s");
    nc::semaphore_wait(nc::Engine::vector, s, 65534).wait(s);
    require(false, "reached", "nothing to fix");
  });
}

TEST_CASE("KILN-A039 a memory range is empty") {
  expect("KILN-A039", "from byte 64 up to 64",
         [](auto, auto) { allocate_in weights("w", sbuf_bytes(64, 64)); });
  expect("KILN-A039", "from byte -1 up to 64",
         [](auto, auto) { allocate_in weights("w", sbuf_bytes(-1, 64)); });
  expect("KILN-A039", "psum_banks(0, 8) are all",
         [](auto, auto) { allocate_in sums("s", psum_banks(2, 9)); });
  expect("KILN-A039", "bytes 0 to 63", [](auto, auto) {
    allocate_in weights("w", sbuf_bytes(0, 64));
    allocate_in sums("s", psum_banks(0, 2)); // Of the other memory.
    allocate_in inner("i", sbuf_bytes(64, 128));
  });
  expect("KILN-A039", "two ranges of sbuf", [](auto, auto) {
    allocate_in both("b", sbuf_bytes(0, 64), sbuf_bytes(32, 128));
  });
  expect("KILN-A017", "reached", [](auto, auto) {
    {
      allocate_in weights("w", sbuf_bytes(0, 64));
    }
    allocate_in all("a", psum_banks(0, 8), sbuf_bytes(64, 128));
    allocate_in inner("i", sbuf_bytes(0, 65));
    require(false, "reached", "nothing to fix");
  });
}

TEST_CASE("KILN-A040 an urgency is out of range") {
  expect("KILN-A040", "101", [](auto x, auto) { load(x).urgency(101); });
  expect("KILN-A040", "-101", [](auto, auto) { urgency late(-101); });
  expect("KILN-A017", "reached", [](auto x, auto) {
    urgency soon(100);
    load(x).urgency(-100);
    require(false, "reached", "nothing to fix");
  });
}

TEST_CASE("KILN-A032 after() names something earlier") {
  expect("KILN-A032", "after one that is recorded later", [](auto x, auto) {
    auto a = load(x);
    auto b = load(x);
    a.after(b);
  });
  expect("KILN-A032", "after itself", [](auto x, auto) {
    auto a = load(x);
    a.after(a);
  });
}

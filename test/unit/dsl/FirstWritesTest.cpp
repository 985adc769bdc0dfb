//===- FirstWritesTest.cpp - Products of which the first writes -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/kiln.h"
#include "kiln/program_check.h"
#include "kiln/program_text.h"
#include "kiln/record.h"

#include "catch.h"

#include <functional>

using namespace kiln;

namespace {

constexpr auto first = nc::Accumulate::first_writes;

struct Parts {
  Buffer<f32, Shape<128, 128>> a;
  Buffer<f32, Shape<128, 512>> b, acc;
  In<i32, 2> count;
};
using Body = std::function<void(Parts &)>;

struct Products {
  BOOST_HANA_DEFINE_STRUCT(Products, (int, unused));
  const Body *body = nullptr;
  void describe(Signature &s) const {
    s.argument("count", {1, 1});
    s.argument("y", {128, 512});
  }
  void operator()(In<i32, 2> count, Out<f32, 2> y) const {
    Parts parts{sbuf<f32>(128_c, 128_c), sbuf<f32>(128_c, 512_c),
                psum<f32>(128_c, 512_c), count};
    (*body)(parts);
    store(y, parts.acc);
  }
};

/// The flags of the products, in order: loops in brackets with their bounds.
std::string flags(const program::Program &p,
                  const std::vector<program::Op> &body) {
  std::string text;
  auto bound = [&](const program::IndexRef &ref) {
    const program::IndexNode &node = p.indices[ref.index];
    return node.kind == program::IndexKind::constant
               ? std::to_string(node.value)
               : std::string("?");
  };
  for (const program::Op &op : body)
    if (const auto *loop = op.getIf<program::Loop>())
      text += bound(loop->begin) + ".." + bound(loop->end) + "(" +
              flags(p, op.body) + ")";
    else if (op.mnemonic() == "nc_matmul")
      text += op.call()->more.contains("accumulate") ? "+" : "=";
  return text;
}

std::string flagsOf(const Body &body) {
  const program::Program p = record(Products{0, &body}, "k");
  const std::string text = program::printProgram(p);
  const program::ParseResult again = program::parseProgram(text);
  if (!again)
    FAIL(again.error.text);
  CHECK(program::printProgram(*again.program) == text);
  return flags(p, p.body);
}

void add(Parts &k, nc::Accumulate accumulate = first) {
  nc::nc_matmul(k.acc, k.a, k.b, {.accumulate = accumulate});
}

std::string refused(const Body &body) {
  try {
    flagsOf(body);
  } catch (const RecordError &error) {
    CHECK(error.code == "KILN-A150");
    CHECK(error.line > 0);
    return error.message;
  }
  return "";
}

} // namespace

TEST_CASE("the first product of a place writes, the others add") {
  CHECK(flagsOf([](Parts &k) { add(k), add(k), add(k, false), add(k); }) ==
        "=+=+");
  CHECK(flagsOf([](Parts &k) {
          for (int i : {0, 256, 0})
            nc::nc_matmul(k.acc.cols_at(i, 256_c), k.a, k.b.cols_at(0, 256_c),
                          {.accumulate = first});
          add(k);
        }) == "==++");
}

TEST_CASE("a loop whose first iteration writes becomes two") {
  CHECK(flagsOf([](Parts &k) {
          loop("k", 4, [&](Index) { add(k), add(k); });
          add(k);
        }) == "0..1(=+)1..4(++)+");
  CHECK(flagsOf([](Parts &k) {
          loop("k", 2, 11, 3, [&](Index) { add(k); });
        }) == "2..5(=)5..11(+)");
  CHECK(flagsOf([](Parts &k) {
          loop("i", 3, [&](Index) { loop("j", 4, [&](Index) { add(k); }); });
        }) == "0..1(0..1(=)1..4(+))1..3(0..4(+))");
  // One trip, one that comes later, and a buffer of each iteration's own.
  CHECK(flagsOf([](Parts &k) {
          loop("k", 1, [&](Index) { add(k); });
          loop("k", 5, [&](Index) { add(k); });
        }) == "0..1(=)0..5(+)");
  CHECK(flagsOf([](Parts &k) {
          loop("k", 5, [&](Index) {
            auto own = psum<f32>(128_c, 512_c);
            nc::nc_matmul(own, k.a, k.b, {.accumulate = first});
            nc::tensor_copy(k.b, own);
          });
          add(k);
        }) == "0..5(=)=");
  CHECK(flagsOf([](Parts &k) {
          loop("k", nc::register_load(k.count), [&](Index) { add(k); });
        }) == "0..?(=)1..?(+)");
}

TEST_CASE("what cannot be decided is refused") {
  CHECK(refused([](Parts &k) {
          nc::nc_matmul(k.acc.cols_at(0, 256_c), k.a, k.b.cols_at(0, 256_c));
          add(k);
        }) == "accumulate = first_writes cannot be decided: earlier products "
              "wrote only a part of its place");
  CHECK(refused([](Parts &k) {
          loop("k", nc::register_load(k.count), [&](Index) { add(k); });
          add(k);
        }).ends_with("a loop that may not run wrote its place"));
  CHECK(refused([](Parts &k) {
          loop("k", 2, [&](Index i) {
            nc::nc_matmul(k.acc.cols(i, 256_c), k.a, k.b.cols_at(0, 256_c),
                          {.accumulate = first});
          });
        }).ends_with("the index of a loop decides where the product is"));
  CHECK(refused([](Parts &k) {
          while_loop("w", nc::register_load(k.count), [&] {
            add(k);
            return nc::register_load(k.count);
          });
        }).ends_with("it is in a while_loop"));
  CHECK(refused([](Parts &k) {
          auto before = nc::memset(k.b, 0.0);
          loop("k", 3,
               [&](Index) { nc::memset(k.a, 1.0).after(before), add(k); });
        }).ends_with("after() or no_reorder needs it whole"));
}

TEST_CASE("the error names the product, not what keeps its loop whole") {
  const auto line = [](const Body &body) {
    try {
      flagsOf(body);
    } catch (const RecordError &error) {
      CHECK(error.code == "KILN-A150");
      return error.line;
    }
    FAIL("no error");
    return 0u;
  };
  unsigned product = 0;
  const auto here = [&](std::source_location at =
                            std::source_location::current()) {
    product = at.line();
  };
  CHECK(line([&](Parts &k) {
          auto before = nc::memset(k.b, 0.0);
          loop("k", 3, [&](Index) {
            nc::memset(k.a, 1.0).after(before);
            here(), nc::nc_matmul(k.acc, k.a, k.b, {.accumulate = first});
          });
        }) == product);
  CHECK(line([&](Parts &k) {
          no_reorder keep;
          loop("i", 3, [&](Index) {
            nc::memset(k.a, 1.0);
            loop("j", 3, [&](Index) {
              here(), nc::nc_matmul(k.acc, k.a, k.b, {.accumulate = first});
            });
          });
        }) == product);
  // The first one that would write; a buffer of the body's own is decided.
  CHECK(line([&](Parts &k) {
          while_loop("w", nc::register_load(k.count), [&] {
            auto own = psum<f32>(128_c, 512_c);
            nc::nc_matmul(own, k.a, k.b, {.accumulate = first});
            nc::tensor_copy(k.b, own);
            loop("i", 1, [&](Index) {
              here(), nc::nc_matmul(k.acc, k.a, k.b, {.accumulate = first});
            });
            loop("j", 1, [&](Index) {
              nc::nc_matmul(k.acc, k.a, k.b, {.accumulate = first});
            });
            return nc::register_load(k.count);
          });
        }) == product);
}

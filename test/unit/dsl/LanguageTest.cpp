//===- LanguageTest.cpp - What recording makes of the language ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"
#include "kiln/kiln.h"
#include "kiln/program_check.h"
#include "kiln/program_text.h"
#include "kiln/record.h"
#include "record/KernelRecorder.h"

using namespace kiln;
using program::Program;

namespace {

/// A kernel x[256, 512], y[256, 512] around a lambda.
template <class Body> struct Around {
  BOOST_HANA_DEFINE_STRUCT(Around, (int, unused));
  const Body *body = nullptr;
  void describe(Signature &s) const {
    s.argument("x", {256, 512});
    s.argument("y", {256, 512});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const { (*body)(x, y); }
};

template <class Body> Program recorded(const Body &body) {
  Around<Body> kernel{};
  kernel.body = &body;
  const Program p = record(kernel, "test");
  const auto error = program::checkProgram(p);
  INFO(program::printProgram(p) << (error ? error->text : ""));
  CHECK(!error);
  return p;
}

/// Kinds in program order, loops as "loop{...}".
std::string kinds(const std::vector<program::Op> &ops) {
  std::string text;
  for (const program::Op &op : ops) {
    text += (text.empty() ? "" : " ") + std::string(program::name(op.kind()));
    if (op.is<program::Loop>())
      text += "{" + kinds(op.body) + "}";
  }
  return text;
}
std::string kindsOf(const Program &p) { return kinds(p.body); }

} // namespace

TEST_CASE("assignment in the declaring body only renames") {
  const Program p = recorded([](auto x, auto y) {
    auto t = load(x);
    t = t * 2;
    t = exp(t);
    store(y, t);
  });
  CHECK(kindsOf(p) == "load scalar unary store");
}

TEST_CASE("a tile assigned in an inner loop becomes a variable") {
  const Program p = recorded([](auto x, auto y) {
    auto sum = zeros<f32>(128_c, 512_c);
    loop("i", 2, [&](Index i) { sum = sum + load(x.rows(i, 128_c)); });
    store(y.rows(0, 128_c), sum);
  });
  CHECK(kindsOf(p) == "fill declare assign loop{load binary assign} store");
  const program::Op &declare = p.body[1];
  CHECK(program::viewAt(p.body[3].body[1], 0)->value == declare.result);
  CHECK(program::viewAt(p.body[4], 1)->value == declare.result);
}

TEST_CASE("a tile declared in a loop body is fresh") {
  const Program p = recorded([](auto x, auto y) {
    loop("i", 2, [&](Index i) {
      auto t = load(x.rows(i, 128_c));
      t = t + 1;
      store(y.rows(i, 128_c), t);
    });
  });
  CHECK(kindsOf(p) == "loop{load scalar store}");
}

TEST_CASE("a copy is a snapshot") {
  const Program p = recorded([](auto x, auto y) {
    auto t = load(x.rows(0, 128_c));
    auto before = t;
    loop("i", 2, [&](Index) { t = t + 1; });
    store(y.rows(0, 128_c), before);
    store(y.rows(1, 128_c), t);
  });
  // The snapshot is taken before the loop, from the variable.
  CHECK(kindsOf(p) ==
        "load declare assign copy loop{scalar assign} store store");
  CHECK(program::viewAt(p.body[5], 1)->value == p.body[3].result);
  CHECK(program::viewAt(p.body[6], 1)->value == p.body[1].result);

  CHECK(kindsOf(recorded([](auto x, auto y) {
          auto t = load(x);
          // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
          auto same = t;
          store(y, same);
        })) == "load store");
}

TEST_CASE("a view sees later assignments") {
  const Program p = recorded([](auto x, auto y) {
    auto t = load(x.rows(0, 128_c));
    auto half = t.cols(1, 256_c);
    t = t + 1;
    store(y.rows(0, 128_c).cols(0, 256_c), half);
  });
  CHECK(kindsOf(p) == "load declare assign scalar assign store");
  CHECK(program::viewAt(p.body[5], 1)->value == p.body[1].result);
}

TEST_CASE("assigning a view writes that part") {
  const Program p = recorded([](auto x, auto y) {
    auto t = zeros<f32>(128_c, 512_c);
    t.cols(1, 256_c) = load(x.rows(0, 128_c).cols(0, 256_c));
    store(y.rows(0, 128_c), t);
  });
  CHECK(kindsOf(p) == "fill declare assign load assign store");
  CHECK(program::viewAt(p.body[4], 0)->sizes ==
        std::vector<std::int64_t>{128, 256});
}

TEST_CASE("operands are ordered as written, whatever C++ evaluates first") {
  const Program p = recorded([](auto x, auto y) {
    store(y.rows(0, 128_c).cols(0, 128_c),
          matmul_nt(load(x.rows(0, 128_c)), load(x.rows(1, 128_c))));
  });
  REQUIRE(kindsOf(p) == "load load matmul store");
  CHECK(program::viewAt(p.body[0], 0)->offset == program::none);
  CHECK(p.indices[program::viewAt(p.body[1], 0)->offset].value == 128 * 512);
}

TEST_CASE("the four orientations of matmul") {
  using Pair = std::pair<int, int>;
  const auto flags = [](const Program &p) {
    for (const program::Op &op : p.body)
      if (const auto *matmul = op.getIf<program::Matmul>())
        return Pair(matmul->transposeA, matmul->transposeB);
    return Pair(-1, -1);
  };
  CHECK(flags(recorded([](auto x, auto) {
          auto r = matmul(load(x), load(x));
          CHECK(r.dim(0) == 512);
        })) == Pair(1, 0));
  CHECK(flags(recorded([](auto x, auto) {
          auto r = matmul_nn(load(x), load_transposed(x));
          CHECK(r.dim(1) == 256);
        })) == Pair(0, 0));
  CHECK(flags(recorded([](auto x, auto) {
          auto r = matmul_nt(load(x), load(x));
          CHECK(r.dim(0) == 256);
        })) == Pair(0, 1));
  CHECK(flags(recorded([](auto x, auto) {
          auto r = matmul_tt(load(x), load_transposed(x));
          CHECK(r.dim(0) == 512);
        })) == Pair(1, 1));
}

TEST_CASE("loops: zero trips, ragged tails, index arithmetic") {
  int calls = 0;
  CHECK(kindsOf(recorded([&](auto, auto) {
          loop("none", 0, [&](Index) { ++calls; });
        })) == "");
  CHECK(calls == 0);
  std::vector<std::int64_t> sizes;
  recorded([&](auto x, auto) {
    tiles("t", 300, 128_c,
          [&](Index, auto n) { sizes.push_back(dsl::extentValue(n)); });
    const Index c = Index(-7) / 2;
    CHECK(c.constantValue() == -4);
    CHECK((Index(-7) % 4).constantValue() == 1);
    loop("i", 4, [&](Index i) {
      CHECK((i * 128_c + 128 - 128).value().node == (i * 128).value().node);
      CHECK((2 * i + 1 - 1).value().node == (i * 2).value().node);
      loop("j", i, min(i + 2, 4), [&](Index j) { (void)(j % 2); });
    });
    (void)x;
  });
  CHECK(sizes == std::vector<std::int64_t>{128, 44});
}

TEST_CASE("views fold into offset, sizes and strides") {
  recorded([](auto x, auto) {
    const auto view = [](const auto &v) {
      auto &recorder =
          static_cast<dsl::KernelRecorder &>(dsl::recording(dsl::Where()));
      return recorder.viewOf(v.viewOf(dsl::Where()), dsl::Where());
    };
    auto s = x.slice(0, 2, 3, 4).permute(1, 0);
    CHECK(view(s).sizes == std::vector<std::int64_t>{512, 3});
    CHECK(view(s).strides == std::vector<std::int64_t>{1, 2048});
    auto r = x.reshape(2, 128, 4, 128).select(1, 5);
    CHECK(view(r).sizes == std::vector<std::int64_t>{2, 4, 128});
    CHECK(view(r).strides == std::vector<std::int64_t>{65536, 128, 1});
    auto b = x[3].reshape(1_c, 512).broadcast(0_c, 128_c);
    CHECK(view(b).strides == std::vector<std::int64_t>{0, 1});
    auto t = load(x.rows(0, 128_c));
    auto three = t.reshape(128_c, 4_c, 128_c).permute(0, 2, 1);
    CHECK(view(three).strides == std::vector<std::int64_t>{1, 1, 128});
    CHECK(view(t.rows_at(32, 32_c)).row == 32);
    auto wide = t.cols_at(0, 1_c).broadcast(1_c, 64_c);
    CHECK(view(wide).strides == std::vector<std::int64_t>{1, 0});
  });
}

TEST_CASE("masks are affine in row and column numbers") {
  const Program p = recorded([](auto x, auto y) {
    loop("i", 2, [&](Index i) {
      auto t = load(x.rows(i, 128_c));
      store(y.rows(i, 128_c), keep(t, row(i) >= 2 * col(0) + 5, -inf));
    });
  });
  const auto *keepOp = p.body[0].body[1].getIf<program::Keep>();
  REQUIRE(keepOp);
  CHECK(keepOp->rowStep == 1);
  CHECK(keepOp->colStep == -2);
  CHECK(keepOp->otherwise == -inf);
  const std::string text = program::printProgram(p);
  CHECK(text.find("* 128") != std::string::npos);
  CHECK(text.find("= -5") != std::string::npos);
}

TEST_CASE("arithmetic gives f32, comparisons u8, store rounds") {
  const Program p = recorded([](auto x, auto y) {
    auto b = cast<bf16>(load(x));
    auto sum = b + b;
    static_assert(std::is_same_v<typename decltype(sum)::Element, f32>);
    auto mask = (sum > 0) & !(sum < 5.0);
    static_assert(std::is_same_v<typename decltype(mask)::Element, u8>);
    store(y, where(mask, sum, 0.0));
  });
  CHECK(kindsOf(p) ==
        "load cast binary compare compare compare binary fill select store");
}

TEST_CASE("instructions mix with tiles") {
  const Program p = recorded([](auto x, auto y) {
    auto b = sbuf<f32>(128_c, 512_c, at(0, 4096));
    auto sums = sbuf<f32>(128_c, 1_c);
    b = load(x.rows(0, 128_c));
    nc::activation(b, nc::ActivationFunction::exp, b,
                   {.bias = sums, .scale = 0.5, .reduce_res = sums});
    auto t = b * 2.0;
    nc::memset(t.cols(0, 128_c), 1.0, {.engine = nc::Engine::gpsimd});
    nc::dma_copy(y.rows(0, 128_c), t, {.name = "out"});
  });
  CHECK(kindsOf(p) == "declare declare load assign instruction scalar declare "
                      "assign instruction instruction");
  const program::InstructionCall &activation = *p.body[4].call();
  std::string names;
  for (const program::Operand &operand : activation.operands)
    names += operand.name + ' ';
  CHECK(names == "dst data bias reduce_res ");
  CHECK(*activation.get<std::string>("op") == "exp");
  CHECK(*activation.get<program::Real>("scale") == 0.5);
  CHECK(p.body.back().name == "out");
  CHECK(p.body[0].as<program::Declare>().byte == 4096);
}

TEST_CASE("locations carry the user's line and the open scopes") {
  std::uint32_t line = 0;
  const Program p = recorded([&](auto x, auto y) {
    scope outer("outer");
    auto t = load(x);
    line = __LINE__ + 1;
    auto u = t + t;
    loop("l", 2, [&](Index) { store(y, u); });
  });
  const program::Location &at = p.locations[p.body[1].location];
  CHECK(at.line == line);
  CHECK(at.file.find("LanguageTest.cpp") != std::string::npos);
  CHECK(at.scopes == "outer");
  CHECK(p.locations[p.body[2].body[0].location].scopes == "outer/l");
}

TEST_CASE("names reach values and operations") {
  const Program p = recorded([](auto x, auto y) {
    auto t = load(x).name("input");
    store(y, t);
  });
  CHECK(p.values[p.body[0].result].name == "input");
  CHECK(p.body[0].name == "input");
}

TEST_CASE("a register is an index that is loaded") {
  const Program p = recorded([](auto x, auto y) {
    auto table = cast<i32>(load(x.rows_at(0, 1_c).cols_at(0, 4_c)));
    loop("i", 4, [&](Index i) {
      const Index page = nc::register_load(table.cols_at(i, 1_c), "page");
      store(y.rows_at(page, 16_c), load(x.rows_at(page * 2 + 1, 16_c)));
      loop("j", nc::register_add(page, 1), [&](Index j) {
        nc::register_store(table.cols_at(0, 1_c), j + page);
      });
    });
  });
  CHECK(kindsOf(p) == "load cast declare assign loop{instruction load store "
                      "loop{instruction}}");
  const program::Op &load = p.body[4].body[0];
  CHECK(load.name == "page");
  CHECK(p.values[load.result].kind == program::ValueKind::index);
  // Its text is read back, and what it leaves open is refused.
  const std::string text = program::printProgram(p);
  const program::ParseResult parsed = program::parseProgram(text);
  REQUIRE(parsed);
  CHECK(*parsed.program == p);
  Program broken = p;
  broken.body[4].body.erase(broken.body[4].body.begin());
  REQUIRE(program::checkProgram(broken));
  CHECK(program::checkProgram(broken)->text.find("is used outside its loop") !=
        std::string::npos);
  broken = p;
  broken.body[4].body[0].call()->mnemonic = "memset";
  CHECK(program::checkProgram(broken));
}

TEST_CASE("a kernel calls another with its tensors and its scratch") {
  // What may only be read is no output; types, ranks and extents agree.
  using Scratch = dsl::Hbm<f32, dsl::Access::inout, Shape<256, -1>>;
  static_assert(std::is_convertible_v<Scratch, In<f32, 2>>);
  static_assert(std::is_convertible_v<Scratch, Out<f32, 2>>);
  static_assert(!std::is_convertible_v<In<f32, 2>, Out<f32, 2>>);
  static_assert(!std::is_convertible_v<Out<f32, 2>, In<f32, 2>>);
  static_assert(!std::is_convertible_v<In<f32, 2>, InOut<f32, 2>>);
  static_assert(!std::is_convertible_v<Scratch, In<bf16, 2>>);
  static_assert(!std::is_convertible_v<Scratch, In<f32, 3>>);
  static_assert(!std::is_convertible_v<In<f32, 2>, Scratch>);
  const auto twice = [](In<f32, 2> x, Out<f32, 2> y) {
    store(y, load(x) * 2.0);
  };
  const Program p = recorded([&](auto x, auto y) {
    auto between = hbm<f32>("between", 256, 512);
    twice(x, between);
    twice(between.rows_at(0, 128_c), y.rows_at(128, 128_c));
  });
  CHECK(kindsOf(p) == "load scalar store load scalar store");
}

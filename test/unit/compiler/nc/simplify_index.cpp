//===- simplify_index.cpp - Index expressions keep their value ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Analysis.h"

#include "catch.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/MLIRContext.h"

#include <chrono>
#include <random>
#include <string>

using namespace mlir;
using kiln::compiler::nc::simplifyIndex;

namespace {

constexpr unsigned numDims = 3;

std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && a < 0);
}

/// By the definition of each operation; divisors are positive.
std::int64_t valueOf(AffineExpr expr, llvm::ArrayRef<std::int64_t> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  const std::int64_t a = valueOf(binary.getLHS(), dims),
                     b = valueOf(binary.getRHS(), dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::Mod:
    return a - b * floorDivide(a, b);
  case AffineExprKind::FloorDiv:
    return floorDivide(a, b);
  default:
    return -floorDivide(-a, b);
  }
}

class Drawn {
public:
  Drawn(MLIRContext &context, std::uint64_t seed)
      : context(context), engine(seed) {}

  std::int64_t from(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(
                     engine() % static_cast<std::uint64_t>(high - low + 1));
  }
  AffineExpr expr(int depth) {
    if (depth == 0)
      return from(0, 4) == 0
                 ? getAffineConstantExpr(from(-9, 9), &context)
                 : getAffineDimExpr(static_cast<unsigned>(from(0, numDims - 1)),
                                    &context);
    const AffineExpr a = expr(depth - 1);
    const auto divisor = static_cast<std::uint64_t>(from(1, 12));
    switch (from(0, 6)) {
    case 0:
    case 1:
      return a + expr(depth - 1);
    case 2:
      return a * from(-12, 12);
    case 3:
    case 4:
      return a % divisor;
    case 5:
      return a.floorDiv(divisor);
    default:
      return from(0, 1)
                 ? a.ceilDiv(divisor)
                 : a - a.floorDiv(divisor) * static_cast<std::int64_t>(divisor);
    }
  }

private:
  MLIRContext &context;
  std::mt19937_64 engine;
};

std::string text(AffineExpr expr) {
  std::string result;
  llvm::raw_string_ostream(result) << expr;
  return result;
}

} // namespace

TEST_CASE("a simplified index has the same value everywhere") {
  MLIRContext context;
  std::size_t changed = 0;
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    Drawn drawn(context, seed);
    const AffineExpr expr = drawn.expr(static_cast<int>(drawn.from(1, 5)));
    const AffineExpr simple = simplifyIndex(expr);
    changed += simple != expr;
    for (int i = 0; i < 40; ++i) {
      const std::int64_t reach = i < 20 ? 30 : 100'000;
      std::int64_t dims[numDims];
      for (std::int64_t &dim : dims)
        dim = drawn.from(-reach, reach);
      if (valueOf(expr, dims) != valueOf(simple, dims))
        FAIL("seed " << seed << ": " << text(expr) << " is not "
                     << text(simple));
    }
  }
  CHECK(changed > 5000);
}

TEST_CASE("remainders stay, and what is one becomes one") {
  MLIRContext context;
  const AffineExpr r = getAffineDimExpr(0, &context),
                   i = getAffineDimExpr(1, &context);
  const auto is = [](AffineExpr found, AffineExpr wanted) {
    INFO(text(found) << ", wanted " << text(wanted));
    CHECK(found == wanted);
  };
  is(simplifyIndex(((r % 2) * 7) % 62), (r % 2) * 7);
  is(simplifyIndex(((r % 3) * 7 + 1) % 64), (r % 3) * 7 + 1);
  is(simplifyIndex(r * 7 - r.floorDiv(3) * 21), (r % 3) * 7);
  is(simplifyIndex((r * 4 + 8) % 16), ((r + 2) % 4) * 4);
  is(simplifyIndex((r * 17) % 16), r % 16);
  is(simplifyIndex((r % 4).floorDiv(4)), getAffineConstantExpr(0, &context));
  is(simplifyIndex((i * 8 + r % 8).floorDiv(8)), i);
  is(simplifyIndex((r % 4) * 3 + i - (r % 4) * 3), i);
  // Bounds decide nothing where they are not enough.
  is(simplifyIndex(((r % 3) * 7 + 1) % 11), ((r % 3) * 7 + 1) % 11);
  is(simplifyIndex((r % 5).floorDiv(4)), (r % 5).floorDiv(4));
}

TEST_CASE("a deep index is simplified in time") {
  MLIRContext context;
  AffineExpr chain = getAffineDimExpr(0, &context);
  for (int level = 0; level < 300; ++level)
    chain = (chain + level + 1).floorDiv(2);
  const auto start = std::chrono::steady_clock::now();
  simplifyIndex(chain);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
}

//===- SimplifyIndex.cpp - Index expressions in a normal form ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum in which each expression occurs once. MLIR writes `x mod m` as `x - m *
// (x floordiv m)`, which hides that it is less than m. Here a remainder stays a
// remainder, and such a difference becomes one.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Analysis.h"

#include <numeric>

using namespace mlir;
using namespace kiln::compiler;

namespace {

/// Both ends are meant.
struct Bounds {
  int64_t low, high;
};

int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
int64_t remainder(int64_t a, int64_t b) { return a - b * floorDivide(a, b); }

/// The divisor of a floordiv, ceildiv or mod, if it is one that divides; 0
/// otherwise.
int64_t divisorOf(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || expr.getKind() == AffineExprKind::Add ||
      expr.getKind() == AffineExprKind::Mul)
    return 0;
  auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return divisor ? std::max<int64_t>(divisor.getValue(), 0) : 0;
}

std::optional<Bounds> boundsOf(AffineExpr expr);

/// `constant + sum(coefficient * atom)`.
struct Sum {
  struct Term {
    AffineExpr atom;
    int64_t coefficient;
  };
  int64_t constant = 0;
  SmallVector<Term, 4> terms;

  static Sum of(AffineExpr expr) {
    Sum sum;
    sum.add(expr, 1);
    sum.joinRemainders();
    return sum;
  }
  /// Of a normal form: atoms are not examined.
  static Sum split(AffineExpr expr) {
    Sum sum;
    sum.addSplit(expr, 1);
    return sum;
  }

  void addAtom(AffineExpr atom, int64_t coefficient) {
    auto found =
        llvm::find_if(terms, [&](const Term &t) { return t.atom == atom; });
    if (found == terms.end())
      terms.push_back({atom, coefficient});
    else
      found->coefficient += coefficient;
    llvm::erase_if(terms, [](const Term &t) { return t.coefficient == 0; });
  }
  void addSum(const Sum &other, int64_t factor) {
    constant += factor * other.constant;
    for (const Term &term : other.terms)
      addAtom(term.atom, factor * term.coefficient);
  }
  void addSplit(AffineExpr expr, int64_t factor);
  void add(AffineExpr expr, int64_t factor);
  void addRemainder(Sum inner, int64_t divisor, int64_t factor,
                    MLIRContext *context);
  void addQuotient(Sum inner, int64_t divisor, int64_t factor,
                   MLIRContext *context);
  void joinRemainders();
  bool contains(const Sum &other, int64_t factor) const;

  std::optional<Bounds> bounds() const;
  bool isWithin(int64_t low, int64_t high) const {
    std::optional<Bounds> range = bounds();
    return range && low <= range->low && range->high <= high;
  }
  /// Of the divisor and all coefficients.
  int64_t commonDivisor(int64_t divisor) const {
    for (const Term &term : terms)
      divisor = std::gcd(divisor, term.coefficient);
    return divisor;
  }
  AffineExpr expr(MLIRContext *context) const {
    AffineExpr sum = getAffineConstantExpr(0, context);
    for (const Term &term : terms)
      sum = sum + term.atom * term.coefficient;
    return sum + constant;
  }
};

std::optional<Bounds> Sum::bounds() const {
  Bounds sum{constant, constant};
  for (const Term &term : terms) {
    std::optional<Bounds> atom = boundsOf(term.atom);
    if (!atom)
      return std::nullopt;
    const auto [low, high] = std::minmax(
        {term.coefficient * atom->low, term.coefficient * atom->high});
    sum.low += low;
    sum.high += high;
  }
  return sum;
}

/// Of an atom; of loops and registers nothing is known.
std::optional<Bounds> boundsOf(AffineExpr expr) {
  const int64_t divisor = divisorOf(expr);
  if (divisor == 0)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Mod)
    return Bounds{0, divisor - 1};
  std::optional<Bounds> whole =
      Sum::split(cast<AffineBinaryOpExpr>(expr).getLHS()).bounds();
  if (!whole)
    return std::nullopt;
  return Bounds{floorDivide(whole->low, divisor),
                floorDivide(whole->high, divisor)};
}

void Sum::addSplit(AffineExpr expr, int64_t factor) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    constant += factor * number.getValue();
  } else if (expr.getKind() == AffineExprKind::Add) {
    addSplit(binary.getLHS(), factor);
    addSplit(binary.getRHS(), factor);
  } else if (auto by = binary && expr.getKind() == AffineExprKind::Mul
                           ? dyn_cast<AffineConstantExpr>(binary.getRHS())
                           : AffineConstantExpr()) {
    addSplit(binary.getLHS(), factor * by.getValue());
  } else {
    addAtom(expr, factor);
  }
}

void Sum::add(AffineExpr expr, int64_t factor) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    constant += factor * number.getValue();
    return;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    addAtom(expr, factor);
    return;
  }
  const int64_t divisor = divisorOf(expr);
  MLIRContext *context = expr.getContext();
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    add(binary.getLHS(), factor);
    add(binary.getRHS(), factor);
    return;
  case AffineExprKind::Mul:
    if (auto by = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      return add(binary.getLHS(), factor * by.getValue());
    break;
  case AffineExprKind::Mod:
    if (divisor)
      return addRemainder(of(binary.getLHS()), divisor, factor, context);
    break;
  case AffineExprKind::FloorDiv:
    if (divisor)
      return addQuotient(of(binary.getLHS()), divisor, factor, context);
    break;
  default: // Rounded up.
    if (divisor)
      return addQuotient(of(binary.getLHS() + (divisor - 1)), divisor, factor,
                         context);
    break;
  }
  addAtom(expr, factor);
}

void Sum::addRemainder(Sum inner, int64_t divisor, int64_t factor,
                       MLIRContext *context) {
  if (inner.isWithin(0, divisor - 1))
    return addSum(inner, factor);
  for (Term &term : inner.terms)
    term.coefficient %= divisor;
  llvm::erase_if(inner.terms,
                 [](const Term &term) { return term.coefficient == 0; });
  inner.constant = remainder(inner.constant, divisor);
  if (inner.isWithin(0, divisor - 1))
    return addSum(inner, factor);
  // (g * x + c) mod (g * m) is g * ((x + c / g) mod m) + c mod g.
  const int64_t common = inner.commonDivisor(divisor);
  for (Term &term : inner.terms)
    term.coefficient /= common;
  constant += factor * remainder(inner.constant, common);
  inner.constant = floorDivide(inner.constant, common);
  addAtom(inner.expr(context) % (divisor / common), factor * common);
}

void Sum::addQuotient(Sum inner, int64_t divisor, int64_t factor,
                      MLIRContext *context) {
  constant += factor * floorDivide(inner.constant, divisor);
  inner.constant = remainder(inner.constant, divisor);
  for (Term &term : inner.terms)
    if (term.coefficient % divisor == 0) {
      addAtom(term.atom, factor * (term.coefficient / divisor));
      term.coefficient = 0;
    }
  llvm::erase_if(inner.terms,
                 [](const Term &term) { return term.coefficient == 0; });
  // floor((g * x + c) / (g * m)) is floor((x + floor(c / g)) / m).
  const int64_t common = inner.commonDivisor(divisor);
  for (Term &term : inner.terms)
    term.coefficient /= common;
  inner.constant = floorDivide(inner.constant, common);
  divisor /= common;
  if (std::optional<Bounds> range = inner.bounds();
      range &&
      floorDivide(range->low, divisor) == floorDivide(range->high, divisor)) {
    constant += factor * floorDivide(range->low, divisor);
    return;
  }
  addAtom(inner.expr(context).floorDiv(divisor), factor);
}

bool Sum::contains(const Sum &other, int64_t factor) const {
  return llvm::all_of(other.terms, [&](const Term &wanted) {
    return llvm::any_of(terms, [&](const Term &term) {
      return term.atom == wanted.atom &&
             term.coefficient == factor * wanted.coefficient;
    });
  });
}

/// c * x - c * m * (x floordiv m) is c * (x mod m).
void Sum::joinRemainders() {
  for (size_t i = 0; i < terms.size();) {
    const Term term = terms[i++];
    const int64_t divisor = divisorOf(term.atom);
    if (divisor == 0 || term.atom.getKind() != AffineExprKind::FloorDiv ||
        term.coefficient % divisor != 0)
      continue;
    const int64_t factor = -term.coefficient / divisor;
    const Sum whole = split(cast<AffineBinaryOpExpr>(term.atom).getLHS());
    if (whole.terms.empty() || !contains(whole, factor))
      continue;
    addAtom(term.atom, -term.coefficient);
    addSum(whole, -factor);
    addRemainder(whole, divisor, factor, term.atom.getContext());
    i = 0;
  }
}

} // namespace

AffineExpr kiln::compiler::nc::simplifyIndex(AffineExpr expr) {
  return Sum::of(expr).expr(expr.getContext());
}

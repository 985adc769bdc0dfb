//===- lesson_09_lookup.cpp - Lesson 9: looking things up -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <kiln/kiln.h>

using namespace kiln;

/// Finds the eight best scores of each row, and loads the weights of the page
/// whose number is in memory.
struct Route {
  BOOST_HANA_DEFINE_STRUCT(Route, (int, experts), (int, pages));
  static Route defaults() { return {32, 4}; }
  void describe(Signature &s) const {
    s.summary("the eight best experts, and one page of a table");
    s.argument("scores", {128, experts});
    s.argument("page", {1, 1});
    s.argument("table", {pages * 16, 64});
    s.argument("best", {128, 8});
    s.argument("expert", {128, 8});
    s.argument("weights", {16, 64});
  }
  void operator()(In<f32, 2> scores, In<i32, 2> page, In<f32, 2> table,
                  Out<f32, 2> best, Out<u32, 2> expert,
                  Out<f32, 2> weights) const {
    auto s = load(scores);
    auto top = sbuf<f32>(128_c, 8_c);
    auto places = sbuf<u32>(128_c, 8_c);
    nc::max8(top, s, {.name = "eight best"});
    nc::nc_find_index8(places, s, top);
    store(best, top);
    store(expert, places);

    const Index p = nc::register_load(page);
    store(weights, load(table.rows(p, 16_c)));
  }
};
KILN_EXPORT(route, Route)

/// A page number to give to `route`.
struct Page {
  BOOST_HANA_DEFINE_STRUCT(Page, (int, number));
  static Page defaults() { return {3}; }
  void describe(Signature &s) const {
    s.summary("writes one integer");
    s.argument("page", {1, 1});
  }
  void operator()(Out<i32, 2> page) const {
    store(page, full<i32>(number, 1_c, 1_c));
  }
};
KILN_EXPORT(page, Page)

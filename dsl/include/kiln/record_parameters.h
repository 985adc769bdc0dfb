//===- record_parameters.h - Parameters of a kernel as text ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RECORD_PARAMETERS_H
#define KILN_RECORD_PARAMETERS_H

#include "kiln/dsl/doubles.h"
#include "kiln/dsl/kernel_table.h"
#include "kiln/program.h"

#include <map>
#include <string>
#include <vector>

namespace kiln {

/// A parameter as the command line shows it: `--seq-q=4096`.
struct KernelParameter {
  std::string name; ///< With dashes.
  std::string type; ///< "int", "float", "bool", "text", "dtype"
  std::string defaultValue;
  std::string doc;
  std::vector<std::string> tunable = {}; ///< `kiln tune` tries these.
};

struct KernelArgument {
  std::string name;
  program::ArgumentKind kind = program::ArgumentKind::input;
  isa::DType dtype = isa::DType::f32;
  std::vector<std::int64_t> shape;
  double deviation = 1; ///< Of random values.
};

struct ParameterValues : std::map<std::string, std::string> {
  using std::map<std::string, std::string>::map;
};

/// The tensors of a reference, by argument name.
struct DoublesByName : std::map<std::string, Doubles> {
  using std::map<std::string, Doubles>::map;
};
/// Those of each rank.
struct DoublesOfLaunch : std::vector<DoublesByName> {
  using std::vector<DoublesByName>::vector;
};

} // namespace kiln

#endif // KILN_RECORD_PARAMETERS_H

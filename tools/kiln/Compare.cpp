//===- Compare.cpp - Results against the plain-loop reference -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"

#include "Crash.h"
#include "Progress.h"
#include "Tensors.h"

#include "kiln/isa/noun.h"
#include "kiln/kernels/reference.h"
#include "kiln/kernels/tolerance.h"
#include "kiln/tool/float_format.h"
#include "kiln/tool/npy.h"

#include <cstdio>

namespace kiln::tool {
namespace {

/// "[3, 17]" for an element's number.
std::string place(std::size_t index, const std::vector<std::int64_t> &shape) {
  std::vector<std::int64_t> at(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    at[i] = static_cast<std::int64_t>(index) % shape[i];
    index /= static_cast<std::size_t>(shape[i]);
  }
  return formatShape(at);
}

void printWrong(const kernels::WrongElements &elements, const char *what,
                const std::vector<std::int64_t> &shape) {
  if (elements.count > 0)
    std::printf("  %s %s, the first at %s\n",
                isa::counted(elements.count, "element").c_str(), what,
                place(elements.first, shape).c_str());
}

bool compareOne(const std::string &name, const isa::Tensor &tensor,
                const std::vector<std::uint8_t> &bytes,
                const std::vector<double> &expected) {
  const kernels::Comparison comparison = kernels::compare(
      decodeValues(bytes, tensor.dtype), expected, tensor.dtype);
  const kernels::Tolerance allowed = kernels::toleranceOf(tensor.dtype);
  std::printf("  %-8s %-12.3g %-12.3g %-12.3g %-12.3g %s\n", name.c_str(),
              comparison.maxAbsolute, comparison.maxRelative,
              comparison.scaledMaximum, comparison.relativeL2,
              comparison.withinTolerance ? "ok" : "WRONG");
  std::printf("  %-8s %-12s %-12s %-12.3g %-12.3g\n", "", "",
              "allowed:", allowed.scaledMaximum, allowed.relativeL2);
  const auto wrong = [&](const kernels::WrongElements &elements,
                         const char *what) {
    printWrong(elements, what, tensor.shape);
  };
  wrong(comparison.notFinite, "NaN or infinite where the reference is finite");
  wrong(comparison.finite, "finite where the reference is NaN or infinite");
  wrong(comparison.otherSpecial, "NaN or infinite, the reference otherwise");
  if (!comparison.withinTolerance && comparison.maxAbsolute > 0)
    std::printf("  largest error at %s\n",
                place(comparison.worst, tensor.shape).c_str());
  return comparison.withinTolerance;
}

/// The kernel's own reference: see kiln/dsl/doubles.h.
void runReference(const ModuleInput &input,
                  std::vector<kernels::ReferenceTensors> &ranks) {
  try {
    kernels::computeReference(*input.kernel, input.values, ranks);
  } catch (const std::exception &error) {
    throw Failure("KILN-T005", "the reference of the kernel '" +
                                   input.module().kernel +
                                   "' threw: " + error.what());
  }
}

} // namespace

void requireReference(const ModuleInput &input) {
  if (!input.kernel || !input.kernel->hasReference(input.values))
    throw Failure("KILN-T040", "kernel '" + input.module().kernel +
                                   "' has no reference to compare with");
}

void compareWithReference(
    const ModuleInput &input, const RankTensors &inputs,
    const std::vector<std::vector<sim::TensorData>> &outputs) {
  enterPhase("computing the reference of '" + input.module().kernel + "'");
  std::vector<kernels::ReferenceTensors> expected(outputs.size());
  for (std::size_t rank = 0; rank < expected.size(); ++rank) {
    for (const isa::Tensor *tensor : tensorsOf(input, isInput))
      expected[rank][tensor->name] = {
          tensor->shape,
          decodeValues(*inputs.find(rank, tensor->name), tensor->dtype)};
    for (const isa::Tensor *tensor : tensorsOf(input, isOutput))
      if (tensor->kind == isa::TensorKind::output)
        expected[rank][tensor->name] = {
            tensor->shape,
            std::vector<double>(tensor->elements() *
                                isa::info(tensor->dtype).values)};
  }
  {
    Progress progress("computing the reference");
    runReference(input, expected);
  }

  std::printf("against plain loops in double precision:\n"
              "  %-8s %-12s %-12s %-12s %-12s verdict\n",
              "output", "max |error|", "max rel.", "max scaled", "relative l2");
  bool good = true;
  for (std::size_t rank = 0; rank < outputs.size(); ++rank)
    for (const sim::TensorData &output : outputs[rank]) {
      const std::string name = outputs.size() == 1
                                   ? output.name
                                   : output.name + "@" + std::to_string(rank);
      const isa::Tensor &tensor = *findTensor(input, output.name);
      good &= compareOne(name, tensor, output.bytes,
                         expected[rank][output.name].values);
    }
  std::fflush(stdout);
  if (!good)
    throw Failure("KILN-T041", "the results of '" + input.module().kernel +
                                   "' differ from the reference");
}

} // namespace kiln::tool

//===- RemarkCollector.cpp - Remarks of passes as values ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemarkCollector.h"

#include "kiln/compiler/dialect/nc/Remark.h"

#include "llvm/Remarks/Remark.h"

using namespace mlir;
using namespace kiln::compiler;

static RemarkKind kindOf(llvm::remarks::Type type) {
  switch (type) {
  case llvm::remarks::Type::Passed:
    return RemarkKind::passed;
  case llvm::remarks::Type::Missed:
  case llvm::remarks::Type::Failure:
    return RemarkKind::missed;
  default:
    return RemarkKind::analysis;
  }
}

RemarkCollector *RemarkCollector::listen(MLIRContext &context,
                                         std::vector<CompileRemark> &remarks) {
  const std::string any = ".*";
  const remark::RemarkCategories all{any, any, any, any, any};
  auto collector = std::make_unique<RemarkCollector>(remarks);
  RemarkCollector *listener = collector.get();
  // It fails only if a remark engine is already active.
  if (failed(remark::enableOptimizationRemarks(
          context, std::move(collector),
          std::make_unique<remark::RemarkEmittingPolicyAll>(), all)))
    return nullptr;
  return listener;
}

void RemarkCollector::streamOptimizationRemark(
    const remark::detail::Remark &remark) {
  CompileRemark entry;
  entry.kind = kindOf(remark.getRemarkType());
  entry.pass = remark.getCategoryName().str();
  entry.name = remark.getRemarkName().str();
  for (const remark::detail::Remark::Arg &argument : remark.getArgs()) {
    entry.text += argument.val;
    StringRef key = argument.key;
    if (key == "Remark") // Text.
      continue;
    const bool isSum = key.consume_front(StringRef(&sumMark, 1));
    entry.values.push_back({key.str(), argument.val, isSum});
  }
  if (auto place = remark.getLocation()->findInstanceOf<FileLineColLoc>()) {
    entry.file = place.getFilename().str();
    entry.line = place.getLine();
  }
  auto [found, isNew] = known.try_emplace(entry.str(), remarks.size());
  if (isNew)
    remarks.push_back(std::move(entry));
  else
    ++remarks[found->second].times;
}

//===- NcTarget.cpp - The machine as an attribute -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Blame.h"
#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/Nc.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/isa/target_file.h"

#include "mlir/IR/Builders.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;

static std::string_view toView(StringRef text) {
  return {text.data(), text.size()};
}

/// As isa::applyOverrides reads it; "" if it is not a value of a parameter.
static std::string textOf(Attribute value) {
  if (auto flag = dyn_cast<BoolAttr>(value))
    return flag.getValue() ? "true" : "false";
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return std::to_string(integer.getInt());
  if (auto number = dyn_cast<FloatAttr>(value))
    return fmt::format("{}", number.getValueAsDouble());
  return "";
}

static isa::Diagnostic wrong(std::string text) {
  return isa::makeError("KILN-C014", std::move(text));
}

static isa::Expected<isa::Target> made(StringRef base, StringAttr name,
                                       DictionaryAttr changes) {
  std::optional<isa::Target> target = isa::findTarget(toView(base));
  if (!target)
    return wrong("target '" + base.str() + "' is not a target; expected " +
                 std::string(isa::targetNames));
  if (name) {
    const size_t size = name.getValue().size();
    if (size == 0 || size > isa::TargetName::maxSize)
      return wrong(
          fmt::format("the name of a target has 1 to {} characters, found {}",
                      isa::TargetName::maxSize, size));
    target->name = toView(name.getValue());
  }
  std::string text;
  if (changes)
    for (NamedAttribute change : changes)
      text += change.getName().str() + " = " + textOf(change.getValue()) + "\n";
  if (std::optional<isa::Diagnostic> error =
          isa::applyOverrides(*target, text, ""))
    return wrong(error->text);
  return *target;
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef base, StringAttr name,
                                 DictionaryAttr changes) {
  isa::Expected<isa::Target> target = made(base, name, changes);
  if (!target)
    return emitError() << Code{target.error().code} << Culprit::maker
                       << target.error().text;
  return success();
}

isa::Target TargetAttr::getTarget() const {
  if (isUsual())
    return *isa::findTarget(toView(getBase()));
  return *made(getBase(), getName(), getChanges());
}

TargetAttr TargetAttr::get(MLIRContext *context, const isa::Target &target) {
  const isa::Target &usual = isa::target(target.generation);
  Builder builder(context);
  SmallVector<Attribute> values;
  auto valueOf = [&](const auto &field) -> Attribute {
    using Field = std::decay_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, bool>)
      return builder.getBoolAttr(field);
    else if constexpr (std::is_integral_v<Field>)
      return builder.getI64IntegerAttr(field);
    else
      return builder.getF64FloatAttr(field);
  };
  forEachParameter(usual, [&](const isa::ParameterInfo &, const auto &field) {
    values.push_back(valueOf(field));
  });
  SmallVector<NamedAttribute> changes;
  const Attribute *next = values.begin();
  forEachParameter(
      target, [&](const isa::ParameterInfo &info, const auto &field) {
        if (Attribute value = valueOf(field); value != *next++)
          changes.push_back(builder.getNamedAttr(
              StringRef(info.name.data(), info.name.size()), value));
      });
  const std::string_view base = usual.name, name = target.name;
  return get(
      context, StringRef(base.data(), base.size()),
      name == base ? StringAttr()
                   : builder.getStringAttr(StringRef(name.data(), name.size())),
      changes.empty() ? DictionaryAttr() : builder.getDictionaryAttr(changes));
}

LogicalResult NcDialect::verifyOperationAttribute(Operation *op,
                                                  NamedAttribute attribute) {
  if (attribute.getName() == targetAttrName &&
      !llvm::isa<TargetAttr>(attribute.getValue()))
    return op->emitError() << Code{"KILN-C014"} << targetAttrName
                           << " must be a #nc.target, found "
                           << attribute.getValue();
  if (llvm::is_contained({StringRef(waitsAttrName), StringRef(signalsAttrName),
                          StringRef(userWaitsAttrName),
                          StringRef(userSignalsAttrName)},
                         attribute.getName().getValue())) {
    auto tokens = dyn_cast<ArrayAttr>(attribute.getValue());
    if (!tokens || !llvm::all_of(tokens, llvm::IsaPred<TokenAttr>))
      return op->emitError("'")
             << attribute.getName().getValue()
             << "' must be a list of #nc.token, found " << attribute.getValue();
  }
  return success();
}

TargetAttr kiln::compiler::nc::targetAttrOf(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = dyn_cast_if_present<TargetAttr>(
            op->getDiscardableAttr(targetAttrName)))
      return target;
  return nullptr;
}

isa::Target kiln::compiler::nc::targetOf(Operation *op) {
  TargetAttr target = targetAttrOf(op);
  return target ? target.getTarget() : isa::trn2;
}

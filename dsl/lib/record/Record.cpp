//===- Record.cpp - Runs a kernel behind plain functions
//-----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/record.h"
#include "Fields.h"
#include "JoinedText.h"
#include "KernelRecorder.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kiln::dsl {

[[noreturn]] static void throwError(std::string_view code, const Text &message,
                                    const Text &fix, const Where &where) {
  throw RecordError(std::string(code), joined(message), joined(fix), where);
}
/// For the kernels of this program; a loaded library has its own.
[[maybe_unused]] static const Thrower ownThrower = thrower() = throwError;

/// Fills in kinds and element types; checks names and ranks.
inline void completeArguments(const KernelObject &object,
                              std::vector<KernelArgument> &arguments) {
  if (arguments.size() != object.argumentCount)
    throw RecordError("KILN-A011",
                      "the kernel takes [|" +
                          std::to_string(object.argumentCount) +
                          "|] tensors but describes <|" +
                          std::to_string(arguments.size()) + "|>",
                      "call argument() once for each parameter of operator()");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    KernelArgument &argument = arguments[i];
    const ArgumentType &type = object.arguments[i];
    if (argument.shape.empty())
      continue;
    argument.kind = type.kind;
    argument.dtype = type.dtype;
    if (argument.shape.size() != type.rank)
      throw RecordError("KILN-A011",
                        "tensor " + argument.name +
                            " is described with rank <|" +
                            std::to_string(argument.shape.size()) +
                            "|>, but the kernel takes rank [|" +
                            std::to_string(type.rank) + "|]",
                        "make the two agree");
    checkExtents(argument.name, argument.shape, type.dtype);
  }
}

/// Passes on what random() says about the arguments that exist.
static void addDeviations(SignatureRecord &signature) {
  for (const auto &[name, deviation] : signature.deviations) {
    const auto found = std::find_if(
        signature.arguments.begin(), signature.arguments.end(),
        [&](const KernelArgument &argument) { return argument.name == name; });
    if (found == signature.arguments.end())
      throw RecordError("KILN-A011",
                        "describe() calls random() for tensor <|" + name +
                            "|>, which it does not list",
                        "name a tensor of argument() or absent()");
    if (found->shape.empty())
      continue;
    if (!(deviation > 0) || std::isinf(deviation) ||
        !isa::isFloat(found->dtype) ||
        found->kind == program::ArgumentKind::output)
      throw RecordError("KILN-A011",
                        "random() of tensor <|" + name +
                            "|>: the deviation of an input of floats must be a "
                            "positive number",
                        "leave out random() for other tensors");
    found->deviation = deviation;
  }
}

inline SignatureRecord signatureOf(const KernelObject &object) {
  SignatureRecord signature;
  object.describe(object.kernel, signature);
  completeArguments(object, signature.arguments);
  addDeviations(signature);
  return signature;
}

static CallResolver callResolver = nullptr;

/// Throws if a body is null.
template <class Body> void requireCompiled(Body body) {
  if (!body)
    throw RecordError("KILN-T031",
                      "the shared library holds this kernel without the body "
                      "of this element type, or without its reference",
                      "build it without KILN_COMPILED_TYPE and "
                      "KILN_COMPILED_REFERENCES");
}

program::Program recordObject(const KernelObject &object, std::string name,
                              const Core &core) {
  KernelRecorder recording;
  Recorder &recorder = recording.state();
  const SignatureRecord signature = signatureOf(object);
  recorder.program.kernel = std::move(name);
  recorder.program.flops = signature.flopCount;
  recorder.program.tokens = signature.tokenCount;
  recorder.program.hasParts = signature.hasParts;
  recorder.program.schedule = signature.scheduleText;
  recorder.program.core = core.number;
  recorder.program.cores = core.count;
  recorder.targetGeneration = core.generation;
  for (std::size_t i = 0; i < object.fieldCount; ++i)
    recorder.program.parameters.push_back(
        {withDashes(object.fields[i].name), parameterText(object.fields[i])});
  if (object.hasType)
    recorder.program.parameters.push_back(
        {"dtype", std::string(isa::name(object.dtype))});
  std::vector<ViewRef> values;
  for (const KernelArgument &argument : signature.arguments) {
    if (argument.shape.empty()) {
      values.push_back(recording.addAbsent(argument.name));
      continue;
    }
    Value value;
    value.kind = ValueKind::tensor;
    value.space = isa::Space::hbm;
    value.dtype = argument.dtype;
    value.shape = argument.shape;
    value.name = argument.name;
    const Id id = recorder.addValue(std::move(value));
    values.push_back(ViewRef::whole(id));
    recorder.program.arguments.push_back(
        {id, argument.kind, argument.deviation});
  }
  if (callResolver)
    recording.follow(callResolver, __builtin_frame_address(0));
  requireCompiled(object.run);
  try {
    object.run(object.kernel, recording, values.data());
  } catch (const RecordError &error) {
    if (const auto *callers = recorder.callersAt(error.file, error.line))
      throw HelperError(error, *callers);
    throw;
  }
  return recording.finish();
}

/// The element types of a kernel's variants.
inline std::string dtypesOf(const KernelEntry &entry) {
  std::string list;
  for (std::size_t i = 0; i < entry.variantCount; ++i)
    list += (i ? ", " : "") + std::string(isa::name(entry.variants[i].dtype));
  return list;
}

/// Calls `use` with a variant that has its default parameters.
template <class Use>
void withDefaults(const KernelVariant &variant, Use &&use) {
  variant.with(
      [](const KernelObject &object, void *context) {
        (*static_cast<std::remove_reference_t<Use> *>(context))(object);
      },
      const_cast<void *>(static_cast<const void *>(&use)));
}

/// Sets the parameters that `values` names.
inline void setParameters(const KernelObject &object,
                          const ParameterValues &values) {
  std::map<std::string, std::string> wanted;
  for (const auto &[name, value] : values)
    wanted[withDashes(name)] = value;
  std::string known;
  for (std::size_t i = 0; i < object.fieldCount; ++i) {
    const std::string name = withDashes(object.fields[i].name);
    known += " --" + name;
    if (const auto found = wanted.find(name); found != wanted.end()) {
      setParameter(object.fields[i], name, found->second);
      wanted.erase(found);
    }
  }
  if (object.hasType) {
    known += " --dtype";
    wanted.erase("dtype");
  }
  if (!wanted.empty())
    throw RecordError("KILN-A009",
                      "the kernel has no parameter <|--" +
                          wanted.begin()->first + "|>",
                      known.empty() ? "it has none" : "it has" + known);
}

/// Calls `use` with the variant that --dtype names, or the first one, with its
/// parameters set.
template <class Use>
void withParameters(const KernelEntry &entry, const ParameterValues &values,
                    Use &&use) {
  const KernelVariant *chosen = entry.variants;
  if (const auto found = values.find("dtype");
      chosen->hasType && found != values.end()) {
    const KernelVariant *end = entry.variants + entry.variantCount;
    chosen = std::find_if(entry.variants, end, [&](const KernelVariant &v) {
      return isa::name(v.dtype) == found->second;
    });
    if (chosen == end)
      failValue("dtype", found->second, "one of " + dtypesOf(entry));
  }
  requireCompiled(chosen->with);
  withDefaults(*chosen, [&](const KernelObject &object) {
    setParameters(object, values);
    use(object);
  });
}

std::string summaryOf(const KernelEntry &entry) {
  std::string text;
  withDefaults(entry.variants[0], [&](const KernelObject &object) {
    SignatureRecord signature;
    object.describe(object.kernel, signature);
    text = std::move(signature.summaryText);
  });
  return text;
}

/// The values to try, as the command line takes them. Takes them out of
/// `signature`.
static std::vector<std::string> tunableTexts(const ParameterField &field,
                                             const std::string &name,
                                             SignatureRecord &signature) {
  std::vector<std::string> texts;
  auto declared = signature.tunables.extract(name);
  if (declared.empty())
    return texts;
  if (field.type == ParameterType::floating ||
      field.type == ParameterType::text || field.type == ParameterType::choice)
    throw RecordError("KILN-A010",
                      "parameter --" + name + " is <|" + typeName(field.type) +
                          "|> and cannot be tunable",
                      "call only int and bool parameters tunable");
  for (const std::int64_t value : declared.mapped())
    texts.push_back(field.type == ParameterType::boolean
                        ? (value ? "true" : "false")
                        : std::to_string(value));
  return texts;
}

std::vector<KernelParameter> parametersOf(const KernelEntry &entry) {
  std::vector<KernelParameter> result;
  withDefaults(entry.variants[0], [&](const KernelObject &object) {
    SignatureRecord signature;
    object.describe(object.kernel, signature);
    for (std::size_t i = 0; i < object.fieldCount; ++i) {
      const ParameterField &field = object.fields[i];
      std::string name = withDashes(field.name);
      std::string doc = signature.docs[name];
      if (field.type == ParameterType::choice)
        doc += (doc.empty() ? "one of " : "; one of ") + choicesText(field);
      std::vector<std::string> values = tunableTexts(field, name, signature);
      result.push_back({std::move(name), typeName(field.type),
                        parameterText(field), std::move(doc),
                        std::move(values)});
    }
    if (!signature.tunables.empty())
      throw RecordError("KILN-A009",
                        "the kernel has no parameter --<|" +
                            signature.tunables.begin()->first +
                            "|>, which describe() calls tunable",
                        "name a member of the kernel struct");
    if (object.hasType)
      result.push_back({"dtype", "dtype", std::string(isa::name(object.dtype)),
                        "element type: " + dtypesOf(entry)});
  });
  return result;
}

std::vector<KernelArgument> argumentsOf(const KernelEntry &entry,
                                        const ParameterValues &values) {
  std::vector<KernelArgument> result;
  withParameters(entry, values, [&](const KernelObject &object) {
    for (KernelArgument &argument : signatureOf(object).arguments)
      if (!argument.shape.empty())
        result.push_back(std::move(argument));
  });
  return result;
}

bool hasReferenceOf(const KernelEntry &entry, const ParameterValues &values) {
  bool has = false;
  withParameters(entry, values, [&](const KernelObject &object) {
    has = object.reference.exists;
  });
  return has;
}

void runReferenceOf(const KernelEntry &entry, const ParameterValues &values,
                    const DoublesOfLaunch &ranks) {
  withParameters(entry, values, [&](const KernelObject &object) {
    const std::vector<KernelArgument> arguments = signatureOf(object).arguments;
    std::vector<Doubles> tensors; // Rank by rank.
    for (const DoublesByName &own : ranks)
      for (const KernelArgument &argument : arguments) {
        const auto found = own.find(argument.name);
        tensors.push_back(found == own.end() ? Doubles() : found->second);
      }
    if (!object.reference.exists)
      return;
    requireCompiled(object.reference.run);
    object.reference.run(object.kernel, tensors.data(), ranks.size());
  });
}

program::Program recordEntry(const KernelEntry &entry,
                             const ParameterValues &values, const Core &core) {
  program::Program result;
  withParameters(entry, values, [&](const KernelObject &object) {
    result = recordObject(object, entry.name, core);
  });
  return result;
}

} // namespace kiln::dsl

void kiln::followCalls(CallResolver resolver) { dsl::callResolver = resolver; }

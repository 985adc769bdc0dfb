//===- Fields.h - Members of a kernel struct, as text ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_RECORD_FIELDS_H
#define KILN_DSL_LIB_RECORD_FIELDS_H

#include "kiln/record_parameters.h"
#include "kiln/schedule.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kiln {

namespace dsl {

inline const char *typeName(ParameterType type) {
  switch (type) {
  case ParameterType::boolean:
    return "bool";
  case ParameterType::signedInteger:
  case ParameterType::unsignedInteger:
    return "int";
  case ParameterType::floating:
    return "float";
  case ParameterType::choice:
    return "choice";
  case ParameterType::text:
    break;
  }
  return "text";
}

inline std::string withDashes(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// Calls `use(member)` with the field as its C++ type.
template <class Use>
decltype(auto) visitField(const ParameterField &field, Use &&use) {
  const auto as = [&]<class V>(V *) -> decltype(auto) {
    return use(*static_cast<V *>(field.address));
  };
  switch (field.type) {
  case ParameterType::boolean:
    return as(static_cast<bool *>(nullptr));
  case ParameterType::choice:
  case ParameterType::signedInteger:
    switch (field.bytes) {
    case 1:
      return as(static_cast<std::int8_t *>(nullptr));
    case 2:
      return as(static_cast<std::int16_t *>(nullptr));
    case 4:
      return as(static_cast<std::int32_t *>(nullptr));
    default:
      return as(static_cast<std::int64_t *>(nullptr));
    }
  case ParameterType::unsignedInteger:
    switch (field.bytes) {
    case 1:
      return as(static_cast<std::uint8_t *>(nullptr));
    case 2:
      return as(static_cast<std::uint16_t *>(nullptr));
    case 4:
      return as(static_cast<std::uint32_t *>(nullptr));
    default:
      return as(static_cast<std::uint64_t *>(nullptr));
    }
  case ParameterType::floating:
    if (field.bytes == sizeof(float))
      return as(static_cast<float *>(nullptr));
    return as(static_cast<double *>(nullptr));
  case ParameterType::text:
    break;
  }
  return as(static_cast<std::string *>(nullptr));
}

/// The names of a choice, as the command line shows them.
inline std::vector<std::string> choicesOf(const ParameterField &field) {
  std::vector<std::string> names(1);
  for (const char c : std::string_view(field.names))
    if (c == ',')
      names.emplace_back();
    else if (c != ' ')
      names.back() += c;
  for (std::string &name : names)
    name = withDashes(std::move(name));
  return names;
}
inline std::string choicesText(const ParameterField &field) {
  std::string text;
  for (const std::string &name : choicesOf(field))
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

inline std::string parameterText(const ParameterField &field) {
  if (field.type == ParameterType::choice) {
    const std::vector<std::string> names = choicesOf(field);
    const auto number = static_cast<std::size_t>(
        *static_cast<const std::int32_t *>(field.address));
    return number < names.size() ? names[number] : std::to_string(number);
  }
  return visitField(field, [](const auto &value) -> std::string {
    using V = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_same_v<V, bool>) {
      return value ? "true" : "false";
    } else if constexpr (std::is_same_v<V, std::string>) {
      return value;
    } else {
      char buffer[40];
      const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
      return std::string(buffer, end);
    }
  });
}

[[noreturn]] inline void failValue(const std::string &name,
                                   const std::string &text,
                                   const std::string &allowed) {
  throw RecordError("KILN-A010",
                    "parameter --" + name + " cannot be '<|" + text + "|>'",
                    "give " + allowed);
}

/// Parses `text` and writes the value into the kernel.
inline void setParameter(const ParameterField &field, const std::string &name,
                         const std::string &text) {
  if (field.type == ParameterType::choice) {
    const std::vector<std::string> names = choicesOf(field);
    const auto found = std::find(names.begin(), names.end(), withDashes(text));
    if (found == names.end())
      failValue(name, text, "one of " + choicesText(field));
    *static_cast<std::int32_t *>(field.address) =
        static_cast<std::int32_t>(found - names.begin());
    return;
  }
  visitField(field, [&](auto &member) {
    using V = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_same_v<V, bool>) {
      const bool yes =
          text == "true" || text == "1" || text == "on" || text.empty();
      if (!yes && text != "false" && text != "0" && text != "off")
        failValue(name, text, "true or false");
      member = yes;
    } else if constexpr (std::is_same_v<V, std::string>) {
      member = text;
    } else {
      V value{};
      const char *end = text.data() + text.size();
      const auto result = std::from_chars(text.data(), end, value);
      if (result.ec != std::errc() || result.ptr != end)
        failValue(name, text,
                  std::is_integral_v<V>
                      ? "a whole number that fits the parameter"
                      : "a number");
      if constexpr (std::is_floating_point_v<V>)
        if (value != value)
          failValue(name, text,
                    "a number; nan is not allowed because every comparison "
                    "with it is false");
      member = value;
    }
  });
}

/// Stores what `describe` declares.
class SignatureRecord final : public Signature {
public:
  void argument(std::string_view name,
                std::initializer_list<std::int64_t> shape) override {
    KernelArgument entry;
    entry.name = name;
    entry.shape = shape;
    arguments.push_back(std::move(entry));
  }
  void absent(std::string_view name) override { argument(name, {}); }
  void flops(double count) override {
    flopCount = static_cast<std::int64_t>(count);
  }
  /// A part of a token is none: then the count stays unknown.
  void tokens(double count) override {
    const auto whole = static_cast<std::int64_t>(count);
    tokenCount = static_cast<double>(whole) == count ? whole : 0;
  }
  void random(std::string_view argument, double deviation) override {
    deviations.emplace(argument, deviation);
  }
  void parts() override { hasParts = true; }
  void summary(std::string_view text) override { summaryText = text; }
  void doc(std::string_view parameter, std::string_view text) override {
    docs[withDashes(std::string(parameter))] = text;
  }

  void tunable(std::string_view parameter,
               std::initializer_list<std::int64_t> values) override {
    tunables[withDashes(std::string(parameter))] = values;
  }

  void schedule(const kiln::schedule::Schedule &given) override {
    scheduleText = print(given);
  }

  std::vector<KernelArgument> arguments;
  std::map<std::string, double, std::less<>> deviations; ///< By argument.
  std::int64_t flopCount = 0, tokenCount = 0;
  bool hasParts = false;
  std::string summaryText, scheduleText;
  std::map<std::string, std::string> docs;
  std::map<std::string, std::vector<std::int64_t>> tunables;
};

} // namespace dsl
} // namespace kiln

#endif // KILN_DSL_LIB_RECORD_FIELDS_H

//===- Explain.cpp - kiln explain: a code, or an instruction --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "ErrorPages.h"
#include "ProfileDocument.h"
#include "Screen.h"
#include "Timed.h"
#include "json_schemas.h"

#include "kiln/isa/noun.h"
#include "kiln/profile/explanation.h"
#include "kiln/tool/files.h"

#include <absl/strings/str_join.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <regex>

namespace kiln::tool {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t nearCodes = 3;

/// Prints the text, or the JSON where --json says.
int answer(const CommandLine &line, const std::string &text,
           const std::string &asJson) {
  const std::optional<std::string> file = line.value("--json");
  if (!file)
    std::cout << wrappedOn(standardOutput(), text);
  else if (file->empty())
    std::cout << asJson;
  else
    writeTextFile(*file, asJson);
  return success;
}

Failure unknownCode(const std::string &code) {
  const std::vector<ErrorPage> near = nearPages(code, nearCodes);
  if (near.empty())
    return Failure("KILN-T051", "there is no code '<|" + code +
                                    "|>'; codes have the letters [|" +
                                    codeLetters() + "|]");
  return Failure("KILN-T051",
                 "there is no code '<|" + code + "|>'; the nearest are [|" +
                     absl::StrJoin(near, ", ",
                                   [](std::string *out, const ErrorPage &page) {
                                     *out += std::string(page.code) + " (" +
                                             std::string(page.title) + ")";
                                   }) +
                     "|]");
}

/// The codes that a text names, each once, in its order.
json codesIn(std::string_view text) {
  static const std::regex code("KILN-[A-Z][0-9]{3}");
  json codes = json::array();
  const std::string copy(text);
  for (std::sregex_iterator at(copy.begin(), copy.end(), code), end; at != end;
       ++at)
    if (const json found = at->str();
        std::find(codes.begin(), codes.end(), found) == codes.end())
      codes.push_back(found);
  return codes;
}

int explainCode(const CommandLine &line, const std::string &code) {
  const std::optional<ErrorPage> page = findErrorPage(code);
  if (!page)
    throw unknownCode(code);
  const json out{{"schema", "kiln.explain.code"},
                 {"version", 1},
                 {"code", page->code},
                 {"title", page->title},
                 {"meaning", page->part("What it means")},
                 {"at_fault", page->part("At fault")},
                 {"example", page->part("Example")},
                 {"fix", page->part("How to fix it")},
                 {"see_also", codesIn(page->part("See also"))},
                 {"page", page->text}};
  return answer(line, std::string(page->text), out.dump(1) + "\n");
}

/// The schema of a JSON file that the tool writes, by the name of its page.
int explainSchema(const CommandLine &line, const std::string &name) {
  std::vector<std::string> names;
  for (const auto &[file, text] : schemas::all) {
    if (file != name) {
      names.emplace_back(file);
      continue;
    }
    const std::optional<std::string> to = line.value("--json");
    if (to && !to->empty())
      writeTextFile(*to, std::string(text));
    else
      std::cout << text; // JSON has no width.
    return success;
  }
  throw Failure("KILN-T020",
                "there is no schema '<|" + name + "|>'; the schemas are [|" +
                    absl::StrJoin(names, ", ") + "|]",
                usageError);
}

std::vector<std::string> engineNames() {
  std::vector<std::string> names;
  for (std::size_t e = 0; e < isa::numEngines; ++e)
    names.emplace_back(isa::name(static_cast<isa::Engine>(e)));
  return names;
}

/// X.kbin:ENGINE:INDEX in its parts.
struct Asked {
  std::string module;
  std::string engine;
  std::string index; ///< May be empty.
};

std::optional<Asked> asked(const std::string &word) {
  const std::size_t last = word.rfind(':');
  if (last == std::string::npos || last == 0)
    return std::nullopt;
  const std::string end = word.substr(last + 1);
  const std::vector<std::string> names = engineNames();
  if (std::find(names.begin(), names.end(), end) != names.end())
    return Asked{word.substr(0, last), end, ""};
  const std::size_t before = word.rfind(':', last - 1);
  if (before == std::string::npos || before == 0)
    return std::nullopt;
  return Asked{word.substr(0, before),
               word.substr(before + 1, last - before - 1), end};
}

Failure missing(const std::string &text) { return {"KILN-T052", text}; }

/// Of one core; says what exists if `wanted` does not.
profile::InstructionName findInstruction(const Asked &wanted,
                                         const isa::Module &module) {
  const std::vector<std::string> names = engineNames();
  const auto found = std::find(names.begin(), names.end(), wanted.engine);
  if (found == names.end())
    throw missing("there is no engine '<|" + wanted.engine +
                  "|>'; the engines are [|" + absl::StrJoin(names, ", ") +
                  "|]" + suggestion(wanted.engine, names));
  profile::InstructionName name;
  const auto e = static_cast<std::size_t>(found - names.begin());
  name.engine = static_cast<isa::Engine>(e);
  const std::size_t count = module.streams[e].size();
  const std::string have = count == 0
                               ? "[|no instruction|]"
                               : "[|0 to " + std::to_string(count - 1) + "|]";
  if (wanted.index.empty())
    throw missing("'" + wanted.module + ":" + wanted.engine +
                  "' is not an instruction: add its index; " + wanted.engine +
                  " has " + have);
  const char *end = wanted.index.data() + wanted.index.size();
  const auto [stop, error] =
      std::from_chars(wanted.index.data(), end, name.index);
  if (error == std::errc() && stop == end && name.index < count)
    return name;
  throw missing("'" + wanted.module + "' has no instruction '" + wanted.engine +
                ":<|" + wanted.index + "|>'; " + wanted.engine + " has " +
                have);
}

/// --at-rank and --at-core, which must be below `count`.
std::size_t chosenPlace(const CommandLine &line, const char *option,
                        std::size_t count) {
  const std::uint64_t place = line.number(option).value_or(0);
  if (place >= count)
    throw Failure("KILN-T020",
                  "'" + std::string(option) + " <|" + std::to_string(place) +
                      "|>': expected [|0 to " + std::to_string(count - 1) +
                      "|]",
                  usageError);
  return static_cast<std::size_t>(place);
}

int explainInstruction(const CommandLine &line, const Asked &wanted) {
  CommandLine ofModule = line;
  ofModule.arguments = {wanted.module};
  const Timed made = timed(ofModule, true);
  const std::size_t cores = made.input.cores.size();
  const std::size_t core = chosenPlace(line, "--at-core", cores);
  const std::size_t rank = chosenPlace(line, "--at-rank", chosenRanks(line));
  profile::InstructionName name =
      findInstruction(wanted, made.input.cores[core]);
  name.core = rank * cores + core;
  const profile::LaunchProfile launch(made.input.cores, *made.result.timing,
                                      made.input.target, made.input.compileMs);
  const std::uint64_t runs =
      launch.timing.cores[name.core]
          .executions[static_cast<std::size_t>(name.engine)][name.index];
  const std::optional<std::uint64_t> run = line.number("--run");
  if (run && (*run == 0 || *run > runs))
    throw missing("'" + wanted.engine + ":" + wanted.index + "' has no run <|" +
                  std::to_string(*run) + "|>; it ran [|" +
                  std::to_string(runs) +
                  isa::noun(runs, " time|]", " times|], counted from 1"));
  profile::Explanation all = profile::explain(launch, name, run);
  all.sourceText = sourceLine(all.place.file, all.place.line);
  return answer(line, profile::toText(all), profile::toJson(all));
}

int runExplain(const CommandLine &line) {
  const std::string &word = line.arguments[0];
  if (const std::optional<Asked> wanted = asked(word))
    return explainInstruction(line, *wanted);
  if (word.ends_with(".schema.json"))
    return explainSchema(line, word);
  const std::optional<std::string> code = codeOf(word);
  if (!code)
    throw Failure("KILN-T020",
                  "'<|" + word +
                      "|>' is neither [|a code, as KILN-X005, nor an "
                      "instruction, as FILE.kbin:vector:12, nor a schema, as "
                      "profile.schema.json|]",
                  usageError);
  if (!line.parameters.empty())
    throw Failure("KILN-T020",
                  "a code takes no option '--" + line.parameters.front().first +
                      "'",
                  usageError);
  return explainCode(line, *code);
}

std::vector<Option> explainOptions() {
  std::vector<Option> all = schedulingOptions();
  Option asJson{"--json", "FILE", "JSON instead of text; to a file"};
  asJson.valueIsOptional = true;
  all.push_back(asJson);
  all.push_back({"--run", "N",
                 "the N-th execution of the instruction (default: the one that "
                 "waits longest)"});
  all.push_back({"--at-rank", "N", "the rank of the instruction (default 0)"});
  all.push_back({"--at-core", "N", "the core of the instruction (default 0)"});
  const std::vector<Option> timing = timingOptions();
  all.insert(all.end(), timing.begin(), timing.end());
  return all;
}

} // namespace

const Command explainCommand{
    {"explain", "CODE|X.kbin:ENGINE:INDEX|SCHEMA",
     "explains a message, or what an instruction does and waits for",
     "CODE is the code of a message, such as KILN-X005 or x005. An "
     "instruction is\ntimed with its kernel; a KERNEL in place of X.kbin is "
     "compiled first. SCHEMA is\nthe name of a JSON schema, such as "
     "profile.schema.json.",
     explainOptions(), true, 1, 1},
    runExplain};

} // namespace kiln::tool

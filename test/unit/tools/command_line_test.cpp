//===- command_line_test.cpp - Options, strictly read -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/tool/command_line.h"

#include "catch.h"

using namespace kiln::tool;

namespace {

const CommandSpec spec{"compile",
                       "KERNEL",
                       "Compiles.",
                       "",
                       {{"--target", "NAME", "machine"},
                        {"--in", "NAME=FILE", "input", true},
                        {"--checks", "", "check"},
                        {"-o", "FILE", "output"}},
                       true,
                       1,
                       1};

CommandLine parse(const std::vector<std::string> &words) {
  return CommandLine::parse(spec, words);
}

/// The error's text; fails the test if there is none or it is no usage error.
std::string errorOf(const std::vector<std::string> &words) {
  try {
    parse(words);
  } catch (const Failure &failure) {
    CHECK(failure.exitCode == usageError);
    CHECK(failure.diagnostics.front().code == "KILN-T020");
    return failure.text;
  }
  FAIL("accepted");
  return {};
}

} // namespace

TEST_CASE("options, parameters and arguments are told apart") {
  CommandLine line = parse({"flash", "--target", "trn3", "--seq-q=4096",
                            "--causal", "--in=q=a.npy", "--in", "k=b=c.npy",
                            "-o", "out.kbin", "--checks"});
  CHECK(line.arguments == std::vector<std::string>{"flash"});
  CHECK(line.value("--target") == "trn3");
  CHECK(line.value("-o") == "out.kbin");
  CHECK(line.has("--checks"));
  CHECK(line.parameters ==
        std::vector<KeyValue>{{"seq-q", "4096"}, {"causal", "true"}});
  CHECK(line.pairs("--in") ==
        std::vector<KeyValue>{{"q", "a.npy"}, {"k", "b=c.npy"}});
  CHECK_FALSE(line.help);
  CHECK(parse({"--help"}).help);
  CHECK(parse({"--", "--odd-name"}).arguments ==
        std::vector<std::string>{"--odd-name"});
}

TEST_CASE("mistakes on the command line") {
  using Catch::Matchers::Contains;
  CHECK_THAT(errorOf({}), Contains("missing KERNEL"));
  CHECK_THAT(errorOf({"a", "b"}), Contains("unexpected argument 'b'"));
  CHECK_THAT(errorOf({"a", "--target"}), Contains("needs a value, NAME"));
  CHECK_THAT(errorOf({"a", "-o", "--checks"}),
             Contains("needs a value, FILE, before '--checks'"));
  CHECK(parse({"a", "-o=--checks"}).value("-o") == "--checks");
  CHECK(parse({"a", "-o", "--check"}).value("-o") == "--check");
  CHECK_THAT(errorOf({"a", "--checks=1"}), Contains("takes no value"));
  CHECK_THAT(errorOf({"a", "--target=x", "--target=y"}),
             Contains("given twice"));
  CHECK_THAT(errorOf({"a", "-x"}), Contains("unknown option '-x'"));
  CHECK_THROWS_AS(parse({"a", "--in=q"}).pairs("--in"), Failure);
  CHECK_THROWS_AS(parse({"a", "--in=q=1", "--in=q=2"}).pairs("--in"), Failure);
  CHECK_THROWS_AS(parse({"a", "--target=12x"}).number("--target"), Failure);
  CHECK_THROWS_AS(parse({"a", "--target="}).number("--target"), Failure);
  CHECK(parse({"a", "--target=12"}).number("--target") == 12u);
}

TEST_CASE("suggestions are near, or absent") {
  const std::vector<std::string> known{"--target", "--dump-dir", "--trace"};
  CHECK(nearest("--traget", known) == std::string("--target"));
  CHECK(nearest("--dumpdir", known) == std::string("--dump-dir"));
  CHECK_FALSE(nearest("--completely-different", known));
}

TEST_CASE("usage names every option") {
  std::string text = usageText(spec);
  for (const Option &option : spec.options)
    CHECK(text.find(option.name + (option.valueName.empty() ? "" : " ") +
                    option.valueName) != std::string::npos);
}

TEST_CASE("a line takes from another what it does not give") {
  const CommandLine base = parse({"flash", "--target=trn2", "--in", "q=a.npy",
                                  "--seq-q=4096", "--causal", "--checks"});
  CommandSpec bare = spec;
  bare.minArguments = 0;
  const CommandLine own = CommandLine::parse(
      bare, std::vector<std::string>{"--target=trn3", "--seq-q=512",
                                     "--in=q=b c.npy"});
  const CommandLine both = own.over(base);
  CHECK(both.arguments == std::vector<std::string>{"flash"});
  CHECK(both.value("--target") == "trn3");
  CHECK(both.pairs("--in") == std::vector<KeyValue>{{"q", "b c.npy"}});
  CHECK(both.parameters ==
        std::vector<KeyValue>{{"seq-q", "512"}, {"causal", "true"}});
  CHECK(both.has("--checks"));
  // As a shell would have to read it; options that another spec has not are
  // left out.
  bare.options.pop_back();
  bare.options.pop_back();
  CHECK(both.textOf(bare) == "kiln compile flash --seq-q=512 --causal=true "
                             "--target=trn3 '--in=q=b c.npy'");
  CHECK(parse({"softmax"}).over(base).arguments.front() == "softmax");
}

TEST_CASE("words of a text are those of a shell") {
  using Words = std::vector<std::string>;
  CHECK(splitWords("softmax  --rows=2\t--x") ==
        Words{"softmax", "--rows=2", "--x"});
  CHECK(splitWords(R"('a b' c" d'"e f\ g "\"" '\' '')") ==
        Words{"a b", "c d'e", "f g", "\"", "\\", ""});
  CHECK(splitWords("  ") == Words{});
  CHECK_FALSE(splitWords("a 'b"));
  CHECK_FALSE(splitWords("a \"b"));
}

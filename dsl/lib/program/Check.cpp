//===- Check.cpp - Checks a Program -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OrderChecker.h"
#include "ShapeRules.h"

#include "kiln/program_bounds.h"
#include "kiln/program_check.h"
#include "kiln/program_names.h"
#include "kiln/program_visit.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kiln::program {
namespace detail {

class Checker {
public:
  explicit Checker(const Program &program)
      : program(program), order(program), bounds(program) {}

  std::optional<isa::Diagnostic> check() {
    defined.assign(program.values.size(), false);
    if (program.semaphores.size() > isa::userSemaphores)
      fail("KILN-P010", "<|" + std::to_string(program.semaphores.size()) +
                            "|> semaphores, at most [|" +
                            std::to_string(isa::userSemaphores) +
                            "|] are allowed");
    if (program.cores < 1 || program.cores > 2 || program.core >= program.cores)
      fail("KILN-P010", "the program is for core " + number(program.core) +
                            " of " + number(program.cores) +
                            ", but a rank has one or two");
    if (program.generation && (*program.generation < isa::Generation::v2 ||
                               *program.generation > isa::Generation::v4))
      fail("KILN-P010", "the program is for generation <|" +
                            number(static_cast<unsigned>(*program.generation)) +
                            "|>, expected [|2 to 4|]");
    for (const MemoryScope &scope : program.memoryScopes) {
      checkLimit(scope.sbuf, std::numeric_limits<std::int32_t>::max());
      checkLimit(scope.psum, isa::psumBanks);
    }
    if (!error && checkTables())
      checkBlock(program.body);
    return std::move(error);
  }

private:
  using Sizes = std::vector<std::int64_t>;

  void checkLimit(const std::optional<MemoryScope::Limit> &limit,
                  std::int64_t most) {
    if (limit &&
        (limit->begin < 0 || limit->end <= limit->begin || limit->end > most))
      fail("KILN-P010", "memory scope '" + limit->name + "' is from <|" +
                            number(limit->begin) + " to " + number(limit->end) +
                            "|>, expected [|0 to " + number(most) + "|]");
  }

  bool fail(const char *code, std::string text) {
    if (error)
      return false;
    error = isa::makeError(code, std::move(text));
    return place();
  }
  /// At the line of the operation that is checked.
  bool place() {
    if (location < program.locations.size()) {
      error->file = program.locations[location].file;
      error->line = program.locations[location].line;
      for (const CallSite &call : program.locations[location].callers)
        error->parties.push_back({"called here", "", call.file, call.line});
    }
    return false;
  }
  static std::string number(Id id) { return std::to_string(id); }
  bool checkTables() {
    constexpr std::int64_t largest = std::int64_t(1) << 40;
    for (Id i = 0; i < program.values.size(); ++i) {
      std::int64_t count = 1;
      for (std::int64_t extent : program.values[i].shape) {
        if (extent < 1 || extent > largest || (count *= extent) > largest)
          return fail("KILN-P011", "value %" + number(i) + " has shape <|" +
                                       textOf(program.values[i].shape) + "|>");
      }
      const ValueKind kind = program.values[i].kind;
      if ((kind == ValueKind::tile || kind == ValueKind::buffer) &&
          program.values[i].shape.size() < 2)
        return fail("KILN-P011",
                    "tile %" + number(i) + " has no rows and columns");
    }
    for (const Argument &argument : program.arguments) {
      if (argument.value >= program.values.size() ||
          program.values[argument.value].kind != ValueKind::tensor)
        return fail("KILN-P010", "an argument is not an HBM tensor");
      defined[argument.value] = true;
    }
    for (Id i = 0; i < program.values.size(); ++i)
      if (program.values[i].kind == ValueKind::tensor)
        defined[i] = true;
    for (Id i = 0; i < program.indices.size(); ++i)
      if (!checkIndex(i))
        return false;
    return true;
  }

  bool checkIndex(Id i) {
    const IndexNode &node = program.indices[i];
    switch (node.kind) {
    case IndexKind::constant:
      return true;
    case IndexKind::variable:
      if (node.lhs < program.values.size() &&
          isIndex(program.values[node.lhs].kind))
        return true;
      return fail("KILN-P010",
                  "index #" + number(i) + " is neither a loop nor a register");
    case IndexKind::floorDivide:
    case IndexKind::modulo:
      if (node.value <= 0)
        return fail("KILN-P010", "index #" + number(i) + " divides by <|" +
                                     std::to_string(node.value) + "|>");
      [[fallthrough]];
    case IndexKind::multiply:
      if (node.lhs < i)
        return true;
      break;
    default:
      if (node.lhs < i && node.rhs < i)
        return true;
    }
    return fail("KILN-P010", "index #" + number(i) +
                                 " refers to an index that is not before it");
  }

  /// The loop values that an index depends on must be open.
  bool checkUse(Id index) {
    if (index >= program.indices.size())
      return fail("KILN-P010", "index #" + number(index) + " does not exist");
    for (const Id id : bounds.partsOf(index)) {
      const IndexNode &node = program.indices[id];
      if (node.kind == IndexKind::variable) {
        if (!defined[node.lhs])
          return fail("KILN-P010", "index value %" + number(node.lhs) +
                                       " is used outside its loop");
      }
    }
    return true;
  }
  /// Nothing separates tiles on chip, so a register that chooses columns must
  /// be bounded. In HBM, the access is checked at run time.
  bool checkRegisters(const View &view, std::int64_t last, std::int64_t whole) {
    const IndexBounds::Possible offset = bounds.of(view.offset);
    const std::int64_t low = offset.range.low;
    const std::int64_t high = detail::sumOf(offset.range.high, last);
    if (!offset.atRun || (low >= 0 && high < whole))
      return true;
    return fail("KILN-P012",
                "a register chooses elements of %" + number(view.value) +
                    ", <|" + std::to_string(low) + " to " +
                    std::to_string(high) + "|> as far as is known; it has [|" +
                    std::to_string(whole) + "|]");
  }

  /// `byIndex`: an index operand chooses the rows, one at a time.
  bool checkView(const View &view, bool byIndex = false) {
    if (view.value >= program.values.size())
      return fail("KILN-P010",
                  "value %" + number(view.value) + " does not exist");
    const Value &value = program.values[view.value];
    if (!defined[view.value] || isIndex(value.kind))
      return fail("KILN-P010", "value %" + number(view.value) +
                                   " is used where it is not defined");
    if (view.sizes.size() != view.strides.size() || view.sizes.empty())
      return fail("KILN-P011",
                  "a view of %" + number(view.value) + " has [|" +
                      std::to_string(view.sizes.size()) + "|] sizes and <|" +
                      std::to_string(view.strides.size()) + "|> strides");
    const bool tensor = value.kind == ValueKind::tensor;
    std::int64_t last = 0, whole = 1;
    for (std::size_t i = tensor ? 0 : 1; i < value.shape.size(); ++i)
      whole *= value.shape[i];
    // A view may show the bytes as elements of another type.
    const std::int64_t bytes = whole * isa::sizeInBytes(value.dtype);
    const std::int64_t width = isa::sizeInBytes(view.dtype);
    if (bytes % width != 0)
      return fail("KILN-P011",
                  "a view shows %" + number(view.value) + ", which has <|" +
                      std::to_string(bytes) + "|> bytes " +
                      (tensor ? "in all" : "in a row") + ", as elements of [|" +
                      std::to_string(width) + "|]");
    whole = bytes / width;
    for (std::size_t i = 0; i < view.sizes.size(); ++i) {
      if (view.sizes[i] < 1 || view.strides[i] < 0 ||
          view.sizes[i] > (std::int64_t(1) << 40) ||
          view.strides[i] > (std::int64_t(1) << 40))
        return fail("KILN-P011", "a view of %" + number(view.value) +
                                     " has sizes " + textOf(view.sizes) +
                                     " and strides " + textOf(view.strides));
      if (i > 0 || (tensor && !byIndex))
        last += (view.sizes[i] - 1) * view.strides[i];
    }
    if (view.offset != none) {
      if (!checkUse(view.offset))
        return false;
      const IndexNode &node = program.indices[view.offset];
      if (node.kind == IndexKind::constant) {
        if (node.value < 0)
          last = whole;
        last += node.value;
      } else if (!tensor && !checkRegisters(view, last, whole)) {
        return false;
      }
    }
    if (last >= whole)
      return fail("KILN-P012", "a view reaches element <|" +
                                   std::to_string(last) + "|> of %" +
                                   number(view.value) + ", which has [|" +
                                   std::to_string(whole) + "|]");
    if (!tensor && (view.row < 0 || view.strides[0] > 1 ||
                    view.row + view.sizes[0] > value.shape[0]))
      return fail("KILN-P012",
                  "a view has rows <|" + std::to_string(view.row) + " to " +
                      std::to_string(view.row + view.sizes[0]) + "|> of %" +
                      number(view.value) + ", which has [|" +
                      std::to_string(value.shape[0]) + "|]");
    return true;
  }

  static std::string nameOf(const Op &op) {
    return std::string(name(op.kind()));
  }
  static bool isIndex(ValueKind kind) {
    return kind == ValueKind::loop || kind == ValueKind::index;
  }
  static std::optional<ValueKind> resultOf(const Op &op) {
    if (op.is<Instruction>() && setsRegister(op.mnemonic()))
      return ValueKind::index;
    return std::visit([](const auto &operation) { return operation.result; },
                      op.operation);
  }

  /// Checks that everything it refers to exists.
  bool checkReferences(const Op &op) {
    const InstructionCall *call = op.call();
    std::size_t position = 0;
    bool fine = true;
    forEachView(op, [&](const View &view) {
      const bool byIndex = call && isIndexed(*call, position++);
      fine = fine && checkView(view, byIndex);
    });
    forEachIndex(
        op, [&](const IndexRef &ref) { fine = fine && checkUse(ref.index); });
    return fine;
  }

  /// A load converts nothing; a view of it may show other elements.
  bool checkLoaded(const Op &op) {
    const auto *load = op.getIf<Load>();
    const auto *turned = op.getIf<LoadTransposed>();
    if (!load && !turned)
      return true;
    const DType found = program.values[op.result].dtype,
                shown = load ? load->source.dtype : turned->source.dtype;
    return found == shown ||
           fail("KILN-P010", nameOf(op) + " gives <|" +
                                 std::string(isa::name(found)) +
                                 "|>, its view shows [|" +
                                 std::string(isa::name(shown)) + "|]");
  }

  bool checkOp(const Op &op) {
    location = op.location;
    if (!checkReferences(op))
      return false;
    if (std::optional<std::string> fault = order.check(op))
      return fail("KILN-P010", std::move(*fault));
    const std::optional<ValueKind> wanted = resultOf(op);
    const bool hasResult = op.result < program.values.size();
    if (wanted ? !hasResult : op.result != none)
      return fail("KILN-P010",
                  nameOf(op) + (wanted ? " needs a result" : " has no result"));
    if (hasResult && defined[op.result])
      return fail("KILN-P010",
                  "value %" + number(op.result) + " is defined twice");
    const Sizes shape = hasResult ? program.values[op.result].shape : Sizes();
    error = op.call() ? checkCall(op)
                      : ShapeRules(program).check(op.operation, shape);
    if (error)
      return place();
    if (!checkLoaded(op))
      return false;
    if (!op.is<Loop>() && !op.body.empty())
      return fail("KILN-P010", "only a loop has a body");
    if (hasResult) {
      const ValueKind kind = program.values[op.result].kind;
      if (kind != *wanted)
        return fail("KILN-P010", "the result of " + nameOf(op) + " must be a " +
                                     std::string(name(*wanted)));
      defined[op.result] = true;
      if (isIndex(kind))
        bounds.define(op);
      if (op.is<Loop>()) {
        if (!checkBlock(op.body))
          return false;
        defined[op.result] = false;
      }
    }
    return true;
  }

  bool checkBlock(const std::vector<Op> &ops) {
    for (const Op &op : ops)
      if (!checkOp(op))
        return false;
    for (const Op &op : ops) // values live until the end of their block
      if (op.result < defined.size())
        defined[op.result] = false;
    return true;
  }

  const Program &program;
  OrderChecker order;
  IndexBounds bounds;
  std::vector<bool> defined;
  std::optional<isa::Diagnostic> error;
  Id location = none;
};

} // namespace detail

std::optional<isa::Diagnostic> checkProgram(const Program &program) {
  return detail::Checker(program).check();
}

} // namespace kiln::program

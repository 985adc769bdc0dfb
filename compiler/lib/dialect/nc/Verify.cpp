//===- Verify.cpp - What generated verifiers of nc operations call --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Verify.h"
#include "kiln/compiler/dialect/nc/Blame.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/isa/target_file.h"
#include "kiln/isa/warnings.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

using namespace mlir;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

LogicalResult kiln::compiler::nc::checkScalarOrTile(Operation *op,
                                                    StringRef operand,
                                                    Value view,
                                                    bool hasImmediate,
                                                    bool required) {
  if (view && hasImmediate)
    return op->emitOpError("operand '")
           << operand << "' is given both as a tile and as an immediate";
  if (required && !view && !hasImmediate)
    return op->emitOpError("needs operand '")
           << operand << "', a [P, 1] tile or the immediate '" << operand
           << "_value'";
  return success();
}

LogicalResult kiln::compiler::nc::checkIndexPattern(Operation *op,
                                                    StringRef operand,
                                                    ArrayRef<int64_t> steps,
                                                    ArrayRef<int64_t> sizes) {
  if (steps.size() != sizes.size() || steps.empty() ||
      steps.size() > isa::maxFreeDims)
    return op->emitOpError("operand '")
           << operand << "' needs 1 to " << isa::maxFreeDims
           << " pairs of step and size, found " << steps.size() << " steps and "
           << sizes.size() << " sizes";
  return success();
}

LogicalResult kiln::compiler::nc::emitWrongCount(Operation *op,
                                                 StringRef operand,
                                                 size_t found, size_t wanted) {
  return op->emitOpError("operand '")
         << operand << "' needs " << wanted << " numbers, found " << found;
}

isa::ScalarOrTile kiln::compiler::nc::makeImmediate(Attribute value) {
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return static_cast<std::int32_t>(integer.getInt());
  return static_cast<float>(cast<FloatAttr>(value).getValueAsDouble());
}

isa::IndexPattern
kiln::compiler::nc::makeIndexPattern(ArrayRef<int64_t> steps,
                                     ArrayRef<int64_t> sizes) {
  isa::IndexPattern pattern;
  for (auto [step, size] : llvm::zip(steps, sizes))
    pattern.dims[pattern.rank++] = isa::Dim{static_cast<std::int32_t>(step),
                                            static_cast<std::uint32_t>(size)};
  return pattern;
}

isa::RankLists kiln::compiler::nc::rankListsOf(ArrayAttr lists) {
  isa::RankLists result;
  for (auto list : lists.getAsRange<DenseI32ArrayAttr>())
    result.emplace_back(list.asArrayRef().begin(), list.asArrayRef().end());
  return result;
}

namespace {

/// Shapes and types are known, addresses are not; partitions as far as the view
/// and a pin say. nc-allocate rejects places at which nothing may start.
class UnknownAddresses : public OperandResolver {
public:
  isa::Access access(Value value) override {
    isa::Access access = accessShape(value);
    auto view = value.getDefiningOp<ViewOp>();
    if (!view || access.space == isa::Space::hbm)
      return access;
    uint64_t start = view.getRow();
    if (auto alloc = view.getBase().getDefiningOp<AllocOp>())
      start += alloc.getPinPartition().value_or(0);
    uint64_t step = access.partitions <= 32 ? 32 : 64;
    if (start % step == 0 && (access.partitions <= 64 || start == 0))
      access.partition = static_cast<std::uint8_t>(start);
    return access;
  }
  isa::RegisterOrInt index(Value value, std::int32_t constant) override {
    if (value)
      return isa::RegisterOrInt{isa::Register{0}};
    return isa::RegisterOrInt{constant};
  }
};

} // namespace

/// The HBM tensors of the operands, each once, in order.
static SmallVector<Value, 4> hbmTensors(NcInstruction op) {
  SmallVector<Value, 4> bases;
  for (Value operand : op->getOperands())
    if (auto view = operand.getDefiningOp<ViewOp>();
        view && view.getView().getType().getSpace() == Space::hbm &&
        !llvm::is_contained(bases, view.getBase()))
      bases.push_back(view.getBase());
  return bases;
}

namespace {

/// Unknown addresses, with HBM operands numbered as in `tensors`.
class NumberedTensors : public UnknownAddresses {
public:
  explicit NumberedTensors(ArrayRef<Value> tensors) : tensors(tensors) {}
  isa::Access access(Value value) override {
    isa::Access access = UnknownAddresses::access(value);
    if (auto view = value.getDefiningOp<ViewOp>();
        view && access.space == isa::Space::hbm)
      access.tensor = static_cast<std::uint16_t>(
          llvm::find(tensors, view.getBase()) - tensors.begin());
    return access;
  }

private:
  ArrayRef<Value> tensors;
};

/// Room for any one buffer: addresses are not known yet.
constexpr int unboundedBytes = 1 << 30;

/// Everything that the checks of an instruction read, as plain values.
struct CheckedInstruction {
  isa::Body body;
  struct Tensor {
    isa::TensorKind kind;
    isa::DType dtype;
    SmallVector<int64_t, 4> shape;
    friend bool operator==(const Tensor &, const Tensor &) = default;
  };
  SmallVector<Tensor, 3> tensors; ///< The HBM operands, in the body's numbers.
  int64_t cores = 1;
  std::string target; ///< As text: no attribute, which dies with its context.

  explicit CheckedInstruction(NcInstruction op) {
    SmallVector<Value, 4> bases = hbmTensors(op);
    NumberedTensors resolver(bases);
    body = op.buildInstruction(resolver);
    for (Value base : bases) {
      // The function knows whether the kernel may write it.
      auto alloc = base.getDefiningOp<AllocOp>();
      auto type = cast<MemRefType>(base.getType());
      tensors.push_back(
          {!alloc              ? isa::TensorKind::inout
           : alloc.getShared() ? isa::TensorKind::shared
                               : isa::TensorKind::internal,
           dtypeOf(type.getElementType()).value_or(isa::DType::f32),
           SmallVector<int64_t, 4>(type.getShape())});
    }
    cores = numberAround(op, coresAttrName, 1);
    if (TargetAttr attribute = targetAttrOf(op))
      target = attribute.isUsual() ? attribute.getBase().str()
                                   : isa::changesOf(attribute.getTarget());
  }
  friend bool operator==(const CheckedInstruction &,
                         const CheckedInstruction &) = default;
};

/// The results of the checks for one instruction, engine by engine.
/// Straight-line code has few instructions that differ in more than addresses,
/// so the last ones are kept.
class Verdict {
public:
  Verdict(CheckedInstruction checked, const isa::Target &ofTarget)
      : key(std::move(checked)), target(ofTarget) {
    instruction.body = key.body;
    if (key.cores > 1)
      module.facts["cores"] = std::to_string(key.cores);
    for (const CheckedInstruction::Tensor &operand : key.tensors) {
      isa::Tensor tensor;
      tensor.kind = operand.kind;
      tensor.name = "hbm" + std::to_string(module.tensors.size());
      tensor.dtype = operand.dtype;
      tensor.shape.assign(operand.shape.begin(), operand.shape.end());
      module.tensors.push_back(std::move(tensor));
    }
    // nc-allocate reports whether everything fits, with a map of what lives.
    target.sbuf_physical_bytes = target.psum_bytes = unboundedBytes;
  }

  bool isOf(const CheckedInstruction &other) const { return key == other; }
  const isa::InstructionInfo &info() const {
    return isa::info(isa::opcode(instruction.body));
  }
  /// Why it cannot run on `engine`, if it cannot.
  const std::optional<isa::Diagnostic> &on(isa::Engine engine) {
    auto &known = errors[static_cast<size_t>(engine)];
    if (!known)
      known = isa::check(instruction, engine, module, target);
    return *known;
  }
  bool allow(isa::Engine engine) {
    return info().allows(engine) && !on(engine);
  }
  std::optional<isa::Diagnostic> warningOn(isa::Engine engine) const {
    return isa::warnWideIntegers(instruction, engine, module, target);
  }

private:
  CheckedInstruction key;
  isa::Target target;
  isa::Module module;
  isa::Instruction instruction;
  std::array<std::optional<std::optional<isa::Diagnostic>>, isa::numEngines>
      errors;
};

} // namespace
/// Valid until the next call. By thread: the verifier may run in several.
static Verdict &verdictOn(NcInstruction op) {
  struct Recent {
    std::array<std::unique_ptr<Verdict>, 8> verdicts;
    size_t next = 0;
  };
  static thread_local std::vector<Recent> recent(
      std::variant_size_v<isa::Bodies>);
  CheckedInstruction checked(op);
  Recent &some = recent[checked.body.index()];
  for (const std::unique_ptr<Verdict> &known : some.verdicts)
    if (known && known->isOf(checked))
      return *known;
  std::unique_ptr<Verdict> &oldest =
      some.verdicts[some.next++ % some.verdicts.size()];
  oldest = std::make_unique<Verdict>(std::move(checked), targetOf(op));
  return *oldest;
}

static auto allEngines() {
  return llvm::map_range(
      llvm::seq<unsigned>(0, isa::numEngines),
      [](unsigned i) { return static_cast<isa::Engine>(i); });
}

SmallVector<isa::Engine, 4> kiln::compiler::nc::legalEngines(NcInstruction op) {
  Verdict &checks = verdictOn(op);
  SmallVector<isa::Engine, 4> engines;
  for (isa::Engine engine : allEngines())
    if (checks.allow(engine))
      engines.push_back(engine);
  return engines;
}

/// GpSimd computes it in 32 bits, exactly; Vector in fp32.
static bool isIntegerArithmetic(const isa::Body &body) {
  const auto *op = std::get_if<isa::TensorTensor>(&body);
  auto isWide = [](const isa::Access &access) {
    return access.dtype == isa::DType::i32 || access.dtype == isa::DType::u32;
  };
  return op && !isa::isBitwise(op->op) && isWide(op->dst) &&
         isWide(op->data1) && isWide(op->data2);
}

SmallVector<isa::Engine, 4> kiln::compiler::nc::equalEngines(NcInstruction op) {
  SmallVector<isa::Engine, 4> legal = legalEngines(op);
  if (legal.size() < 2)
    return legal;
  const isa::InstructionInfo &info = infoOf(op);
  if (llvm::is_contained(legal, isa::Engine::gpsimd) &&
      isIntegerArithmetic(built(op).body))
    return {isa::Engine::gpsimd};
  if (info.state == isa::HiddenState::random &&
      llvm::is_contained(legal, info.defaultEngine))
    return {info.defaultEngine};
  return legal;
}

FailureOr<isa::Engine> kiln::compiler::nc::engineBefore(llvm::StringRef what,
                                                        NcInstruction op) {
  if (const std::optional<isa::Engine> engine = op.getAssignedEngine())
    return *engine;
  return op->emitOpError() << Code{"KILN-C112"} << Culprit::kiln
                           << "has no engine; nc-choose-engines comes before "
                           << what;
}

void kiln::compiler::nc::warnOfWideIntegers(NcInstruction op) {
  const bool isWide = llvm::any_of(op->getOperands(), [](Value operand) {
    auto view = operand.getDefiningOp<ViewOp>();
    return view && view.getView().getType().getElementType().isInteger(32);
  });
  if (!isWide)
    return;
  Verdict &checks = verdictOn(op);
  isa::Engine engine = op.getAssignedEngine().value_or(
      checks.allow(isa::Engine::gpsimd) ? isa::Engine::gpsimd
                                        : checks.info().defaultEngine);
  if (std::optional<isa::Diagnostic> warning = checks.warningOn(engine))
    op->emitWarning() << warning->text << codeBehind(warning->code);
}

LogicalResult kiln::compiler::nc::verifyInstruction(NcInstruction op) {
  std::optional<isa::Engine> assigned = op.getAssignedEngine();
  Verdict &checks = verdictOn(op);
  const std::optional<isa::Diagnostic> &error =
      checks.on(assigned.value_or(checks.info().defaultEngine));
  // Without an engine, it is enough that one engine could run it.
  if (!error ||
      (!assigned && llvm::any_of(allEngines(), [&](isa::Engine other) {
        return checks.allow(other);
      })))
    return success();
  InFlightDiagnostic told = op->emitOpError() << error->text;
  notePart(*told.getUnderlyingDiagnostic(), "found", error->found);
  notePart(*told.getUnderlyingDiagnostic(), "allowed", error->allowed);
  return told << codeBehind(error->code) << Culprit::maker;
}

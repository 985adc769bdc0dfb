//===- collectives.cpp - A rank that meets itself -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collectives of a list of one rank, from their records: each operand is drawn
// by its name and kind. What several ranks exchange has tests of its own; here
// the transfers stand between all that a program of chance does.
//
//===----------------------------------------------------------------------===//

#include "generator.h"

#include "kiln/isa/info.h"

namespace kiln::test {
namespace {

/// May a list of one rank run it, alone or as the first part?
bool takesOneRank(const isa::InstructionInfo &info,
                  isa::Generation generation) {
  if (info.state != isa::HiddenState::peers || !info.isDma ||
      !(info.operand("replica_group") || info.operand("source_target_pairs")) ||
      !info.isOn(generation))
    return false;
  const isa::OperandInfo *kept = info.operand("prepared");
  if (kept && kept->effect == isa::Effect::read)
    return false; // A trigger.
  // With tables, other lists are whole chips.
  return !info.operand("metadata_tensor") ||
         (!isa::gathersCounted(info.opcode) &&
          info.opcode != isa::Opcode::ReduceScatterV &&
          generation < isa::Generation::v4);
}

} // namespace

bool Generator::meetsItself() const { return settings.seed % 16 == 9; }

Tensor Generator::scratchOf(DType dtype, std::int64_t rows, std::int64_t cols) {
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.rows = rows;
  tensor.cols = cols;
  tensor.range = limitsOf(dtype);
  tensor.written = true;
  tensor.ref = rec->scratch(false, "m" + std::to_string(names++), dtype,
                            {rows, cols}, here());
  return tensor;
}

void Generator::recordMeeting(std::string_view mnemonic,
                              const Meeting &meeting) {
  const isa::InstructionInfo &info = isa::info(*isa::parseOpcode(mnemonic));
  nc::RankLists pairs;
  pairs.begin_list().add(0).add(0);
  const nc::RankLists one = nc::ranks_to(1);
  nc::Call call(info.mnemonic.data(), here());
  for (const isa::OperandInfo &operand : info.operands) {
    const char *name = operand.name.data(); // It ends there.
    if (operand.kind == isa::OperandKind::MemoryList)
      call.view(name, nc::Operand{
                          operand.effect == isa::Effect::write ? meeting.to.ref
                          : operand.name == "srcs1" ? meeting.second.ref
                                                    : meeting.from.ref});
    else if (operand.name == "metadata_tensor")
      call.view(name, nc::Operand{meeting.table.ref});
    else if (operand.name == "prepared")
      call.view(name, nc::Operand{meeting.kept.ref});
    else if (operand.kind == isa::OperandKind::RankLists)
      call.list(name, operand.name == "replica_group" ? one : pairs);
    else if (operand.name == "op")
      call.choice(name, meeting.op);
    else if (operand.name == "collective_dim")
      call.integer(name, 0);
    else if (operand.name == "recv_counts_known" && meeting.known)
      call.integer(name, 1);
  }
  call.record({});
}

void Generator::collectiveStatement() {
  std::vector<const isa::InstructionInfo *> records;
  for (const isa::InstructionInfo &entry : isa::instructionTable)
    if (takesOneRank(entry, settings.generation))
      records.push_back(&entry);
  const isa::InstructionInfo &info = *choices.pick(records);
  const std::int64_t cols = choices.from(1, 70);
  Meeting meeting;
  const DType dtype = drawType();
  meeting.from = scratchOf(dtype, 1, cols);
  meeting.second =
      info.operand("srcs1") ? scratchOf(dtype, 1, cols) : meeting.from;
  meeting.to = scratchOf(dtype, 1, cols);
  meeting.known = choices.percent(50);
  meeting.op = choices.pick({nc::AluOp::maximum, nc::AluOp::minimum});
  fillOutput(meeting.from);
  if (info.operand("srcs1"))
    fillOutput(meeting.second);
  fillOutput(meeting.to);
  const auto setRow = [&](std::int64_t row, std::int64_t value) {
    rec->store(rec->slice(meeting.table.ref, 0, {row}, 1, 1, here()),
               ViewRef::whole(rec->fill(static_cast<double>(value), DType::u32,
                                        {1, 1}, here())),
               here());
  };
  if (info.operand("metadata_tensor")) {
    meeting.table = scratchOf(DType::u32, 3, 1);
    const std::int64_t count = choices.from(0, cols);
    setRow(0, count);
    setRow(1, choices.from(0, cols - count));
    setRow(2, 7);
  }
  if (info.operand("prepared"))
    meeting.kept = scratchOf(DType::u32, 3, 1);
  recordMeeting(info.mnemonic, meeting);
  if (info.mnemonic.ends_with("_prepare")) {
    // What is stored now counts; what the table says now does not.
    if (choices.percent(50))
      fillOutput(meeting.from);
    if (choices.percent(30))
      setRow(choices.from(0, 1), 1000);
    if (choices.percent(50))
      tileStatement();
    const std::string_view whole =
        info.mnemonic.substr(0, info.mnemonic.rfind('_'));
    recordMeeting(std::string(whole) + "_trigger", meeting);
  }
  for (Tensor *tensor : {&meeting.from, &meeting.to})
    tensors.push_back(*tensor);
}

} // namespace kiln::test

//===- Remarks.cpp - What is no fault, but seldom meant -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace kiln::sim {

unsigned Remarks::formOf(unsigned type) {
  switch (static_cast<isa::DType>(type)) {
  case isa::DType::u32:
    return static_cast<unsigned>(isa::DType::i32);
  case isa::DType::u16:
    return static_cast<unsigned>(isa::DType::i16);
  case isa::DType::i8:
  case isa::DType::boolean:
  case isa::DType::f8e8m0: // Scales are bytes, too.
    return static_cast<unsigned>(isa::DType::u8);
  case isa::DType::tf32: // The upper bits of it.
    return static_cast<unsigned>(isa::DType::f32);
  default:
    return type;
  }
}

bool Remarks::takesBits(const Event &event) const {
  const isa::Module &module = moduleOf(event);
  const auto fact = module.facts.find("bits");
  if (fact == module.facts.end())
    return false;
  const std::uint32_t place =
      module.streams[event.engine][event.index].location;
  // Numbers with one space between them.
  return place != 0 &&
         (' ' + fact->second + ' ').find(' ' + std::to_string(place) + ' ') !=
             std::string::npos;
}

FaultParty Remarks::partyFor(const Event &event) const {
  CoreId where = id;
  where.core = event.core();
  return partyOf(moduleOf(event), static_cast<isa::Engine>(event.engine),
                 event.index, where);
}

std::string Remarks::nameOfPlace(const Event &event,
                                 const RemarkPlace &place) const {
  if (place.space == isa::Space::hbm)
    return fmt::format("byte {} of tensor {}", place.byte,
                       moduleOf(event).tensors[place.tensor].name);
  return fmt::format("{} partition {} byte {}", isa::name(place.space),
                     place.lane, place.byte);
}

bool Remarks::isPermitted(const Fault &remark) const {
  const auto matches = [&](const Permission &permission) {
    if (permission.code != remark.code)
      return false;
    if (permission.file.empty() && !permission.engine)
      return true;
    return std::any_of(remark.instructions.begin(), remark.instructions.end(),
                       [&](const FaultParty &party) {
                         if (permission.engine)
                           return party.engine == *permission.engine &&
                                  party.index == permission.index;
                         return party.location.file == permission.file &&
                                party.location.line == permission.line;
                       });
  };
  return std::any_of(permissions.begin(), permissions.end(), matches);
}

void Remarks::add(Fault remark) {
  if (!isPermitted(remark))
    remarks.push_back(std::move(remark));
}

void Remarks::noteRetyped(const Event &reader, const Event &writer,
                          const RemarkPlace &place) {
  if (!retyped.emplace(siteOf(reader), siteOf(writer)).second ||
      takesBits(reader) || takesBits(writer))
    return;
  const FaultParty self = partyFor(reader), other = partyFor(writer);
  Fault remark = makeFault(
      FaultKind::retyped, code::retyped,
      fmt::format(
          "{} reads {} ({}) as <|{}|>, but {} wrote it as [|{}|]; use one "
          "type, or reinterpret the bits as integers",
          nameOf(self), nameOfPlace(reader, place), place.operand,
          isa::name(static_cast<isa::DType>(reader.type)), nameOf(other),
          isa::name(static_cast<isa::DType>(writer.type))));
  for (const FaultParty &party : {self, other})
    involve(remark, party);
  add(std::move(remark));
}

void Remarks::noteDeclared(const Event &event, bool writes,
                           const RemarkPlace &place, isa::DType type,
                           isa::DType declared) {
  if (!retyped.emplace(siteOf(event), siteOf(event)).second || takesBits(event))
    return;
  const FaultParty self = partyFor(event);
  Fault remark = makeFault(
      FaultKind::retyped, code::retyped,
      fmt::format(
          "{} {} tensor {} ({}) as <|{}|>, but it is declared [|{}|]; use one "
          "type, or reinterpret the bits as integers",
          nameOf(self), writes ? "writes" : "reads",
          moduleOf(event).tensors[place.tensor].name, place.operand,
          isa::name(type), isa::name(declared)));
  involve(remark, self);
  add(std::move(remark));
}

void Remarks::noteOverwritten(const Event &event, const Event &writer,
                              const RemarkPlace &place) {
  if (isRead(writer))
    return;
  // Memory that is reused by another buffer is not overwritten by mistake: its
  // old contents may be the state after a last iteration, for example.
  if (event.buffer != 0 && writer.buffer != 0 && event.buffer != writer.buffer)
    return;
  const auto isA = [&](auto tag, const Event &who) {
    return std::holds_alternative<decltype(tag)>(
        moduleOf(who).streams[who.engine][who.index].body);
  };
  // Fills and copies compute nothing in vain, and a state that is reset has had
  // its last iteration.
  if (isA(isa::Memset{}, writer) || isA(isa::TensorCopy{}, writer) ||
      isA(isa::Memset{}, event))
    return;
  std::vector<Loss> &known = losses[siteOf(writer)];
  const auto again = [&](const Loss &loss) {
    return loss.writer.sameAs(writer);
  };
  // In a loop, the result of an early iteration may be read late: a few are
  // kept.
  constexpr std::size_t kept = 16;
  if (known.size() >= kept)
    std::erase_if(known, [&](const Loss &loss) { return isRead(loss.writer); });
  if (known.size() < kept && std::none_of(known.begin(), known.end(), again))
    known.push_back({writer, event, place});
}

std::vector<Fault> Remarks::take() {
  for (const auto &[site, known] : losses) {
    const auto lost =
        std::find_if(known.begin(), known.end(),
                     [&](const Loss &loss) { return !isRead(loss.writer); });
    if (lost == known.end())
      continue;
    const FaultParty self = partyFor(lost->by), other = partyFor(lost->writer);
    Fault remark = makeFault(
        FaultKind::unread, code::unread,
        fmt::format("{} overwrites {} ({}), but nothing has read what {} "
                    "wrote; let it add ('accumulate'), correct the address, "
                    "or leave the first one out",
                    nameOf(self), nameOfPlace(lost->by, lost->place),
                    lost->place.operand, nameOf(other)));
    for (const FaultParty &party : {self, other})
      involve(remark, party);
    add(std::move(remark));
  }
  losses.clear();
  return std::move(remarks);
}

} // namespace kiln::sim

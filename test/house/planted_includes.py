#!/usr/bin/env python3
"""Plants an include against each rule of scripts/check-house.py: all are found,
and what is allowed is not."""
import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("house", ROOT / "scripts" / "check-house.py")
house = importlib.util.module_from_spec(spec)
spec.loader.exec_module(house)

FORBIDDEN = [
    ("dsl/include/kiln/dsl/tile.h", "mlir/IR/Value.h"),
    ("dsl/lib/program.cpp", "fmt/format.h"),
    ("isa/include/kiln/isa/target.h", "kiln/sim/run.h"),
    ("isa/lib/Target.cpp", "kiln/program.h"),
    ("isa/lib/machine/Ports.cpp", "llvm/ADT/SmallVector.h"),
    ("runtime-sim/lib/Run.cpp", "kiln/compiler/compile.h"),
    ("runtime-sim/lib/kernels/Dispatch.cpp", "../function/Lanes.h"),
    ("runtime-sim/lib/function/Team.cpp", "../checks/Checker.h"),
    ("runtime-sim/lib/peers/PeerOp.cpp", "../schedule/CoreContext.h"),
    ("runtime-sim/lib/checks/Checker.cpp", "../schedule/Scheduler.h"),
    ("runtime-sim/lib/checks/Checker.cpp", "../function/Lanes.h"),
    ("runtime-sim/lib/timing/World.cpp", "../schedule/Deadlock.h"),
    ("runtime-sim/lib/schedule/Cluster.cpp", "../timing/World.h"),
    ("kernels/support/tensors.h", "kiln/sim/run.h"),
    ("compiler/lib/pipeline/Compile.cpp", "kiln/sim/run.h"),
    ("compiler/lib/support/Pieces.h", "problem/TextReader.h"),
    ("compiler/lib/problem/Common.cpp", "solve/order/PsumBanks.h"),
    ("compiler/include/kiln/compiler/problem/OrderProblem.h", "kiln/compiler/solve/AccessHistory.h"),
    ("compiler/lib/solve/order/OrderSolve.cpp", "kiln/compiler/prove/SynchronisationChecker.h"),
    ("compiler/lib/solve/order/OrderSolve.cpp", "llvm/ADT/DenseMap.h"),
    ("compiler/lib/prove/streams/Races.cpp", "solve/sync/SyncFootprint.h"),
    ("compiler/lib/prove/streams/Races.cpp", "mlir/IR/Value.h"),
    ("compiler/lib/prove/order/CheckOrder.cpp", "kiln/compiler/solve/AccessHistory.h"),
    ("compiler/lib/dialect/nc/Analysis.cpp", "kiln/compiler/transform/nc/Passes.h"),
    ("compiler/lib/transform/nc/Order.cpp", "kiln/compiler/convert/Emit.h"),
    ("compiler/lib/convert/emit/EmitModule.cpp", "kiln/compiler/pipeline/Pipeline.h"),
]
ALLOWED = [
    ("compiler/lib/prove/order/CheckOrder.cpp", "mlir/IR/Value.h"),
    ("compiler/lib/prove/streams/Races.cpp", "kiln/compiler/problem/SyncProblem.h"),
    ("compiler/lib/transform/nc/Order.cpp", "kiln/compiler/solve/AccessHistory.h"),
    ("compiler/lib/solve/order/OrderSolve.cpp", "kiln/compiler/problem/OrderProblem.h"),
    ("dsl/lib/program.cpp", "kiln/program.h"),
    ("runtime-sim/lib/timing/World.h", "../peers/Rendezvous.h"),
    ("runtime-sim/lib/checks/Checker.h", "../peers/PeerGroup.h"),
    ("runtime-sim/lib/schedule/CoreContext.h", "../checks/Checker.h"),
]


def found(name, header):
    return list(house.include_problems(name, f'// First line.\n#include "{header}"\n'))


wrong = [f"not found: {name} includes {header}" for name, header in FORBIDDEN
         if [line for line, _ in found(name, header)] != [2]]
wrong += [f"a false alarm: {name} includes {header}" for name, header in ALLOWED if found(name, header)]
planted_rooms = {name.split("/")[2] if "/lib/" in name else name.split("/")[4]
                 for name, _ in FORBIDDEN if name.startswith("compiler/")}
wrong += [f"no violation is planted in the room {room}" for room in house.ROOMS if room not in planted_rooms]
planted_parts = {name.split("/")[2] for name, _ in FORBIDDEN if name.startswith("runtime-sim/lib/")}
wrong += [f"no violation is planted in {room}" for room in house.FORBIDDEN
          if room.startswith("runtime-sim/lib/") and room.split("/")[2] not in planted_parts]
wrong += [f"no violation is planted under {folder}" for folder in house.FORBIDDEN
          if not any(name.startswith(folder + "/") for name, _ in FORBIDDEN)]
for line, expected in (("  friend class Report;", 1), ("  friend bool operator==(const View &, const View &);", 0)):
    if len(list(house.include_problems("runtime-sim/lib/checks/Checker.h", line))) != expected:
        wrong.append(f"friends: {line.strip()}")
print("\n".join(wrong) or f"{len(FORBIDDEN)} planted includes found")
sys.exit(1 if wrong else 0)

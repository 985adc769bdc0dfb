//===- Random.td - Random numbers ---------------------------*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "Enums.td"

class RandomInstruction<string mnemonic, int opcode>
    : Instruction<mnemonic, opcode, Random> {
  let State = "random";
  let Cost = "random";
}

def Rng : RandomInstruction<"rng", 112> {
  let Engines = ["vector", "gpsimd"];
  let Operands = [TileOut<"dst", "destination", AnyIntegerDType>];
  let Checks = ["gpsimdNoPsum", "gpsimdRandom"];
  let Summary = "Random bits.";
  let Equation = "dst[p, i] = low bits of the next number of lane p";
  let Description = [{
    One generator (XORWOW) for each lane of each engine: t = x ^ (x >> 2); x = y; y = z; z = w; w = v; v = (v ^ (v << 4)) ^ (t ^ (t << 1));
    d += 362437; the number is v + d. On the v4 vector engine each lane has four, taken in turn.
  }];
  let Example = "rng dst=sbuf[p0:128, 0x0: u32 512x1]";
}

def Rand2 : RandomInstruction<"rand2", 113> {
  let Engines = ["vector"];
  let Since = "v4";
  let Operands = [
    TileOut<"dst", "destination", RandomDType>,
    ScalarIn<"min", "smallest value">, ScalarIn<"max", "bound, larger than min">
  ];
  let Checks = ["sameElements", "randomRange"];
  let Summary = "Uniform random numbers.";
  let Equation = "u = (next number >> 8) * 2^-24; dst[p, i] = cast(fma(u, max - min, min))";
  let Example = "rand2 dst=sbuf[p0:128, 0x0: f32 512x1], min=-1.0, max=sbuf[p0:128, 0x800: f32]";
}

def SetRngSeed : RandomInstruction<"set_rng_seed", 114> {
  let Engines = ["vector"];
  let Operands = [PerPartitionIn<"src_seeds", "[1, 1], 32 bits", SeedDType, ["sbuf", "psum"]>];
  let Checks = ["oneSeed"];
  let Summary = "Starts the generators of the vector engine from one seed.";
  let Equation = "state of lane p = hash(src_seeds, p)";
  let Example = "set_rng_seed src_seeds=sbuf[p0:1, 0x0: u32]";
}

def RandSetState : RandomInstruction<"rand_set_state", 115> {
  let Engines = ["gpsimd", "vector"];
  let Since = "v3";
  let Operands = [TileIn<"src_seeds", "[P, 6] words x, y, z, w, v, d; vector: [P, 24], four states", U32Only, ["sbuf"]>];
  let Checks = ["randomState"];
  let Summary = "Sets the states of the generators.";
  let Equation = "state of lane p = src_seeds[p, ..]";
  let Example = "rand_set_state src_seeds=sbuf[p0:128, 0x0: u32 6x1]";
}

def RandGetState : RandomInstruction<"rand_get_state", 116> {
  let Engines = ["gpsimd", "vector"];
  let Since = "v3";
  let Operands = [TileOut<"dst", "[P, 6]; vector: [P, 24]", U32Only>];
  let Checks = ["gpsimdNoPsum", "randomState"];
  let Summary = "Reads the states of the generators.";
  let Equation = "dst[p, ..] = state of lane p";
  let Example = "rand_get_state dst=sbuf[p0:128, 0x0: u32 6x1]";
}

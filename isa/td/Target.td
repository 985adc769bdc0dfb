//===- Target.td - What a generation can hold and how fast -*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One record per parameter of a machine is the single source of: the field of
// isa::Target, its value on each generation, its name, unit and source for
// `--machine` files, and its row on the page docs/machine.md of the build. A
// record is named like its field. The order here is the order there.
//
// It stands alone: Kiln.td does not include it.
//
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Where a number comes from
//===----------------------------------------------------------------------===//

class Origin<string name> { string Name = name; }
// A public document of the maker says it, or says a total of equal shares.
def Documented : Origin<"documented">;
// Derived from published measurements or profiles of that generation.
def Fit : Origin<"fit">;
// Ours: nothing is published about that generation, or more than one reading.
def Choice : Origin<"choice">;

class Document<string title, string path> {
  string Title = title;
  string Path = path; // in the repository of the Neuron SDK's documentation
}
def Trn1Guide : Document<"trn1 guide",
  "nki/guides/architecture/trainium_inferentia2_arch.rst">;
def Trn2Guide : Document<"trn2 guide",
  "nki/guides/architecture/trainium2_arch.rst">;
def Trn3Guide : Document<"trn3 guide",
  "nki/guides/architecture/trainium3_arch.rst">;
def Trn1Page : Document<"trn1 instances",
  "about-neuron/arch/neuron-hardware/trn1-arch.rst">;
def Trn2Page : Document<"trn2 instances",
  "about-neuron/arch/neuron-hardware/trn2-arch.rst">;
def Trn3Page : Document<"trn3 instances",
  "about-neuron/arch/neuron-hardware/trn3-arch.rst">;
def Trn3Chip : Document<"trn3 chip",
  "about-neuron/arch/neuron-hardware/trainium3.rst">;
def PerformanceGuide : Document<"performance guide",
  "nki/deep-dives/nki_perf_guide.rst">;
def DmaGuide : Document<"DMA bandwidth guide",
  "nki/deep-dives/nki-dma-bandwidth-guide.rst">;
def DmaOverview : Document<"DMA overview",
  "nki/get-started/about/nki-dma-overview.rst">;
def DescriptorGuide : Document<"descriptor generation guide",
  "nki/deep-dives/nki-dge.rst">;
def IsaReference : Document<"nki.isa reference",
  "nki/api/nki/isa/__init__.py">;
def IsaNotes : Document<"nki notes", "nki/api/nki.api.shared.rst">;
def OldIsaPages : Document<"nki.isa pages of SDK 2.26",
  "nki/api/generated/nki.isa.*.html">;
def MatmulTutorial : Document<"kernel optimization tutorial",
  "nki/guides/tutorials/kernel-optimization.rst">;
def KernelLibrary : Document<"kernel library",
  "nki-library: mlp_cte_constants.py">;
def ProfileSchema : Document<"profile schema",
  "tools/neuron-explorer/profile-schema-reference.rst">;
def ProfileSummary : Document<"profile summary",
  "tools/neuron-explorer/overview-summary-page.rst">;
def Overlap : Document<"compute and communication",
  "neuron-runtime/explore/compute-comm-overlap.rst">;
def Intranode : Document<"collectives of a node",
  "neuron-runtime/explore/intranode-collective-comm.rst">;
def Collectives : Document<"collectives",
  "neuron-runtime/about/collectives.rst">;

// Of others than the maker; `path` is where it appeared.
class Publication<string title, string path> : Document<title, path>;
def TenLessons : Publication<"energy of operations at 7 nm",
  "N. Jouppi et al., Ten Lessons From Three Generations Shaped Google's TPUv4i, ISCA 2021, table 2">;
def FineGrainedDram : Publication<"energy of HBM2",
  "M. O'Connor et al., Fine-Grained DRAM: Energy-Efficient DRAM for Extreme Bandwidth Systems, MICRO 2017">;

// `origins` are of trn1, trn2, trn3; a single one is of all.
class From<list<Origin> origins, list<Document> documents, string note = ""> {
  list<Origin> Origins = origins;
  list<Document> Documents = documents;
  string Note = note;
}
class Said<list<Document> documents, string note = "">
  : From<[Documented], documents, note>;
class Chosen<string note, list<Document> documents = []>
  : From<[Choice], documents, note>;
// Read off profiles of one generation; the others take the number over.
class FitTrn1<list<Document> documents, string note>
  : From<[Fit, Choice, Choice], documents, note>;
class FitTrn2<list<Document> documents, string note>
  : From<[Choice, Fit, Choice], documents, note>;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

class ParameterGroup<string title, string note = ""> {
  string Title = title;
  string Note = note;
}

// `values` are of trn1, trn2, trn3, as C++ spells them.
class Parameter<string type, string unit, list<string> values> {
  string Type = type;
  string Unit = unit;
  list<string> Values = values;
  ParameterGroup Group = ?;
}
// One value for all, or one for each.
class Int<string unit, int trn1, int trn2 = trn1, int trn3 = trn2>
  : Parameter<"int", unit, [!cast<string>(trn1), !cast<string>(trn2),
                            !cast<string>(trn3)]>;
// TableGen has no fractions: a number as text.
class Real<string unit, string trn1, string trn2 = trn1, string trn3 = trn2>
  : Parameter<"double", unit, [trn1, trn2, trn3]>;
class Bool<bit trn1, bit trn2 = trn1, bit trn3 = trn2, string unit = "bool">
  : Parameter<"bool", unit, [!if(trn1, "true", "false"),
                             !if(trn2, "true", "false"),
                             !if(trn3, "true", "false")]>;

// Something is divided by it: 0 is refused.
class Positive;

def Memories : ParameterGroup<"Memories",
  "Bytes of SBUF and PSUM are those of one partition.">;
let Group = Memories in {
def sbuf_physical_bytes : Int<"B", 196608, 229376, 262144>,
  Said<[Trn1Guide, Trn2Guide, Trn3Guide]>;
def sbuf_reserved_bytes : Int<"B", 16384>,
  Chosen<"as much as library kernels leave free on trn2", [KernelLibrary]>;
def psum_bytes : Int<"B", 16384>, Said<[Trn1Guide, Trn2Guide, Trn3Guide]>;
def hbm_bytes_per_ns : Real<"B/ns", "410", "716.8", "1225">, Positive,
  From<[Documented, Fit, Documented], [Trn1Guide, MatmulTutorial, Trn3Chip],
    "trn1: 820 GB/s of the chip / 2; trn2: utilisation in profiles; trn3: 4.9 TB/s / 4, the trn3 guide says 4.7">;
def hbm_stack_gib : Int<"GiB", 16, 24, 36>,
  Said<[Trn1Guide, Trn2Guide, Trn3Guide], "of a chip, over its stacks">;
def hbm_cores_per_stack : Int<"cores", 1, 2, 2>, Positive,
  Said<[Trn1Guide, Trn2Guide, Trn3Guide]>;
def hbm_busy_neighbours : Int<"other cores that use the stack fully", 0>,
  Chosen<"set by the user">;
}

def Clocks : ParameterGroup<"Clocks",
  "Cycles of an engine are always in its own clock.">;
let Group = Clocks in {
def tensor_ghz : Real<"GHz", "2.8", "2.4">, Positive,
  Said<[Trn1Guide, Trn2Guide, Trn3Guide]>;
def vector_ghz : Real<"GHz", "1.12", "0.96", "1.2">, Positive,
  Said<[Trn1Guide, Trn2Guide, Trn3Guide]>;
def scalar_ghz : Real<"GHz", "1.4", "1.2">, Positive,
  Said<[Trn1Guide, Trn2Guide, Trn3Guide]>;
def gpsimd_ghz : Real<"GHz", "1.4", "1.2">, Positive,
  Said<[Trn1Guide, Trn2Guide, Trn3Guide]>;
def sync_ghz : Real<"GHz", "1.4", "1.2">, Positive,
  Chosen<"the profiler's base clock, which is published for trn1 and trn2", [ProfileSchema]>;
}

def Formats : ParameterGroup<"Formats",
  "Element types that not every machine takes. The others belong to the instruction set.">;
let Group = Formats in {
def takes_mx : Bool<false, false, true,
    "bool: MX floats and their scales, where the instructions for them are">,
  Said<[Trn3Guide]>;
def takes_fp8_fn : Bool<false, false, true,
    "bool: computes with f8e4m3fn; else it only moves and converts it">,
  Chosen<"nothing is published about it before trn3">;
}

def TensorEngine : ParameterGroup<"Tensor engine">;
let Group = TensorEngine in {
def pe_max_stationary_free : Int<"elements", 128>, Positive,
  Said<[IsaReference]>;
def pe_max_moving_free : Int<"elements", 512, 512, 4096>, Positive,
  Said<[IsaReference]>;
def pe_may_cross_banks : Bool<false, false, true>,
  Said<[IsaReference, Trn3Guide]>;
def pe_column_tiling : Bool<true>, Said<[IsaReference], "two pages disagree">;
def pe_min_ii_cycles : Int<"PE cycles", 64>,
  From<[Documented, Choice, Choice], [Trn1Guide]>;
def pe_load_columns_per_cycle : Int<"columns/cycle", 4>, Positive,
  Said<[Trn1Guide, PerformanceGuide]>;
def pe_load_fp32_cycles_per_column : Int<"cycles/column", 2>,
  FitTrn2<[MatmulTutorial], "461 cycles for 128 columns">;
def pe_load_latency_cycles : Int<"PE cycles", 190>,
  FitTrn1<[PerformanceGuide], "188 cycles for one column">;
def pe_fp32_passes : Int<"passes", 4>, Positive, Said<[Trn1Guide, OldIsaPages]>;
def pe_fp32_transpose_passes : Int<"passes", 2>, Positive,
  From<[Choice, Documented, Documented], [Trn2Guide, IsaReference],
    "trn1: a product of 4 passes, halved because the identity is 0 and 1">;
def pe_fp4_speed : Real<"times the rate of 8-bit MX operands", "1">, Positive,
  Said<[Trn3Guide]>;
def pe_latency_cycles : Int<"PE cycles", 390>,
  From<[Fit, Fit, Choice], [PerformanceGuide, MatmulTutorial],
    "what a product takes longer than its stream">;
def pe_bubble_cycles : Int<"PE cycles", 3>,
  FitTrn2<[MatmulTutorial], "1030 cycles from one pair of passes of 512 to the next">;
def pe_background_transpose : Bool<false, false, true>, Said<[Trn3Guide]>;
def pe_cold_rate : Real<"fraction", "1", "0.5">, Positive,
  From<[Choice, Documented, Documented], [ProfileSummary], "trn1: no warm-up is published">;
def pe_warmup_ns : Real<"ns", "3000">,
  From<[Choice, Documented, Documented], [ProfileSummary], "no effect on trn1">;
def pe_continuous_demand : Real<"fraction", "0.9">,
  Chosen<"what the page on the warm-up may mean by continuous", [ProfileSummary]>;
}

def Engines : ParameterGroup<"Vector, Scalar and GpSimd engines">;
let Group = Engines in {
def engine_min_ii_cycles : Int<"cycles", 64>, Said<[IsaNotes]>;
def vector_latency_cycles : Int<"cycles", 385, 148>,
  From<[Fit, Fit, Choice], [PerformanceGuide, MatmulTutorial],
    "what a tensor_tensor takes longer than its stream">;
def vector_ii_extra_cycles : Int<"cycles", 100, 68>,
  From<[Documented, Fit, Choice], [Trn1Guide, MatmulTutorial],
    "trn1: about 100 cycles for short instructions; trn2: 603 ns from one of 512 to the next">;
def vector_mode_16bit_contiguous : Int<"elements/cycle", 1, 4>, Positive,
  Said<[Trn1Guide, Trn2Guide, Trn3Guide]>;
def vector_mode_16bit : Int<"elements/cycle", 1, 2>, Positive,
  Said<[Trn1Guide, Trn2Guide, Trn3Guide]>;
def vector_mode_32bit_contiguous : Int<"elements/cycle", 1, 2>, Positive,
  From<[Documented, Choice, Choice], [Trn1Guide, Trn2Guide, MatmulTutorial],
    "the data path's width and a profile of trn2; the list of modes has 16 bits only">;
def vector_random_per_cycle : Int<"numbers/cycle", 1, 1, 4>, Positive,
  From<[Choice, Choice, Documented], [Trn3Guide]>;
def fast_modes_take_8bit : Bool<false, false, true>,
  From<[Documented, Documented, Choice], [Trn2Guide, Trn3Guide],
    "trn3's data path: 8-bit floats stand beside the 16-bit ones">;
def scalar_latency_cycles : Int<"cycles", 223, 351>,
  From<[Fit, Fit, Choice], [PerformanceGuide, DmaOverview],
    "what an activation takes longer than its stream">;
def scalar_ii_extra_cycles : Int<"cycles", 64>,
  Chosen<"as the shortest initiation interval", [IsaNotes]>;
def scalar_mode_16bit : Int<"elements/cycle", 1, 1, 2>, Positive,
  Said<[Trn1Guide, Trn2Guide, Trn3Guide]>;
def activation_table_load_ns : Real<"ns", "1300", "1290", "1300">,
  FitTrn2<[DmaOverview], "1285 ns before the first use of a function set">;
def accumulator_read_cycles : Int<"cycles", 64>, Said<[Trn1Guide, OldIsaPages]>;
def gpsimd_start_cycles : Int<"cycles", 150>, Said<[OldIsaPages]>;
def gpsimd_rsqrt_factor : Int<"cycles/element", 4>,
  Said<[IsaNotes], "4 times slower than Scalar">;
def dynamic_copy_cycles : Int<"cycles", 600>, Said<[OldIsaPages]>;
def stride_penalty_bytes : Int<"B", 16>,
  From<[Documented, Choice, Choice], [Trn1Guide]>;
def stride_penalty_factor : Real<"times", "2">, Positive,
  From<[Documented, Choice, Choice], [Trn1Guide]>;
def vector_gpsimd_exclusive : Bool<true, false>, Said<[Trn1Guide, Trn2Guide]>;
def vector_scalar_psum_exclusive : Bool<true, false>,
  Said<[Trn1Guide, Trn2Guide]>;
}

def Sequencers : ParameterGroup<"Sequencers">;
let Group = Sequencers in {
def engine_queue_depth : Int<"instructions", 4>, Positive,
  Chosen<"nothing is published">;
def dependent_issue_cycles : Int<"cycles", 40>,
  FitTrn1<[PerformanceGuide], "a chain of one-element activations: 189 - 159 ns">;
def semaphore_ns : Real<"ns", "30">,
  FitTrn2<[DmaOverview], "12 to 30 ns from the end of an activation to what waits for it">;
def semaphore_instruction_ns : Real<"ns", "9">,
  FitTrn1<[PerformanceGuide], "the length of a semaphore instruction">;
def control_instruction_ns : Real<"ns", "9">,
  FitTrn1<[PerformanceGuide], "as a semaphore instruction; a trigger of trn2 shows 8">;
def loop_iteration_ns : Real<"ns", "50">, Chosen<"nothing is published">;
def instruction_bytes : Int<"B", 64>, Positive, Chosen<"nothing is published">;
def fetch_buffer_instructions : Int<"instructions", 256>, Positive,
  Chosen<"nothing is published">;
def register_load_sbuf_cycles : Int<"cycles", 60>,
  Chosen<"nothing is published">;
def register_load_hbm_ns : Real<"ns", "1500">, Chosen<"nothing is published">;
}

def Dma : ParameterGroup<"DMA">;
let Group = Dma in {
def dma_engines : Int<"engines", 16>, Positive,
  Said<[Trn1Guide, Trn2Guide, Trn3Guide]>;
def dma_engine_bytes_per_ns : Real<"B/ns", "17", "23", "33">, Positive,
  Said<[DmaOverview, DmaGuide], "sustained">;
def dma_start_ns : Real<"ns", "740">,
  FitTrn2<[DmaOverview], "610 to 780 ns from the trigger to the first engine">;
def dma_done_ns : Real<"ns", "300">,
  FitTrn2<[DmaOverview], "290 to 320 ns from the last write to what waits for it">;
def dma_skew_ns : Real<"ns, first to last engine", "350">,
  FitTrn2<[DmaOverview], "the widest spread of the engines' starts">;
def dma_descriptor_ns : Real<"ns", "10">,
  FitTrn2<[MatmulTutorial], "packets of 512 B and 2 KiB rows">;
def dma_row_descriptor_bytes : Int<"B", 512>,
  FitTrn2<[MatmulTutorial, DmaOverview], "rows of 512 B have a descriptor each, of 256 B share one">;
def dma_element_ns : Real<"ns", "0.4">,
  FitTrn2<[DmaOverview], "97 ns for 8 elements of 256 B">;
def dma_packet_bytes : Int<"B", 4096>, Positive, Said<[Overlap]>;
def dma_min_element_bytes : Int<"B", 64>, Chosen<"nothing is published">;
def dma_partial_write_factor : Real<"times", "2">, Positive,
  Chosen<"a write of a part reads first">;
def dma_queue_gap_ns : Real<"ns", "860">,
  FitTrn2<[DmaOverview], "fitted to the figure of throughput by size">;
def dma_queue_turnaround_ns : Real<"ns", "50">,
  FitTrn2<[DmaOverview], "fitted to the figure of throughput by size">;
def dma_queues_share
  : Bool<false, false, false, "bool: queues share an engine, instead of in order of arrival">,
  Chosen<"the loads of a published product agree with the order of arrival">;
def dma_queue_depth : Int<"transfers", 256>, Positive,
  Chosen<"nothing is published">;
def dma_transpose_efficiency_hbm : Real<"fraction", "0.06", "0.9">, Positive,
  From<[Choice, Documented, Choice], [Trn2Guide], "trn1: an element a descriptor, 1 / 16">;
def dma_transpose_efficiency_sbuf : Real<"fraction", "0.06", "0.5">, Positive,
  From<[Choice, Documented, Choice], [Trn2Guide], "trn1: an element a descriptor, 1 / 16">;
def dma_compute_efficiency : Real<"fraction", "0.5">, Positive,
  Said<[Trn3Guide]>;
def dma_compute_efficiency_sbuf : Real<"fraction", "0.5", "0.5", "1">, Positive,
  Said<[Trn3Guide]>;
def has_hwdge : Bool<false, true>, Said<[Trn2Guide, DescriptorGuide]>;
def hwdge_fixed_ns : Real<"ns", "485">,
  Chosen<"with the next, the published 600 ns for 128 rows; none on trn1", [Trn2Guide, DescriptorGuide]>;
def hwdge_row_ns : Real<"ns", "1.1">,
  Chosen<"the rows' part of the published 600 ns; none on trn1", [Trn2Guide, DescriptorGuide]>;
def swdge_ns : Real<"ns", "600">,
  FitTrn2<[MatmulTutorial], "two transfers every 1217 ns">;
}

def CoresAndRanks : ParameterGroup<"Cores and ranks">;
let Group = CoresAndRanks in {
def launch_ns : Real<"ns", "15000">,
  FitTrn1<[PerformanceGuide], "launch and tear-down: 10 to 20 us in all; beside the makespan">;
def tear_down_ns : Real<"ns", "5000">,
  FitTrn1<[PerformanceGuide], "the rest of these">;
def core_barrier_ns : Real<"ns", "1000">, Chosen<"nothing is published">;
def sendrecv_gpsimd_ns : Real<"ns", "800">, Chosen<"nothing is published">;
def sendrecv_gpsimd_bytes_per_ns : Real<"B/ns", "153">, Positive,
  From<[Choice, Documented, Choice], [Trn2Guide], "one way; none on trn1">;
def collective_launch_hbm_ns : Real<"ns", "4000">,
  Chosen<"nothing is published">;
def collective_launch_sbuf_ns : Real<"ns", "2000">,
  Chosen<"nothing is published">;
def collective_hop_ns : Real<"ns", "1500", "1500", "1000">,
  From<[Documented, Documented, Choice], [Intranode], "1 to 2 us; trn3: a stage of its switch">;
def link_bytes_per_ns : Real<"B/ns", "96", "256", "640">, Positive,
  From<[Documented, Documented, Choice], [Trn1Page, Trn2Page, Trn3Page],
    "the chip's rate / 4 links; of trn3's links the pages give several numbers">;
def links_per_chip : Int<"links", 4>, Positive,
  From<[Documented, Documented, Choice], [Trn1Page, Trn2Page, Trn3Page],
    "to the chips around it in a torus; trn3's go to switches">;
def cores_per_chip : Int<"cores", 2, 8>, Positive,
  Said<[Trn1Guide, Trn2Guide, Trn3Guide]>;
def chips_per_node : Int<"chips", 16, 16, 64>, Positive,
  Said<[Trn1Page, Trn2Page, Trn3Page]>;
def node_hop_ns : Real<"ns", "15000">, Said<[Collectives]>;
def node_core_bytes_per_ns : Real<"B/ns", "3.125">, Positive,
  Said<[Collectives], "25 Gb/s a core">;
def collective_mesh_max_bytes : Int<"B", !shl(1, 20)>,
  From<[Choice, Documented, Choice], [Intranode]>;
def collective_halving_max_bytes : Int<"B", !shl(56, 20)>,
  From<[Choice, Documented, Choice], [Intranode]>;
def kangaring_gather_touch : Real<"fraction", "0.75">,
  From<[Choice, Documented, Choice], [Intranode], "25 % fewer accesses than a ring">;
def kangaring_reduce_touch : Real<"fraction", "0.67">,
  From<[Choice, Documented, Choice], [Intranode], "33 % fewer accesses than a ring">;
}

def Compiler : ParameterGroup<"Compiler",
  "What the compiler assumes beside these times; no time of a run depends on it.">;
let Group = Compiler in {
def engine_change_ns : Real<"ns", "400">,
  Chosen<"lost on each side of a change to another engine: the token, and the empty pipeline of the engine that waited">;
}

// Nothing about these chips is published, not even by how much the generations
// differ: all three have the values published for operations at 7 nm. What is
// published nowhere is 0, and every output lists it as unknown.
def Energy : ParameterGroup<"Energy",
  "For the [estimate of energy](energy.md) alone: no time depends on them. They are what is published about other chips, for all "
  "three targets alike. 0 means that nothing is published.">;
class Unknown<string note> : Chosen<"unknown: " # note>;
let Group = Energy in {
def energy_mac_f32_pj : Real<"pJ/multiply-add", "1.69">,
  Chosen<"fp32: multiplication 1.31, addition 0.38", [TenLessons]>;
def energy_mac_16bit_pj : Real<"pJ/multiply-add", "0.59">,
  Chosen<"bf16 multiplication 0.21, fp32 addition 0.38", [TenLessons]>;
def energy_mac_8bit_pj : Real<"pJ/multiply-add", "0.45">,
  Chosen<"int8 multiplication 0.07 in place of fp8's, fp32 addition 0.38", [TenLessons]>;
def energy_mac_4bit_pj : Real<"pJ/multiply-add", "0.45">,
  Chosen<"as with 8 bits: nothing is published for 4", [TenLessons]>;
def energy_transpose_pj : Real<"pJ/element", "0">,
  Unknown<"elements that pass the array without arithmetic">;
def energy_add_pj : Real<"pJ/operation", "0.38">,
  Chosen<"fp32 addition; comparisons, minimum and maximum as one", [TenLessons]>;
def energy_multiply_pj : Real<"pJ/operation", "1.31">,
  Chosen<"fp32 multiplication", [TenLessons]>;
def energy_other_pj : Real<"pJ/element", "0">,
  Unknown<"functions, quotients, copies, operations on bits, random numbers, statistics">;
def energy_sbuf_pj : Real<"pJ/B", "1.75">,
  Chosen<"SRAM of 1 MB: 14 for 64 bits, read or written; a partition is smaller", [TenLessons]>;
def energy_psum_pj : Real<"pJ/B", "1.0625">,
  Chosen<"SRAM of 32 KB: 8.5 for 64 bits, read or written; a partition has 16 KiB", [TenLessons]>;
def energy_hbm_pj : Real<"pJ/B", "31.36">,
  Chosen<"HBM2: 3.92 for a bit, read or written", [FineGrainedDram]>;
def energy_dma_pj : Real<"pJ/B", "0">,
  Unknown<"DMA engines, and wires between memories">;
def energy_link_pj : Real<"pJ/B", "0">,
  Unknown<"links between chips of a node">;
def energy_node_pj : Real<"pJ/B", "0">,
  Unknown<"links between nodes">;
def energy_instruction_pj : Real<"pJ/instruction", "0">,
  Unknown<"decoding and issue; fetching counts as bytes of HBM">;
def energy_static_watts : Real<"W, of a core", "0">,
  Unknown<"leakage and clocks">;
}

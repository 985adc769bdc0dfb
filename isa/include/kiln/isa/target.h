//===- target.h - What a generation can hold and how fast it is -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything a pass, a check or the timing model needs to know about a machine
// is a field here; nothing reads a generation number to decide a cost.
//
// Standard library only and constexpr: the language reads capacities while it
// records. The source and unit of every number is in `forEachParameter`.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_TARGET_H
#define KILN_ISA_TARGET_H

#include "kiln/isa/dtype.h"

#include <optional>
#include <string>
#include <string_view>

namespace kiln::isa {

struct Target {
  std::string_view name = "trn2";
  Generation generation = Generation::v3;

  // Memories, bytes in one partition.
  int sbuf_physical_bytes = 229376;
  int sbuf_reserved_bytes = 16384;
  int psum_bytes = 16384;
  double hbm_bytes_per_ns = 716.8;
  int hbm_cores_per_stack = 2;
  int hbm_busy_neighbours = 0;

  // Clocks in GHz: cycles of an engine are always in its own clock.
  double tensor_ghz = 2.4;
  double vector_ghz = 0.96;
  double scalar_ghz = 1.2;
  double gpsimd_ghz = 1.2;
  double sync_ghz = 1.2;

  // Tensor engine.
  int pe_max_stationary_free = 128;
  int pe_max_moving_free = 512;
  bool pe_may_cross_banks = false;
  bool pe_column_tiling = true;
  int pe_min_ii_cycles = 64;
  int pe_load_columns_per_cycle = 4;
  int pe_load_fp32_cycles_per_column = 2;
  int pe_load_latency_cycles = 190;
  int pe_fp32_passes = 4;
  int pe_fp32_transpose_passes = 2;
  int pe_latency_cycles = 390;
  int pe_bubble_cycles = 3;
  bool pe_background_transpose = false;
  double pe_cold_rate = 0.5;
  double pe_warmup_ns = 3000;
  double pe_continuous_demand = 0.9;

  // Vector, Scalar and GpSimd engines.
  int engine_min_ii_cycles = 64;
  int vector_latency_cycles = 148;
  int vector_ii_extra_cycles = 68;
  int vector_mode_16bit_contiguous = 4;
  int vector_mode_16bit = 2;
  int vector_mode_32bit_contiguous = 2;
  int vector_random_per_cycle = 1;
  bool fast_modes_take_8bit = false;
  int scalar_latency_cycles = 351;
  int scalar_ii_extra_cycles = 64;
  int scalar_mode_16bit = 1;
  double activation_table_load_ns = 1290;
  int accumulator_read_cycles = 64;
  int gpsimd_start_cycles = 150;
  int gpsimd_rsqrt_factor = 4;
  int dynamic_copy_cycles = 600;
  int stride_penalty_bytes = 16;
  double stride_penalty_factor = 2;
  bool vector_gpsimd_exclusive = false;
  bool vector_scalar_psum_exclusive = false;

  // Sequencers.
  int engine_queue_depth = 4;
  int dependent_issue_cycles = 40;
  double semaphore_ns = 30;
  double semaphore_instruction_ns = 9;
  double control_instruction_ns = 9;
  double loop_iteration_ns = 50;
  int instruction_bytes = 64;
  int fetch_buffer_instructions = 256;
  int register_load_sbuf_cycles = 60;
  double register_load_hbm_ns = 1500;

  // DMA.
  int dma_engines = 16;
  int dma_queues = 16;
  double dma_engine_bytes_per_ns = 23;
  double dma_start_ns = 740;
  double dma_done_ns = 300;
  double dma_skew_ns = 350;
  double dma_descriptor_ns = 10;
  int dma_row_descriptor_bytes = 512;
  double dma_element_ns = 0.4;
  int dma_packet_bytes = 4096;
  int dma_min_element_bytes = 64;
  double dma_partial_write_factor = 2;
  double dma_queue_gap_ns = 860;
  double dma_queue_turnaround_ns = 50;
  int dma_queue_depth = 256;
  bool dma_queues_share = false;
  double dma_transpose_efficiency_hbm = 0.9;
  double dma_transpose_efficiency_sbuf = 0.5;
  double dma_compute_efficiency = 0.5;
  double dma_compute_efficiency_sbuf = 0.5;
  bool has_hwdge = true;
  double hwdge_fixed_ns = 485;
  double hwdge_row_ns = 1.1;
  double swdge_ns = 600;

  // Between cores and ranks (docs/timing.md, "Cores and ranks").
  double core_barrier_ns = 1000;
  double sendrecv_gpsimd_ns = 800;
  double sendrecv_gpsimd_bytes_per_ns = 153;
  double collective_launch_hbm_ns = 4000;
  double collective_launch_sbuf_ns = 2000;
  double collective_hop_ns = 1500;
  double link_bytes_per_ns = 256;
  int cores_per_chip = 8;
  int chips_per_node = 16;
  double node_hop_ns = 15000;
  double node_core_bytes_per_ns = 3.125;
  int collective_mesh_max_bytes = 1 << 20;
  int collective_halving_max_bytes = 56 << 20;
  double kangaring_gather_touch = 0.75;
  double kangaring_reduce_touch = 0.67;

  /// What programs may use of a partition of SBUF.
  constexpr int sbufBytes() const {
    return sbuf_physical_bytes - sbuf_reserved_bytes;
  }
  /// Bytes of one partition of an on-chip memory.
  constexpr int bytes(Space space) const {
    return space == Space::psum ? psum_bytes : sbufBytes();
  }
  constexpr double ghz(Engine engine) const {
    switch (engine) {
    case Engine::tensor:
      return tensor_ghz;
    case Engine::vector:
      return vector_ghz;
    case Engine::scalar:
      return scalar_ghz;
    case Engine::gpsimd:
      return gpsimd_ghz;
    case Engine::sync:
      return sync_ghz;
    }
    return sync_ghz;
  }
};

/// trn1: NeuronCore-v2.
inline constexpr Target trn1 = [] {
  Target t;
  t.name = "trn1";
  t.generation = Generation::v2;
  t.sbuf_physical_bytes = 196608;
  t.hbm_bytes_per_ns = 410;
  t.hbm_cores_per_stack = 1;
  t.tensor_ghz = 2.8;
  t.vector_ghz = 1.12;
  t.scalar_ghz = t.gpsimd_ghz = t.sync_ghz = 1.4;
  t.pe_cold_rate = 1;
  t.vector_latency_cycles = 385;
  t.vector_ii_extra_cycles = 100;
  t.vector_mode_16bit_contiguous = t.vector_mode_16bit = 1;
  t.vector_mode_32bit_contiguous = 1;
  t.scalar_latency_cycles = 223;
  t.activation_table_load_ns = 1300;
  t.vector_gpsimd_exclusive = t.vector_scalar_psum_exclusive = true;
  t.dma_engine_bytes_per_ns = 17;
  t.dma_transpose_efficiency_hbm = t.dma_transpose_efficiency_sbuf = 0.06;
  t.has_hwdge = false;
  t.link_bytes_per_ns = 96;
  t.cores_per_chip = 2;
  return t;
}();

/// trn2: NeuronCore-v3.
inline constexpr Target trn2{};

/// trn3: NeuronCore-v4.
inline constexpr Target trn3 = [] {
  Target t;
  t.name = "trn3";
  t.generation = Generation::v4;
  t.sbuf_physical_bytes = 262144;
  t.hbm_bytes_per_ns = 1225;
  t.vector_ghz = 1.2;
  t.pe_max_moving_free = 4096;
  t.pe_may_cross_banks = true;
  t.pe_background_transpose = true;
  t.scalar_mode_16bit = 2;
  t.vector_random_per_cycle = 4;
  t.fast_modes_take_8bit = true;
  t.activation_table_load_ns = 1300;
  t.dma_engine_bytes_per_ns = 33;
  t.dma_compute_efficiency_sbuf = 1;
  t.collective_hop_ns = 1000;
  t.link_bytes_per_ns = 640;
  t.chips_per_node = 64;
  return t;
}();

/// Whether a rank may have a second core.
constexpr bool hasTwoCores(Generation generation) {
  return generation >= Generation::v3;
}

constexpr const Target &target(Generation generation) {
  return generation == Generation::v2   ? trn1
         : generation == Generation::v3 ? trn2
                                        : trn3;
}

/// The target called "trn1", "trn2" or "trn3".
constexpr std::optional<Target> findTarget(std::string_view name) {
  for (const Target &candidate : {trn1, trn2, trn3})
    if (candidate.name == name)
      return candidate;
  return std::nullopt;
}

/// Unit and origin of a parameter. `source` names the kind of evidence: D = a
/// public document, F = read off a published figure, I = arithmetic from
/// those, choice = ours where nothing is published.
struct ParameterInfo {
  std::string_view name;
  std::string_view unit;
  std::string_view source;
};

/// Calls `visitor(ParameterInfo, field)` for every number of `target`.
template <class T, class Visitor>
constexpr void forEachParameter(T &target, Visitor &&visitor) {
  visitor(ParameterInfo{"sbuf_physical_bytes", "B", "D"},
          target.sbuf_physical_bytes);
  visitor(ParameterInfo{"sbuf_reserved_bytes", "B", "choice"},
          target.sbuf_reserved_bytes);
  visitor(ParameterInfo{"psum_bytes", "B", "D"}, target.psum_bytes);
  visitor(ParameterInfo{"hbm_bytes_per_ns", "B/ns", "D trn1, I trn2 trn3"},
          target.hbm_bytes_per_ns);
  visitor(ParameterInfo{"hbm_cores_per_stack", "cores", "D"},
          target.hbm_cores_per_stack);
  visitor(ParameterInfo{"hbm_busy_neighbours",
                        "other cores that use the stack fully",
                        "set by the user"},
          target.hbm_busy_neighbours);
  visitor(ParameterInfo{"tensor_ghz", "GHz", "D"}, target.tensor_ghz);
  visitor(ParameterInfo{"vector_ghz", "GHz", "D"}, target.vector_ghz);
  visitor(ParameterInfo{"scalar_ghz", "GHz", "D"}, target.scalar_ghz);
  visitor(ParameterInfo{"gpsimd_ghz", "GHz", "D"}, target.gpsimd_ghz);
  visitor(ParameterInfo{"sync_ghz", "GHz", "choice: the profiler's base clock"},
          target.sync_ghz);
  visitor(ParameterInfo{"pe_max_stationary_free", "elements", "D"},
          target.pe_max_stationary_free);
  visitor(ParameterInfo{"pe_max_moving_free", "elements", "D"},
          target.pe_max_moving_free);
  visitor(ParameterInfo{"pe_may_cross_banks", "bool", "D"},
          target.pe_may_cross_banks);
  visitor(ParameterInfo{"pe_column_tiling", "bool", "D: two pages disagree"},
          target.pe_column_tiling);
  visitor(ParameterInfo{"pe_min_ii_cycles", "PE cycles",
                        "D trn1, choice trn2 trn3"},
          target.pe_min_ii_cycles);
  visitor(ParameterInfo{"pe_load_columns_per_cycle", "columns/cycle", "D"},
          target.pe_load_columns_per_cycle);
  visitor(ParameterInfo{"pe_load_fp32_cycles_per_column", "cycles/column",
                        "I: 461 cycles for 128 columns"},
          target.pe_load_fp32_cycles_per_column);
  visitor(ParameterInfo{"pe_load_latency_cycles", "PE cycles", "I"},
          target.pe_load_latency_cycles);
  visitor(ParameterInfo{"pe_fp32_passes", "passes", "D"},
          target.pe_fp32_passes);
  visitor(ParameterInfo{"pe_fp32_transpose_passes", "passes",
                        "D trn2 trn3, I trn1: the identity is 0 and 1"},
          target.pe_fp32_transpose_passes);
  visitor(ParameterInfo{"pe_latency_cycles", "PE cycles", "I"},
          target.pe_latency_cycles);
  visitor(ParameterInfo{"pe_bubble_cycles", "PE cycles", "I"},
          target.pe_bubble_cycles);
  visitor(ParameterInfo{"pe_background_transpose", "bool", "D"},
          target.pe_background_transpose);
  visitor(ParameterInfo{"pe_cold_rate", "fraction", "D"}, target.pe_cold_rate);
  visitor(ParameterInfo{"pe_warmup_ns", "ns", "D"}, target.pe_warmup_ns);
  visitor(ParameterInfo{"pe_continuous_demand", "fraction", "choice"},
          target.pe_continuous_demand);
  visitor(ParameterInfo{"engine_min_ii_cycles", "cycles", "D"},
          target.engine_min_ii_cycles);
  visitor(ParameterInfo{"vector_latency_cycles", "cycles", "I"},
          target.vector_latency_cycles);
  visitor(ParameterInfo{"vector_ii_extra_cycles", "cycles", "I"},
          target.vector_ii_extra_cycles);
  visitor(ParameterInfo{"vector_mode_16bit_contiguous", "elements/cycle", "D"},
          target.vector_mode_16bit_contiguous);
  visitor(ParameterInfo{"vector_mode_16bit", "elements/cycle", "D"},
          target.vector_mode_16bit);
  visitor(ParameterInfo{"vector_mode_32bit_contiguous", "elements/cycle",
                        "choice after F"},
          target.vector_mode_32bit_contiguous);
  visitor(ParameterInfo{"vector_random_per_cycle", "numbers/cycle",
                        "choice trn1 trn2, D trn3"},
          target.vector_random_per_cycle);
  visitor(ParameterInfo{"fast_modes_take_8bit", "bool", "I: trn3's data path"},
          target.fast_modes_take_8bit);
  visitor(ParameterInfo{"scalar_latency_cycles", "cycles", "I"},
          target.scalar_latency_cycles);
  visitor(ParameterInfo{"scalar_ii_extra_cycles", "cycles", "I"},
          target.scalar_ii_extra_cycles);
  visitor(ParameterInfo{"scalar_mode_16bit", "elements/cycle", "D"},
          target.scalar_mode_16bit);
  visitor(ParameterInfo{"activation_table_load_ns", "ns", "I"},
          target.activation_table_load_ns);
  visitor(ParameterInfo{"accumulator_read_cycles", "cycles", "D"},
          target.accumulator_read_cycles);
  visitor(ParameterInfo{"gpsimd_start_cycles", "cycles", "D"},
          target.gpsimd_start_cycles);
  visitor(ParameterInfo{"gpsimd_rsqrt_factor", "cycles/element", "D"},
          target.gpsimd_rsqrt_factor);
  visitor(ParameterInfo{"dynamic_copy_cycles", "cycles", "D"},
          target.dynamic_copy_cycles);
  visitor(
      ParameterInfo{"stride_penalty_bytes", "B", "D trn1, choice trn2 trn3"},
      target.stride_penalty_bytes);
  visitor(ParameterInfo{"stride_penalty_factor", "times",
                        "D trn1, choice trn2 trn3"},
          target.stride_penalty_factor);
  visitor(ParameterInfo{"vector_gpsimd_exclusive", "bool", "D"},
          target.vector_gpsimd_exclusive);
  visitor(ParameterInfo{"vector_scalar_psum_exclusive", "bool", "D"},
          target.vector_scalar_psum_exclusive);
  visitor(ParameterInfo{"engine_queue_depth", "instructions", "choice"},
          target.engine_queue_depth);
  visitor(ParameterInfo{"dependent_issue_cycles", "cycles", "F trn1"},
          target.dependent_issue_cycles);
  visitor(ParameterInfo{"semaphore_ns", "ns", "I"}, target.semaphore_ns);
  visitor(ParameterInfo{"semaphore_instruction_ns", "ns", "F"},
          target.semaphore_instruction_ns);
  visitor(ParameterInfo{"control_instruction_ns", "ns", "F"},
          target.control_instruction_ns);
  visitor(ParameterInfo{"loop_iteration_ns", "ns", "choice"},
          target.loop_iteration_ns);
  visitor(ParameterInfo{"instruction_bytes", "B", "choice"},
          target.instruction_bytes);
  visitor(ParameterInfo{"fetch_buffer_instructions", "instructions", "choice"},
          target.fetch_buffer_instructions);
  visitor(ParameterInfo{"register_load_sbuf_cycles", "cycles", "choice"},
          target.register_load_sbuf_cycles);
  visitor(ParameterInfo{"register_load_hbm_ns", "ns", "choice"},
          target.register_load_hbm_ns);
  visitor(ParameterInfo{"dma_engines", "engines", "D"}, target.dma_engines);
  visitor(ParameterInfo{"dma_queues", "queues", "D"}, target.dma_queues);
  visitor(ParameterInfo{"dma_engine_bytes_per_ns", "B/ns", "D"},
          target.dma_engine_bytes_per_ns);
  visitor(ParameterInfo{"dma_start_ns", "ns", "I"}, target.dma_start_ns);
  visitor(ParameterInfo{"dma_done_ns", "ns", "I"}, target.dma_done_ns);
  visitor(ParameterInfo{"dma_skew_ns", "ns, first to last engine", "F"},
          target.dma_skew_ns);
  visitor(ParameterInfo{"dma_descriptor_ns", "ns", "I"},
          target.dma_descriptor_ns);
  visitor(
      ParameterInfo{
          "dma_row_descriptor_bytes", "B",
          "I: rows of 512 B have a descriptor each, of 256 B share one"},
      target.dma_row_descriptor_bytes);
  visitor(
      ParameterInfo{"dma_element_ns", "ns", "I: 97 ns for 8 elements of 256 B"},
      target.dma_element_ns);
  visitor(ParameterInfo{"dma_packet_bytes", "B", "D"}, target.dma_packet_bytes);
  visitor(ParameterInfo{"dma_min_element_bytes", "B", "choice"},
          target.dma_min_element_bytes);
  visitor(ParameterInfo{"dma_partial_write_factor", "times", "choice"},
          target.dma_partial_write_factor);
  visitor(ParameterInfo{"dma_queue_gap_ns", "ns", "I: fitted to F"},
          target.dma_queue_gap_ns);
  visitor(ParameterInfo{"dma_queue_turnaround_ns", "ns", "I: fitted to F"},
          target.dma_queue_turnaround_ns);
  visitor(ParameterInfo{"dma_queues_share",
                        "bool: queues share an engine, instead of in order of "
                        "arrival",
                        "choice"},
          target.dma_queues_share);
  visitor(ParameterInfo{"dma_queue_depth", "transfers", "choice"},
          target.dma_queue_depth);
  visitor(ParameterInfo{"dma_transpose_efficiency_hbm", "fraction",
                        "choice trn1, D trn2, choice trn3"},
          target.dma_transpose_efficiency_hbm);
  visitor(ParameterInfo{"dma_transpose_efficiency_sbuf", "fraction",
                        "choice trn1, D trn2, choice trn3"},
          target.dma_transpose_efficiency_sbuf);
  visitor(ParameterInfo{"dma_compute_efficiency", "fraction", "D"},
          target.dma_compute_efficiency);
  visitor(ParameterInfo{"dma_compute_efficiency_sbuf", "fraction", "D"},
          target.dma_compute_efficiency_sbuf);
  visitor(ParameterInfo{"has_hwdge", "bool", "D"}, target.has_hwdge);
  visitor(ParameterInfo{"hwdge_fixed_ns", "ns", "choice after D"},
          target.hwdge_fixed_ns);
  visitor(ParameterInfo{"hwdge_row_ns", "ns", "choice after D"},
          target.hwdge_row_ns);
  visitor(ParameterInfo{"swdge_ns", "ns", "I"}, target.swdge_ns);
  visitor(ParameterInfo{"core_barrier_ns", "ns", "choice"},
          target.core_barrier_ns);
  visitor(ParameterInfo{"sendrecv_gpsimd_ns", "ns", "choice"},
          target.sendrecv_gpsimd_ns);
  visitor(ParameterInfo{"sendrecv_gpsimd_bytes_per_ns", "B/ns", "D, one way"},
          target.sendrecv_gpsimd_bytes_per_ns);
  visitor(ParameterInfo{"collective_launch_hbm_ns", "ns", "choice"},
          target.collective_launch_hbm_ns);
  visitor(ParameterInfo{"collective_launch_sbuf_ns", "ns", "choice"},
          target.collective_launch_sbuf_ns);
  visitor(ParameterInfo{"collective_hop_ns", "ns", "D 1-2 us, choice trn3"},
          target.collective_hop_ns);
  visitor(ParameterInfo{"link_bytes_per_ns", "B/ns", "I: chip / 4 links"},
          target.link_bytes_per_ns);
  visitor(ParameterInfo{"cores_per_chip", "", "D"}, target.cores_per_chip);
  visitor(ParameterInfo{"chips_per_node", "", "D"}, target.chips_per_node);
  visitor(ParameterInfo{"node_hop_ns", "ns", "D"}, target.node_hop_ns);
  visitor(ParameterInfo{"node_core_bytes_per_ns", "B/ns", "D: 25 Gb/s a core"},
          target.node_core_bytes_per_ns);
  visitor(ParameterInfo{"collective_mesh_max_bytes", "B", "D trn2"},
          target.collective_mesh_max_bytes);
  visitor(ParameterInfo{"collective_halving_max_bytes", "B", "D trn2"},
          target.collective_halving_max_bytes);
  visitor(ParameterInfo{"kangaring_gather_touch", "", "D"},
          target.kangaring_gather_touch);
  visitor(ParameterInfo{"kangaring_reduce_touch", "", "D"},
          target.kangaring_reduce_touch);
}

} // namespace kiln::isa

#endif // KILN_ISA_TARGET_H

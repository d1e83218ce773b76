#include "workloads/collectives/collectives.hpp"

#include <algorithm>
#include <numeric>

#include "core/checked.hpp"
#include "core/error.hpp"
#include "core/spec.hpp"
#include "core/text.hpp"
#include "workloads/collectives/algorithms.hpp"
#include "workloads/collectives/blocks.hpp"

namespace toroid::workloads {

const std::vector<CollectiveAlgorithm>& collective_algorithms() {
  using namespace algorithms;
  static const std::vector<CollectiveAlgorithm> table{
      {OpKind::barrier, "dissemination", "signal ranks 1, 2, 4, ... further on", barrier_dissemination},
      {OpKind::barrier, "linear", "all to rank 0, rank 0 to all", barrier_linear},
      {OpKind::bcast, "binomial", "binomial tree", bcast_binomial},
      {OpKind::bcast, "scatter_ring", "scatter, then ring allgather (van de Geijn)", bcast_scatter_ring},
      {OpKind::bcast, "linear", "root to all at once", bcast_linear},
      {OpKind::reduce, "binomial", "binomial tree", reduce_binomial},
      {OpKind::reduce, "linear", "all to the root at once", reduce_linear},
      {OpKind::allreduce, "recursive_doubling", "swap vectors with ranks 1, 2, 4, ... away",
       allreduce_recursive_doubling},
      {OpKind::allreduce, "rabenseifner", "recursive halving, then doubling", allreduce_rabenseifner},
      {OpKind::allreduce, "ring", "ring reduce-scatter, then ring allgather", allreduce_ring},
      {OpKind::allreduce, "reduce_bcast", "linear reduce to rank 0, then binomial bcast", allreduce_reduce_bcast},
      {OpKind::gather, "binomial", "binomial tree", gather_binomial},
      {OpKind::gather, "linear", "all to the root at once", gather_linear},
      {OpKind::gatherv, "linear", "all to the root at once", gather_linear},
      {OpKind::scatter, "binomial", "binomial tree", scatter_binomial},
      {OpKind::scatter, "linear", "root to all at once", scatter_linear},
      {OpKind::scatterv, "linear", "root to all at once", scatter_linear},
      {OpKind::allgather, "recursive_doubling", "swap blocks with ranks 1, 2, 4, ... away",
       allgather_recursive_doubling},
      {OpKind::allgather, "bruck", "blocks from ranks 1, 2, 4, ... further on", allgather_bruck},
      {OpKind::allgather, "ring", "blocks travel round the ring", allgather_ring},
      {OpKind::allgather, "linear", "all to all at once", allgather_linear},
      {OpKind::allgatherv, "bruck", "blocks from ranks 1, 2, 4, ... further on", allgather_bruck},
      {OpKind::allgatherv, "ring", "blocks travel round the ring", allgather_ring},
      {OpKind::allgatherv, "linear", "all to all at once", allgather_linear},
      {OpKind::alltoall, "bruck", "log2(p) rounds of packed blocks", alltoall_bruck},
      {OpKind::alltoall, "pairwise", "one partner at a time", alltoall_pairwise},
      {OpKind::alltoall, "linear", "all to all at once", alltoall_linear},
      {OpKind::alltoallv, "pairwise", "one partner at a time", alltoall_pairwise},
      {OpKind::alltoallv, "linear", "all to all at once", alltoall_linear},
      {OpKind::reduce_scatter, "pairwise", "one partner at a time", reduce_scatter_pairwise},
      {OpKind::reduce_scatter, "linear", "reduce to rank 0, then scatter", reduce_scatter_linear},
      {OpKind::scan, "recursive_doubling", "swap with ranks 1, 2, 4, ... away", scan_recursive_doubling},
      {OpKind::scan, "linear", "each rank to all above it at once", scan_linear},
      {OpKind::exscan, "recursive_doubling", "swap with ranks 1, 2, 4, ... away", scan_recursive_doubling},
      {OpKind::exscan, "linear", "each rank to all above it at once", scan_linear}};
  return table;
}

namespace {

/// Short messages: few rounds. Long ones: few bytes per rank, and few messages in the network at once.
std::string_view default_rule(const CollectiveCall& call) {
  const auto p = static_cast<std::uint64_t>(call.size);
  const bool power = algorithms::power_below(call.size) == call.size;
  switch (call.kind) {
    case OpKind::barrier:
      return "dissemination";
    case OpKind::bcast:
      return call.bytes < 12288 || p < 8 ? "binomial" : "scatter_ring";
    case OpKind::reduce:
      return "binomial";
    case OpKind::allreduce:
      return call.bytes <= 2048 || p < 4 ? "recursive_doubling" : "rabenseifner";
    case OpKind::gather:
    case OpKind::scatter:
      return "binomial";
    case OpKind::allgather:
      return call.bytes * p >= 81920 ? "ring" : power ? "recursive_doubling" : "bruck";
    case OpKind::allgatherv: {
      const auto total = std::accumulate(call.recv_counts.begin(), call.recv_counts.end(), std::uint64_t{0});
      return total < 81920 ? "bruck" : "ring";
    }
    case OpKind::alltoall:
      return call.bytes <= 256 && p >= 8 ? "bruck" : "pairwise";
    case OpKind::alltoallv:
    case OpKind::reduce_scatter:
      return "pairwise";
    case OpKind::scan:
    case OpKind::exscan:
      return "recursive_doubling";
    default:
      return "linear";
  }
}

/// The replay defaults of SimGrid 3.32 (docs/model.md says where each was seen). Its all-to-all is Open MPI's decision
/// table, of which only the column for 64 ranks was measured; it is used for all sizes.
std::string_view smpi_rule(const CollectiveCall& call) {
  switch (call.kind) {
    case OpKind::bcast:
      return "binomial";
    case OpKind::allreduce:
      return "reduce_bcast";
    case OpKind::alltoall:
      return call.bytes < 1024 ? "bruck" : call.bytes < 262144 ? "linear" : "pairwise";
    default:
      return "linear";
  }
}

OpKind collective_named(std::string_view name, std::string_view spec) {
  std::vector<std::string> valid;
  for (std::size_t k = static_cast<std::size_t>(OpKind::barrier); k < op_kind_count; ++k) {
    if (to_string(static_cast<OpKind>(k)) == name) return static_cast<OpKind>(k);
    valid.emplace_back(to_string(static_cast<OpKind>(k)));
  }
  core::fail_input("'{}': unknown collective '{}'{}", spec, name, core::valid_instead(name, valid));
}

}  // namespace

const CollectiveAlgorithm& find_collective(OpKind kind, std::string_view name) {
  for (const auto& algorithm : collective_algorithms())
    if (algorithm.kind == kind && algorithm.name == name) return algorithm;
  std::vector<std::string> valid;
  for (const auto& algorithm : collective_algorithms())
    if (algorithm.kind == kind) valid.emplace_back(algorithm.name);
  core::fail_input("unknown algorithm '{}' for {}{}", name, to_string(kind), core::valid_instead(name, valid));
}

CollectiveChoice::CollectiveChoice() : rule_(default_rule) {}

CollectiveChoice CollectiveChoice::parse(std::string_view text) {
  const auto spec = core::Spec::parse(text);
  CollectiveChoice choice;
  if (spec.name() == "smpi")
    choice.rule_ = smpi_rule;
  else if (spec.name() != "default")
    core::fail_input("unknown set of collective algorithms '{}'{}, such as default:bcast=linear", spec.name(),
                     core::valid_instead(spec.name(), {"default", "smpi"}));
  if (!spec.argument().empty())
    core::fail_input("'{}': found '{}', expected collective=algorithm", text, spec.argument());
  for (const auto& [collective, algorithm] : spec.parameters()) {
    const auto kind = collective_named(collective, text);
    choice.override_[static_cast<std::size_t>(kind)] = &find_collective(kind, algorithm);
  }
  return choice;
}

const CollectiveAlgorithm& CollectiveChoice::choose(const CollectiveCall& call) const {
  if (const auto* chosen = override_[static_cast<std::size_t>(call.kind)]) return *chosen;
  return find_collective(call.kind, rule_(call));
}

namespace {

/// Whatever an algorithm sends at once is a part of all that is moved, so that none of its sums wraps around.
void check_size(const CollectiveCall& call) {
  std::uint64_t all = 0;
  bool fits = !__builtin_mul_overflow(call.bytes, static_cast<std::uint64_t>(call.size), &all);
  for (const auto& counts : {call.send_counts, call.recv_counts}) {
    std::uint64_t sum = 0;
    for (const auto count : counts) fits = fits && core::add_to(sum, count);
  }
  if (!fits)
    core::fail_input("{} of {} ranks with {} bytes each: more than 2^64 bytes in all", to_string(call.kind), call.size,
                     call.bytes);
}

}  // namespace

CollectiveCall collective_call(const Operation& op, CommRank me, CommRank size) {
  const CollectiveCall call{op.kind, me, size, op.root, op.bytes, op.send_counts, op.recv_counts};
  check_size(call);
  return call;
}

}  // namespace toroid::workloads

#include "workloads/formats/operation_faults.hpp"

#include <fmt/format.h>

#include "workloads/operation_kinds.hpp"

namespace toroid::workloads {
namespace {

std::string count_fault(std::span<const std::uint64_t> counts, bool needed, CommRank size) {
  if (!needed && !counts.empty()) return "found counts, expected none: the rank is not the root";
  if (needed && counts.size() != static_cast<std::size_t>(size))
    return fmt::format("found {} counts, expected {}, one for each rank of the communicator", counts.size(), size);
  return {};
}

}  // namespace

std::string fault_of(const Operation& op, const Communicator& members, Rank rank) {
  const auto size = members.size();
  for (const auto partner : {op.to, op.from, op.root})
    if (partner >= size)
      return fmt::format("found rank {}, expected one below {}: so many has the communicator", partner, size);
  const bool is_root = op.root == members.rank_of(rank);
  auto sends = count_fault(op.send_counts, needs_send_counts(op.kind, is_root), size);
  if (!sends.empty()) return sends;
  const bool has_parts = op.kind == OpKind::reduce_scatter && !op.recv_counts.empty();  // without, all parts are alike
  return count_fault(op.recv_counts, needs_recv_counts(op.kind, is_root) || has_parts, size);
}

}  // namespace toroid::workloads

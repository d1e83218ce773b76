#include "workloads/collectives/rules.hpp"

#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "workloads/collectives/schedule.hpp"

namespace toroid::workloads {
namespace {

using enum OpKind;
using Quantity = CallCondition::Quantity;

constexpr CallCondition always{Quantity::ranks, 0, UINT64_MAX};

constexpr CallCondition up_to(std::uint64_t most, Quantity quantity) {
  return {quantity, 0, most};
}
constexpr CallCondition from(std::uint64_t least, Quantity quantity) {
  return {quantity, least, UINT64_MAX};
}

// Short messages: few rounds. Long ones: few bytes per rank, and few messages in the network at once.
constexpr std::array mpi_lines{RuleLine{barrier, always, "dissemination"},
                               RuleLine{bcast, up_to(7, Quantity::ranks), "binomial"},
                               RuleLine{bcast, up_to(12287, Quantity::bytes), "binomial"},
                               RuleLine{bcast, always, "scatter_ring"},
                               RuleLine{reduce, always, "binomial"},
                               RuleLine{allreduce, up_to(3, Quantity::ranks), "recursive_doubling"},
                               RuleLine{allreduce, up_to(2048, Quantity::bytes), "recursive_doubling"},
                               RuleLine{allreduce, always, "rabenseifner"},
                               RuleLine{gather, always, "binomial"},
                               RuleLine{gatherv, always, "linear"},
                               RuleLine{scatter, always, "binomial"},
                               RuleLine{scatterv, always, "linear"},
                               RuleLine{allgather, from(81920, Quantity::bytes_in_all), "ring"},
                               RuleLine{allgather, up_to(0, Quantity::odd_ranks), "recursive_doubling"},
                               RuleLine{allgather, always, "bruck"},
                               RuleLine{allgatherv, from(81920, Quantity::bytes_in_all), "ring"},
                               RuleLine{allgatherv, always, "bruck"},
                               RuleLine{alltoall, up_to(7, Quantity::ranks), "pairwise"},
                               RuleLine{alltoall, up_to(256, Quantity::bytes), "bruck"},
                               RuleLine{alltoall, always, "pairwise"},
                               RuleLine{alltoallv, always, "pairwise"},
                               RuleLine{reduce_scatter, always, "pairwise"},
                               RuleLine{scan, always, "recursive_doubling"},
                               RuleLine{exscan, always, "recursive_doubling"}};

// Vectors that are long enough fill the links of all axes; short ones go by MPI's rule, whose rounds are few.
constexpr std::array torus_lines{RuleLine{bcast, from(16384, Quantity::bytes), "trees"},
                                 RuleLine{allreduce, from(16384, Quantity::bytes), "rings"},
                                 RuleLine{allgather, from(16384, Quantity::bytes_in_all), "rings"},
                                 RuleLine{allgatherv, always, "rings"},
                                 RuleLine{alltoall, from(16384, Quantity::bytes_in_all), "rings"},
                                 RuleLine{reduce_scatter, always, "rings"}};

// The replay defaults of SimGrid 3.32. Its all-to-all is Open MPI's decision table, of which only the column for 64
// ranks was measured; it is used for all sizes. Blocks that are not all alike go MPICH's ways, which it tells apart by
// the number of elements: here of bytes.
constexpr std::array smpi_lines{RuleLine{barrier, always, "linear"},
                                RuleLine{bcast, always, "binomial"},
                                RuleLine{reduce, always, "linear"},
                                RuleLine{allreduce, always, "reduce_bcast"},
                                RuleLine{gather, always, "linear"},
                                RuleLine{gatherv, always, "linear"},
                                RuleLine{scatter, always, "linear"},
                                RuleLine{scatterv, always, "linear"},
                                RuleLine{allgather, always, "linear"},
                                RuleLine{allgatherv, always, "linear"},
                                RuleLine{alltoall, up_to(1023, Quantity::bytes), "bruck"},
                                RuleLine{alltoall, up_to(262143, Quantity::bytes), "linear"},
                                RuleLine{alltoall, always, "pairwise"},
                                RuleLine{alltoallv, always, "linear"},
                                RuleLine{reduce_scatter, up_to(0, Quantity::odd_blocks), "linear"},
                                RuleLine{reduce_scatter, up_to(524288, Quantity::bytes_in_all), "recursive_doubling"},
                                RuleLine{reduce_scatter, always, "pairwise"},
                                RuleLine{scan, always, "linear"},
                                RuleLine{exscan, always, "linear"}};

std::uint64_t bytes_in_all(const CollectiveCall& call) {
  std::uint64_t sum = 0;
  for (const auto block : call.recv_counts) sum += block;
  return call.recv_counts.empty() ? call.bytes * static_cast<std::uint64_t>(call.size) : sum;
}

std::uint64_t odd_blocks(std::span<const std::uint64_t> blocks) {
  std::uint64_t odd = 0;
  for (std::size_t i = 1; i < blocks.size(); ++i) odd += blocks[i] == blocks[i - 1] ? 0U : 1U;
  return odd;
}

std::uint64_t value(CallCondition::Quantity quantity, const CollectiveCall& call) {
  switch (quantity) {
    case Quantity::ranks:
      return static_cast<std::uint64_t>(call.size);
    case Quantity::bytes:
      return call.bytes;
    case Quantity::bytes_in_all:
      return bytes_in_all(call);
    case Quantity::odd_ranks:
      return static_cast<std::uint64_t>(call.size - power_below(call.size));
    default:
      return odd_blocks(call.recv_counts);
  }
}

/// `81,920`.
std::string grouped(std::uint64_t number) {
  const auto digits = fmt::format("{}", number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

}  // namespace

bool CallCondition::holds(const CollectiveCall& call) const {
  const auto found = value(quantity, call);
  return low <= found && found <= high;
}

std::string CallCondition::text() const {
  if (is_always()) return {};
  if (quantity == Quantity::odd_ranks) return "if the ranks are a power of two";
  if (quantity == Quantity::odd_blocks) return "if all blocks are alike";
  const auto limit = low > 0 ? "from " + grouped(low) : "up to " + grouped(high);
  return limit + (quantity == Quantity::ranks ? " ranks" : quantity == Quantity::bytes ? " B" : " B in all");
}

std::string_view CollectiveRule::algorithm(const CollectiveCall& call) const {
  const auto line =
      std::ranges::find_if(lines, [&](const RuleLine& one) { return one.kind == call.kind && one.when.holds(call); });
  return line != lines.end() ? line->algorithm : rest->algorithm(call);
}

std::vector<OpKind> CollectiveRule::kinds() const {
  std::vector<OpKind> all;
  for (const auto& line : lines)
    if (std::ranges::find(all, line.kind) == all.end()) all.push_back(line.kind);
  return all;
}

std::string CollectiveRule::text(OpKind kind) const {
  std::vector<std::string> parts;
  std::string_view last;
  bool is_complete = false;
  for (const auto& line : lines) {
    if (line.kind != kind) continue;
    is_complete = line.when.is_always();
    const auto when = line.when.text();
    if (line.algorithm == last && !when.empty())
      parts.back() += " or " + when;
    else
      parts.push_back(fmt::format("{}{}{}{}", is_complete && !parts.empty() ? "else " : "", line.algorithm,
                                  when.empty() ? "" : " ", when));
    last = line.algorithm;
  }
  if (!is_complete) parts.push_back(fmt::format("else as {}", rest->name));
  return core::join(parts);
}

std::span<const CollectiveRule> collective_rules() {
  static const CollectiveRule mpi{"mpi", mpi_lines};
  static const std::array<CollectiveRule, 3> rules{{mpi, {"torus", torus_lines, &mpi, true}, {"smpi", smpi_lines}}};
  return rules;
}

std::vector<std::string> collective_rule_names() {
  std::vector<std::string> names{std::string(rule_of_program)};
  for (const auto& rule : collective_rules()) names.emplace_back(rule.name);
  return names;
}

}  // namespace toroid::workloads

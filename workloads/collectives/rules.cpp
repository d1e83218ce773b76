#include "workloads/collectives/rules.hpp"

#include "toroid/core/text.hpp"
#include "workloads/collectives/member_grid.hpp"

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
constexpr CallCondition ranks(Quantity side, double slope, double start) {
  return {side, 0, UINT64_MAX, slope, start};
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

// Vectors that are long enough fill the links of all axes; short ones go in few rounds. In an all-to-all round one ring
// of all members, blocks would go by a quarter of them: too far where these are no row.
constexpr auto long_enough = up_to(0, Quantity::too_short);
constexpr std::array torus_lines{
    RuleLine{bcast, from(16384, Quantity::bytes), "trees"},
    RuleLine{allreduce, long_enough, "rings"},
    RuleLine{allgather, long_enough, "rings"},
    RuleLine{allgather, up_to(0, Quantity::odd_ranks), "recursive_doubling"},
    RuleLine{allgather, always, "bruck"},
    RuleLine{allgatherv, long_enough, "rings"},
    RuleLine{allgatherv, always, "bruck"},
    RuleLine{alltoall, from(16384, Quantity::bytes_in_all), "rings", 0, up_to(0, Quantity::off_grid)},
    RuleLine{reduce_scatter, long_enough, "rings"},
    RuleLine{reduce_scatter, always, "recursive_halving"}};

// Open MPI's fixed decisions (coll_tuned_decision_fixed.c, releases 1.6 to 4.0). A vector of fewer elements than ranks,
// one of a single element, and sums that must keep their order are not told apart: a trace does not say so. Segments of
// a ring are left out, as they only overlap its sums; a barrier of a power of two ranks swaps signals in as many
// rounds.
constexpr std::uint64_t kib = 1024;
constexpr auto below = Quantity::below_line, above = Quantity::above_line;
constexpr std::array openmpi_lines{
    RuleLine{barrier, always, "dissemination"},
    RuleLine{bcast, up_to(2047, Quantity::bytes), "openmpi_binomial"},
    RuleLine{bcast, up_to(370727, Quantity::bytes), "split_binary", kib},
    RuleLine{bcast, ranks(below, 1.6134e-6, 2.1102), "chain", 128 * kib},
    RuleLine{bcast, up_to(12, Quantity::ranks), "split_binary", 8 * kib},
    RuleLine{bcast, ranks(below, 2.3679e-6, 1.1787), "chain", 64 * kib},
    RuleLine{bcast, ranks(below, 3.2118e-6, 8.7936), "chain", 16 * kib},
    RuleLine{bcast, always, "chain", 8 * kib},
    RuleLine{reduce, up_to(7, Quantity::ranks), "linear", 0, up_to(511, Quantity::bytes)},
    RuleLine{reduce, up_to(7, Quantity::ranks), "binomial", 0, up_to(20479, Quantity::bytes)},
    RuleLine{reduce, up_to(2047, Quantity::bytes), "binomial"},
    RuleLine{reduce, ranks(above, 0.6016 / 1024, 1.3496), "binomial", kib},
    RuleLine{reduce, ranks(above, 0.0410 / 1024, 9.7128), "chain", kib},
    RuleLine{reduce, ranks(above, 0.0422 / 1024, 1.1614), "binary", 32 * kib},
    RuleLine{reduce, ranks(above, 0.0033 / 1024, 1.6761), "chain", 32 * kib},
    RuleLine{reduce, always, "chain", 64 * kib},
    RuleLine{allreduce, up_to(9999, Quantity::bytes), "recursive_doubling"},
    RuleLine{allreduce, always, "ring"},
    RuleLine{gather, from(92161, Quantity::bytes), "linear_sync", 32 * kib},
    RuleLine{gather, from(6001, Quantity::bytes), "linear_sync", kib},
    RuleLine{gather, from(61, Quantity::ranks), "binomial"},
    RuleLine{gather, from(11, Quantity::ranks), "binomial", 0, up_to(1023, Quantity::bytes)},
    RuleLine{gather, always, "basic_linear"},
    RuleLine{gatherv, always, "linear"},
    RuleLine{scatter, from(11, Quantity::ranks), "binomial", 0, up_to(299, Quantity::bytes)},
    RuleLine{scatter, always, "basic_linear"},
    RuleLine{scatterv, always, "linear"},
    RuleLine{allgather, from(50000, Quantity::bytes_in_all), "neighbours"},
    RuleLine{allgather, up_to(0, Quantity::odd_ranks), "recursive_doubling"},
    RuleLine{allgather, always, "bruck"},
    RuleLine{allgatherv, from(50000, Quantity::bytes_in_all), "neighbours"},
    RuleLine{allgatherv, always, "bruck"},
    RuleLine{alltoall, from(13, Quantity::ranks), "bruck", 0, up_to(199, Quantity::bytes)},
    RuleLine{alltoall, up_to(2999, Quantity::bytes), "linear"},
    RuleLine{alltoall, always, "shift"},
    RuleLine{alltoallv, always, "shift"},
    RuleLine{reduce_scatter, up_to(12288, Quantity::bytes_in_all), "recursive_halving"},
    RuleLine{reduce_scatter, up_to(0, Quantity::odd_ranks), "recursive_halving", 0,
             up_to(262144, Quantity::bytes_in_all)},
    RuleLine{reduce_scatter, ranks(Quantity::from_line, 0.0012, 8), "recursive_halving"},
    RuleLine{reduce_scatter, always, "ring"},
    RuleLine{scan, always, "chain"},
    RuleLine{exscan, always, "chain"}};

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

std::uint64_t odd_blocks(std::span<const std::uint64_t> blocks) {
  std::uint64_t odd = 0;
  for (std::size_t i = 1; i < blocks.size(); ++i) odd += blocks[i] == blocks[i - 1] ? 0U : 1U;
  return odd;
}

std::uint64_t value(CallCondition::Quantity quantity, const CollectiveCall& call) {
  const auto size = static_cast<std::uint64_t>(call.size);
  const double rings_from = call.grid == nullptr ? 16384 : call.grid->rings_from(call.kind);
  return quantity == Quantity::ranks          ? size
         : quantity == Quantity::bytes        ? call.bytes
         : quantity == Quantity::bytes_in_all ? blocks_in_all(call)
         : quantity == Quantity::too_short    ? (static_cast<double>(vector_bytes(call)) < rings_from ? 1 : 0)
         : quantity == Quantity::off_grid     ? (call.grid != nullptr && call.grid->is_grid() ? 0 : size)
         : quantity == Quantity::odd_ranks    ? static_cast<std::uint64_t>(call.size - power_below(call.size))
                                              : odd_blocks(call.recv_counts);
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
  if (has_line()) {
    const auto bytes = call.kind == reduce_scatter ? blocks_in_all(call) : call.bytes;
    const auto line = slope * static_cast<double>(bytes) + start;
    return quantity == Quantity::below_line   ? call.size < line
           : quantity == Quantity::above_line ? call.size > line
                                              : call.size >= line;
  }
  const auto found = value(quantity, call);
  return low <= found && found <= high;
}

std::string CallCondition::text() const {
  if (is_always()) return {};
  if (has_line())
    return fmt::format("if p {} {:.5g} n + {:.5g}",
                       quantity == Quantity::below_line   ? "<"
                       : quantity == Quantity::above_line ? ">"
                                                          : ">=",
                       slope, start);
  if (quantity == Quantity::odd_ranks) return "if the ranks are a power of two";
  if (quantity == Quantity::odd_blocks) return "if all blocks are alike";
  if (quantity == Quantity::too_short) return "if sooner than few rounds by estimate";
  if (quantity == Quantity::off_grid) return "if the members stand in a grid";
  const auto limit = low > 0 ? "from " + grouped(low) : "up to " + grouped(high);
  return limit + (quantity == Quantity::ranks ? " ranks" : quantity == Quantity::bytes ? " B" : " B in all");
}

std::string RuleLine::condition() const {
  return too.is_always() ? when.text() : fmt::format("{} and {}", when.text(), too.text());
}

const RuleLine& CollectiveRule::line(const CollectiveCall& call) const {
  const auto line = std::ranges::find_if(
      lines, [&](const RuleLine& one) { return one.kind == call.kind && one.when.holds(call) && one.too.holds(call); });
  return line != lines.end() ? *line : rest->line(call);
}

std::vector<OpKind> CollectiveRule::kinds() const {
  std::vector<OpKind> all;
  for (const auto& line : lines)
    if (std::ranges::find(all, line.kind) == all.end()) all.push_back(line.kind);
  return all;
}

std::string CollectiveRule::text(OpKind kind) const {
  std::vector<std::string> parts;
  std::string last;
  bool is_complete = false;
  for (const auto& line : lines) {
    if (line.kind != kind) continue;
    const auto when = line.condition();
    is_complete = when.empty();
    const auto algorithm = line.segment == 0 ? std::string(line.algorithm)
                                             : fmt::format("{} in {} B", line.algorithm, grouped(line.segment));
    if (algorithm == last && !when.empty())
      parts.back() += " or " + when;
    else
      parts.push_back(fmt::format("{}{}{}{}", is_complete && !parts.empty() ? "else " : "", algorithm,
                                  when.empty() ? "" : " ", when));
    last = algorithm;
  }
  if (!is_complete) parts.push_back(fmt::format("else as {}", rest->name));
  return core::join(parts);
}

std::span<const CollectiveRule> collective_rules() {
  static const CollectiveRule mpi{"mpi", mpi_lines};
  static const std::array<CollectiveRule, 4> rules{
      {mpi, {"torus", torus_lines, &mpi, true}, {"openmpi", openmpi_lines}, {"smpi", smpi_lines}}};
  return rules;
}

std::vector<std::string> collective_rule_names() {
  std::vector<std::string> names{std::string(rule_of_program)};
  for (const auto& rule : collective_rules()) names.emplace_back(rule.name);
  return names;
}

}  // namespace toroid::workloads

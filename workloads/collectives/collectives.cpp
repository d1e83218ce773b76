#include "workloads/collectives/collectives.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/checked.hpp"
#include "core/error.hpp"
#include "core/spec.hpp"
#include "core/text.hpp"
#include "workloads/collectives/blocks.hpp"

namespace toroid::workloads {

// The families of algorithms, a line each: the function that returns theirs.
// clang-format off
#define FAMILIES(line)       \
  line(doubling_collectives) \
  line(binomial_collectives) \
  line(ring_collectives)     \
  line(torus_collectives)    \
  line(composed_collectives) \
  line(linear_collectives)
// clang-format on

#define DECLARE(family) std::vector<CollectiveAlgorithm> family();
FAMILIES(DECLARE)

const std::vector<CollectiveAlgorithm>& collective_algorithms() {
  static const auto table = [] {
    std::vector<CollectiveAlgorithm> all;
#define ADD(family) \
  for (const auto& algorithm : family()) all.push_back(algorithm);
    FAMILIES(ADD)
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.kind < b.kind; });
    return all;
  }();
  return table;
}

namespace {

/// Short messages: few rounds. Long ones: few bytes per rank, and few messages in the network at once.
std::string_view mpi_rule(const CollectiveCall& call) {
  const auto p = static_cast<std::uint64_t>(call.size);
  const bool power = power_below(call.size) == call.size;
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

/// Blocks that are not all alike go MPICH's ways, which it tells apart by the number of elements: here of bytes.
std::string_view smpi_reduce_scatter(const CollectiveCall& call) {
  constexpr std::uint64_t many = 524288;
  const auto& blocks = call.recv_counts;
  if (std::ranges::adjacent_find(blocks, std::not_equal_to()) == blocks.end()) return "linear";
  const auto all = std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0});
  return all > many ? "pairwise" : "recursive_doubling";
}

/// The replay defaults of SimGrid 3.32 (docs/explanation/collectives.md has them as a table). Its all-to-all is Open
/// MPI's decision table, of which only the column for 64 ranks was measured; it is used for all sizes.
std::string_view smpi_rule(const CollectiveCall& call) {
  switch (call.kind) {
    case OpKind::bcast:
      return "binomial";
    case OpKind::allreduce:
      return "reduce_bcast";
    case OpKind::alltoall:
      return call.bytes < 1024 ? "bruck" : call.bytes < 262144 ? "linear" : "pairwise";
    case OpKind::reduce_scatter:
      return smpi_reduce_scatter(call);
    default:
      return "linear";
  }
}

/// Vectors that are long enough fill the links of all axes; short ones go by MPI's rule, whose rounds are few.
std::string_view torus_rule(const CollectiveCall& call) {
  constexpr std::uint64_t some = 16384;
  const auto p = static_cast<std::uint64_t>(call.size);
  switch (call.kind) {
    case OpKind::bcast:
      return call.bytes < some ? mpi_rule(call) : "trees";
    case OpKind::allreduce:
      return call.bytes < some ? mpi_rule(call) : "rings";
    case OpKind::allgather:
    case OpKind::alltoall:
      return call.bytes < some / p ? mpi_rule(call) : "rings";
    case OpKind::allgatherv:
    case OpKind::reduce_scatter:
      return "rings";
    default:
      return mpi_rule(call);
  }
}

struct Rule {
  std::string_view name;
  std::string_view (*algorithm)(const CollectiveCall&);
  bool may_use_grid = false;  ///< whether it may name an algorithm that goes along the members' grid
};

/// The default comes first. A choice that no program was given to goes by MPI's rule.
constexpr std::array<Rule, 4> rules{
    {{"default", mpi_rule}, {"mpi", mpi_rule}, {"torus", torus_rule, true}, {"smpi", smpi_rule}}};

/// The rule of that name, which there must be.
const Rule& rule_named(std::string_view name) {
  return *std::ranges::find(rules, name, &Rule::name);
}

OpKind collective_named(std::string_view name, std::string_view spec) {
  std::vector<std::string> valid;
  for (std::size_t k = static_cast<std::size_t>(OpKind::barrier); k < static_cast<std::size_t>(OpKind::fence); ++k) {
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

CollectiveChoice::CollectiveChoice() : rule_(rules[0].name) {}

CollectiveChoice CollectiveChoice::parse(std::string_view text) {
  const auto spec = core::Spec::parse(text);
  const auto rule = std::ranges::find(rules, spec.name(), &Rule::name);
  if (rule == rules.end()) {
    std::vector<std::string> valid;
    for (const auto& valid_rule : rules) valid.emplace_back(valid_rule.name);
    core::fail_input("unknown set of collective algorithms '{}'{}, such as default:bcast=linear", spec.name(),
                     core::valid_instead(spec.name(), valid));
  }
  if (!spec.argument().empty())
    core::fail_input("'{}': found '{}', expected collective=algorithm", text, spec.argument());
  CollectiveChoice choice;
  choice.rule_ = rule->name;
  for (const auto& [collective, algorithm] : spec.parameters()) {
    const auto kind = collective_named(collective, text);
    choice.override_[static_cast<std::size_t>(kind)] = &find_collective(kind, algorithm);
  }
  return choice;
}

CollectiveChoice CollectiveChoice::for_program(const Trace& trace) const {
  auto choice = *this;
  if (rule_ == "default") choice.rule_ = trace.collectives() == CollectiveWorld::torus ? "torus" : "mpi";
  return choice;
}

std::string CollectiveChoice::text() const {
  std::string text(rule_);
  for (const auto* chosen : override_)
    if (chosen != nullptr)
      text += fmt::format("{}{}={}", text == rule_ ? ':' : ',', to_string(chosen->kind), chosen->name);
  return text;
}

const CollectiveAlgorithm& CollectiveChoice::choose(const CollectiveCall& call) const {
  if (const auto* chosen = override_[static_cast<std::size_t>(call.kind)]) return *chosen;
  return find_collective(call.kind, rule_named(rule_).algorithm(call));
}

bool CollectiveChoice::may_use_grid() const {
  return rule_named(rule_).may_use_grid ||
         std::ranges::any_of(override_, [](const auto* chosen) { return chosen != nullptr && chosen->uses_grid; });
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
  // What a fence does besides waiting for puts.
  const auto kind = op.kind == OpKind::fence ? OpKind::barrier : op.kind;
  const CollectiveCall call{kind, me, size, op.root, op.bytes, op.send_counts, op.recv_counts};
  check_size(call);
  return call;
}

}  // namespace toroid::workloads

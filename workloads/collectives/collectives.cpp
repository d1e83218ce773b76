#include "workloads/collectives/collectives.hpp"

#include "core/checked.hpp"
#include "core/error.hpp"
#include "core/parameter.hpp"
#include "core/text.hpp"
#include "workloads/collectives/rules.hpp"

namespace toroid::workloads {

// The families of algorithms, a line each: the function that returns theirs.
// clang-format off
#define FAMILIES(line)       \
  line(doubling_collectives) \
  line(binomial_collectives) \
  line(ring_collectives)     \
  line(torus_collectives)    \
  line(linear_collectives)
// clang-format on

#define DECLARE(family) std::vector<CollectiveAlgorithm> family();
FAMILIES(DECLARE)
#undef DECLARE

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

/// The rule of that name, or null. A choice that no program was given to goes by the first.
const CollectiveRule* find_rule(std::string_view name) {
  const auto rules = collective_rules();
  if (name == rule_of_program) return &rules[0];
  const auto found = std::ranges::find(rules, name, &CollectiveRule::name);
  return found == rules.end() ? nullptr : &*found;
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

CollectiveChoice::CollectiveChoice() : rule_(rule_of_program) {}

CollectiveChoice CollectiveChoice::parse(std::string_view text) {
  const auto spec = core::Spec::parse(text);
  const auto* rule = find_rule(spec.name());
  if (rule == nullptr)
    core::fail_input("unknown set of collective algorithms '{}'{}, such as default:bcast=linear", spec.name(),
                     core::valid_instead(spec.name(), collective_rule_names()));
  if (!spec.argument().empty())
    core::fail_input("'{}': found '{}', expected collective=algorithm", text, spec.argument());
  CollectiveChoice choice;
  if (spec.name() != rule_of_program) choice.rule_ = rule->name;
  for (const auto& [collective, algorithm] : spec.parameters()) {
    const auto kind = collective_named(collective, text);
    choice.override_[static_cast<std::size_t>(kind)] = &find_collective(kind, algorithm);
  }
  return choice;
}

CollectiveChoice CollectiveChoice::for_program(const Trace& trace) const {
  auto choice = *this;
  if (rule_ == rule_of_program) choice.rule_ = trace.collectives() == CollectiveWorld::torus ? "torus" : "mpi";
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
  return find_collective(call.kind, find_rule(rule_)->algorithm(call));
}

bool CollectiveChoice::may_use_grid() const {
  return find_rule(rule_)->may_use_grid ||
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

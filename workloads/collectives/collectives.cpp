#include "workloads/collectives/collectives.hpp"

#include "core/entries.hpp"
#include "core/hash.hpp"
#include "workloads/collectives/rules.hpp"

namespace toroid::workloads {

// The families of algorithms, each by the function that returns its algorithms.
TOROID_ENTRIES(std::vector<CollectiveAlgorithm>, collective_families, doubling_collectives, binomial_collectives,
               ring_collectives, torus_collectives, butterfly_collectives, tree_collectives, linear_collectives)

const std::vector<CollectiveAlgorithm>& collective_algorithms() {
  static const auto table = [] {
    auto all = core::joined(collective_families());
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

using Takes = CollectiveAlgorithm::Takes;

/// `chain:segment=64KiB`, after the algorithm's name was read.
CollectiveTuning read_tuning(const core::Spec& spec, Takes takes) {
  static const core::Parameter<CommRank> ports("ports", "parts that go on side by side", core::whole<CommRank>(1, 64),
                                               "1");
  static const core::Parameter<std::uint64_t> segment("segment", "bytes into which messages are cut",
                                                      core::whole_bytes(), "0");
  CollectiveTuning tuning;
  for (const auto& [key, text] : spec.parameters()) {
    if (key == ports.name && (takes == Takes::ports || takes == Takes::both))
      tuning.ports = core::Arguments(spec, {ports})[ports];
    else if (key == segment.name && (takes == Takes::segment || takes == Takes::both))
      tuning.segment = core::Arguments(spec, {segment})[segment];
    else
      core::fail_input("'{}': {} has no key '{}'; it takes {}", spec.text(), spec.name(), key,
                       takes == Takes::nothing ? "none"
                       : takes == Takes::both  ? "ports and segment"
                       : takes == Takes::ports ? "ports"
                                               : "segment");
  }
  if (!spec.argument().empty()) core::fail_input("'{}': found '{}', expected key=value", spec.text(), spec.argument());
  return tuning;
}

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
    const auto chosen = core::Spec::inside(spec, algorithm);
    const auto& found = find_collective(kind, chosen.name());
    choice = choice.with({&found, read_tuning(chosen, found.takes)});
  }
  return choice;
}

CollectiveChoice CollectiveChoice::for_program(const Trace& trace) const {
  auto choice = *this;
  if (rule_ == rule_of_program) choice.rule_ = trace.collectives() == CollectiveWorld::torus ? "torus" : "mpi";
  return choice;
}

CollectiveChoice CollectiveChoice::with(const Override& override) const {
  auto choice = *this;
  std::erase_if(choice.overrides_, [&](const auto& one) { return one.algorithm->kind == override.algorithm->kind; });
  choice.overrides_.push_back(override);
  std::ranges::sort(choice.overrides_, {}, [](const auto& one) { return one.algorithm->kind; });
  return choice;
}

CollectiveChoice CollectiveChoice::with(const CollectiveChoice& other, OpKind kind) const {
  const auto* chosen = other.chosen_for(kind);
  return chosen == nullptr ? *this : with(*chosen);
}

std::vector<CollectiveChoice> CollectiveChoice::with_each(OpKind kind) const {
  std::vector<CollectiveChoice> all;
  for (const auto& algorithm : collective_algorithms()) {
    if (algorithm.kind != kind) continue;
    all.push_back(with({&algorithm, {}}));
    if (algorithm.takes == Takes::ports || algorithm.takes == Takes::both)
      all.push_back(with({&algorithm, {.ports = 1}}));
    if (algorithm.takes == Takes::segment || algorithm.takes == Takes::both)
      all.push_back(with({&algorithm, {.segment = 65536}}));
  }
  return all;
}

std::string CollectiveTuning::text() const {
  std::string text;
  for (const auto& [key, value] : {std::pair("ports", static_cast<std::uint64_t>(ports)), {"segment", segment}})
    if (value > 0) text += fmt::format("{}{}={}", text.empty() ? ':' : ',', key, value);
  return text;
}

std::string CollectiveChoice::text() const {
  std::string text(rule_);
  for (const auto& [chosen, tuning] : overrides_) {
    const auto how = tuning.text();
    text += fmt::format("{}{}={}{}{}{}", text == rule_ ? ':' : ',', to_string(chosen->kind), how.empty() ? "" : "(",
                        chosen->name, how, how.empty() ? "" : ")");
  }
  return text;
}

const CollectiveAlgorithm& CollectiveChoice::choose(const CollectiveCall& call) const {
  if (const auto* chosen = chosen_for(call.kind)) return *chosen->algorithm;
  return find_collective(call.kind, find_rule(rule_)->line(call).algorithm);
}

CollectiveTuning CollectiveChoice::tuning(const CollectiveCall& call) const {
  if (const auto* chosen = chosen_for(call.kind)) return chosen->tuning;
  return {.segment = find_rule(rule_)->line(call).segment};
}

const CollectiveChoice::Override* CollectiveChoice::chosen_for(OpKind kind) const {
  const auto found = std::ranges::find_if(overrides_, [&](const auto& one) { return one.algorithm->kind == kind; });
  return found == overrides_.end() ? nullptr : &*found;
}

bool CollectiveChoice::may_use_grid() const {
  return find_rule(rule_)->may_use_grid ||
         std::ranges::any_of(overrides_, [](const auto& chosen) { return chosen.algorithm->uses_grid; });
}

CollectiveCall collective_call(const Operation& op, CommRank me, CommRank size) {
  // What a fence does besides waiting for puts.
  const auto kind = op.kind == OpKind::fence ? OpKind::barrier : op.kind;
  const CollectiveCall call{kind, me, size, op.root, op.bytes, op.send_counts, op.recv_counts};
  check_size(call);
  return call;
}

}  // namespace toroid::workloads

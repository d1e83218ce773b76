#include "study/advice/advice.hpp"

#include "workloads/collectives/rules.hpp"

namespace toroid::study {

using workloads::CollectiveChoice;
using workloads::OpKind;

std::vector<std::string> AlgorithmAdvice::ties(double margin) const {
  std::vector<std::string> all;
  const auto& best = tried[taken];
  for (const auto& one : tried)
    if (&one != &best && one.time && one.algorithms != best.algorithms && *one.time <= *best.time * (1 + margin))
      all.push_back(one.choice.text());
  return all;
}

namespace {

/// The other rules, and each algorithm of each of these kinds beside a choice's own algorithms of the other kinds.
std::vector<CollectiveChoice> other_algorithms(const CollectiveChoice& choice, const std::vector<OpKind>& kinds) {
  std::vector<CollectiveChoice> all;
  for (const auto& rule : workloads::collective_rules()) all.push_back(CollectiveChoice::parse(rule.name));
  for (const auto kind : kinds)
    for (auto& other : choice.with_each(kind)) all.push_back(std::move(other));
  std::erase_if(all, [&](const CollectiveChoice& other) { return other.text() == choice.text(); });
  return all;
}

void try_all(const AlgorithmTrials& trials, const std::vector<CollectiveChoice>& others, AlgorithmAdvice& advice) {
  std::vector<netsim::Run> probes(others.size(), trials.base);
  for (std::size_t i = 0; i < others.size(); ++i) probes[i].job().options.collectives = others[i];
  const auto results = trials.run(probes, "trying algorithms");
  for (std::size_t i = 0; i < others.size(); ++i) {
    auto& one = advice.tried.emplace_back(AlgorithmsTried{others[i]});
    if (const auto measures = measures_from(results[i].result)) {
      one.algorithms = measures->algorithms;
      one.time = measures->runtime;
    }
  }
}

/// The fastest of those that `is_meant` says, if that is faster by the margin than what the program has; else 0.
template <class IsMeant>
std::size_t fastest(const AlgorithmTrials& trials, const AlgorithmAdvice& advice, IsMeant is_meant) {
  double least = *trials.now.time * (1 - trials.margin);
  std::size_t found = 0;
  for (std::size_t i = 1; i < advice.tried.size(); ++i)
    if (const auto& one = advice.tried[i]; one.time && *one.time < least && is_meant(one.choice)) {
      least = *one.time;
      found = i;
    }
  return found;
}

void ask_packets(const AlgorithmTrials& trials, AlgorithmAdvice& advice) {
  advice.no_packets = trials.spend(2 * trials.steps_of_packets);
  if (!advice.no_packets.empty()) return;
  std::vector<netsim::Run> probes(2, trials.base);
  for (auto& probe : probes) probe.engine = netsim::router_engine;
  probes[1].job().options.collectives = advice.tried[advice.taken].choice;
  const auto results = trials.run(probes, "checking algorithms");
  const auto now = measures_from(results[0].result), best = measures_from(results[1].result);
  if (now && best)
    advice.by_packets.emplace(now->runtime, best->runtime);
  else
    advice.no_packets = "failed: " + results[now ? 1 : 0].error;
}

}  // namespace

AlgorithmAdvice best_algorithms(const AlgorithmTrials& trials) {
  AlgorithmAdvice advice{.tried = {trials.now}};
  const auto& choice = trials.now.choice;
  const auto others = other_algorithms(choice, trials.kinds);
  advice.left_out = trials.spend(static_cast<double>(others.size() + 1) * trials.steps);
  if (!advice.left_out.empty()) return advice;
  try_all(trials, others, advice);
  auto together = choice;
  std::size_t better_kinds = 0;
  for (const auto kind : trials.kinds)
    if (const auto best =
            fastest(trials, advice, [&](const auto& one) { return choice.with(one, kind).text() == one.text(); });
        best > 0) {
      together = together.with(advice.tried[best].choice, kind);
      ++better_kinds;
    }
  if (better_kinds > 1) try_all(trials, {together}, advice);
  advice.taken = fastest(trials, advice, [](const auto&) { return true; });
  if (advice.taken > 0) ask_packets(trials, advice);
  return advice;
}

}  // namespace toroid::study

#include "cosim/situations.hpp"

#include "netsim/simulation.hpp"

namespace toroid::cosim {
namespace {

/// The most bytes of keys that are kept; beyond that all situations are forgotten.
constexpr std::size_t bytes_kept = 256U << 20U;

Pace in_order(const Pace& pace, const std::vector<std::size_t>& order) {
  Pace other{std::vector<double>(order.size()), pace.span};
  for (std::size_t i = 0; i < order.size(); ++i) other.seconds[order[i]] = pace.seconds[i];
  return other;
}

}  // namespace

Symmetry::Form Situations::form(Mix mix) const {
  std::vector<Symmetry::Placed> placed;
  for (const auto* program : mix) placed.push_back(program->placed("round"));
  return programs_.symmetry().form(placed);
}

Situations::Known& Situations::known(const std::string& key) {
  if (kept_ > bytes_kept) {
    known_.clear();
    solos_.clear();
    kept_ = 0;
  }
  const auto [found, is_new] = known_.try_emplace(key);
  if (is_new) kept_ += key.size();
  return found->second;
}

std::optional<Pace> Situations::recall(Mix mix) {
  ++asked_;
  const auto here = form(mix);
  const auto& known = this->known(here.key);
  if (known.samples < (mix.size() > 1 ? options_.samples : 1)) return std::nullopt;
  return in_order(known.pace, here.order);
}

Pace Situations::remember(Mix mix, const Pace& sample) {
  ++simulated_;
  const auto here = form(mix);
  auto& [samples, pace] = known(here.key);
  pace.seconds.resize(mix.size());
  ++samples;
  pace.span += (sample.span - pace.span) / samples;
  for (std::size_t i = 0; i < mix.size(); ++i)
    pace.seconds[i] += (sample.seconds[here.order[i]] - pace.seconds[i]) / samples;
  return in_order(pace, here.order);
}

Situations::Solo Situations::measure(const PlacedProgram& program) const {
  netsim::Clock clock;
  const auto network = programs_.engine().make(programs_.machine(), clock);
  netsim::Simulation simulation(*network, netsim::OnFailedJob::go_on);
  Solo solo;
  simulation.on_end([&](const netsim::Simulation::JobEnd& end) { solo.complaint = end.complaint; });
  Steadiness steadiness(1, clock.now(), options_);
  CountedRounds rounds(*program.loaded, static_cast<std::uint64_t>(options_.rounds), [&] {
    ++solo.rounds;
    if (steadiness.round_over(0, clock.now())) clock.stop();
  });
  simulation.add({&rounds.trace(), program.mapping, programs_.options().replay, clock.now()});
  simulation.run();
  solo.seconds = clock.now().seconds();
  if (solo.complaint.empty()) solo.per_round = steadiness.seconds_per_round()[0];
  return solo;
}

Alone Situations::alone(const PlacedProgram& program, std::uint64_t rounds) {
  if (rounds <= static_cast<std::uint64_t>(options_.rounds)) return programs_.alone(program, rounds);
  auto alone = programs_.alone(program, 1);
  if (!alone.complaint.empty()) return alone;
  const PlacedProgram* const mix[]{&program};
  const auto [known, is_new] = solos_.try_emplace(form(mix).key);
  if (is_new) {
    kept_ += known->first.size();
    known->second = measure(program);
  }
  const auto& solo = known->second;
  alone.complaint = solo.complaint;
  alone.seconds = solo.seconds + solo.per_round * static_cast<double>(rounds - solo.rounds);
  alone.max_link_load *= rounds;
  return alone;
}

}  // namespace toroid::cosim

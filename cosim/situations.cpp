#include "cosim/situations.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "core/random.hpp"
#include "netsim/simulation.hpp"
#include "workloads/repeated_trace.hpp"

namespace toroid::cosim {
namespace {

using netsim::Simulation;
using netsim::Time;
using workloads::Rank;

/// Of the keys of what is known; then all is forgotten.
constexpr std::size_t bytes_kept = 256U << 20U;
constexpr std::uint64_t warm_up = 1;  ///< units

/// What tells one mix from another, byte by byte.
std::string key_of(std::span<const Unit> units) {
  std::string key;
  for (const auto& unit : units) {
    key += fmt::format("{} {} {}:", unit.program->loaded->text, unit.rounds, unit.whole);
    for (const auto node : unit.program->mapping) key += fmt::format("{},", node);
    key += ';';
  }
  return key;
}

/// Counts the units that one job has ended, and when.
struct Counter {
  std::vector<std::int32_t> ranks_through;  ///< by round of this run, the first those that are over
  std::uint64_t over = 0;                   ///< rounds of this run
  std::uint64_t ended = 0;
  Time measured_from, last;

  void count(const Time& now) {
    ++ended;
    if (ended == warm_up) measured_from = now;
    last = now;
  }
  double mean() const { return (last - measured_from).seconds() / static_cast<double>(ended - warm_up); }
};

/// One mix on a network of its own.
class Mix {
 public:
  Mix(const PlacedPrograms& programs, std::span<const Unit> units, std::uint64_t rounds)
      : programs_(programs),
        units_(units),
        rounds_(rounds),
        network_(netsim::engines().make(programs.engine(), programs.machine(), clock_)),
        simulation_(*network_),
        counters_(units.size()),
        missing_(units.size()) {
    simulation_.on_end([this](const Simulation::JobEnd& end) { ended(end.job); });
    for (std::size_t i = 0; i < units.size(); ++i) traces_.push_back(make_trace(i));
  }

  /// Each job begins so many seconds after the beginning.
  std::vector<double> run(std::span<const double> phases) {
    for (std::size_t i = 0; i < units_.size(); ++i) add(i, Time(phases[i]));
    simulation_.run();
    std::vector<double> seconds;
    for (const auto& counter : counters_) seconds.push_back(counter.mean());
    return seconds;
  }

 private:
  /// Rounds are counted as ranks go through them. A run has an end, since ranks that wait for nobody, as those that
  /// only send, are far ahead of the others.
  std::unique_ptr<workloads::RepeatedTrace> make_trace(std::size_t i) {
    const auto& unit = units_[i];
    const auto& once = *unit.program->loaded->trace;
    if (unit.whole) return std::make_unique<workloads::RepeatedTrace>(once, unit.rounds);
    return std::make_unique<workloads::RepeatedTrace>(once, wanted(unit) + 1,
                                                      [this, i](Rank, std::uint64_t round) { begun(i, round); });
  }

  void add(std::size_t i, const Time& start) {
    const auto id = simulation_.add({traces_[i].get(), units_[i].program->mapping, programs_.options().replay, start});
    jobs_[id] = i;
  }

  /// A rank has begun a round: when all have, the one before is over.
  void begun(std::size_t i, std::uint64_t round) {
    if (round == 0) return;
    auto& counter = counters_[i];
    if (counter.ranks_through.size() < round) counter.ranks_through.resize(round);
    ++counter.ranks_through[round - 1];
    const auto ranks = units_[i].program->loaded->busy_ranks;
    for (; counter.over < counter.ranks_through.size() && counter.ranks_through[counter.over] == ranks; ++counter.over)
      count(i);
  }

  /// It begins anew, so that the others have it beside them as long as they need.
  void ended(Simulation::JobId job) {
    const auto i = jobs_.extract(job).mapped();
    if (units_[i].whole) count(i);
    counters_[i].ranks_through.clear();
    counters_[i].over = 0;
    if (missing_ > 0) add(i, clock_.now());
  }

  /// Units that are counted, so that rounds enough are.
  std::uint64_t wanted(const Unit& unit) const { return warm_up + (rounds_ - 1) / unit.rounds + 1; }

  void count(std::size_t i) {
    counters_[i].count(clock_.now());
    if (counters_[i].ended == wanted(units_[i]) && --missing_ == 0) clock_.stop();
  }

  const PlacedPrograms& programs_;
  std::span<const Unit> units_;
  std::uint64_t rounds_;  ///< of each that are measured
  netsim::Clock clock_;
  std::unique_ptr<netsim::Network> network_;
  std::vector<std::unique_ptr<workloads::RepeatedTrace>> traces_;
  Simulation simulation_;
  std::vector<Counter> counters_;
  std::size_t missing_;  ///< jobs that have not ended enough units yet
  std::map<Simulation::JobId, std::size_t> jobs_;
};

}  // namespace

std::vector<double> Situations::simulate(std::span<const Unit> units, const std::string& stream) {
  core::Random random(seed_, stream);
  std::vector<double> alone, phases;
  for (const auto& unit : units) {
    alone.push_back(programs_.alone(*unit.program, unit.rounds).seconds);
    phases.push_back(units.size() == 1 ? 0 : random.unit() * alone.back());
  }
  ++simulated_;
  auto seconds = Mix(programs_, units, static_cast<std::uint64_t>(options_.rounds)).run(phases);
  for (std::size_t i = 0; i < units.size(); ++i)
    if (!(seconds[i] > 0)) seconds[i] = alone[i];  // its ranks went through all rounds at once, ahead of its messages
  return seconds;
}

const std::vector<double>& Situations::seconds(std::span<const Unit> units) {
  ++asked_;
  if (kept_ > bytes_kept) {
    known_.clear();
    kept_ = 0;
  }
  const auto [found, is_new] = known_.try_emplace(key_of(units));
  auto& known = found->second;
  if (is_new) {
    kept_ += found->first.size();
    known.seconds.resize(units.size());
  }
  const bool varies = units.size() > 1;
  if (known.samples > 0 && (!varies || known.samples >= options_.samples)) return known.seconds;
  const auto sample = simulate(units, fmt::format("{}#{}", found->first, known.samples));
  ++known.samples;
  for (std::size_t i = 0; i < units.size(); ++i) known.seconds[i] += (sample[i] - known.seconds[i]) / known.samples;
  return known.seconds;
}

}  // namespace toroid::cosim

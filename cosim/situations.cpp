#include "cosim/situations.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <utility>

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
/// After so many a program begins anew, all ranks together: some ranks wait for nobody, as those that only send, and
/// are that far ahead of the others. Not fewer, since ranks that nothing keeps in step take some tens to fall out of
/// it.
constexpr std::uint64_t rounds_of_run = 64;

/// Counts the units that one job has ended, and when.
struct Counter {
  std::vector<std::int32_t> ranks_through;  ///< by round of this run, the first those that are over
  std::uint64_t over = 0;                   ///< rounds of this run
  std::uint64_t ended = 0, wanted = 0;
  Time last;
  std::string complaint;
  // When it began to be measured.
  std::uint64_t ended_before = 0;
  Time from;

  double mean() const { return (last - from).seconds() / static_cast<double>(ended - ended_before); }
};

/// One mix on a network of its own. All jobs are measured in the same time, so that what is quick meets what is slow in
/// all of its phases: from when the last one is warm until the last one has ended units enough.
class Mix {
 public:
  Mix(const PlacedPrograms& programs, std::span<const Unit> units, const EpochOptions& options)
      : programs_(programs),
        units_(units),
        options_(options),
        network_(netsim::engines().make(programs.engine(), programs.machine(), clock_)),
        simulation_(*network_, Simulation::OnFailure::go_on),
        counters_(units.size()) {
    simulation_.on_end([this](const Simulation::JobEnd& end) { ended(end); });
    for (std::size_t i = 0; i < units.size(); ++i) traces_.push_back(make_trace(i));
    wait_for(options_.warm_up);
  }

  /// Each job begins so many seconds after the beginning.
  std::vector<Pace> run(std::span<const double> phases) {
    for (std::size_t i = 0; i < units_.size(); ++i) add(i, Time(phases[i]));
    simulation_.run();
    std::vector<Pace> paces;
    for (const auto& counter : counters_) paces.push_back({has_failed_ ? 0 : counter.mean(), counter.complaint});
    return paces;
  }

 private:
  /// Rounds are counted as ranks go through them.
  std::unique_ptr<workloads::RepeatedTrace> make_trace(std::size_t i) {
    const auto& unit = units_[i];
    const auto& once = *unit.program->loaded->trace;
    if (unit.whole) return std::make_unique<workloads::RepeatedTrace>(once, unit.rounds);
    return std::make_unique<workloads::RepeatedTrace>(once, rounds_of_run,
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
  void ended(const Simulation::JobEnd& end) {
    const auto i = jobs_.extract(end.job).mapped();
    if (end.how == netsim::End::failed) {
      counters_[i].complaint = end.complaint;
      has_failed_ = true;
      return clock_.stop();
    }
    if (units_[i].whole) count(i);
    counters_[i].ranks_through.clear();
    counters_[i].over = 0;
    if (!over_) add(i, clock_.now());
  }

  /// Until each job has ended so many rounds from now.
  void wait_for(std::int32_t rounds) {
    for (std::size_t i = 0; i < units_.size(); ++i) {
      auto& counter = counters_[i];
      counter.from = counter.last;
      counter.ended_before = counter.ended;
      counter.wanted = counter.ended + (static_cast<std::uint64_t>(rounds) - 1) / units_[i].rounds + 1;
    }
    missing_ = units_.size();
  }

  void count(std::size_t i) {
    auto& counter = counters_[i];
    counter.last = clock_.now();
    if (++counter.ended != counter.wanted || --missing_ > 0) return;
    over_ = std::exchange(is_warm_, true);
    if (over_)
      clock_.stop();
    else
      wait_for(options_.rounds);
  }

  const PlacedPrograms& programs_;
  std::span<const Unit> units_;
  EpochOptions options_;
  netsim::Clock clock_;
  std::unique_ptr<netsim::Network> network_;
  std::vector<std::unique_ptr<workloads::RepeatedTrace>> traces_;
  Simulation simulation_;
  std::vector<Counter> counters_;
  std::size_t missing_ = 0;  ///< jobs that have not ended rounds enough
  bool is_warm_ = false, over_ = false, has_failed_ = false;
  std::map<Simulation::JobId, std::size_t> jobs_;
};

}  // namespace

std::vector<Pace> Situations::simulate(std::span<const Unit> units, const std::string& stream) {
  core::Random random(seed_, stream);
  std::vector<double> alone, phases;
  for (const auto& unit : units) {
    alone.push_back(programs_.alone(*unit.program, unit.rounds).seconds);
    phases.push_back(units.size() == 1 ? 0 : random.unit() * alone.back());
  }
  ++simulated_;
  auto paces = Mix(programs_, units, options_).run(phases);
  for (std::size_t i = 0; i < units.size(); ++i)
    if (!(paces[i].seconds > 0))
      paces[i].seconds = alone[i];  // its ranks went through all rounds ahead of its messages
  return paces;
}

std::vector<Pace> Situations::paces(std::span<const Unit> units) {
  ++asked_;
  std::vector<Symmetry::Placed> placed;
  for (const auto& unit : units) placed.push_back(unit.program->placed(fmt::format("{} {}", unit.rounds, unit.whole)));
  const auto form = programs_.symmetry().form(placed);
  auto& known = recall(form.key, units.size());
  const bool varies = units.size() > 1;
  if (known.samples == 0 || (varies && known.samples < options_.samples)) {
    std::vector<Unit> ordered;
    for (const auto i : form.order) ordered.push_back(units[i]);
    const auto sample = simulate(ordered, fmt::format("{}#{}", form.key, known.samples));
    ++known.samples;
    for (std::size_t i = 0; i < sample.size(); ++i) {
      auto& pace = known.paces[i];
      pace.seconds += (sample[i].seconds - pace.seconds) / known.samples;
      if (pace.complaint.empty()) pace.complaint = sample[i].complaint;
    }
  }
  std::vector<Pace> paces(units.size());
  for (std::size_t i = 0; i < units.size(); ++i) paces[form.order[i]] = known.paces[i];
  return paces;
}

/// What is known of a mix, which may be nothing yet.
Situations::Known& Situations::recall(const std::string& key, std::size_t units) {
  if (kept_ > bytes_kept) {
    known_.clear();
    kept_ = 0;
  }
  const auto [found, is_new] = known_.try_emplace(key);
  if (is_new) {
    kept_ += key.size();
    found->second.paces.resize(units);
  }
  return found->second;
}

}  // namespace toroid::cosim

#pragma once
// Advice on where the ranks of a program should run: which mapping to take, what it gains, whether that holds by other
// models, what limits the run then, and which changes of the machine would help.

#include "netsim/results/critical_losses.hpp"
#include "study/advice/trials.hpp"
#include "toroid/netsim/computation_use.hpp"
#include "toroid/study/rows.hpp"
#include "toroid/study/tasks/executor.hpp"

namespace toroid::study {

struct AlgorithmsTried {
  workloads::CollectiveChoice choice;
  std::string algorithms = {};      ///< netsim::collectives_in_words() of the run
  std::optional<double> time = {};  ///< seconds, by the fast engine; none where the run failed
};

struct AlgorithmAdvice {
  std::vector<AlgorithmsTried> tried;  ///< what the program has, then others; empty without collectives
  std::size_t taken = 0;               ///< number of the fastest; 0 unless one is faster by a margin
  std::string left_out = {};           ///< why no others were tried; empty: they were
  /// Seconds of the first and of the taken ones by packets, and why there are none.
  std::optional<std::pair<double, double>> by_packets = {};
  std::string no_packets = {};

  /// The others that take as long as the taken ones, up to a share of their time.
  std::vector<std::string> ties(double margin) const;
};

/// What it takes to try algorithms.
struct AlgorithmTrials {
  netsim::Run base;                                ///< the program as it is
  AlgorithmsTried now;                             ///< what came of that
  std::vector<workloads::OpKind> kinds;            ///< the kinds of its collectives
  double margin;                                   ///< what is not faster by this share of the time is not taken
  double steps, steps_of_packets;                  ///< what a run costs
  std::function<std::string(double steps)> spend;  ///< takes steps off a budget, or gives the reason why not
  std::function<std::vector<Done>(const std::vector<netsim::Run>& runs, const char* title)> run;  ///< their measures
};

/// Runs the program with each other rule, with each algorithm of each kind of its collectives, and with the best of
/// each kind together; then the best beside what the program has by packets.
AlgorithmAdvice best_algorithms(const AlgorithmTrials& trials);

struct Advice;

struct AdviceRequest {
  const platforms::Machine& machine;
  const workloads::Trace& trace;
  const mapping::Traffic& traffic;          ///< the traffic of the trace, which mappers see
  std::vector<mapping::NodeId> slots;       ///< at least as many as ranks
  mapping::MapperChoice baseline;           ///< what the user would do without advice
  std::vector<mapping::MapperChoice> maps;  ///< what is tried instead
  netsim::ReplayOptions options = {};
  std::size_t repeats = 5;  ///< searches by each mapper that draws lots, at most
  std::uint64_t seed = 1;   ///< search r uses seed + r
  double budget = 30;       ///< the work to spend, in the units that are explained below
  /// Told what is best so far, before the mappers that take a budget search.
  std::function<void(const Advice&)> first_answer = [](const Advice&) {};
};

// The budget is work, not time, so that the advice is the same on any machine: a unit is 10^8 steps as those of the
// mapper `auto`, about a second of a core. Half of it is for searches by mappers that take a budget. The checks share
// the other half, the most important first; what would take more than is left of that is left out, and the advice says
// so. How much a run takes is estimated from its messages, but those of iterations that repeat (netsim/repeats/).
// Each mapping that is tried is simulated once, whatever the budget is; where that takes long, fewer are drawn by lot.
constexpr double steps_of_budget = 1e8;

/// A mapper that was tried.
struct Tried {
  mapping::MapperChoice map;
  Sample times = {};              ///< seconds, by the fast engine, of the searches that succeeded
  std::size_t search = 0;         ///< number of the search that stands for it: the fastest, of a baseline the median
  double time = 0;                ///< seconds of that one
  mapping::Mapping mapping = {};  ///< its mapping
  std::vector<std::string> notes = {};  ///< what the mapper said of it
  std::string algorithms = {};          ///< netsim::collectives_in_words() of its run
  std::string error = {};               ///< why the first one of its searches that failed did so; empty: none did

  double best() const { return *std::ranges::min_element(times); }
  double worst() const { return *std::ranges::max_element(times); }
};

/// The ratio of two times; 1 where nothing takes time.
inline double ratio(double time, double other) {
  return other > 0 ? time / other : 1;
}

/// The mappings of the baseline and of the advice, run in another way.
struct SecondLook {
  /// With the computation that is left out, without the one that counts, or by another engine.
  enum class Kind : std::uint8_t { computation, communication, engine, reference };
  Kind kind;
  std::string engine;
  std::size_t map = 0;  ///< number of the advice; without computation, where the baseline stays, of the fastest other
  double baseline = 0, advised = 0;  ///< seconds
  std::string left_out = {};         ///< why there are no such runs; empty: there are

  double gain() const { return ratio(baseline, advised); }
};

/// What the run of the advised mapping is made of.
struct Limits {
  Measures measures;
  double waiting_for_partners = 0;       ///< share of the run time, the mean over ranks
  std::vector<netsim::KindLoss> losses;  ///< the largest first
  std::optional<Measures> whole = {};    ///< the measures of the run with computation, where that is left out
};

/// What a change of the machine does to the run of the advised mapping.
struct Effect {
  PropertyChange change;
  std::optional<double> time = {};   ///< seconds; none where that is no machine
  std::optional<double> whole = {};  ///< seconds with computation, where that is left out
};

struct Advice {
  std::vector<Tried> tried;  ///< the baseline, mappings by lot, then the others in their order
  std::size_t advised = 0;   ///< number of what to take: the fastest, or the baseline unless that is slower by `margin`
  static constexpr double margin = 0.01;
  static constexpr std::size_t baseline = 0, by_lot = 1;
  bool is_idle = false;  ///< whether no rank sends another one a message, so that nothing else is known
  netsim::ComputationUse computation;
  std::vector<SecondLook> looks;
  std::optional<Limits> limits;
  std::string no_limits;             ///< why there are no limits; empty: there are
  std::vector<Effect> effects;       ///< what changes do, in the order of usual_changes()
  std::string no_effects;            ///< why there are no effects; empty: there are
  AlgorithmAdvice algorithms;        ///< which algorithms the program's collectives should have on the advised nodes
  std::vector<std::string> remarks;  ///< what a user should know of the engines that were asked
  double needed_budget = 0;          ///< about the budget at which nothing is left out

  const Tried& taken() const { return tried[advised]; }
  const Tried& without() const { return tried[baseline]; }
  bool keeps_baseline() const { return advised == baseline; }
  double gain() const { return ratio(without().time, taken().time); }
};

/// Seeks a mapping and looks at it from all sides, by runs in so many worker processes. The advice does not depend on
/// their number. Throws InputError where the slots are too few or a mapper does not fit, SimulationError where the
/// program cannot run with the baseline.
Advice advise(const AdviceRequest& request, std::size_t workers);

/// Throws InputError where advise() would, without any search.
void check(const AdviceRequest& request);

/// The advice as JSON (docs/reference/results.md).
core::Json advice_json(const Advice& advice, const AdviceRequest& request);
/// The objects of the document `advice`, which has that JSON of each program.
std::vector<core::ObjectText> advice_objects();

}  // namespace toroid::study

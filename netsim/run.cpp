#include <numeric>

#include "core/isolate.hpp"
#include "netsim/fluid/contention.hpp"
#include "netsim/machine_changer.hpp"
#include "netsim/repeats/sampling_plan.hpp"
#include "netsim/runs/rounds.hpp"

namespace toroid::netsim {

std::string_view untold_by_samples(const Run& run) {
  const auto& o = run.job().options;
  if (o.log_causes || o.keep_messages) return "the steps of the critical path";
  if (o.activity_windows > 0 || run.keep_windows) return "what ranks and links do over time";
  if (o.keep_timeline) return "single calls and messages";
  if (!run.changes.changes.empty()) return "what happens at a time";
  return {};
}

namespace {

/// What jobs run on: the network of the machine by the engine, which changes meanwhile, with its clock.
struct Stage {
  explicit Stage(const Run& run)
      : network(run.engine.make(run.machine, clock)),
        changer(clock, run.changes,
                [this, how = run.changes.on_link_failure](const Machine& machine) { network->change(machine, how); }) {
    network->measure_windows(run.windows);
  }
  Clock clock;
  std::unique_ptr<Network> network;
  MachineChanger changer;
};

/// The job that holds each node. Throws InputError on mappings that cannot be, and on a node of two jobs.
core::IdVector<NodeId, JobNumber> holders(const Run& run) {
  constexpr JobNumber nobody = ~JobNumber{0};
  core::IdVector<NodeId, JobNumber> holders(run.machine.node_count(), nobody);
  for (JobNumber job = 0; job < run.jobs.size(); ++job) {
    const auto& [name, trace, mapping, options, start, rounds] = run.jobs[job];
    check_mapping(mapping, trace, run.machine);
    for (const NodeId node : mapping) {
      auto& holder = holders[node];
      if (holder != nobody && holder != job)
        core::fail_input("jobs '{}' and '{}' both run on node {}", run.jobs[holder].name, name, node);
      holder = job;
    }
  }
  return holders;
}

/// Charges what jobs lose to those who cause the losses, if somebody asks and the engine can tell.
class Charging {
 public:
  Charging(const Run& run, core::IdVector<NodeId, JobNumber> job_of, Network& network)
      : why_not_(run.with_charges ? network.why_not_shared() : "nobody asked for it") {
    if (!why_not_.empty()) return;
    contention_.emplace(run.machine, std::move(job_of), run.jobs.size());
    network.watch(*contention_);
  }

  void tell(Result& result) const {
    result.why_not_shared = why_not_;
    if (!contention_) return;
    for (auto& job : result.jobs) job.charges.resize(result.jobs.size());
    for (const auto& link : result.links)
      for (JobNumber job = 0; job < result.jobs.size(); ++job)
        if (const auto bytes = contention_->bytes(link.link, job); bytes > 0)
          result.job_loads.push_back({link.link, job, bytes});
  }

 private:
  std::string why_not_;
  std::optional<Contention> contention_;
};

// In units of CountsWork.
constexpr double work_of_a_run = 10'000, work_of_a_link = 20, work_of_a_rank = 500, work_of_a_message = 150;
constexpr double uncounted_work_of_a_message = 2000;  // of an engine that does not count

/// The messages but those of iterations that were passed over.
double simulated_messages(const Result& result) {
  std::uint64_t messages = 0;
  for (const auto& job : result.jobs) messages += job.messages - job.repeated;
  return static_cast<double>(messages);
}

void give_up_beyond(double most_work, Clock& clock, const CountsWork& engine) {
  if (most_work == std::numeric_limits<double>::infinity()) return;
  clock.after_instant([&engine, most_work] {
    if (engine.work() > most_work)
      throw core::SimulationError(fmt::format("a simulation takes more than {:.1f} million steps", most_work / 1e6));
  });
}

/// Holds a result to what its header says of it.
void check(const Run& run, const Result& result) {
  TOROID_ASSERT(result.jobs.size() == run.jobs.size() && result.runtime >= 0);
  std::size_t ranks = 0;
  for (std::size_t i = 0; i < result.jobs.size(); ++i) {
    const auto& job = result.jobs[i];
    TOROID_ASSERT(job.first_rank.index() == ranks && job.rank_count == run.jobs[i].mapping.size());
    TOROID_ASSERT(0 <= job.start && job.start <= job.end && job.end <= result.runtime);
    TOROID_ASSERT(job.charges.empty() || job.charges.size() == result.jobs.size());
    TOROID_ASSERT(job.how != JobOutcome::done || run.jobs[i].rounds == job.rounds.size());
    TOROID_ASSERT_HEAVY(std::ranges::all_of(job.rounds, [](double seconds) { return seconds >= 0; }));
    ranks += job.rank_count;
  }
  TOROID_ASSERT(ranks == result.ranks.size());
  TOROID_ASSERT(result.activity.seconds.size() == result.activity.windows * ranks * doings);
  TOROID_ASSERT_HEAVY(std::ranges::all_of(result.ranks, [](const RankReport& rank) {
    return rank.compute >= 0 && rank.transfer >= 0 && rank.wait >= 0 && rank.finish >= 0;
  }));
  TOROID_ASSERT_HEAVY(std::ranges::is_sorted(result.links, {}, &LinkResult::link));
  TOROID_ASSERT_HEAVY(
      std::ranges::is_sorted(result.job_loads, {}, [](const JobLoad& load) { return std::pair(load.link, load.job); }));
  TOROID_ASSERT_HEAVY(std::ranges::all_of(result.links, [&](const LinkResult& link) {
    std::uint64_t bytes = 0;
    for (const auto& load : result.loads_of(link.link)) bytes += load.bytes;
    return link.busy >= 0 && bytes <= link.bytes;
  }));
}

CountedRun run_as_it_is(const Run& run, double most_work) {
  auto job_of = holders(run);
  Stage stage(run);
  auto& network = *stage.network;
  const Charging charging(run, std::move(job_of), network);
  const auto* engine = dynamic_cast<const CountsWork*>(&network);
  if (engine != nullptr) give_up_beyond(most_work, stage.clock, *engine);
  auto result = play_rounds(run, network);
  tell_links(network, run.keep_windows, result);
  charging.tell(result);
  result.engine_settings = network.settings_and_order();
  check(run, result);
  return {std::move(result), engine == nullptr ? 0 : engine->work()};
}

/// Iterations are left out of a sample only if all of them do the same; a program in which they do not may fail.
CountedRun run_here(const Run& run, double most_work) {
  const bool may_be_sampled = run.jobs.size() == 1 && run.job().options.repeats == Repeats::sample;
  if (!may_be_sampled) return run_as_it_is(run, most_work);
  if (const auto what = untold_by_samples(run); !what.empty())
    core::fail_input("--repeats sample leaves iterations out and cannot tell {}; expected exact or off", what);
  try {
    return run_as_it_is(run, most_work);
  } catch (const core::SimulationError&) {
    auto whole = run;
    whole.job().options.repeats = Repeats::exact;
    auto counted = run_as_it_is(whole, most_work);
    counted.result.sampled =
        SampledIterations{.wanted = run.job().options.sampling_width,
                          .why_whole = "without the iterations that a sample leaves out the program fails"};
    return counted;
  }
}

/// Tells `done` how many operations all jobs that end by themselves have begun, of the present round each.
void watch_progress(std::vector<PlacedJob>& jobs, const std::function<void(std::uint64_t)>& done) {
  const auto begun = std::make_shared<std::vector<std::uint64_t>>(jobs.size());
  for (std::size_t job = 0; job < jobs.size(); ++job)
    jobs[job].options.progress = [begun, done, job](std::uint64_t operations) {
      (*begun)[job] = operations;
      done(std::accumulate(begun->begin(), begun->end(), std::uint64_t{0}));
    };
}

constexpr double long_seconds = 10;

bool could_be_sampled(const Run& run, const Result& result) {
  const auto& job = run.job();
  return job.options.repeats == Repeats::exact && result.repeated.empty() && untold_by_samples(run).empty() &&
         job.trace.rounds(workloads::Rank(0)).count >= SamplingPlan::least_iterations;
}

}  // namespace

Result run_in_process(const Run& run) {
  return run_here(run, std::numeric_limits<double>::infinity()).result;
}

CountedRun run_counted(const Run& run, double most_work) {
  const bool counts = !load(run.engine).own_process;
  auto counted = counts ? run_here(run, most_work) : CountedRun{netsim::run(run)};
  const double each = counts ? work_of_a_message : uncounted_work_of_a_message;
  counted.work += work_of_a_run + work_of_a_link * static_cast<double>(run.machine.link_count()) +
                  work_of_a_rank * static_cast<double>(counted.result.ranks.size()) +
                  each * simulated_messages(counted.result);
  return counted;
}

double least_work(std::uint64_t messages) {
  return work_of_a_run + work_of_a_message * static_cast<double>(messages);
}

Result run(const Run& run, core::Progress* bar) {
  check_engine_for(run.changes, run.engine);
  auto watched = run;
  if (!load(run.engine).own_process) {
    if (bar != nullptr) watch_progress(watched.jobs, [bar](std::uint64_t operations) { bar->update(operations); });
    return run_in_process(watched);
  }
  return unpacked(core::run_isolated(
      [&](std::uint64_t& progress) {
        watch_progress(watched.jobs, [&progress](std::uint64_t operations) { progress = operations; });
        return packed(run_in_process(watched));
      },
      bar));
}

double run_alone(const Run& run, std::size_t job, core::Progress* bar) {
  const auto& placed = run.jobs[job];
  auto options = placed.options;
  options.log_causes = false;  // nothing is asked but the time
  options.activity_windows = 0;
  return netsim::run({run.machine, placed.trace, placed.mapping, std::move(options), run.engine}, bar).runtime;
}

std::vector<std::string> faster_ways(const Run& run, const Result& result, double seconds) {
  std::vector<std::string> ways;
  if (seconds <= long_seconds) return ways;
  if (const auto faster = faster_engine(run.engine); !faster.empty())
    ways.push_back(fmt::format("--engine {} solves the same model 10 to 100 times faster; --verify checks it", faster));
  else if (could_be_sampled(run, result))
    ways.emplace_back(
        "no iterations were found to repeat others; --repeats sample:1% estimates the run time from a part of them");
  return ways;
}

}  // namespace toroid::netsim

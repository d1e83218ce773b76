#include "netsim/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <unordered_map>

#include "core/error.hpp"
#include "core/isolate.hpp"
#include "netsim/fluid/contention.hpp"
#include "netsim/repeats/sampling_plan.hpp"
#include "netsim/replay/logs.hpp"

namespace toroid::netsim {

std::string_view untold_by_samples(const RunRequest& request) {
  const auto& o = request.options;
  if (o.log_causes || o.keep_messages) return "the steps of the critical path";
  if (o.activity_windows > 0 || request.keep_windows) return "what ranks and links do over time";
  if (o.keep_timeline) return "single calls and messages";
  if (!request.changes.changes.empty()) return "what happens at a time";
  return {};
}

namespace {

/// Lets the changes of a machine happen on its network, each at the beginning of its instant.
class MachineChanger final : TimerClient {
 public:
  /// The network and the changes must outlive it, and the machines must outlive the network.
  MachineChanger(Network& network, const MachineChanges& changes) : network_(network), changes_(changes) {
    for (const auto& change : changes.changes)
      timers_.push_back(network.clock().start_timer_at(Time(change.time), *this, 0));
  }
  ~MachineChanger() override {
    for (; next_ < timers_.size(); ++next_) network_.clock().cancel(timers_[next_]);
  }
  MachineChanger(const MachineChanger&) = delete;
  MachineChanger& operator=(const MachineChanger&) = delete;

 private:
  void timer_ended(std::uint32_t) override {
    network_.change(*changes_.changes[next_++].machine, changes_.on_link_failure);
  }
  bool keeps_appointments() const override { return true; }

  Network& network_;
  const MachineChanges& changes_;
  std::size_t next_ = 0;  ///< number of changes that have happened
  std::vector<TimerId> timers_;
};

/// What jobs run on, one or several: the network of the machine by the engine, which changes meanwhile, with its clock.
struct Stage {
  template <class Request>
  explicit Stage(const Request& request)
      : network(request.engine.make(request.machine, clock)), changer(*network, request.changes) {
    network->measure_windows(request.windows);
  }
  Clock clock;
  std::unique_ptr<Network> network;
  MachineChanger changer;
};

/// Told how many operations have begun; empty if nobody wants to know.
using Tell = std::function<void(std::uint64_t)>;

/// The result of `simulate`, which is given a Tell: in this process, or in one of its own if the engine needs that.
template <class AResult, class Simulate>
AResult run_by(const EngineChoice& engine, core::Progress* bar, Simulate simulate) {
  if (!load(engine).own_process)
    return simulate(bar == nullptr ? Tell() : [bar](std::uint64_t operations) { bar->update(operations); });
  const auto bytes = core::run_isolated(
      [&](std::uint64_t& progress) {
        return packed(simulate(Tell([&progress](std::uint64_t operations) { progress = operations; })));
      },
      bar);
  return unpacked<AResult>(bytes);
}

// --- one job ---

void check_sampling(const RunRequest& request) {
  if (request.options.repeats != Repeats::sample) return;
  if (const auto what = untold_by_samples(request); !what.empty())
    core::fail_input("--repeats sample leaves iterations out and cannot tell {}; expected exact or off", what);
}

// In units of CountsWork.
constexpr double work_of_a_run = 10'000, work_of_a_link = 20, work_of_a_rank = 500, work_of_a_message = 150;
constexpr double uncounted_work_of_a_message = 2000;  // of an engine that does not count

/// The messages but those of iterations that were passed over.
double simulated_messages(const Result& result) {
  auto messages = result.messages;
  for (const auto& iterations : result.repeated) messages -= iterations.messages;
  return static_cast<double>(messages);
}

void give_up_beyond(double most_work, Clock& clock, const CountsWork& engine) {
  if (most_work == std::numeric_limits<double>::infinity()) return;
  clock.after_instant([&engine, most_work] {
    if (engine.work() > most_work)
      throw core::SimulationError(fmt::format("a simulation takes more than {:.1f} million steps", most_work / 1e6));
  });
}

CountedRun run_as_it_is(const RunRequest& request, double most_work) {
  Stage stage(request);
  auto& network = *stage.network;
  if (request.profile) network.enable_profile();
  Simulation simulation(network);
  ReplayReport report;
  simulation.on_end([&](Simulation::JobEnd end) { report = std::move(end.report); });
  simulation.add({&request.trace, request.mapping, request.options});
  simulation.pass_over_repeats();
  const auto* engine = dynamic_cast<const CountsWork*>(&network);
  if (engine != nullptr) give_up_beyond(most_work, stage.clock, *engine);
  simulation.run();
  auto result = make_result(network, std::move(report), request.keep_windows);
  if (request.profile) result.profile = network.profile();
  return {std::move(result), engine == nullptr ? 0 : engine->work()};
}

/// Iterations are left out of a sample only if all of them do the same; a program in which they do not may fail.
CountedRun run_here(const RunRequest& request, double most_work) {
  check_mapping(request.mapping, request.trace, request.machine);
  check_sampling(request);
  if (request.options.repeats != Repeats::sample) return run_as_it_is(request, most_work);
  try {
    return run_as_it_is(request, most_work);
  } catch (const core::SimulationError&) {
    auto whole = request;
    whole.options.repeats = Repeats::exact;
    auto run = run_as_it_is(whole, most_work);
    run.result.sampled =
        SampledIterations{.wanted = request.options.sampling_width,
                          .why_whole = "without the iterations that a sample leaves out the program fails"};
    return run;
  }
}

}  // namespace

Result run_in_process(const RunRequest& request) {
  return run_here(request, std::numeric_limits<double>::infinity()).result;
}

CountedRun run_counted(const RunRequest& request, double most_work) {
  const bool counts = !load(request.engine).own_process;
  auto run = counts ? run_here(request, most_work) : CountedRun{netsim::run(request)};
  const double each = counts ? work_of_a_message : uncounted_work_of_a_message;
  run.work += work_of_a_run + work_of_a_link * static_cast<double>(request.machine.link_count()) +
              work_of_a_rank * static_cast<double>(request.mapping.size()) + each * simulated_messages(run.result);
  return run;
}

double least_work(std::uint64_t messages) {
  return work_of_a_run + work_of_a_message * static_cast<double>(messages);
}

Result run(const RunRequest& request, core::Progress* bar) {
  check_engine_for(request.changes, request.engine);
  return run_by<Result>(request.engine, bar, [&](const Tell& tell) {
    auto watched = request;
    if (tell) watched.options.progress = tell;
    return run_in_process(watched);
  });
}

namespace {

constexpr double long_seconds = 10;

bool could_be_sampled(const RunRequest& request, const Result& result) {
  return request.options.repeats == Repeats::exact && result.repeated.empty() && untold_by_samples(request).empty() &&
         request.trace.rounds(workloads::Rank(0)).count >= SamplingPlan::least_iterations;
}

}  // namespace

std::vector<std::string> faster_ways(const RunRequest& request, const Result& result, double seconds) {
  std::vector<std::string> ways;
  if (seconds <= long_seconds) return ways;
  if (const auto faster = faster_engine(request.engine); !faster.empty())
    ways.push_back(fmt::format("--engine {} solves the same model 10 to 100 times faster; --verify checks it", faster));
  else if (could_be_sampled(request, result))
    ways.emplace_back(
        "no iterations were found to repeat others; --repeats sample:1% estimates the run time from a part of them");
  return ways;
}

// --- several jobs ---

namespace {

/// Adds the charges of a round, of which the last is what changes of the machine took.
void book(const std::vector<double>& charges, JobResult& result) {
  if (charges.empty()) return;
  result.charges.resize(charges.size() - 1);
  std::transform(result.charges.begin(), result.charges.end(), charges.begin(), result.charges.begin(), std::plus());
  result.changes += charges.back();
}

/// The job that holds each node. Throws InputError on mappings that cannot be, and on a node of two jobs.
core::IdVector<NodeId, JobNumber> holders(const JobsRequest& request) {
  constexpr JobNumber nobody = ~JobNumber{0};
  core::IdVector<NodeId, JobNumber> holders(request.machine.node_count(), nobody);
  for (JobNumber job = 0; job < request.jobs.size(); ++job) {
    const auto& [name, trace, mapping, options, start, rounds] = request.jobs[job];
    check_mapping(mapping, trace, request.machine);
    for (const NodeId node : mapping) {
      auto& holder = holders[node];
      if (holder != nobody && holder != job)
        core::fail_input("jobs '{}' and '{}' both run on node {}", request.jobs[holder].name, name, node);
      holder = job;
    }
  }
  return holders;
}

/// The rounds of all jobs, one after the other, and what becomes of them.
class Together {
 public:
  Together(const JobsRequest& request, Network& network)
      : request_(request), network_(network), simulation_(network, OnFailedJob::go_on), jobs_(count()) {
    for (std::size_t job = 0; job < count(); ++job)
      jobs_[job].activity.begin(request.jobs[job].mapping.size(), request.activity_windows);
    simulation_.on_end([this](Simulation::JobEnd end) { ended(std::move(end)); });
  }

  std::vector<JobResult> run() {
    for (std::size_t job = 0; job < count(); ++job) {
      waited_for_ += request_.jobs[job].rounds == until_end ? 0 : 1;
      jobs_[job].result.start = request_.jobs[job].start;
      begin_round(job, Time(request_.jobs[job].start));
    }
    if (waited_for_ == 0)
      core::fail_input("every job repeats until the others have ended; expected one that ends by itself");
    for (const auto& [time, job] : request_.kills) {
      auto& killed_at = jobs_[job].killed_at;
      killed_at = std::min(killed_at, Time(time));
      simulation_.kill(jobs_[job].round, killed_at);
    }
    simulation_.pass_over_repeats();
    simulation_.run();
    tell_last_rounds();
    double runtime = 0;
    for (const auto& job : jobs_) runtime = std::max(runtime, job.result.end);
    std::vector<JobResult> results;
    for (auto& job : jobs_) {
      job.result.activity = job.activity.finish(runtime);
      results.push_back(std::move(job.result));
    }
    return results;
  }

 private:
  struct Running {
    JobResult result;
    Simulation::JobId round = 0;  ///< the present one
    Time killed_at = Time::never();
    bool over = false;
    std::optional<std::size_t> last_round = {};  ///< in logged_
    ActivityLog activity = {};                   ///< of the rounds that have ended
  };

  /// Only now all messages are known that were in the way of others.
  void tell_last_rounds() {
    for (const auto& job : jobs_)
      if (job.last_round) tell_obstacles(request_.machine, logged_, *job.last_round);
    for (auto& job : jobs_) {
      if (!job.last_round) continue;
      job.result.last_round = std::move(logged_[*job.last_round].report);
      job.result.last_round->messages_sent.clear();
    }
  }

  std::size_t count() const { return request_.jobs.size(); }

  void begin_round(std::size_t job, const Time& start) {
    const auto& placed = request_.jobs[job];
    auto options = placed.options;
    if (placed.rounds == until_end) options.progress = {};
    options.log_causes = options.keep_messages = request_.keep_causes;
    options.activity_windows = request_.activity_windows;
    auto& running = jobs_[job];
    running.round = simulation_.add({&placed.trace, placed.mapping, std::move(options), start});
    if (running.killed_at < Time::never()) simulation_.kill(running.round, running.killed_at);
    job_of_[running.round] = job;
  }

  void ended(Simulation::JobEnd end) {
    const auto job = job_of_.extract(end.job).mapped();
    auto& running = jobs_[job];
    auto& result = running.result;
    const bool is_done = end.how == ReplayOutcome::done;
    result.add(end.report);
    for (const auto& iterations : end.report.repeated) result.repeated += iterations.messages;
    if (is_done) {
      result.rounds.push_back(end.report.runtime);
      result.critical_path.add(end.report.critical_path, 1);
      book(end.report.charges, result);
    }
    if (request_.activity_windows > 0)
      running.activity.book(end.report.activity, end.report.ranks.size(), end.report.start.seconds());
    if (request_.keep_causes) {
      result.ranks = end.report.ranks;
      if (is_done) running.last_round = logged_.size();
      logged_.push_back({static_cast<std::uint32_t>(job), std::move(end.report)});
    } else {
      result.ranks = std::move(end.report.ranks);
    }
    if (is_done && goes_on(job)) return begin_round(job, network_.clock().now());
    finish(job, end.how, end.complaint);
  }

  bool goes_on(std::size_t job) const {
    const auto& [name, trace, mapping, options, start, rounds] = request_.jobs[job];
    const auto& result = jobs_[job].result;
    if (rounds != until_end) return result.rounds.size() < rounds;
    if (waited_for_ == 0) return false;
    if (!(result.rounds.back() > 0))
      core::fail_input("job '{}' takes no time: it cannot repeat until the others have ended", name);
    return true;
  }

  void finish(std::size_t job, ReplayOutcome how, const std::string& complaint) {
    auto& running = jobs_[job];
    auto& result = running.result;
    const bool is_background = request_.jobs[job].rounds == until_end;
    running.over = true;
    result.end = network_.clock().now().seconds();
    result.start = std::min(result.start, result.end);
    result.complaint = complaint;
    result.how = how == ReplayOutcome::failed                                      ? JobOutcome::failed
                 : is_background && !(running.killed_at <= network_.clock().now()) ? JobOutcome::with_others
                 : how == ReplayOutcome::killed                                    ? JobOutcome::killed
                                                                                   : JobOutcome::done;
    if (how == ReplayOutcome::failed && request_.on_failure == OnFailedJob::stop)
      throw core::SimulationError(fmt::format("job '{}': {}", request_.jobs[job].name, complaint));
    if (!is_background && --waited_for_ == 0) end_background();
  }

  void end_background() {
    for (const auto& running : jobs_)
      if (!running.over) simulation_.kill(running.round, network_.clock().now());
  }

  const JobsRequest& request_;
  Network& network_;
  Simulation simulation_;
  std::vector<Running> jobs_;
  std::unordered_map<Simulation::JobId, std::size_t> job_of_;  ///< by round
  std::vector<LoggedRound> logged_;                            ///< all rounds that have ended, if causes are kept
  std::size_t waited_for_ = 0;                                 ///< jobs that end by themselves and have not ended
};

JobsResult together_in_process(const JobsRequest& request) {
  auto job_of = holders(request);
  const Stage stage(request);
  auto& network = *stage.network;
  Contention contention(request.machine, std::move(job_of), request.jobs.size());
  JobsResult result;
  result.why_not_shared = request.with_charges ? network.why_not_shared() : "nobody asked for it";
  const bool is_shared = result.why_not_shared.empty();
  if (is_shared) network.watch(contention);
  result.jobs = Together(request, network).run();
  for (auto& job : result.jobs) {
    result.runtime = std::max(result.runtime, job.end);
    if (is_shared) job.charges.resize(request.jobs.size());
  }
  result.links = links_of(network, Time(), result.runtime);
  for (const auto& link : result.links)
    for (JobNumber job = 0; is_shared && job < request.jobs.size(); ++job)
      if (const auto bytes = contention.bytes(link.link, job); bytes > 0)
        result.job_loads.push_back({link.link, job, bytes});
  if (request.windows > 0) result.utilization_window = network.usage().window_seconds();
  if (request.keep_causes) result.link_windows = windows_of(network, result.links, Time(result.runtime));
  result.engine_settings = network.settings_and_order();
  return result;
}

/// Tells `done` how many operations all jobs that end by themselves have begun, of the present round each.
void watch_progress(std::vector<PlacedJob>& jobs, const Tell& done) {
  const auto begun = std::make_shared<std::vector<std::uint64_t>>(jobs.size());
  for (std::size_t job = 0; job < jobs.size(); ++job)
    jobs[job].options.progress = [begun, done, job](std::uint64_t operations) {
      (*begun)[job] = operations;
      done(std::accumulate(begun->begin(), begun->end(), std::uint64_t{0}));
    };
}

}  // namespace

JobsResult run_together(const JobsRequest& request, core::Progress* bar) {
  check_engine_for(request.changes, request.engine);
  return run_by<JobsResult>(request.engine, bar, [&](const Tell& tell) {
    auto watched = request;
    if (tell) watch_progress(watched.jobs, tell);
    return together_in_process(watched);
  });
}

double run_alone(const JobsRequest& request, std::size_t job, core::Progress* bar) {
  const auto& placed = request.jobs[job];
  return run({request.machine, placed.trace, placed.mapping, placed.options, request.engine}, bar).runtime;
}

}  // namespace toroid::netsim

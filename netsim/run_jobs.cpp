#include "netsim/run_jobs.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <unordered_map>

#include "core/bytes.hpp"
#include "core/error.hpp"
#include "core/isolate.hpp"
#include "netsim/fluid/contention.hpp"
#include "netsim/replay/message_facts.hpp"
#include "netsim/replay/report_bytes.hpp"
#include "netsim/run.hpp"

namespace toroid::netsim {
namespace {

void add(SentMessages& sum, const SentMessages& more) {
  sum.messages += more.messages;
  sum.bytes += more.bytes;
  sum.network_messages += more.network_messages;
  sum.network_bytes += more.network_bytes;
  sum.hops += more.hops;
  sum.hop_bytes += more.hop_bytes;
  sum.dilation_max = std::max(sum.dilation_max, more.dilation_max);
}

void add(History& sum, const History& more) {
  sum.compute += more.compute;
  sum.latency += more.latency;
  sum.bandwidth += more.bandwidth;
  sum.sharing += more.sharing;
  sum.others += more.others;
}

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

/// Books what ranks did in a round that began `start` seconds after the run. Within a window of the round, a rank is
/// taken to have done one kind of things after the other, and to have waited in one collective after the other.
void book(const Activity& round, std::size_t ranks, double start, ActivityLog& log) {
  for (const auto rank : core::ids<workloads::Rank>(static_cast<std::int32_t>(ranks)))
    for (std::size_t window = 0; window < round.windows; ++window) {
      double at = start + static_cast<double>(window) * round.window;
      for (const auto doing : {Doing::compute, Doing::transfer, Doing::wait}) {
        const double until = at + static_cast<double>(round.of(rank, window, doing));
        log.book(rank, doing, at, until);
        at = until;
      }
      at = start + static_cast<double>(window) * round.window +
           static_cast<double>(round.of(rank, window, Doing::compute));
      for (const auto& waits : round.collectives) {
        const double until = at + static_cast<double>(round.of(rank, window, waits));
        log.book_collective(rank, waits.algorithm, at, until);
        at = until;
      }
    }
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
    add(result, end.report);
    for (const auto& iterations : end.report.repeated) result.repeated += iterations.messages;
    if (is_done) {
      result.rounds.push_back(end.report.runtime);
      add(result.critical_path, end.report.critical_path);
      book(end.report.charges, result);
    }
    if (request_.activity_windows > 0)
      book(end.report.activity, end.report.ranks.size(), end.report.start.seconds(), running.activity);
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
  Clock clock;
  const auto network = request.engine.make(request.machine, clock);
  network->measure_windows(request.windows);
  Contention contention(request.machine, std::move(job_of), request.jobs.size());
  JobsResult result;
  result.why_not_shared = request.with_charges ? network->why_not_shared() : "nobody asked for it";
  const bool is_shared = result.why_not_shared.empty();
  if (is_shared) network->watch(contention);
  const MachineChanger changer(*network, request.changes);
  result.jobs = Together(request, *network).run();
  for (auto& job : result.jobs) {
    result.runtime = std::max(result.runtime, job.end);
    if (is_shared) job.charges.resize(request.jobs.size());
  }
  result.links = links_of(*network, Time(), result.runtime);
  for (const auto& link : result.links)
    for (JobNumber job = 0; is_shared && job < request.jobs.size(); ++job)
      if (const auto bytes = contention.bytes(link.link, job); bytes > 0)
        result.job_loads.push_back({link.link, job, bytes});
  if (request.windows > 0) result.utilization_window = network->usage().window_seconds();
  if (request.keep_causes) result.link_windows = windows_of(*network, result.links, Time(result.runtime));
  result.engine_settings = network->settings_and_order();
  return result;
}

// One list of the fields, for both ways.

template <class Archive, class AResult>
void exchange_job(Archive&& archive, AResult& r) {
  archive(static_cast<std::conditional_t<std::is_const_v<AResult>, const SentMessages&, SentMessages&>>(r));
  archive(r.how);
  archive(r.complaint);
  archive(r.start);
  archive(r.end);
  archive(r.repeated);
  archive(r.rounds);
  archive(r.critical_path);
  archive(r.charges);
  archive(r.changes);
  archive(r.ranks);
  exchange_activity(archive, r.activity);
  bool has_round = r.last_round.has_value();
  archive(has_round);
  if constexpr (!std::is_const_v<AResult>)
    if (has_round) r.last_round.emplace();
  if (has_round) exchange_report(archive, *r.last_round);
}

template <class Archive, class AResult>
void exchange_jobs(Archive&& archive, AResult& r) {
  archive(r.runtime);
  for (auto& job : r.jobs) exchange_job(archive, job);
  archive(r.links);
  archive(r.job_loads);
  archive(r.why_not_shared);
  archive(r.utilization_window);
  archive(r.engine_settings);
  exchange_windows(archive, r.link_windows);
}

std::string packed(const JobsResult& result) {
  core::ByteWriter writer;
  exchange_jobs(writer, result);
  return writer.finish();
}

JobsResult unpacked(std::string_view bytes, std::size_t jobs) {
  JobsResult result;
  result.jobs.resize(jobs);
  exchange_jobs(core::ByteReader(bytes), result);
  return result;
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

}  // namespace

double JobResult::total() const {
  return std::accumulate(rounds.begin(), rounds.end(), 0.0);
}

std::optional<double> JobResult::runtime() const {
  if (rounds.empty()) return std::nullopt;
  return total() / static_cast<double>(rounds.size());
}

std::optional<double> JobResult::slowdown() const {
  const auto time = runtime();
  if (!time || !alone || !(*alone > 0)) return std::nullopt;
  return *time / *alone;
}

std::optional<double> JobResult::lost() const {
  if (rounds.empty() || !alone) return std::nullopt;
  return total() - static_cast<double>(rounds.size()) * *alone;
}

Result JobsResult::last_round(std::size_t job) const {
  Result result{jobs[job].last_round.value(), links, {}, utilization_window, engine_settings, {}, link_windows};
  const double start = result.start.seconds();
  for (auto& step : result.critical_steps) {
    step.begin += start;
    step.end += start;
  }
  for (auto& obstacle : result.obstacles) {
    obstacle.begin += start;
    obstacle.end += start;
  }
  return result;
}

std::vector<std::optional<double>> JobsResult::losses(std::size_t victim) const {
  const auto& charges = shapley ? (*shapley)[victim] : jobs[victim].charges;
  std::vector<std::optional<double>> all(charges.begin(), charges.end());
  if (shapley) all[victim].reset();
  return all;
}

std::optional<double> JobsResult::uncharged(std::size_t victim) const {
  auto rest = jobs[victim].lost();
  if (!rest) return rest;
  *rest -= jobs[victim].changes;
  const auto losses_to = losses(victim);
  for (std::size_t other = 0; other < losses_to.size(); ++other)
    if (other != victim) *rest -= losses_to[other].value();
  return rest;
}

std::span<const JobLoad> JobsResult::loads_of(LinkId link) const {
  return std::ranges::equal_range(job_loads, link, {}, &JobLoad::link);
}

JobsResult run_together(const JobsRequest& request, core::Progress* bar) {
  check_engine_for(request.changes, request.engine);
  auto watched = request;
  if (!load(request.engine).own_process) {
    if (bar != nullptr) watch_progress(watched.jobs, [bar](std::uint64_t operations) { bar->update(operations); });
    return together_in_process(watched);
  }
  return unpacked(core::run_isolated(
                      [&](std::uint64_t& progress) {
                        watch_progress(watched.jobs, [&progress](std::uint64_t operations) { progress = operations; });
                        return packed(together_in_process(watched));
                      },
                      bar),
                  request.jobs.size());
}

double run_alone(const JobsRequest& request, std::size_t job, core::Progress* bar) {
  const auto& placed = request.jobs[job];
  return run({request.machine, placed.trace, placed.mapping, placed.options, request.engine}, bar).runtime;
}

}  // namespace toroid::netsim

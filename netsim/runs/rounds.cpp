#include "netsim/runs/rounds.hpp"

#include "netsim/replay/logs.hpp"
#include "netsim/simulation.hpp"

namespace toroid::netsim {
namespace {

using workloads::Rank;

/// Adds the charges of a round, of which the last is what changes of the machine took.
void book(const std::vector<double>& charges, JobResult& result) {
  if (charges.empty()) return;
  result.charges.resize(charges.size() - 1);
  std::transform(result.charges.begin(), result.charges.end(), charges.begin(), result.charges.begin(), std::plus());
  result.changes += charges.back();
}

/// One report of all ranks of several jobs, which are numbered on from job to job.
class Joining {
 public:
  explicit Joining(Result& result) : to_(result) {}

  /// The windows of all jobs are those of the run.
  void add(const Activity& activity) {
    auto& all = to_.activity;
    TOROID_ASSERT(all.seconds.empty() || (all.window == activity.window && all.windows == activity.windows));
    all.window = activity.window;
    all.windows = activity.windows;
    for (const auto& waits : activity.collectives) {
      auto& seconds = in_collectives_[waits.algorithm];
      seconds.resize(all.seconds.size() / doings);  // the jobs before did not wait in these
      seconds.insert(seconds.end(), waits.seconds.begin(), waits.seconds.end());
    }
    all.seconds.insert(all.seconds.end(), activity.seconds.begin(), activity.seconds.end());
  }

  void add(std::size_t job, const Result& round) {
    to_.critical_path.add(round.critical_path, 1);
    const auto steps_before = to_.critical_steps.size();
    for (auto step : round.critical_steps) {
      step.rank = number(job, step.rank);
      step.receiver = number(job, step.receiver);
      to_.critical_steps.push_back(step);
    }
    for (auto span : round.core_spans) {
      span.rank = number(job, span.rank);
      span.begin += round.start.seconds();
      span.end += round.start.seconds();
      to_.core_spans.push_back(span);
    }
    for (auto obstacle : round.obstacles) {
      obstacle.step += steps_before;
      obstacle.from = number(obstacle.job, obstacle.from);
      obstacle.to = number(obstacle.job, obstacle.to);
      to_.obstacles.push_back(obstacle);
    }
    for (const auto& [size, hops, messages, bytes] : round.message_classes) {
      auto& alike = classes_.try_emplace({size, hops}, MessageClass{size, hops, 0, 0}).first->second;
      alike.messages += messages;
      alike.bytes += bytes;
    }
    to_.collectives.insert(to_.collectives.end(), round.collectives.begin(), round.collectives.end());
  }

  void finish() {
    for (const auto& [key, alike] : classes_) to_.message_classes.push_back(alike);
    auto& activity = to_.activity;
    for (auto& [algorithm, seconds] : in_collectives_) {
      seconds.resize(activity.seconds.size() / doings);
      activity.collectives.push_back({algorithm, std::move(seconds)});
    }
  }

 private:
  Rank number(std::size_t job, Rank rank) const { return Rank(to_.jobs[job].first_rank.value() + rank.value()); }

  Result& to_;
  std::map<std::pair<std::uint32_t, std::int32_t>, MessageClass> classes_;  ///< classes by size and hops
  std::map<std::size_t, std::vector<float>> in_collectives_;                ///< CollectiveWaits by algorithm
};

/// Lets jobs go round by round.
class Rounds {
 public:
  Rounds(const Run& run, Network& network)
      : run_(run),
        network_(network),
        simulation_(network, OnFailedJob::go_on),
        jobs_(run.jobs.size()),
        is_only_(run.jobs.size() == 1 && run.jobs[0].rounds == 1 && !(run.jobs[0].start > 0)) {
    for (std::size_t job = 0; job < jobs_.size() && !is_only_; ++job)
      jobs_[job].activity.begin(run.jobs[job].mapping.size(), run.jobs[job].options.activity_windows);
    simulation_.on_end([this](Simulation::JobEnd end) { ended(std::move(end)); });
  }

  Result play() {
    begin_jobs();
    simulation_.pass_over_repeats();
    simulation_.run();
    for (const auto& job : jobs_) TOROID_ASSERT(job.over && job.result.start <= job.result.end);
    tell_last_rounds();
    return is_only_ ? only() : joined();
  }

 private:
  struct Running {
    JobResult result;
    core::IdVector<workloads::Rank, RankReport> ranks;  ///< what ranks reported in the round that ended last
    Simulation::JobId round = 0;                        ///< the present one
    Time killed_at = Time::never();
    bool over = false;
    std::optional<std::size_t> last_round = {};  ///< its position in logged_
    ActivityLog activity = {};                   ///< activity of the rounds that have ended
  };

  void begin_jobs() {
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      waited_for_ += run_.jobs[job].rounds == until_end ? 0 : 1;
      jobs_[job].result.start = run_.jobs[job].start;
      begin_round(job, Time(run_.jobs[job].start));
    }
    if (waited_for_ == 0)
      core::fail_input("every job repeats until the others have ended; expected one that ends by itself");
    for (const auto& [time, job] : run_.kills) {
      auto& killed_at = jobs_[job].killed_at;
      killed_at = std::min(killed_at, Time(time));
      simulation_.kill(jobs_[job].round, killed_at);
    }
  }

  void begin_round(std::size_t job, const Time& start) {
    const auto& placed = run_.jobs[job];
    auto options = placed.options;
    if (placed.rounds == until_end) options.progress = {};
    if (!is_only_) options.keep_messages = options.log_causes;
    auto& running = jobs_[job];
    running.round = simulation_.add({&placed.trace, placed.mapping, std::move(options), start});
    if (running.killed_at < Time::never()) simulation_.kill(running.round, running.killed_at);
    job_of_[running.round] = job;
  }

  void ended(Simulation::JobEnd end) {
    const auto job = job_of_.extract(end.job).mapped();
    auto& running = jobs_[job];
    auto& result = running.result;
    TOROID_ASSERT(!running.over && end.report.ranks.size() == run_.jobs[job].mapping.size());
    const bool is_done = end.how == ReplayOutcome::done;
    result.add(end.report);
    for (const auto& iterations : end.report.repeated) result.repeated += iterations.messages;
    if (is_done) {
      result.rounds.push_back(end.report.runtime);
      result.critical_path.add(end.report.critical_path, 1);
      book(end.report.charges, result);
    }
    if (is_only_)
      report_ = std::move(end.report);
    else
      keep(running, job, std::move(end.report), is_done);
    if (is_done && goes_on(job)) return begin_round(job, network_.clock().now());
    finish(job, end.how, end.complaint);
  }

  /// Keeps what is told of a round beside other rounds.
  void keep(Running& running, std::size_t job, ReplayReport report, bool is_done) {
    running.ranks = report.ranks;
    const auto& options = run_.jobs[job].options;
    if (options.activity_windows > 0)
      running.activity.book(report.activity, report.ranks.size(), report.start.seconds());
    if (!options.log_causes) return;
    if (is_done) running.last_round = logged_.size();
    logged_.push_back({static_cast<std::uint32_t>(job), std::move(report)});
  }

  bool goes_on(std::size_t job) const {
    const auto& placed = run_.jobs[job];
    const auto& done = jobs_[job].result.rounds;
    if (placed.rounds != until_end) return done.size() < placed.rounds;
    if (waited_for_ == 0) return false;
    if (!(done.back() > 0))
      core::fail_input("job '{}' takes no time: it cannot repeat until the others have ended", placed.name);
    return true;
  }

  void finish(std::size_t job, ReplayOutcome how, const std::string& complaint) {
    auto& running = jobs_[job];
    auto& result = running.result;
    const auto& [name, trace, mapping, options, start, rounds] = run_.jobs[job];
    const bool is_background = rounds == until_end;
    running.over = true;
    result.end = network_.clock().now().seconds();
    result.start = std::min(result.start, result.end);
    result.complaint = complaint;
    result.how = how == ReplayOutcome::failed                                      ? JobOutcome::failed
                 : is_background && !(running.killed_at <= network_.clock().now()) ? JobOutcome::with_others
                 : how == ReplayOutcome::killed                                    ? JobOutcome::killed
                                                                                   : JobOutcome::done;
    if (how == ReplayOutcome::failed && run_.on_failure == OnFailedJob::stop)
      throw core::SimulationError(name.empty() ? complaint : fmt::format("job '{}': {}", name, complaint));
    if (is_background || --waited_for_ > 0) return;
    for (const auto& background : jobs_)
      if (!background.over) simulation_.kill(background.round, network_.clock().now());
  }

  /// Only now all messages are known that were in the way of others.
  void tell_last_rounds() {
    for (const auto& job : jobs_)
      if (job.last_round) tell_obstacles(run_.machine, logged_, *job.last_round);
    for (auto& job : jobs_) {
      if (!job.last_round) continue;
      job.result.last_round = std::move(logged_[*job.last_round].report);
      job.result.last_round->messages_sent.clear();
    }
  }

  /// The report of the only round is that of the run. The time of a sample is an estimate, which no clock tells.
  Result only() {
    Result result;
    static_cast<ReplayReport&>(result) = std::move(report_);
    auto& job = jobs_.front().result;
    job.end = result.runtime;
    job.rank_count = result.ranks.size();
    result.jobs.push_back(std::move(job));
    return result;
  }

  Result joined() {
    Result result;
    for (auto& [job, ranks, round, killed_at, over, last_round, activity] : jobs_) {
      result.runtime = std::max(result.runtime, job.end);
      job.first_rank = Rank(static_cast<std::int32_t>(result.ranks.size()));
      job.rank_count = ranks.size();
      for (const auto& rank : ranks) result.ranks.add(rank);
      result.add(job);
      result.jobs.push_back(std::move(job));
    }
    Joining joining(result);
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      joining.add(jobs_[job].activity.finish(result.runtime));
      if (result.jobs[job].last_round) joining.add(job, result.last_round(job));
    }
    joining.finish();
    return result;
  }

  const Run& run_;
  Network& network_;
  Simulation simulation_;
  std::vector<Running> jobs_;
  bool is_only_;                                               ///< one job with one round that begins with the run
  ReplayReport report_;                                        ///< report of that round
  std::unordered_map<Simulation::JobId, std::size_t> job_of_;  ///< jobs by round
  std::vector<LoggedRound> logged_;                            ///< all rounds that have ended, where causes are logged
  std::size_t waited_for_ = 0;                                 ///< jobs that end by themselves and have not ended
};

}  // namespace

Result play_rounds(const Run& run, Network& network) {
  return Rounds(run, network).play();
}

}  // namespace toroid::netsim

// Allocators that refuse jobs although enough nodes are free, and nodes that are reserved: schedulers beside
// simulations of their definitions, which ask a new allocator with every question, and what they promise all the same.

#include <fmt/ranges.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <list>
#include <set>

#include "netsim/simulation.hpp"
#include "tests/cosim/definitions.hpp"
#include "tests/support/support.hpp"

namespace toroid::cosim {
namespace {

using jobs::Job;

struct Placed {
  double started = 0;
  Allocation nodes;
};
using Placements = std::map<std::int64_t, Placed>;

/// The first job that does not start when and where it should; nothing if there is none.
std::string first_difference(const std::map<std::int64_t, Ended>& found, const Placements& expected) {
  for (const auto& [number, placed] : expected) {
    const auto at = found.find(number);
    if (at == found.end()) return fmt::format("job {} is missing", number);
    if (at->second.started != placed.started)
      return fmt::format("job {} starts at {}, expected {}", number, at->second.started, placed.started);
    if (at->second.nodes != placed.nodes) return fmt::format("job {} starts on other nodes", number);
  }
  return found.size() == expected.size() ? "" : "more jobs start than there are";
}

struct Stage {
  std::string platform, allocator, order;
  std::vector<PlannedOutage> reserved = {};
};

/// Jobs on a machine, in the manner of the Oracle of schedulers_test.cpp, but on nodes.
class Simulation {
 public:
  using Queue = std::list<Job>;
  using Nodes = std::set<NodeId>;
  struct Running {
    Job job;
    double started = 0;
    Allocation nodes;
    double expected_end() const { return started + job.estimate; }
  };
  struct Choice {
    Queue::iterator job;
    Allocation nodes;
  };
  using Choose = std::function<std::optional<Choice>(Simulation&)>;

  Simulation(const Stage& stage, std::vector<Job> jobs)
      : stage_(stage), machine_(platforms::make_machine(stage.platform)), coming_(std::move(jobs)) {}

  Placements run(const Choose& choose) {
    while (!coming_.empty() || !queue.empty() || !running.empty()) {
      const double before = std::exchange(now, std::exchange(wake, end_of_time));
      if (!coming_.empty()) now = std::min(now, coming_.front().submitted);
      for (const auto& r : running) now = std::min(now, r.started + r.job.run_time);
      for (const auto& r : stage_.reserved)
        if (before < r.span.end) now = std::min(now, r.span.end);
      for (const auto& r : stage_.reserved) ends += r.span.end == now ? 1 : 0;
      REQUIRE(now < end_of_time);
      while (step(choose)) {
      }
    }
    return placed_;
  }

  std::int32_t all() const { return machine_.node_count(); }
  std::int32_t free() const { return all() - static_cast<std::int32_t>(held_after(-end_of_time).size()); }
  /// Nodes of those that run and are expected to do so after a time.
  Nodes held_after(double time) const {
    Nodes nodes;
    for (const auto& r : running)
      if (time < r.expected_end()) nodes.insert(r.nodes.begin(), r.nodes.end());
    return nodes;
  }
  Nodes held() const { return held_after(-end_of_time); }
  /// Nodes that a job cannot have from a time on, since they are reserved before it would have ended.
  Nodes reserved(double time, const Job& job) const {
    Nodes nodes;
    for (const auto& [span, of] : stage_.reserved)
      if ((span.begin <= time || span.begin < time + job.estimate) && time < span.end)
        nodes.insert(of.begin(), of.end());
    return nodes;
  }
  /// From when on one of these nodes is reserved, after a time.
  double reserved_from(double time, const Allocation& nodes) const {
    double first = end_of_time;
    for (const auto& [span, of] : stage_.reserved)
      if (time < span.begin && std::any_of(of.begin(), of.end(), [&](NodeId node) {
            return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
          }))
        first = std::min(first, span.begin);
    return first;
  }
  const std::vector<PlannedOutage>& reservations() const { return stage_.reserved; }
  /// Whether any free nodes will do for a job.
  bool counts() const {
    return stage_.allocator == "consecutive" || stage_.allocator == "curve" || stage_.allocator == "mc1x1";
  }
  /// How many nodes a job could have at a time.
  std::int32_t usable(const Job& job, double time) const {
    auto taken = held_after(time);
    taken.merge(reserved(time, job));
    return all() - static_cast<std::int32_t>(taken.size());
  }
  /// What the allocator gives a job at a time if these nodes are taken then.
  std::optional<Allocation> ask(const Job& job, double time, Nodes taken) const {
    taken.merge(reserved(time, job));
    alloc::FreeNodes free(machine_);
    free.take(Allocation(taken.begin(), taken.end()));
    std::optional<Allocation> answer;
    alloc::allocators()
        .make(stage_.allocator, alloc::Site{free})
        ->allocate({.job = job.number, .nodes = job.size}, [&](auto nodes) { answer = std::move(nodes); });
    return answer;
  }
  bool are_free_for(const Job& job, const Allocation& nodes) const {
    auto taken = held();
    taken.merge(reserved(now, job));
    return std::none_of(nodes.begin(), nodes.end(), [&](NodeId node) { return taken.contains(node); });
  }
  /// That time, and the expected ends after it, of reservations, too, in order.
  std::set<double> times(double from) const {
    std::set<double> all{from};
    for (const auto& r : running)
      if (from < r.expected_end()) all.insert(r.expected_end());
    for (const auto& r : stage_.reserved)
      if (from < r.span.end) all.insert(r.span.end);
    return all;
  }

  double now = 0, wake = end_of_time;
  Queue queue;
  std::vector<Running> running;
  int ends = 0;

 private:
  bool step(const Choose& choose) {
    const auto ended = std::erase_if(running, [&](const auto& r) { return r.started + r.job.run_time == now; });
    ends += static_cast<int>(ended);
    bool any = ended > 0;
    for (; !coming_.empty() && coming_.front().submitted == now; any = true) {
      auto place = queue.begin();
      while (place != queue.end() && rank(*place, stage_.order) <= rank(coming_.front(), stage_.order)) ++place;
      queue.insert(place, coming_.front());
      coming_.erase(coming_.begin());
    }
    for (auto chosen = choose(*this); chosen; chosen = choose(*this), any = true) {
      placed_[chosen->job->number] = {now, chosen->nodes};
      running.push_back({*chosen->job, now, chosen->nodes});
      queue.erase(chosen->job);
    }
    return any;
  }

  Stage stage_;
  platforms::Machine machine_;
  std::vector<Job> coming_;
  Placements placed_;
};

using Decision = std::optional<Simulation::Choice>;

/// A job that was refused is asked for again when nodes have come free, or others are kept: EASY and conservative
/// backfilling keep nodes for the first of the queue from a time on. Where any nodes will do they keep a number.
class Keeping {
 public:
  bool keeps_promises = true;  ///< nobody outlasts an estimate

 protected:
  void look_around(const Simulation& s) {
    if (s.ends == ends_) return;
    ends_ = s.ends;
    refused_.clear();
    seeks_ = true;
  }
  /// Another job may have come to the front. The kept nodes are of no use if the job for which they are kept may not
  /// start on them any more.
  void forget_late(const Simulation& s, const Job& first) {
    const bool is_late = reserved_from_ < s.now + first.estimate || reserved_from_ <= s.now;
    if (first.number != kept_for_ || (!s.counts() && is_late)) kept_for_ = 0;
  }
  /// True if other nodes are kept.
  bool keep_for(const Simulation& s, const Job& first, double earliest) {
    const bool is_new = first.number != kept_for_;
    if (!std::exchange(seeks_, false) && !is_new && !s.counts()) return false;
    if (is_new || s.counts()) from_ = end_of_time;
    kept_for_ = first.number;
    for (const double time : s.times(earliest)) {
      if (time >= from_) break;
      spare_ = s.counts() ? s.usable(first, time) - first.size : s.all();
      const auto nodes = s.counts() ? Allocation{} : s.ask(first, time, s.held_after(time));
      if (!nodes || spare_ < 0) continue;
      from_ = time;
      nodes_ = *nodes;
      reserved_from_ = s.reserved_from(time, nodes_);
      if (is_new) promised_ = from_;
      if (!s.counts()) refused_.clear();
      return !s.counts();
    }
    REQUIRE_FALSE(is_new);  // when all have ended it fits
    return false;
  }
  Decision ask_for(Simulation& s, Simulation::Queue::iterator job) {
    if (refused_.contains(job->number) || s.free() < job->size) return std::nullopt;
    auto taken = s.held();
    const bool is_kept_for = job->number == kept_for_;
    if (job != s.queue.begin() && s.now + job->estimate > from_) {
      if (job->size > spare_) return std::nullopt;
      taken.insert(nodes_.begin(), nodes_.end());
    }
    auto nodes = s.ask(*job, s.now, taken);
    if (!nodes && is_kept_for && !s.counts() && s.are_free_for(*job, nodes_)) nodes = nodes_;
    if (nodes && is_kept_for && keeps_promises) CHECK(s.now <= promised_);
    if (nodes) return Simulation::Choice{job, *nodes};
    refused_.insert(job->number);
    ever_refused_.insert(job->number);
    return std::nullopt;
  }

  std::int64_t kept_for_ = 0;
  double from_ = 0;
  std::set<std::int64_t> ever_refused_;

 private:
  Allocation nodes_;
  std::int32_t spare_ = 0;  ///< nodes that others may have beyond that time
  double reserved_from_ = end_of_time, promised_ = 0;
  std::set<std::int64_t> refused_;
  int ends_ = 0;
  bool seeks_ = false;
};

class Fcfs : public Keeping {
 public:
  Decision operator()(Simulation& s) {
    look_around(s);
    return s.queue.empty() ? std::nullopt : ask_for(s, s.queue.begin());
  }
};

class Easy : public Keeping {
 public:
  Decision operator()(Simulation& s) {
    look_around(s);
    const auto ends_at_once = [&](const auto& r) { return r.started == s.now && r.expected_end() == s.now; };
    if (s.queue.empty() || std::any_of(s.running.begin(), s.running.end(), ends_at_once)) return std::nullopt;
    forget_late(s, s.queue.front());
    do
      if (auto first = ask_for(s, s.queue.begin())) return first;
    while (keep_for(s, s.queue.front(), s.now));
    for (auto job = std::next(s.queue.begin()); job != s.queue.end(); ++job)
      if (auto other = ask_for(s, job)) return other;
    return std::nullopt;
  }
};

/// Plans count nodes; the first of the queue is planned for when nodes are kept for it. Jobs of no length come first in
/// their second.
class Conservative : public Keeping {
 public:
  Decision operator()(Simulation& s) {
    look_around(s);
    s.wake = end_of_time;
    if (plans_.empty())
      for (const auto& [span, nodes] : s.reservations())
        plans_[-1 - static_cast<std::int64_t>(plans_.size())] = {span.begin, span.end,
                                                                 static_cast<std::int32_t>(nodes.size())};
    forget_ended(s);
    if (s.queue.empty()) anew_ = move_up_ = false;
    if (s.queue.empty()) return std::nullopt;
    forget_late(s, s.queue.front());
    const auto is_late = [&](const Job& job) {
      if (ever_refused_.contains(job.number) && is_planned(job) != has_place(s, job)) return true;
      return is_planned(job) && plans_.at(job.number).start < s.now;
    };
    const bool anew = std::exchange(anew_, false) || std::any_of(s.queue.begin(), s.queue.end(), is_late);
    const bool move_up = std::exchange(move_up_, false);
    const auto pinned = s.counts() ? 0 : kept_for_;
    if (anew) plan_anew(s, pinned);
    if (!anew && move_up)
      for (const auto& job : s.queue)
        if (is_planned(job) && job.number != pinned)
          if (const auto earlier = plan(s, job); earlier.start < plans_.at(job.number).start)
            plans_[job.number] = earlier;
    std::map<std::int64_t, const Job*> newcomers;
    for (const auto& job : s.queue)
      if (!is_planned(job) && has_place(s, job)) newcomers[job.number] = &job;
    for (const auto& [number, job] : newcomers) plans_[number] = plan(s, *job);
    keep(s);
    const auto ends_at_once = [&](const auto& r) { return r.started == s.now && r.expected_end() == s.now; };
    if (std::any_of(s.running.begin(), s.running.end(), ends_at_once)) return std::nullopt;
    for (const bool is_moment : {true, false})
      for (auto job = s.queue.begin(); job != s.queue.end(); ++job)
        if (is_moment == (job->estimate == 0) &&
            (is_planned(*job) ? plans_.at(job->number).start <= s.now : !has_place(s, *job))) {
          const bool was_refused = ever_refused_.contains(job->number);
          if (const auto choice = ask_for(s, job)) {
            start(s, *choice);
            return choice;
          }
          if (was_refused || !ever_refused_.contains(job->number) || job == s.queue.begin()) continue;
          return (*this)(s);
        }
    for (const auto& job : s.queue)
      if (is_planned(job) && plans_.at(job.number).start > s.now)
        s.wake = std::min(s.wake, plans_.at(job.number).start);
    return std::nullopt;
  }

 private:
  bool is_planned(const Job& job) const { return plans_.contains(job.number); }
  /// One that was refused has none among the plans, unless it is the first.
  bool has_place(const Simulation& s, const Job& job) const {
    return !ever_refused_.contains(job.number) || job.number == s.queue.front().number;
  }
  void forget_ended(const Simulation& s) {
    for (auto number = running_.begin(); number != running_.end();) {
      const auto is_it = [&](const auto& r) { return r.job.number == *number; };
      if (std::any_of(s.running.begin(), s.running.end(), is_it)) {
        ++number;
        continue;
      }
      move_up_ |= plans_.at(*number).end > s.now;
      plans_.erase(*number);
      number = running_.erase(number);
    }
  }
  /// In the order of the queue, as if no job were planned; one of them for the time of its nodes.
  void plan_anew(const Simulation& s, std::int64_t pinned) {
    for (const auto& job : s.queue) plans_.erase(job.number);
    for (const auto& job : s.queue) {
      const double from = std::max(s.now, from_);
      if (has_place(s, job)) plans_[job.number] = job.number == pinned ? plan_at(from, job, job.size) : plan(s, job);
    }
  }
  void keep(const Simulation& s) {
    const Job& first = s.queue.front();
    const double planned = plans_.at(first.number).start;
    keep_for(s, first, s.counts() ? std::max(s.now, planned) : s.now);
    if (planned != std::max(s.now, from_)) plan_anew(s, first.number);
  }
  void start(const Simulation& s, const Simulation::Choice& choice) {
    const auto& job = *choice.job;
    const auto nodes = static_cast<std::int32_t>(choice.nodes.size());
    anew_ |= nodes > job.size;
    plans_[job.number] = plan_at(s.now, job, nodes);
    running_.insert(job.number);
  }

  static Plan plan_at(double start, const Job& job, std::int32_t nodes) { return {start, start + job.estimate, nodes}; }
  Plan plan(const Simulation& s, const Job& job) const { return earliest_plan(plans_, job, s.now, s.all()); }

  std::map<std::int64_t, Plan> plans_;  ///< of those that wait or run
  std::set<std::int64_t> running_;
  bool anew_ = false, move_up_ = false;
};

const std::vector<std::string> platforms{"mesh:6x5", "torus:6x5", "mesh:4x4x2", "mesh:4x4,nodes-per-router=2"};
const std::vector<std::string> refusing{
    "submesh",         "submesh:fit=best,rotate=no", "frame-sliding",       "frame-sliding:borders=yes", "single-buddy",
    "curve:block=2x2", "blocks:base=submesh",        "scatter:base=submesh"};

/// The reservations as users say them.
std::vector<OutageText> texts_of(const std::vector<PlannedOutage>& reserved) {
  std::vector<OutageText> texts;
  for (const auto& [span, nodes] : reserved) {
    std::vector<std::int32_t> numbers;
    for (const NodeId node : nodes) numbers.push_back(node.value());
    texts.push_back(
        read_outage(fmt::format("{}s:reserve-node {} until {}s", span.begin, fmt::join(numbers, ","), span.end)));
  }
  return texts;
}

/// Some reservations in the time of a stream: of all nodes, of a row of them, or of any; no node is in two at a time.
std::vector<PlannedOutage> random_reservations(std::uint64_t seed, std::int32_t nodes) {
  core::Random random(seed, "tests/reservations");
  std::vector<PlannedOutage> all;
  double end = 0;
  for (auto count = 1 + random.below(5); count > 0; --count) {
    PlannedOutage reserved;
    const double begin = end + 1 + static_cast<double>(random.below(150));
    end = begin + 1 + static_cast<double>(random.below(100));
    reserved.span = {begin, end};
    const auto kind = random.below(3);
    const auto row = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(nodes)));
    for (std::int32_t node = 0; node < nodes; ++node)
      if (kind == 0 || (kind == 1 && node >= row && node < row + 6) || (kind == 2 && random.below(4) == 0))
        reserved.nodes.emplace_back(node);
    if (!reserved.nodes.empty()) all.push_back(reserved);
  }
  return all;
}

/// No job holds a node at a time at which it is reserved, if the job ends by its estimate.
void check_reserved(const std::map<std::int64_t, Ended>& found, const std::vector<PlannedOutage>& reserved) {
  for (const auto& [number, job] : found)
    for (const auto& [span, nodes] : reserved) {
      if (span.end <= job.started || job.started + job.estimate <= span.begin) continue;
      const bool is_on = std::any_of(job.nodes.begin(), job.nodes.end(), [&, &of = nodes](NodeId node) {
        return std::find(of.begin(), of.end(), node) != of.end();
      });
      CAPTURE(number);
      CHECK_FALSE(is_on);
    }
}

/// Streams of jobs that last as their log says, and of such that outlast their estimates.
template <class Definition>
void check_beside_definition(const std::string& scheduler, std::uint64_t streams,
                             const std::vector<std::string>& allocators = refusing, bool reserves = false) {
  for (std::uint64_t seed = 1; seed <= streams;)
    for (const std::string order : {"arrival", "shortest", "longest", "smallest", "largest"})
      for (const auto& allocator : allocators) {
        const auto& platform = platforms[(seed + seed / 80) % platforms.size()];
        const auto spec = scheduler + ":order=" + order;
        const bool outlast = (seed - 1) / 40 % 2 == 1;
        CAPTURE(platform, allocator, scheduler, order, seed);
        const auto logged = random_jobs(seed, 60, allocator == "single-buddy" ? 8 : 12);
        auto jobs = with_estimates(logged);
        const auto lengths = random_lengths(seed, jobs);
        if (outlast) jobs = as_they_run(std::move(jobs), lengths);
        const auto nodes = platforms::make_machine(platform).node_count();
        const auto reserved = reserves ? random_reservations(seed, nodes) : std::vector<PlannedOutage>{};
        auto options = rejecting();
        options.failures.outages = texts_of(reserved);
        auto found = outlast ? run_jobs_lasting(lengths, platform, ListedJobs(logged), spec, allocator, reserved)
                             : run_jobs(platform, ListedJobs(with_too_large(logged)), spec, options, allocator);
        std::erase_if(found, [](const auto& entry) { return entry.second.end == End::rejected; });
        Definition definition;
        definition.keeps_promises = !outlast;
        const Stage stage{platform, allocator, order, reserved};
        CHECK(first_difference(found, Simulation(stage, jobs).run(definition)) == "");
        check_reserved(found, reserved);
        ++seed;
      }
}

TEST_CASE("FCFS with allocators that refuse starts what its definition says") {
  check_beside_definition<Fcfs>("fcfs", 80);
}

TEST_CASE("EASY with allocators that refuse starts what its definition says, and the first of the queue in time") {
  check_beside_definition<Easy>("easy", 80);
}

TEST_CASE("Conservative backfilling with allocators that refuse starts what its definition says, the first in time") {
  check_beside_definition<Conservative>("conservative", 80);
}

const std::vector<std::string> some_that_refuse_and_some_that_do_not{"submesh", "curve:block=2x2", "consecutive",
                                                                     "curve", "mc1x1"};

TEST_CASE("FCFS with reserved nodes starts what its definition says, and no job that reaches into a reservation") {
  check_beside_definition<Fcfs>("fcfs", 100, some_that_refuse_and_some_that_do_not, true);
}

TEST_CASE("EASY with reserved nodes starts what its definition says, and the first of the queue in time") {
  check_beside_definition<Easy>("easy", 100, some_that_refuse_and_some_that_do_not, true);
}

TEST_CASE("Conservative backfilling with reserved nodes starts what its definition says, the first in time") {
  check_beside_definition<Conservative>("conservative", 100, some_that_refuse_and_some_that_do_not, true);
}

TEST_CASE("schedulers with allocators that refuse: thousands of streams", "[.fuzz][slow]") {
  check_beside_definition<Fcfs>("fcfs", 4'000);
  check_beside_definition<Easy>("easy", 4'000);
  check_beside_definition<Conservative>("conservative", 4'000);
  check_beside_definition<Fcfs>("fcfs", 4'000, some_that_refuse_and_some_that_do_not, true);
  check_beside_definition<Easy>("easy", 4'000, some_that_refuse_and_some_that_do_not, true);
  check_beside_definition<Conservative>("conservative", 4'000, some_that_refuse_and_some_that_do_not, true);
}

/// Starts of jobs on a machine, by number.
std::map<std::int64_t, double> starts_on(const std::string& platform, const std::vector<Job>& jobs,
                                         const std::string& scheduler, const std::string& allocator) {
  std::map<std::int64_t, double> starts;
  for (const auto& [number, ended] : run_jobs(platform, ListedJobs(jobs), scheduler, {}, allocator))
    starts[number] = ended.started;
  return starts;
}

TEST_CASE("Conservative: plans of later jobs do not hold up those before them when a job is refused") {
  // From 25 s on nodes 0 and 3 of four are free. Job 3 wants two side by side, and gets 0 and 1 from 45 s on, which
  // leaves node 3 to job 4. Job 5, which comes after it, is planned for 45 s before job 3 is refused.
  const std::vector<Job> jobs{job(1, 10, 1, 10, 10), job(2, 15, 2, 30, 30), job(3, 25, 2, 5, 5), job(4, 25, 1, 30, 30),
                              job(5, 25, 2, 30, 30)};
  const std::map<std::int64_t, double> expected{{1, 10}, {2, 15}, {3, 45}, {4, 25}, {5, 50}};
  CHECK(starts_on("mesh:4", jobs, "conservative", "submesh") == expected);
  CHECK(starts_on("mesh:4", jobs, "easy", "submesh").at(4) == 25);
}

TEST_CASE("Conservative: jobs of no length move no start from where whole seconds put it") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const std::string order : {"arrival", "longest"})
      for (const auto& [number, start] :
           starts_on("mesh:4x4", random_jobs(seed, 100, 16), "conservative:order=" + order, "consecutive")) {
        CAPTURE(seed, order, number);
        CHECK(start == std::floor(start));
      }
}

/// Small jobs that keep some 40 % of a machine busy, each as long as it is expected to be, and a large one among them.
std::vector<Job> small_jobs(std::uint64_t seed, std::int32_t nodes, std::int64_t large, std::int32_t size) {
  core::Random random(seed, "tests/small jobs");
  std::vector<Job> jobs;
  double now = 0;
  for (std::int64_t number = 1; number <= 800; ++number) {
    const auto small = 1 + static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(nodes) / 20));
    const auto length = static_cast<double>(10 + random.below(50));
    now += 35 * (1 + nodes / 20) / 2.0 / (0.4 * nodes) * static_cast<double>(random.below(3));
    jobs.push_back(job(number, now, number == large ? size : small, length, length));
  }
  return jobs;
}

/// The large one waits no longer than the longest of those that may run before it.
void check_large(const std::string& platform, const std::string& allocator, std::int32_t nodes, std::int32_t size) {
  constexpr std::int64_t large = 100;
  for (const std::string scheduler : {"easy", "conservative"}) {
    CAPTURE(platform, allocator, scheduler);
    const auto records = run_jobs(platform, ListedJobs(small_jobs(1, nodes, large, size)), scheduler, {}, allocator);
    CHECK(records.size() == 800);
    CHECK(records.at(large).started - records.at(large).submitted < 60);
  }
}

TEST_CASE("A large job among small ones starts when those that ran before it have ended") {
  for (const std::string allocator : {"submesh", "submesh:fit=best", "frame-sliding", "frame-sliding:borders=yes",
                                      "single-buddy", "scatter:base=submesh"})
    check_large("mesh:16x16", allocator, 256, 144);
  check_large("mesh:128", "submesh", 128, 70);
  check_large("mesh:128", "leak:contiguous=yes", 128, 70);  // which does not say what it would do
}

}  // namespace
}  // namespace toroid::cosim

// Schedulers beside simulations of their definitions, which do everything anew at every instant, and on the real logs.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <list>
#include <set>

#include "tests/cosim/definitions.hpp"
#include "tests/support/support.hpp"
#include "toroid/jobs/jobs.hpp"

namespace toroid::cosim {
namespace {

using jobs::Job;
using Starts = std::map<std::int64_t, double>;

Starts starts(const std::map<std::int64_t, Ended>& records) {
  Starts all;
  for (const auto& [number, record] : records)
    if (record.end != End::rejected) all[number] = record.started;
  return all;
}

/// The first job that does not start when it should; nothing if there is none.
std::string first_difference(const Starts& found, const Starts& expected) {
  for (const auto& [number, start] : expected)
    if (const auto at = found.find(number); at == found.end() || at->second != start)
      return fmt::format("job {} starts at {}, expected {}", number, at == found.end() ? -1 : at->second, start);
  return found.size() == expected.size() ? "" : "more jobs start than there are";
}

/// A machine of `nodes` nodes, all alike, and which of the waiting jobs to start: told the time, the free nodes, the
/// queue in order and the running jobs with their starts.
class Oracle {
 public:
  struct Running {
    Job job;
    double started;
    double expected_end() const { return started + job.estimate; }
    bool ends_at_once(double time) const { return started == time && expected_end() == time; }
  };
  using Queue = std::list<Job>;
  using Choose = std::function<Queue::iterator(Oracle&)>;

  Oracle(std::int32_t nodes, std::vector<Job> jobs, std::string order)
      : free(nodes), coming_(std::move(jobs)), order_(std::move(order)) {}

  Starts run(const Choose& choose) {
    while (!coming_.empty() || !queue.empty() || !running.empty()) {
      now = std::exchange(wake, end_of_time);
      if (!coming_.empty()) now = std::min(now, coming_.front().submitted);
      for (const auto& r : running) now = std::min(now, r.started + r.job.run_time);
      while (step(choose)) {
      }
    }
    return starts_;
  }

  double now = 0;
  std::int32_t free;
  double wake = end_of_time;  ///< when it is to be asked again although nothing happens
  Queue queue;
  std::vector<Running> running;

 private:
  bool step(const Choose& choose) {
    bool any = false;
    for (std::size_t r = 0; r < running.size();)
      if (running[r].started + running[r].job.run_time == now) {
        free += running[r].job.size;
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(r));
        any = true;
      } else {
        ++r;
      }
    while (!coming_.empty() && coming_.front().submitted == now) {
      any = true;
      auto place = queue.begin();
      while (place != queue.end() && rank(*place, order_) <= rank(coming_.front(), order_)) ++place;
      queue.insert(place, coming_.front());
      coming_.erase(coming_.begin());
    }
    for (auto chosen = choose(*this); chosen != queue.end(); chosen = choose(*this)) {
      starts_[chosen->number] = now;
      free -= chosen->size;
      running.push_back({*chosen, now});
      queue.erase(chosen);
      any = true;
    }
    return any;
  }

  std::vector<Job> coming_;
  std::string order_;
  Starts starts_;
};

Oracle::Queue::iterator fcfs(Oracle& o) {
  return !o.queue.empty() && o.queue.front().size <= o.free ? o.queue.begin() : o.queue.end();
}

std::vector<Oracle::Running> by_expected_end(const Oracle& o) {
  auto sorted = o.running;
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::pair(a.expected_end(), a.job.number) < std::pair(b.expected_end(), b.job.number);
  });
  return sorted;
}

/// EASY as it is defined. The reservation is made anew with every question.
Oracle::Queue::iterator easy(Oracle& o) {
  if (o.queue.empty()) return o.queue.end();
  const auto by_end = by_expected_end(o);
  if (std::any_of(by_end.begin(), by_end.end(), [&](const auto& r) { return r.ends_at_once(o.now); }))
    return o.queue.end();
  const auto& head = o.queue.front();
  if (head.size <= o.free) return o.queue.begin();
  auto available = o.free;
  double reserved = o.now;
  for (auto r = by_end.begin(); r != by_end.end() && available < head.size; ++r) {
    available += r->job.size;
    reserved = std::max(o.now, r->expected_end());
  }
  for (auto job = std::next(o.queue.begin()); job != o.queue.end(); ++job) {
    auto then = o.free - job->size;
    for (const auto& r : o.running) then += r.expected_end() <= reserved ? r.job.size : 0;
    if (job->size <= o.free && (o.now + job->estimate <= reserved || then >= head.size)) return job;
  }
  return o.queue.end();
}

/// Conservative backfilling as it is defined, with a list of who holds nodes from when to when. Jobs of no length come
/// first in their second.
class ConservativeOracle {
 public:
  explicit ConservativeOracle(std::int32_t nodes) : nodes_(nodes) {}

  Oracle::Queue::iterator operator()(Oracle& o) {
    o.wake = end_of_time;
    bool move_up = false, late = false;
    for (auto r = running_.begin(); r != running_.end();) {
      const auto is_it = [&](const auto& x) { return x.job.number == *r; };
      const bool runs = std::any_of(o.running.begin(), o.running.end(), is_it);
      move_up |= !runs && plans_.at(*r).end > o.now;
      if (!runs) plans_.erase(*r);
      r = runs ? std::next(r) : running_.erase(r);
    }
    for (const auto& job : o.queue) late |= plans_.contains(job.number) && plans_.at(job.number).start < o.now;
    if (late) {  // others outlast their estimates
      for (const auto& job : o.queue) plans_.erase(job.number);
      for (const auto& job : o.queue) plans_[job.number] = earliest_plan(plans_, job, o.now, nodes_);
    }
    std::map<std::int64_t, const Job*> newcomers;
    for (const auto& job : o.queue)
      if (!plans_.contains(job.number))
        newcomers[job.number] = &job;
      else if (const auto plan = earliest_plan(plans_, job, o.now, nodes_);
               move_up && plan.start < plans_.at(job.number).start)
        plans_[job.number] = plan;
    for (const auto& [number, job] : newcomers) plans_[number] = earliest_plan(plans_, *job, o.now, nodes_);
    if (std::any_of(o.running.begin(), o.running.end(), [&](const auto& r) { return r.ends_at_once(o.now); }))
      return o.queue.end();
    for (const bool is_moment : {true, false})
      for (auto job = o.queue.begin(); job != o.queue.end(); ++job)
        if (is_moment == (job->estimate == 0) && plans_.at(job->number).start <= o.now && job->size <= o.free) {
          plans_[job->number] = {o.now, o.now + job->estimate, job->size};
          running_.insert(job->number);
          return job;
        }
    for (const auto& job : o.queue)
      if (const double start = plans_.at(job.number).start; start > o.now) o.wake = std::min(o.wake, start);
    return o.queue.end();
  }

 private:
  std::int32_t nodes_;
  std::map<std::int64_t, Plan> plans_;  ///< of those that wait or run
  std::set<std::int64_t> running_;
};

const std::vector<std::string> orders{"arrival", "shortest", "longest", "smallest", "largest"};

/// Streams of jobs that last as their log says, some of which never fit, and of such that outlast their estimates.
template <class Choose>
void check_beside_definition(const std::string& scheduler, Choose choose, std::uint64_t streams, int count) {
  for (std::uint64_t seed = 1; seed <= streams; ++seed)
    for (const auto& order : orders) {
      CAPTURE(scheduler, order, seed);
      const auto spec = scheduler + ":order=" + order;
      const auto logged = random_jobs(seed, count, 16);
      const auto jobs = with_estimates(logged);
      CHECK(first_difference(starts(run_jobs("mesh:4x4", ListedJobs(with_too_large(logged)), spec, rejecting())),
                             Oracle(16, jobs, order).run(choose)) == "");
      const auto lengths = random_lengths(seed, jobs);
      CHECK(first_difference(starts(run_jobs_lasting(lengths, "mesh:4x4", ListedJobs(logged), spec)),
                             Oracle(16, as_they_run(jobs, lengths), order).run(choose)) == "");
    }
}

TEST_CASE("FCFS starts the first of the queue as soon as it fits, in every order of the queue") {
  check_beside_definition("fcfs", fcfs, 10, 200);
}

TEST_CASE("EASY starts what its definition says, in every order of the queue", "[slow]") {
  check_beside_definition("easy", easy, 20, 300);
}

/// Slurm's multifactor priority as it is defined: from all that has run, anew at every question, before EASY.
class PriorityOracle {
 public:
  Oracle::Queue::iterator operator()(Oracle& o) {
    for (const auto& job : o.queue) users_.insert(job.notes.user);
    for (const auto& r : o.running) started_.insert_or_assign(r.job.number, r);
    std::map<std::int64_t, double> used;
    double all = 0;
    for (const auto& [number, r] : started_) {
      const double end = std::min(o.now, r.started + r.job.run_time);
      const auto left = [&](double time) { return std::pow(0.5, (o.now - time) / life); };
      const double node_seconds = r.job.size * life / std::log(2) * (left(end) - left(r.started));
      used[r.job.notes.user] += node_seconds;
      all += node_seconds;
    }
    const auto priority = [&](const Job& job) {
      const double share = 1.0 / static_cast<double>(users_.size());
      const double fair = all > 0 ? std::pow(2, -(used[job.notes.user] / all) / share) : 1;
      const double queue = (job.notes.queue == 1 ? 10 : job.notes.queue == 2 ? 4 : 1) / 10.0;
      return 0.91 * std::min((o.now - job.submitted) / 150, 1.0) + 1.37 * fair + 0.53 * (job.size / 16.0) +
             0.77 * queue;
    };
    o.queue.sort([&](const Job& a, const Job& b) {
      return std::pair(-priority(a), a.number) < std::pair(-priority(b), b.number);
    });
    return easy(o);
  }

  static constexpr double life = 120;

 private:
  std::set<std::int64_t> users_;
  std::map<std::int64_t, Oracle::Running> started_;
};

TEST_CASE("The priority of Slurm orders the queue as its formula says, computed from all that has run") {
  const std::string spec =
      "priority:age=0.91,fair-share=1.37,size=0.53,queue=0.77,max-age=150s,half-life=120s,queues=1:10/2:4";
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    auto jobs = random_jobs(seed, 300, 16);
    for (auto& job : jobs) {
      job.notes.user = job.number * job.number % 7;
      job.notes.queue = job.number % 4;
    }
    const auto found = starts(run_jobs("mesh:4x4", ListedJobs(jobs), spec));
    CHECK(first_difference(found, Oracle(16, with_estimates(jobs), "arrival").run(PriorityOracle())) == "");
    CHECK(found != starts(run_jobs("mesh:4x4", ListedJobs(jobs), "easy")));
  }
}

TEST_CASE("A priority of one factor is an order of the queue that is known without it") {
  const ListedJobs jobs(random_jobs(5, 300, 16));
  const auto of = [&](const std::string& spec) { return starts(run_jobs("mesh:4x4", jobs, spec)); };
  CHECK(of("priority:age=1,fair-share=0,size=0,queue=0,max-age=1000000s") == of("easy"));
  CHECK(of("priority:age=0,fair-share=0,size=1,queue=0") == of("easy:order=largest"));
  CHECK(of("priority:age=0,fair-share=0,size=1,queue=0,favor-small=yes") == of("easy:order=smallest"));
  CHECK(of("priority:age=0,fair-share=1,size=0,queue=1") == of("easy"));  // a single user, and no queue is known
  for (const auto* queues : {"1", "1:", ":1", "1:-1", "1:2/1:3", "1:2:3", "a:1"})
    CHECK_THROWS_AS(SchedulerChoice(fmt::format("priority:queues={}", queues)), core::InputError);
}

TEST_CASE("schedulers beside their definitions: thousands of streams", "[.fuzz][slow]") {
  check_beside_definition("fcfs", fcfs, 1'000, 100);
  check_beside_definition("easy", easy, 1'000, 100);
  check_beside_definition("conservative", ConservativeOracle(16), 1'000, 100);
}

TEST_CASE("EASY: a job that was to end in the instant of its start and goes on keeps nobody from starting") {
  const ListedJobs jobs({job(1, 0, 4, 0), job(2, 0, 4, 10)});
  const auto found = run_jobs_lasting({{1, 50}, {2, 10}}, "mesh:4x4", jobs, "easy");
  CHECK(found.at(2).started < 1e-12);
}

TEST_CASE("EASY: who comes to the front and starts at once changes what the next one waits for") {
  // 3 goes before 2 and takes nodes with which that was to start at 20: it is 42 then, which 4 does not delay.
  const ListedJobs jobs({job(1, 0, 6, 20, 20), job(2, 1, 12, 50, 50), job(3, 2, 6, 40, 40), job(4, 3, 4, 55, 55)});
  CHECK(starts(run_jobs("mesh:4x4", jobs, "easy:order=shortest")) == Starts{{1, 0}, {2, 42}, {3, 2}, {4, 3}});
}

/// Passes everything on to EASY and checks that no job that has become the first starts later than enough nodes come
/// free for it by the estimates of those that ran then.
class Watched final : public Scheduler {
 public:
  Watched() : easy_(schedulers().make("easy")) {}

  void submitted(const Queued& job) override {
    easy_->submitted(job);
    waiting_.emplace(job.id, job);
  }
  std::optional<Start> next(const View& view) override {
    promise(view);
    return easy_->next(view);
  }
  void refused(JobId job) override { easy_->refused(job); }
  void started(JobId job, std::int32_t nodes, const Time& now) override {
    const auto& started = waiting_.at(job);
    if (job == first_) {
      ++firsts;
      late += promised_ < now ? 1 : 0;
    }
    by_end_.insert({(now + started.estimate).seconds(), {job, nodes}});
    ends_[job] = (now + started.estimate).seconds();
    waiting_.erase(job);
    easy_->started(job, nodes, now);
  }
  void resized(JobId, std::int32_t, const Time&) override { FAIL(); }
  void ended(HolderId job, const Time& now) override {
    const auto [first, last] = by_end_.equal_range(ends_.at(job.job()));
    by_end_.erase(std::find_if(first, last, [&](const auto& entry) { return entry.second.first == job; }));
    ends_.erase(job.job());
    easy_->ended(job, now);
  }
  void node_out(NodeId, const Time&, const Time&) override { FAIL(); }
  void freed() override { easy_->freed(); }
  void withdrawn(JobId) override { FAIL(); }

  int firsts = 0, late = 0;

 private:
  void promise(const View& view) {
    if (waiting_.empty() || waiting_.begin()->first == first_) return;
    const auto& head = waiting_.begin()->second;
    first_ = head.id;
    promised_ = view.now;
    auto available = view.free;
    for (auto r = by_end_.begin(); r != by_end_.end() && available < head.nodes; ++r) {
      available += r->second.second;
      promised_ = Time(r->first);
    }
  }

  std::unique_ptr<Scheduler> easy_;
  std::map<JobId, Queued> waiting_;
  std::multimap<double, std::pair<JobId, std::int32_t>> by_end_;
  std::map<JobId, double> ends_;
  JobId first_ = 0;
  Time promised_;
};

void check_head_is_never_late(const std::string& platform, const jobs::Jobs& jobs) {
  const auto machine = platforms::make_machine(platform);
  netsim::Clock clock;
  Logged logged(clock);
  alloc::FreeNodes free(machine);
  const auto allocator = alloc::allocators().make("consecutive", alloc::Site{free});
  Watched watched;
  Loop({jobs, watched, free, *allocator, clock, logged, {}}, {}).run();
  CHECK(watched.late == 0);
  CHECK(watched.firsts > 0);
}

TEST_CASE("EASY never delays the first job of the queue") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    check_head_is_never_late("mesh:4x4", ListedJobs(random_jobs(seed, 300, 16)));
}

TEST_CASE("EASY never delays the first job of the queue on the archive's logs", "[slow]") {
  for (const auto& [log, platform] :
       std::vector<std::pair<std::string, std::string>>{{"NASA-iPSC-1993-3.1-cln", "mesh:16x8"},
                                                        {"SDSC-SP2-1998-4.2-cln", "mesh:16x8"},
                                                        {"KTH-SP2-1996-2.1-cln", "mesh:10x10"},
                                                        {"LANL-CM5-1994-4.1-cln", "mesh:32x32"},
                                                        {"HPC2N-2002-2.2-cln", "mesh:16x15"}}) {
    const auto path = test::shared_data("swf/" + log + ".swf.zst");
    if (path.empty()) return;
    INFO(log);
    check_head_is_never_late(platform, *jobs::open_jobs(path + (test::is_sanitized ? ":first=1000" : "")));
  }
}

struct Published {
  const char* log;
  const char* platform;
  double makespan, utilization, wait;
};

TEST_CASE("EASY on the archive's logs: makespan, utilisation and waits of an independent implementation", "[slow]") {
  for (const auto& p : {Published{"NASA-iPSC-1993-3.1-cln", "mesh:16x8", 7'949'022, 0.4661, 4.028},
                        {"SDSC-SP2-1998-4.2-cln", "mesh:16x8", 63'025'400, 0.8339, 21'179.8},
                        {"LANL-CM5-1994-4.1-cln", "mesh:32x32", 62'293'404, 0.7435, 8'185.9}}) {
    const auto path = test::shared_data(fmt::format("swf/{}.swf.zst", p.log));
    if (path.empty()) return;
    INFO(p.log);
    const auto machine = platforms::make_machine(p.platform);
    const auto json = totals_json(run_schedule({machine, *jobs::open_jobs(path)}).totals);
    CHECK(json["makespan_s"].get<double>() == Approx(p.makespan).margin(0.5));
    CHECK(json["utilization"].get<double>() == Approx(p.utilization).margin(0.00005));
    CHECK(json["mean_wait_s"].get<double>() == Approx(p.wait).margin(p.wait < 10 ? 0.0005 : 0.05));
  }
}

TEST_CASE(
    "EASY with the shortest and the longest first on the archive's logs: waits of an independent implementation") {
  for (const auto& [log, platform, order, wait] :
       std::vector<std::tuple<std::string, std::string, std::string, double>>{
           {"KTH-SP2-1996-2.1-cln", "mesh:10x10", "shortest", 4550.158173836699},
           {"SDSC-SP2-1998-4.2-cln", "mesh:16x8", "shortest", 31363.6214010806},
           {"NASA-iPSC-1993-3.1-cln", "mesh:16x8", "shortest", 0.36438401228137505}}) {
    const auto path = test::shared_data("swf/" + log + ".swf.zst");
    if (path.empty()) return;
    INFO(log);
    const auto machine = platforms::make_machine(platform);
    const auto totals = run_schedule({machine, *jobs::open_jobs(path), "easy:order=" + order}).totals;
    CHECK(totals_json(totals)["mean_wait_s"].get<double>() == Approx(wait).epsilon(1e-12));
  }
}

/// Where run times are known each job starts when it fits first beside all that were submitted before it.
Starts planned_one_after_the_other(std::int32_t nodes, const std::vector<Job>& jobs) {
  Starts all;
  std::vector<std::pair<double, const Job*>> placed;
  for (const auto& job : jobs) {
    std::set<double> candidates{job.submitted};
    for (const auto& [start, other] : placed)
      if (start + other->run_time > job.submitted) candidates.insert(start + other->run_time);
    for (const double start : candidates) {
      std::set<double> instants{start};
      for (const auto& [other_start, other] : placed)
        if (other_start > start && other_start < start + job.run_time) instants.insert(other_start);
      const bool fits = std::all_of(instants.begin(), instants.end(), [&](double instant) {
        std::int32_t used = job.size;
        for (const auto& [other_start, other] : placed)
          if (other_start <= instant && instant < other_start + other->run_time) used += other->size;
        return used <= nodes;
      });
      if (!fits) continue;
      placed.emplace_back(start, &job);
      all[job.number] = start;
      break;
    }
  }
  return all;
}

TEST_CASE("Conservative backfilling: with known run times each job starts where it fits first beside those before it") {
  Options exact;
  exact.estimates = Options::Estimates::exact;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO(seed);
    auto jobs = random_jobs(seed, 200, 16);
    for (auto& job : jobs) job.run_time += 1;  // what jobs of no length reserve is a matter of taste
    const auto found = starts(run_jobs("mesh:4x4", ListedJobs(jobs), "conservative", exact));
    CHECK(found == planned_one_after_the_other(16, jobs));
  }
}

TEST_CASE("Conservative backfilling starts what its definition says, in every order of the queue", "[slow]") {
  check_beside_definition("conservative", ConservativeOracle(16), 8, 120);
}

TEST_CASE("Conservative backfilling starts what its definition says on one of the archive's logs") {
  const auto path = test::shared_data("swf/KTH-SP2-1996-2.1-cln.swf.zst");
  if (path.empty()) return;
  const std::string first = test::is_sanitized ? ":first=300" : ":first=2500";
  std::vector<Job> jobs;
  const auto log = jobs::open_jobs(path + first);
  const auto stream = log->open();
  for (Job next; stream->next(next);) jobs.push_back(next);
  const auto known = with_estimates(jobs);
  for (const auto& order : orders) {
    INFO(order);
    const auto found = starts(run_jobs("mesh:10x10", ListedJobs(jobs), "conservative:order=" + order));
    CHECK(first_difference(found, Oracle(100, known, order).run(ConservativeOracle(100))) == "");
  }
}

TEST_CASE("Conservative backfilling: those that wait move up before newcomers are planned") {
  // 1 ends early in the instant in which 3 comes, which would have room before 2 as that was planned before.
  const ListedJobs jobs({job(1, 0, 16, 50, 100), job(2, 1, 16, 50, 100), job(3, 50, 10, 10, 10)});
  CHECK(starts(run_jobs("mesh:4x4", jobs, "conservative")) == Starts{{1, 0}, {2, 50}, {3, 100}});
}

TEST_CASE("Conservative backfilling: an early end lets those behind move up, one after the other") {
  // 1 is expected to run till 100 and ends at 10. 2 was to start then, with 3 behind it; 4 fits beside both.
  const ListedJobs jobs({job(1, 0, 12, 10, 100), job(2, 1, 16, 20, 20), job(3, 2, 8, 30, 30), job(4, 3, 4, 5, 97)});
  const auto found = starts(run_jobs("mesh:4x4", jobs, "conservative"));
  CHECK(found == Starts{{1, 0}, {4, 3}, {2, 10}, {3, 30}});
}

TEST_CASE("Conservative backfilling keeps a place for every job, EASY only for the first") {
  // 4 leaves room for 2, but not for 3 after it.
  const ListedJobs jobs({job(1, 0, 10, 10, 10), job(2, 1, 8, 10, 10), job(3, 2, 12, 10, 10), job(4, 3, 6, 30, 30)});
  CHECK(starts(run_jobs("mesh:4x4", jobs, "conservative")) == Starts{{1, 0}, {2, 10}, {3, 20}, {4, 30}});
  CHECK(starts(run_jobs("mesh:4x4", jobs, "easy")) == Starts{{1, 0}, {2, 10}, {3, 33}, {4, 3}});
}

TEST_CASE("Conservative backfilling keeps a place for jobs of no length, too") {
  // 4 would be in the way of 3 at 11.
  const ListedJobs jobs({job(1, 0, 4, 30), job(2, 0, 4, 11), job(3, 1, 9, 0), job(4, 2, 8, 32)});
  Options exact;
  exact.estimates = Options::Estimates::exact;
  CHECK(starts(run_jobs("mesh:4x4", jobs, "conservative", exact)) == Starts{{1, 0}, {2, 0}, {3, 11}, {4, 11}});
}

TEST_CASE("As logged: jobs start when they did, or as soon after as they fit") {
  auto listed = std::vector<Job>{job(1, 0, 10, 50), job(2, 0, 4, 50), job(3, 5, 8, 10), job(4, 6, 2, 10)};
  listed[1].wait = 20;
  listed[2].wait = 15;
  listed[3].wait = 60;
  CHECK(starts(run_jobs("mesh:4x4", ListedJobs(listed), "as-logged")) == Starts{{1, 0}, {2, 20}, {3, 50}, {4, 66}});
}

TEST_CASE("Every scheduler runs every job, and never more than the machine holds") {
  for (const auto& entry : schedulers().entries()) {
    INFO(entry.name);
    const auto jobs = random_jobs(7, 300, 16);
    const auto records = run_jobs("mesh:4x4", ListedJobs(jobs), std::string(entry.name), {}, "random");
    REQUIRE(records.size() == jobs.size());
    for (const auto& job : jobs) {
      const auto& record = records.at(job.number);
      CHECK(record.started >= job.submitted);
      CHECK(record.ended - record.started == job.run_time);
      CHECK(record.nodes.size() == static_cast<std::size_t>(job.size));
    }
  }
}

}  // namespace
}  // namespace toroid::cosim

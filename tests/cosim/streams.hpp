#pragma once
// Jobs made by hand or at random, and runs of them, for the tests of the loop.

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "cosim/loop/loop.hpp"
#include "cosim/run_times/run_times.hpp"
#include "toroid/cosim/schedule.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::cosim {

/// A job by its essentials.
inline jobs::Job job(std::int64_t number, double submitted, std::int32_t size, double run_time, double estimate = -1) {
  jobs::Job made;
  made.number = number;
  made.submitted = submitted;
  made.size = size;
  made.run_time = run_time;
  made.estimate = estimate;
  return made;
}

/// Jobs that lie in memory; by submission.
class ListedJobs final : public jobs::Jobs {
 public:
  explicit ListedJobs(std::vector<jobs::Job> jobs) : jobs_(std::move(jobs)) {}
  std::unique_ptr<jobs::JobStream> open() const override { return std::make_unique<Stream>(jobs_); }
  jobs::JobCounts counts() const override {
    jobs::JobCounts counts{.jobs = jobs_.size()};
    for (const auto& job : jobs_) counts.dependent += job.after >= 0 ? 1 : 0;
    return counts;
  }

 private:
  class Stream final : public jobs::JobStream {
   public:
    explicit Stream(const std::vector<jobs::Job>& jobs) : jobs_(jobs) {}
    bool next(jobs::Job& next) override {
      if (at_ == jobs_.size()) return false;
      next = jobs_[at_++];
      return true;
    }

   private:
    const std::vector<jobs::Job>& jobs_;
    std::size_t at_ = 0;
  };
  std::vector<jobs::Job> jobs_;
};

/// Integer times, so that sums are exact; many jobs at once, some of no length; estimates from the run time up.
inline std::vector<jobs::Job> random_jobs(std::uint64_t seed, int count, std::int32_t largest) {
  core::Random random(seed, "tests/jobs");
  std::vector<jobs::Job> jobs;
  double now = 0;
  for (int number = 1; number <= count; ++number) {
    if (random.below(3) != 0) now += static_cast<double>(random.below(20));
    const double run_time = random.below(10) == 0 ? 0 : static_cast<double>(random.below(60));
    const double estimate = random.below(4) == 0 ? -1 : run_time + static_cast<double>(random.below(40));
    const auto size = 1 + static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(largest)));
    jobs.push_back(job(number, now, random.below(3) == 0 ? size : (size + 3) / 4, run_time, estimate));
  }
  return jobs;
}

/// What is known of a job when it has ended.
struct Ended {
  double submitted = 0, started = 0, ended = 0, estimate = 0, node_seconds = 0;
  End end = End::done;
  Allocation nodes;
};

/// By number of the job.
class Records final : public Observer {
 public:
  void ended(const Record& record) override {
    by_number[record.job.number] = {record.submitted.seconds(),
                                    record.started.seconds(),
                                    record.ended.seconds(),
                                    record.estimate.seconds(),
                                    record.node_seconds,
                                    record.end,
                                    {record.nodes.begin(), record.nodes.end()}};
  }
  std::map<std::int64_t, Ended> by_number;
};

/// Run times by number of the job, where it is not the log that decides about them.
using Lengths = std::map<std::int64_t, double>;

/// Lets each job last that long.
class Lasting final : public RunTimes, netsim::TimerClient {
 public:
  Lasting(const Lengths& lengths, netsim::Clock& clock) : lengths_(lengths), clock_(clock) {}

  void start(const StartedJob& started, Ended ended) override {
    clock_.start_timer(Time(lengths_.at(started.job.number)), *this, static_cast<std::uint32_t>(ends_.size()));
    ends_.push_back(std::move(ended));
  }
  void kill(JobId) override { throw std::logic_error("nobody is killed here"); }

 private:
  void timer_ended(std::uint32_t payload) override { std::exchange(ends_[payload], {})(End::done, {}); }

  const Lengths& lengths_;
  netsim::Clock& clock_;
  std::vector<Ended> ends_;
};

/// Runs jobs that last so long, whatever was known of them, and returns what became of them.
inline std::map<std::int64_t, Ended> run_jobs_lasting(const Lengths& lengths, const std::string& platform,
                                                      const jobs::Jobs& jobs, const std::string& scheduler,
                                                      const std::string& allocator = "consecutive",
                                                      const std::vector<PlannedOutage>& reserved = {}) {
  const auto machine = platforms::make_machine(platform);
  netsim::Clock clock;
  alloc::FreeNodes free(machine);
  const auto chosen = alloc::allocators().make(allocator, alloc::Site{free});
  const auto made = schedulers().make(scheduler);
  Records records;
  Lasting lasting(lengths, clock);
  Loop({jobs, *made, free, *chosen, clock, lasting, {&records}, nullptr, ReservedNodes(reserved)}, {}).run();
  return records.by_number;
}

/// Runs jobs on a machine and returns what became of them.
inline std::map<std::int64_t, Ended> run_jobs(const std::string& platform, const jobs::Jobs& jobs,
                                              const std::string& scheduler, Options options = {},
                                              const std::string& allocator = "consecutive",
                                              std::vector<Observer*> others = {}) {
  const auto machine = platforms::make_machine(platform);
  Records records;
  ScheduleRequest request{machine, jobs, scheduler, allocator};
  request.options = options;
  request.observers = {&records};
  request.observers.insert(request.observers.end(), others.begin(), others.end());
  run_schedule(request);
  return records.by_number;
}

}  // namespace toroid::cosim

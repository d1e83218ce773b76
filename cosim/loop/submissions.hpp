#pragma once
// When jobs are submitted: at the times of their log, or when jobs have ended on which they depend.

#include "netsim/time/clock.hpp"
#include "toroid/jobs/jobs.hpp"

namespace toroid::cosim {

class Submissions final : netsim::TimerClient {
 public:
  /// `submit` takes each job at its time on the clock. The jobs and the clock must outlive it.
  Submissions(const jobs::Jobs& jobs, netsim::Clock& clock, std::function<void(jobs::Job)> submit);

  /// A job has ended, and does not come again: jobs that depend on it are submitted after their think time.
  void ended(const jobs::Job& job);
  bool are_over() const { return !coming_ && held_ == 0; }

 private:
  static constexpr std::uint32_t next_of_log = ~0U;  ///< payload of its timer; else a number in dependent_

  void timer_ended(std::uint32_t payload) override;
  bool keeps_appointments() const override { return true; }
  void hold_dependent(const jobs::Jobs& jobs);
  void await_next();

  netsim::Clock& clock_;
  std::function<void(jobs::Job)> submit_;
  std::unique_ptr<jobs::JobStream> stream_;
  std::optional<jobs::Job> coming_;                                 ///< the next job of the log; none: it is over
  std::vector<jobs::Job> dependent_;                                ///< jobs that are submitted when others have ended
  std::map<std::int64_t, std::vector<std::uint32_t>> waiting_for_;  ///< which of them wait for which number's job
  std::size_t held_ = 0;                                            ///< number of them that are not submitted yet
};

}  // namespace toroid::cosim

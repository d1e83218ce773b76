#pragma once
// Job streams that are computed as they are pulled, and streams made of others.

#include <limits>

#include "core/units.hpp"
#include "toroid/jobs/jobs.hpp"

namespace toroid::jobs {

/// A stream that a function is: it puts the next job into its argument, and returns false after the last.
template <class Next>
std::unique_ptr<JobStream> stream_of(Next next) {
  struct Stream final : JobStream {
    explicit Stream(Next function) : next_job(std::move(function)) {}
    bool next(Job& job) override {
      if (!next_job(job)) return false;
      TOROID_ASSERT(job.size > 0 && job.submitted >= latest);
      latest = job.submitted;
      return true;
    }
    Next next_job;
    double latest = -std::numeric_limits<double>::infinity();
  };
  return std::make_unique<Stream>(std::move(next));
}

/// The key `seed`, which all generators of jobs have.
inline const core::OptionalParameter<std::uint64_t> job_seed{
    "seed", "of the random numbers", core::whole(std::uint64_t{0}, ~std::uint64_t{0}), "that of the run"};

/// `count` generated jobs. A `Stream(arguments, seed)` makes them, one with each call of `job(number)`; numbers count
/// from 1.
template <class Stream>
class GeneratedJobs final : public Jobs {
 public:
  GeneratedJobs(const core::Arguments& arguments, std::uint64_t seed_of_run, std::uint64_t count)
      : arguments_(arguments), seed_(arguments[job_seed].value_or(seed_of_run)) {
    counts_.jobs = count;
  }

  std::unique_ptr<JobStream> open() const override {
    return stream_of(
        [stream = Stream(arguments_, seed_), left = counts_.jobs, number = std::int64_t{0}](Job& job) mutable {
          if (left == 0) return false;
          --left;
          job = stream.job(++number);
          return true;
        });
  }
  bool uses_seed() const override { return !arguments_[job_seed]; }
  JobCounts counts() const override { return counts_; }
  std::vector<std::string> header() const override { return {" Note: " + arguments_.spec().text()}; }

 private:
  core::Arguments arguments_;
  std::uint64_t seed_;
  JobCounts counts_;
};

/// Applies the keys of job_filters() to jobs. Returns `jobs` itself if none of the keys is given.
std::unique_ptr<Jobs> filtered(std::unique_ptr<Jobs> jobs, const core::Arguments& arguments);

}  // namespace toroid::jobs

#pragma once
// Job streams that are computed as they are pulled.

#include "jobs/jobs.hpp"
#include "jobs/streams/stream_of.hpp"

namespace toroid::jobs {

/// The key `seed`, which all generators of jobs have.
extern const core::OptionalParameter<std::uint64_t> job_seed;

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

}  // namespace toroid::jobs

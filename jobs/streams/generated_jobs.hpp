#pragma once
// Job streams that are computed as they are pulled.

#include "jobs/jobs.hpp"

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
    return std::make_unique<Counted>(arguments_, seed_, counts_.jobs);
  }
  bool uses_seed() const override { return !arguments_[job_seed]; }
  JobCounts counts() const override { return counts_; }
  std::vector<std::string> header() const override { return {" Note: " + arguments_.spec().text()}; }

 private:
  class Counted final : public JobStream {
   public:
    Counted(const core::Arguments& arguments, std::uint64_t seed, std::uint64_t count)
        : stream_(arguments, seed), count_(count) {}
    bool next(Job& job) override {
      if (made_ == count_) return false;
      job = stream_.job(static_cast<std::int64_t>(++made_));
      return true;
    }

   private:
    Stream stream_;
    std::uint64_t count_, made_ = 0;
  };

  core::Arguments arguments_;
  std::uint64_t seed_;
  JobCounts counts_;
};

}  // namespace toroid::jobs

#pragma once
// Jobs that lie in memory, by submission: of formats whose files must be read whole.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "jobs/jobs.hpp"
#include "jobs/program_text.hpp"

namespace toroid::jobs {

class HeldJobs final : public Jobs {
 public:
  /// `counts` says what was left out. Takes jobs in any order, and sorts them by submission; jobs that are submitted
  /// together keep their order. `header` has the comments that the log would have in SWF.
  HeldJobs(std::string path, std::vector<Job> jobs, const JobCounts& counts, std::vector<std::string> header = {})
      : path_(std::move(path)), jobs_(std::move(jobs)), counts_(counts), header_(std::move(header)) {
    std::stable_sort(jobs_.begin(), jobs_.end(), [](const Job& a, const Job& b) { return a.submitted < b.submitted; });
    keep_programs_of(jobs_);
    for (const auto& job : jobs_) counts_.add(job);
  }
  std::unique_ptr<JobStream> open() const override { return std::make_unique<Stream>(jobs_); }
  JobCounts counts() const override { return counts_; }
  std::vector<std::string> header() const override { return header_; }
  std::vector<std::string> files() const override { return {path_}; }

 private:
  class Stream final : public JobStream {
   public:
    explicit Stream(const std::vector<Job>& jobs) : jobs_(jobs) {}
    bool next(Job& job) override {
      if (at_ == jobs_.size()) return false;
      job = jobs_[at_++];
      return true;
    }

   private:
    const std::vector<Job>& jobs_;
    std::size_t at_ = 0;
  };

  std::string path_;
  std::vector<Job> jobs_;
  JobCounts counts_;
  std::vector<std::string> header_;
};

}  // namespace toroid::jobs

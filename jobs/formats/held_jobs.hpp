#pragma once
// Jobs that lie in memory, by submission: of formats whose files must be read whole.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "jobs/jobs.hpp"
#include "jobs/program_text.hpp"
#include "jobs/streams/stream_of.hpp"

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
  std::unique_ptr<JobStream> open() const override {
    return stream_of([this, at = std::size_t{0}](Job& job) mutable {
      if (at == jobs_.size()) return false;
      job = jobs_[at++];
      return true;
    });
  }
  JobCounts counts() const override { return counts_; }
  std::vector<std::string> header() const override { return header_; }
  std::vector<std::string> files() const override { return {path_}; }

 private:
  std::string path_;
  std::vector<Job> jobs_;
  JobCounts counts_;
  std::vector<std::string> header_;
};

/// Reads a log by a `Reader(path, reading)` whose read() gives the jobs.
template <class Reader>
std::unique_ptr<Jobs> read_held(const std::string& path, Reading reading) {
  return std::make_unique<HeldJobs>(Reader(path, reading).read());
}

}  // namespace toroid::jobs

#pragma once
// A stream that a function is: it puts the next job into its argument, and returns false after the last.

#include <memory>
#include <utility>

#include "jobs/jobs.hpp"

namespace toroid::jobs {

template <class Next>
std::unique_ptr<JobStream> stream_of(Next next) {
  struct Stream final : JobStream {
    explicit Stream(Next function) : next_job(std::move(function)) {}
    bool next(Job& job) override { return next_job(job); }
    Next next_job;
  };
  return std::make_unique<Stream>(std::move(next));
}

}  // namespace toroid::jobs

#pragma once
// Segments of the jobs of one schedule, which runs that have no repetitions are compared by.

#include <unordered_map>

#include "alloc/metrics.hpp"
#include "cosim/record.hpp"
#include "toroid/study/sweep.hpp"

namespace toroid::study {

class SegmentRecorder final : public cosim::Observer {
 public:
  /// Segments have as many jobs each, or, if they are `by_day`, as many days of the log.
  SegmentRecorder(const cosim::Machine& machine, const jobs::Jobs& jobs, bool by_day);
  void submitted(const jobs::Job& job, cosim::JobId id, const cosim::Time& now) override;
  void ended(const cosim::Record& record) override;
  const JobSegments& segments() const { return segments_; }

 private:
  std::size_t day_of(double submitted) const;
  std::size_t segment_of(const jobs::Job& job);

  alloc::Measure measure_;
  std::size_t jobs_, seen_ = 0;
  std::optional<double> midnight_;  ///< the first one, in seconds since the beginning of the log, if days are segments
  std::size_t days_ = 0;
  std::unordered_map<cosim::JobId, std::size_t> segment_of_;  ///< segments of the jobs that have not ended
  std::optional<std::size_t> again_;  ///< segment of a job that a failing node ended and that is submitted next
  JobSegments segments_;
};

}  // namespace toroid::study

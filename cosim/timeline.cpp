#include "cosim/timeline.hpp"

#include <fmt/format.h>

namespace toroid::cosim {

TimelineCsv::TimelineCsv(const Machine& machine, Write write)
    : FollowedPieces(machine),
      compute_nodes_(static_cast<std::int32_t>(machine.compute_nodes().size())),
      write_(std::move(write)) {
  write_("time_s,waiting_jobs,running_jobs,held_nodes,free_nodes,free_regions,largest_free_region\n");
}

void TimelineCsv::started(const Record& record) {
  --waiting_;
  FollowedPieces::started(record);
}

void TimelineCsv::ended(const Record& record) {
  if (record.end == End::rejected) --waiting_;
  FollowedPieces::ended(record);
}

void TimelineCsv::settled(const Time& now) {
  const auto regions = free().regions();
  write_(fmt::format("{},{},{},{},{},{},{}\n", now.seconds(), waiting_, running(),
                     compute_nodes_ - free().count() - out(), free().count(), regions.count, regions.largest));
}

}  // namespace toroid::cosim

// The share of the free nodes that lie outside the largest region, against the timeline.

#include <catch2/catch.hpp>

#include "cosim/free_pieces.hpp"
#include "cosim/jobs_csv.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/text.hpp"
#include "toroid/cosim/schedule.hpp"
#include "toroid/jobs/jobs.hpp"

namespace toroid::cosim {
namespace {

/// The same share from the lines of a timeline.
double outside_by(const std::string& csv) {
  double free_seconds = 0, outside_seconds = 0, since = 0, free = 0, outside = 0;
  auto lines = core::split(csv, '\n');
  for (std::size_t i = 1; i < lines.size() && !lines[i].empty(); ++i) {
    const auto cells = core::split(lines[i], ',');
    const double time = std::stod(std::string(cells[0]));
    free_seconds += free * (time - since);
    outside_seconds += outside * (time - since);
    since = time;
    free = std::stod(std::string(cells[4]));
    outside = free - std::stod(std::string(cells[6]));
  }
  return outside_seconds / free_seconds;
}

}  // namespace

TEST_CASE("The share of free nodes in pieces is that of a line by hand") {
  const test::Scratch scratch;
  const auto log = scratch.write("log.csv", "size,submitted_s,run_time_s\n1,0,20\n1,0,10\n1,20,5\n");
  const auto machine = platforms::make_machine("mesh:5,fail-node=4");
  const auto jobs = jobs::open_jobs(log);
  ScheduleRequest request(machine, *jobs, "fcfs", "consecutive");
  Fragmentation pieces(machine);
  request.observers = {&pieces};
  run_schedule(request);
  // Nodes 0 and 1 are taken until 10 s, node 0 until 20 s: what is free is one region all the time.
  CHECK(pieces.outside() == 0);

  const auto apart = scratch.write("apart.csv", "size,submitted_s,run_time_s\n1,0,10\n1,0,20\n1,20,5\n");
  const auto others = jobs::open_jobs(apart);
  ScheduleRequest again(machine, *others, "fcfs", "consecutive");
  Fragmentation in_pieces(machine);
  again.observers = {&in_pieces};
  run_schedule(again);
  // Free: 2 and 3 until 10 s; 0, and 2 and 3, until 20 s; 1 to 3 until 25 s. Outside: node 0 for 10 s.
  CHECK(in_pieces.outside() == Approx(10.0 / (2 * 10 + 3 * 10 + 3 * 5)));
}

TEST_CASE("The share of free nodes in pieces is that of the timeline") {
  for (const auto* platform : {"mesh:8x8", "torus:4x4x2,nodes=2,fail-router=r5"})
    for (const auto* allocator : {"random", "mc1x1", "consecutive"}) {
      CAPTURE(platform, allocator);
      const auto machine = platforms::make_machine(platform);
      const auto jobs = jobs::open_jobs("derose:side=4,jobs=200,load=3");
      std::string csv;
      TimelineCsv timeline(machine, [&](std::string_view line) { csv += line; });
      Fragmentation pieces(machine);
      ScheduleRequest request(machine, *jobs, "easy", allocator);
      request.observers = {&timeline, &pieces};
      run_schedule(request);
      CHECK(pieces.outside() == Approx(outside_by(csv)));
      CHECK(pieces.outside() >= 0);
    }
}

}  // namespace toroid::cosim

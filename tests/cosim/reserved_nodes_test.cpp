// Nodes that are reserved in advance: by hand, what a user of Slurm expects of them. tests/cosim/refusals_test.cpp has
// random cases beside definitions.

#include "cosim/outages.hpp"

#include <catch2/catch.hpp>

#include "tests/cosim/streams.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

namespace toroid::cosim {
namespace {

Allocation nodes(std::int32_t first, std::int32_t last) {
  Allocation all;
  for (auto node = first; node <= last; ++node) all.emplace_back(node);
  return all;
}

struct FirstNodes final : Observer {
  void ended(const Record& record) override {
    ran[record.job.number] = {record.started.seconds(), record.nodes.front().value()};
    reasons[record.job.number] = record.reason;
  }
  std::map<std::int64_t, std::pair<double, int>> ran;  ///< by job its start and its first node
  std::map<std::int64_t, std::string> reasons;
};

FirstNodes run_with(const std::vector<std::string>& at, const std::vector<jobs::Job>& made,
                    const std::string& scheduler, const std::string& allocator = "consecutive",
                    const std::string& platform = "mesh:4x2x2", bool dynamic = false) {
  const auto machine = platforms::make_machine(platform);
  const ListedJobs jobs(made);
  FirstNodes run;
  ScheduleRequest request{machine, jobs, scheduler, allocator};
  request.options.dynamic = dynamic;
  for (const auto& text : at) request.options.failures.outages.push_back(read_outage(text));
  request.observers = {&run};
  run_schedule(request);
  return run;
}

using TimeAndNode = std::pair<double, int>;
const std::string reserved_reason = "ReqNodeNotAvail, Reserved for maintenance";

TEST_CASE("Reservations of a node that overlap or touch are one") {
  const ReservedNodes reserved({{{50, 60}, nodes(0, 3)},
                                {{10, 20}, nodes(0, 7)},
                                {{20, 30}, nodes(4, 5)},
                                {{15, 18}, nodes(6, 9)},
                                {{25, 55}, nodes(2, 2)}});
  const auto within = [&](double from, double duration) { return reserved.within(Time(from), Time(duration)); };
  CHECK(reserved.parts().size() == 5);  // 0-3 6-7, 4-5, 8-9; 2 from 25 on; 0-1 3 from 50 on
  CHECK(within(0, 10).empty());
  CHECK(within(0, 10.5) == nodes(0, 7));
  CHECK(within(10, 0) == nodes(0, 7));
  CHECK(within(12, 5) == nodes(0, 9));
  CHECK(within(20, 5) == nodes(4, 5));
  CHECK(within(24, 2) == Allocation{NodeId(2), NodeId(4), NodeId(5)});
  CHECK(within(30, 100) == nodes(0, 3));
  CHECK(within(60, 100).empty());
  CHECK(reserved.next_end(Time(0)) == Time(18));
  CHECK(reserved.next_end(Time(20)) == Time(30));
  CHECK(reserved.next_end(Time(60)) == Time::never());
  CHECK(reserved.next_beginning(nodes(2, 3), Time(20)) == Time(25));
  CHECK(reserved.next_beginning(nodes(3, 3), Time(20)) == Time(50));
  CHECK(reserved.next_beginning(nodes(8, 15), Time(20)) == Time::never());
}

TEST_CASE("A maintenance of all nodes drains the machine: only jobs that end before it start") {
  for (const std::string scheduler : {"fcfs", "easy", "conservative", "as-logged"})
    for (const std::string allocator : {"consecutive", "submesh"}) {
      CAPTURE(scheduler, allocator);
      const auto run =
          run_with({"100s:reserve-node 0-15 until 200s"},
                   {job(1, 0, 8, 60, 100), job(2, 10, 4, 20, 91), job(3, 20, 4, 20, 80)}, scheduler, allocator);
      CHECK(run.ran.at(1) == TimeAndNode(0, 0));
      CHECK(run.reasons.at(1).empty());
      // Job 2 would end at 101 s by its limit, a second too late.
      CHECK(run.ran.at(2).first == 200);
      CHECK(run.reasons.at(2) == reserved_reason);
      // Job 3 has to end by 100 s, and may overtake; not so if none may.
      CHECK(run.ran.at(3).first == (scheduler == "fcfs" ? 200 : 20));
    }
}

TEST_CASE("Nodes that are not reserved go on, and a job goes where its limit lets it") {
  for (const std::string scheduler : {"fcfs", "easy", "conservative"}) {
    CAPTURE(scheduler);
    const auto run = run_with({"100s:reserve-router z=0 until 200s"},  // nodes 0 to 7
                              {job(1, 0, 4, 90, 150), job(2, 0, 4, 90, 100), job(3, 150, 4, 10, 10)}, scheduler);
    CHECK(run.ran.at(1) == TimeAndNode(0, 8));
    CHECK(run.ran.at(2) == TimeAndNode(0, 0));
    CHECK(run.ran.at(3) == TimeAndNode(150, 8));
  }
}

TEST_CASE("The first of the queue is promised a time after the reservation, and jobs that end by then go before") {
  for (const std::string scheduler : {"easy", "conservative"}) {
    CAPTURE(scheduler);
    // 16 nodes. Job 2 wants all, for 50 s: there is no gap before the reservation, so it starts at 130 s. Without
    // knowing of that, it would be promised 60 s, and job 3 would have to wait for its end.
    const auto run = run_with(
        {"100s:reserve-node 0-3 until 130s"},
        {job(1, 0, 12, 60, 60), job(2, 5, 16, 50, 50), job(3, 10, 4, 60, 80), job(4, 10, 8, 60, 65)}, scheduler);
    CHECK(run.ran.at(2).first == 130);
    CHECK(run.ran.at(3) == TimeAndNode(10, 12));  // until 90 s, on nodes of which none is reserved
    CHECK(run.ran.at(4) == TimeAndNode(60, 4));   // from 60 to 125 s, beside the reserved nodes
    CHECK(run.reasons.at(4).empty());
  }
}

TEST_CASE("A job that outlasts its estimate may cost another one its gap before a reservation") {
  for (const std::string scheduler : {"easy", "conservative"}) {
    CAPTURE(scheduler);
    // Job 2 is promised 50 s, and would end at 90 s. Job 1 goes on until 80 s: now it has to wait for the end of the
    // reservation, and job 3 may go before.
    const auto found =
        run_jobs_lasting({{1, 80}, {2, 40}, {3, 20}}, "mesh:16",
                         ListedJobs({job(1, 0, 16, 50, 50), job(2, 5, 12, 40, 40), job(3, 70, 8, 20, 20)}), scheduler,
                         "consecutive", {{{100, 200}, nodes(0, 15)}});
    CHECK(found.at(2).started == 200);
    CHECK(found.at(3).started == 80);
  }
}

TEST_CASE("Slurm's boxes leave reserved nodes alone, and the reason says which of the two it is") {
  const std::string boxes = "slurm-torus3d:placements=(2x2x1 2x2x2 4x4x2)";
  const auto run = run_with({"100s:reserve-router z=0 until 200s"},
                            {job(1, 0, 4, 50, 150), job(2, 0, 8, 50, 150), job(3, 0, 8, 50, 90), job(4, 0, 4, 50, 150),
                             job(5, 0, 32, 10, 10), job(6, 90, 8, 10, 100)},
                            "easy", boxes, "torus:4x4x2");
  CHECK(run.ran.at(1) == TimeAndNode(0, 16));  // 16 to 31 have z=1
  CHECK(run.reasons.at(2) == reserved_reason);
  CHECK(run.ran.at(3).first == 0);
  CHECK(run.ran.at(2).first >= 200);
  const auto refused = run_with({}, {job(1, 0, 16, 50, 50), job(2, 0, 8, 50, 50)}, "easy",
                                "slurm-torus3d:placements=(4x4x1 2x2x2)", "torus:4x4x2");
  CHECK(refused.reasons.at(2) == "No suitable topology unit found");
  CHECK(refused.ran.at(2).first == 50);
}

TEST_CASE("Jobs that grow do not grow onto nodes that are reserved before they end") {
  auto grows = job(1, 0, 8, 80, 90);
  grows.demand = jobs::Demand::pyramid;
  for (const bool is_reserved : {false, true}) {
    const auto run =
        run_with(is_reserved ? std::vector<std::string>{"85s:reserve-node 2-15 until 1h"} : std::vector<std::string>{},
                 {grows}, "easy", "consecutive", "mesh:4x2x2", true);
    CHECK(run.ran.at(1) == TimeAndNode(0, 0));
  }
}

TEST_CASE("A reservation that has begun, one that never ends, and one after all jobs") {
  const auto run = run_with({"0s:reserve-node 0-3 until 50s", "60s:reserve-node 8-15", "1h:reserve-node 0 until 2h"},
                            {job(1, 10, 16, 5, 10), job(2, 70, 8, 10, 10)}, "easy");
  CHECK(run.ran.at(1) == TimeAndNode(50, 0));
  CHECK(run.ran.at(2) == TimeAndNode(70, 0));
  CHECK_THROWS_WITH(run_with({"60s:reserve-node 8-15"}, {job(1, 0, 8, 10, 10), job(2, 70, 9, 10, 10)}, "easy"),
                    Catch::Contains("wait for ever"));
}

TEST_CASE("Reserved nodes that fail meanwhile are as good as others when both are over") {
  for (const std::string scheduler : {"fcfs", "easy", "conservative"}) {
    CAPTURE(scheduler);
    const auto run = run_with({"50s:reserve-node 0-7 until 100s", "60s:fail-node 4-11 until 150s"},
                              {job(1, 0, 16, 10, 50), job(2, 20, 16, 10, 40), job(3, 70, 4, 10, 20)}, scheduler);
    CHECK(run.ran.at(1) == TimeAndNode(0, 0));
    CHECK(run.ran.at(2).first == 150);
    if (scheduler == "easy") CHECK(run.ran.at(3) == TimeAndNode(70, 12));
  }
}

TEST_CASE("A reservation that touches no job changes nothing, whatever the scheduler and the allocator") {
  std::vector<std::string> allocators = alloc::allocators().names();
  // `leak` keeps books of its own, and `as-logged` asks for the nodes of a log.
  std::erase_if(allocators, [](const auto& name) { return name == "leak" || name == "as-logged"; });
  for (auto& name : allocators)
    if (name == "slurm-torus3d") name += ":placements=(1x1x1 2x1x1 3x1x1 2x2x1 4x2x1)";
  allocators.emplace_back("curve:block=2x2x1");
  std::vector<std::string> schedulers{"fcfs", "as-logged"};
  for (const std::string order : {"arrival", "shortest", "longest", "smallest", "largest"})
    for (const std::string name : {"easy", "conservative"}) schedulers.push_back(name + ":order=" + order);
  constexpr std::int32_t sizes[] = {1, 1, 2, 2, 3, 4, 4, 4, 8};
  for (const auto& allocator : allocators)
    for (const auto& scheduler : schedulers) {
      auto made = random_jobs(allocator.size() + scheduler.size(), 80, 9);
      // After the last of all plans, and before the first submission.
      double end = made.back().submitted;
      for (auto& one : made) {
        one.size = allocator == "slurm-ring" ? (one.size + 2) / 3 : sizes[one.size - 1];
        one.submitted += 10;
        end += 10 + std::max(2 * one.run_time, one.estimate);
      }
      CAPTURE(allocator, scheduler);
      const auto with =
          run_with({fmt::format("{}s:reserve-node 0-31 until {}s", end, end + 100), "0s:reserve-node 0-15 until 5s"},
                   made, scheduler, allocator, "torus:4x4x2");
      CHECK(with.ran == run_with({}, made, scheduler, allocator, "torus:4x4x2").ran);
    }
}

TEST_CASE("Allocators with books of their own have no reserved nodes") {
  CHECK_THAT(test::error_of([] { run_with({"50s:reserve-node 0 until 1h"}, {job(1, 0, 1, 1)}, "fcfs", "leak"); }),
             Catch::Contains("none of which may fail or be reserved"));
}

}  // namespace
}  // namespace toroid::cosim

// What pictures and timelines are made from, and the nodes of one job among others.

#include "cosim/pictures.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "cosim/jobs_csv.hpp"
#include "cosim/placed_jobs.hpp"
#include "tests/cosim/streams.hpp"
#include "tests/support/support.hpp"
#include "toroid/cosim/placement.hpp"

namespace toroid::cosim {
namespace {

// 1: nodes 0 to 9 until 100; 3: 10 to 13 from 20 to 50; 2: all from 100 to 150.
const ListedJobs three({job(1, 0, 10, 100, 100), job(2, 10, 16, 50, 60), job(3, 20, 4, 30, 40)});

TEST_CASE("Snapshots show who holds what after all that happens at a time") {
  SnapshotObserver observer({150, 0, 19.5, 20, 50, 100, 1000});
  run_jobs("mesh:4x4", three, "easy", {}, "consecutive", {&observer});
  const auto snapshots = observer.finish();
  std::vector<std::pair<double, std::vector<std::string>>> found;
  for (const auto& snapshot : snapshots) {
    auto& [time, names] = found.emplace_back();
    time = snapshot.time;
    for (const auto& holder : snapshot.holders) names.push_back(holder.name);
  }
  using Found = decltype(found);
  CHECK(found == Found{{0, {"1"}}, {19.5, {"1"}}, {20, {"1", "3"}}, {50, {"1"}}, {100, {"2"}}, {150, {}}, {1000, {}}});
  CHECK(snapshots[2].holders[1].nodes == Allocation{10, 11, 12, 13});
}

TEST_CASE("Gantt charts know every job that ran") {
  GanttObserver observer;
  run_jobs("mesh:4x4", three, "easy", {}, "consecutive", {&observer});
  REQUIRE(observer.jobs().size() == 3);
  CHECK(observer.jobs()[0].name == "3");
  CHECK(observer.jobs()[0].started == 20);
  CHECK(observer.jobs()[0].ended == 50);
  CHECK(observer.jobs()[2].nodes.size() == 16);
}

TEST_CASE("Timelines have a line per instant, with the pieces of what is free") {
  const auto machine = platforms::make_machine("mesh:4x4");
  std::string text;
  TimelineCsv timeline(machine, [&](std::string_view line) { text += line; });
  run_jobs("mesh:4x4", three, "easy", {}, "consecutive", {&timeline});
  // 14 and 15 are free beside 1 and 3; beside 1 alone the two right ones of the third row as well.
  CHECK(text ==
        "time_s,waiting_jobs,running_jobs,held_nodes,free_nodes,free_regions,largest_free_region\n"
        "0,0,1,10,6,1,6\n10,1,1,10,6,1,6\n20,1,2,14,2,1,2\n50,1,1,10,6,1,6\n100,0,1,16,0,0,0\n150,0,0,0,16,1,16\n");
}

TEST_CASE("Pieces of what is free are joined by working links only") {
  const auto machine = platforms::make_machine("torus:4");
  std::string text;
  TimelineCsv timeline(machine, [&](std::string_view line) { text = line; });
  const std::vector<NodeId> two{1, 3};
  const auto first = job(1, 0, 2, 10);
  Record record{.job = first, .id = 1, .submitted = {}, .started = {}, .ended = {}, .estimate = {}, .nodes = two};
  timeline.submitted(first, 1, {});
  timeline.started(record);
  timeline.settled({});
  CHECK(text == "0,0,1,2,2,2,1\n");
  timeline.resized(1, std::span(two).first(1), {});
  timeline.settled({});
  CHECK(text == "0,0,1,1,3,1,3\n");
}

TEST_CASE("Nodes are out from their failure until they are back, or until the last job ends") {
  GanttObserver gantt;
  const jobs::Job job;
  gantt.node_out(2, Time(1));
  gantt.node_out(5, Time(3));
  gantt.node_back(2, Time(4));
  gantt.node_out(2, Time(6));
  gantt.node_out(7, Time(12));
  gantt.node_back(7, Time(13));
  gantt.ended({.job = job, .id = 1, .submitted = {}, .started = {}, .ended = Time(10), .estimate = {}, .nodes = {}});
  const auto outages = gantt.outages();
  REQUIRE(outages.size() == 3);
  const auto is = [&](std::size_t i, NodeId node, double began, double ended) {
    return outages[i].node == node && outages[i].began == began && outages[i].ended == ended;
  };
  CHECK(is(0, 2, 1, 4));
  CHECK(is(1, 2, 6, 10));
  CHECK(is(2, 5, 3, 10));
}

TEST_CASE("A job gets its nodes from an allocator beside what is busy") {
  const auto machine = platforms::make_machine("mesh:4x4");
  const Allocation busy{0, 1, 5};
  CHECK(allocate(machine, "consecutive", busy, 4, 1) == Allocation{2, 3, 4, 6});
  CHECK(allocate(machine, "random", busy, 13, 1).size() == 13);
  CHECK(allocate(machine, "random", busy, 6, 1) != allocate(machine, "random", busy, 6, 2));
  const auto refused = [&](const Allocation& nodes) {
    return test::error_of([&] { allocate(machine, "consecutive", nodes, 1, 1); });
  };
  CHECK(refused({0, 0}) == "busy nodes: node 0 is given twice");
  CHECK_THAT(refused({-1}), Catch::Contains("busy nodes: found node -1"));
  CHECK_THAT(refused({99}), Catch::Contains("busy nodes: found node 99"));
  CHECK_THROWS_WITH(allocate(machine, "consecutive", busy, 14, 1),
                    Catch::Contains("has no 14 nodes for the job") && Catch::Contains("where 13 are free"));
  for (const auto& entry : alloc::allocators().entries()) {
    const bool wants_more = entry.name.starts_with("slurm-") || entry.name == "as-logged";  // placements, rings, a log
    if (!entry.argument.empty() || wants_more) continue;
    INFO(entry.name);
    const auto nodes = allocate(machine, std::string(entry.name), busy, 1, 1);
    REQUIRE(nodes.size() >= 1);
    for (const NodeId node : nodes) CHECK(std::find(busy.begin(), busy.end(), node) == busy.end());
  }
}

TEST_CASE("Machines are busy by a list, a share or a schedule") {
  const auto machine = platforms::make_machine("mesh:4x4");
  CHECK(BusyChoice("0-2,7")->nodes(machine, 1) == Allocation{0, 1, 2, 7});
  const test::Scratch files;
  CHECK(BusyChoice("@" + files.write("busy", "0-1 y=1\n7\n"))->nodes(machine, 1) == Allocation{0, 1, 4, 5, 6, 7});
  CHECK(BusyChoice("nid1")->nodes(platforms::make_machine("mesh:2,node-names=nid[0-1]"), 1) == Allocation{1});
  const auto some = BusyChoice("random:0.5")->nodes(machine, 1);
  CHECK(some.size() == 8);
  CHECK(std::set<NodeId>(some.begin(), some.end()).size() == 8);
  CHECK(BusyChoice("random:0.5")->nodes(machine, 1) == some);
  CHECK(BusyChoice("random:0.5")->nodes(machine, 2) != some);
  CHECK(BusyChoice("random:0")->nodes(machine, 1).empty());
  const test::Scratch scratch;
  const auto log = scratch.write("log.swf",
                                 "1 0 -1 100 10 -1 -1 10 100 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                                 "2 10 -1 50 3 -1 -1 3 60 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
  const auto at = [&](const std::string& rest) {
    return BusyChoice("schedule:jobs=" + log + rest)->nodes(machine, 1).size();
  };
  CHECK(at("") == 10);
  CHECK(at(",at=20s") == 13);
  CHECK(at(",at=80s,scheduler=(fcfs:order=largest),alloc=random") == 10);
  CHECK(at(",at=100s") == 0);
  const auto running = BusyChoice("schedule:jobs=" + log + ",at=20s,program=(stencil:grid={box},steps=2)");
  const auto neighbours = running->neighbours(machine, 1);
  REQUIRE(neighbours.size() == 2);
  CHECK(neighbours[0].name == "neighbour 1");
  CHECK(neighbours[0].trace.text() == "stencil:grid=5x2x1,steps=2");
  CHECK(neighbours[1].trace.text() == "stencil:grid=3x1x1,steps=2");
  auto held = neighbours[0].held;
  held.insert(held.end(), neighbours[1].held.begin(), neighbours[1].held.end());
  CHECK(held == running->nodes(machine, 1));
  CHECK(BusyChoice("schedule:jobs=" + log)->neighbours(machine, 1).empty());
  CHECK(BusyChoice("schedule:jobs=(" + log + ":sizes=3),at=20s")->nodes(machine, 1).size() == 3);
  for (const auto& [wrong, message] :
       std::vector<std::pair<std::string, std::string>>{{"random:1.5", "expected a number from 0 to 1"},
                                                        {"random", "expected random:SHARE"},
                                                        {"rnadom:0.5", "did you mean 'random'?"},
                                                        {"0-99", "node 16 does not exist"},
                                                        {"schedule:jobs=" + log + ",at=20", "no unit"},
                                                        {"schedule", "expected the key jobs"},
                                                        {"schedule:jobs=nowhere.swf", "no such file"}})
    CHECK_THROWS_WITH(BusyChoice(wrong)->nodes(machine, 1), Catch::Contains(message));
}

}  // namespace
}  // namespace toroid::cosim

// Modelled run times: by hand, each job alone against the simulation of its exchange, and jobs beside each other
// against epochs.

#include "cosim/run_times/modelled.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "cosim/placed_jobs.hpp"
#include "tests/cosim/streams.hpp"
#include "tests/support/support.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::cosim {
namespace {

using Times = ScheduleRequest::Times;

struct Modelling {
  Totals totals;
  std::map<std::int64_t, Ended> jobs;
};

Modelling model(const std::string& platform, const jobs::Jobs& jobs, const std::string& rule, double communication,
                const std::string& allocator, Times times = Times::modelled, std::uint64_t seed = 1) {
  const auto machine = platforms::make_machine(platform);
  Records records;
  ScheduleRequest request{machine, jobs, "fcfs", allocator};
  request.times = times;
  request.programs.rules = {rule};
  request.programs.communication = communication;
  request.seed = seed;
  request.observers = {&records};
  const auto result = run_schedule(request);
  return {result.totals, records.by_number};
}

jobs::Job placed(std::int64_t number, double submitted, double run_time, const std::string& nodes) {
  auto made = job(number, submitted, 2, run_time);
  made.nodes = nodes;
  return made;
}

/// The seconds of an exchange alone on nodes, by the engine.
double simulated(const platforms::Machine& machine, const std::string& text, const Allocation& nodes) {
  const auto trace = workloads::open_trace(text);
  const auto mapping = mapping::make_mapping("quick", {machine, nodes, mapping::Traffic(*trace)});
  return netsim::run_in_process({machine, *trace, mapping, {}, netsim::fast_engine}).runtime;
}

}  // namespace

TEST_CASE("A job alone takes as much longer as the engine says that its exchange does, on any nodes") {
  const std::string platform = "torus:6x4x4,lat=0s";
  const auto machine = platforms::make_machine(platform);
  std::vector<jobs::Job> listed;
  for (int i = 0; i < 12; ++i) listed.push_back(job(i + 1, 1e4 * i, 2 + 5 * i, 100 + i));
  for (const std::string allocator : {"random", "curve", "mc1x1", "submesh"}) {
    const auto found = model(platform, ListedJobs(listed), "stencil:grid={size},steps=1,bytes=1MB", 1, allocator);
    for (const auto& one : listed) {
      const auto text = fmt::format("stencil:grid={},steps=1,bytes=1MB", one.size);
      const auto& ended = found.jobs.at(one.number);
      const Allocation nodes(ended.nodes.begin(), ended.nodes.end());
      const auto reference = allocate(machine, "mc1x1", {}, one.size, 1);
      const double longer = simulated(machine, text, nodes) / simulated(machine, text, reference);
      CAPTURE(allocator, one.size, longer);
      CHECK((ended.ended - ended.started) / one.run_time == Approx(longer).epsilon(0.005));
    }
  }
}

TEST_CASE("Jobs that share a link and do nothing but send take twice as long while both run") {
  // On a line, 0 and 2 talk over the link between 1 and 2, as 1 and 3 do.
  const ListedJobs both({placed(1, 0, 100, "0,2"), placed(2, 0, 300, "1,3")});
  const auto found = model("mesh:4", both, "stencil:grid={size},steps=1,bytes=1MB", 1, "as-logged");
  CHECK(found.jobs.at(1).ended == Approx(200));
  CHECK(found.jobs.at(2).ended == Approx(400));
  CHECK(found.totals.logged == Approx(400));
  CHECK(found.totals.alone == Approx(400));
  const ListedJobs apart({placed(1, 0, 100, "0,1"), placed(2, 0, 300, "2,3")});
  const auto unhindered = model("mesh:4", apart, "stencil:grid={size},steps=1,bytes=1MB", 0.6, "as-logged");
  CHECK(unhindered.jobs.at(1).ended == Approx(100));
  CHECK(unhindered.jobs.at(2).ended == Approx(300));
}

TEST_CASE("A link that jobs share carries as much as it can, and no more") {
  // Job 1 goes over the link between (1,0) and (2,0) and does nothing but send. Job 2 sends over it for half or a
  // quarter of its time alone, as its messages along y take twice or four times as long. It hides there what it loses,
  // and job 1 has what is left of the link. (Alone job 1 takes a half or a quarter of its logged time, which is that on
  // two nodes along y.)
  auto wide = job(2, 0, 4, 1000);
  wide.nodes = "0,2,4,6";
  const ListedJobs both({placed(1, 0, 100, "1,3"), wide});
  for (const auto& [bandwidth, as_long] : {std::pair("500MBps", 2 / 2.0), {"250MBps", 4 / 3.0 / 4}}) {
    const auto machine =
        platforms::make_machine(fmt::format("mesh:4x2,lat=0s,bandwidth=1GBps,y.bandwidth={}", bandwidth));
    for (const auto times : {Times::modelled, Times::epochs}) {
      Records records;
      ScheduleRequest request{machine, both, "fcfs", "as-logged"};
      request.times = times;
      const std::string rounds = times == Times::epochs ? " rounds logged" : "";
      request.programs.rules = {"stencil:grid=2,steps=1,bytes=1MB" + rounds + " if size=2",
                                "stencil:grid=2x2,steps=1,bytes=1MB" + rounds + " if size=4"};
      request.programs.communication = 1;
      request.observers = {&records};
      run_schedule(request);
      CAPTURE(bandwidth, times == Times::epochs);
      CHECK(records.by_number.at(1).ended == Approx(100 * as_long).epsilon(0.02));
      CHECK(records.by_number.at(2).ended == Approx(1000).epsilon(0.02));
    }
  }
}

TEST_CASE("Jobs that communicate for a part of their time lose no more than that part, and the more the larger it is") {
  const ListedJobs both({placed(1, 0, 100, "0,2"), placed(2, 0, 100, "1,3")});
  double before = 100;
  for (const double share : {0.1, 0.3, 0.5, 0.9}) {
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const auto found =
          model("mesh:4", both, "stencil:grid={size},steps=1,bytes=1MB", share, "as-logged", Times::modelled, seed);
      sum += found.jobs.at(1).ended / 20;
    }
    CAPTURE(share);
    CHECK(sum > before);
    CHECK(sum < 100 * (1 + share));
    before = sum;
  }
}

TEST_CASE("Jobs that send nothing last as their log says, and are killed at their limit as all are") {
  CHECK(model("mesh:4x4", ListedJobs({job(1, 0, 1, 50)}), "stencil:grid={size},steps=1", 1, "random").totals.run_time ==
        Approx(50));
  const auto machine = platforms::make_machine("mesh:4");
  const ListedJobs both({placed(1, 0, 100, "0,2"), placed(2, 0, 300, "1,3")});
  ScheduleRequest request{machine, both, "fcfs", "as-logged"};
  request.times = Times::modelled;
  request.programs.rules = {"stencil:grid={size},steps=1,bytes=1MB"};
  request.programs.communication = 1;
  request.options.estimates = Options::Estimates::exact;
  request.options.kill = true;
  const auto result = run_schedule(request);
  CHECK(result.totals.killed == 2);
  CHECK(result.totals.last_end == Approx(300));
}

TEST_CASE("Jobs that begin together lose to each other what they lose in epochs", "[slow]") {
  // A full machine at a time, so that all have the same nodes in both, whatever their ends.
  std::vector<jobs::Job> listed;
  core::Random random(3, "jobs");
  for (int batch = 0; batch < 10; ++batch)
    for (std::int32_t left = 36, size = 0; left >= 2; left -= size) {
      size = std::min(left, 2 + static_cast<std::int32_t>(random.below(8)));
      listed.push_back(job(std::ssize(listed) + 1, 1e5 * batch, size, 100 + 50 * random.unit()));
    }
  const ListedJobs jobs(listed);
  const std::string rule = "stencil:grid={box},steps=1,bytes=1MB";
  for (const std::string allocator : {"random", "mc1x1", "curve"}) {
    const auto modelled = model("torus:6x6", jobs, rule, 1, allocator),
               epochs = model("torus:6x6", jobs, rule + " rounds logged", 1, allocator, Times::epochs);
    CAPTURE(allocator);
    CHECK(modelled.totals.alone == Approx(epochs.totals.alone).epsilon(0.02));
    CHECK(modelled.totals.run_time == Approx(epochs.totals.run_time).epsilon(0.04));
  }
}

TEST_CASE("Random jobs beside each other take about as long as in epochs", "[slow]") {
  for (const std::string allocator : {"random", "mc1x1"}) {
    std::vector<jobs::Job> listed;
    core::Random random(3, allocator);
    for (int i = 0; i < 24; ++i)
      listed.push_back(job(i + 1, 2.0 * i, 2 + static_cast<std::int32_t>(random.below(12)), 20 + 20 * random.unit()));
    const ListedJobs jobs(listed);
    const std::string rule = "stencil:grid={box},steps=1,bytes=1MB";
    const auto modelled = model("torus:6x6", jobs, rule, 1, allocator),
               epochs = model("torus:6x6", jobs, rule + " rounds logged", 1, allocator, Times::epochs);
    CAPTURE(allocator);
    CHECK(modelled.totals.run_time == Approx(epochs.totals.run_time).epsilon(0.15));
  }
}

}  // namespace toroid::cosim

// Advice on a job log against its parts, and what neighbours cost against jobs whose messages meet by hand.

#include "study/log_advice.hpp"

#include <catch2/catch.hpp>

#include "cosim/fragmentation.hpp"
#include "jobs/jobs_source.hpp"
#include "tests/support/support.hpp"

namespace toroid::study {
namespace {

cosim::Holder job(cosim::JobId id, std::initializer_list<int> nodes) {
  cosim::Holder holder{.id = id, .name = {}, .nodes = {}};
  for (const int node : nodes) holder.nodes.emplace_back(node);
  return holder;
}

SweepSpec question() {
  SweepSpec spec;
  spec.platforms = {"mesh:8x8"};
  spec.jobs = {"derose:side=8,jobs=60,load=3"};
  spec.schedulers = {"easy", "fcfs"};
  spec.allocators = {"consecutive", "mc1x1", "submesh"};
  spec.repeats = 2;
  return spec;
}

}  // namespace

TEST_CASE("Neighbours cost nothing where no messages meet") {
  const auto machine = platforms::make_machine("mesh:4x4");
  const std::vector<double> shares{0.3, 1};
  const std::vector<cosim::Holder> boxes{job(0, {0, 1, 4, 5}), job(1, {2, 3, 6, 7}), job(2, {8, 9, 10, 11})};
  const auto costs = neighbour_costs(machine, boxes, shares, 1);
  REQUIRE(costs);
  for (const auto& cost : *costs) CHECK(cost.longer == Approx(0).margin(1e-9));
  const std::vector<cosim::Holder> alone{job(0, {0, 3, 12, 15}), job(1, {5})};
  CHECK_FALSE(neighbour_costs(machine, alone, shares, 1));
  CHECK_FALSE(neighbour_costs(machine, {}, shares, 1));
}

TEST_CASE("Two jobs that share a link, and do nothing but send, take twice as long") {
  // On a line, 0 and 2 talk over the link between 1 and 2, as 1 and 3 do.
  const auto machine = platforms::make_machine("mesh:4,latency=0s");
  const std::vector<double> shares{0.05, 0.2, 0.5, 1};
  const std::vector<cosim::Holder> jobs{job(0, {0, 2}), job(1, {1, 3})};
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    CAPTURE(seed);
    const auto found = neighbour_costs(machine, jobs, shares, seed);
    REQUIRE(found);
    const auto& costs = *found;
    REQUIRE(costs.size() == shares.size());
    CHECK(costs[3].longer == Approx(1).epsilon(0.02));  // but for the small allreduce
    CHECK(costs[3].longest == Approx(1).epsilon(0.02));
    for (std::size_t i = 0; i + 1 < costs.size(); ++i) {
      CHECK(costs[i].share == shares[i]);
      CHECK(costs[i].longer <= shares[i] + 0.02);  // a job can lose no more than all its communication again
    }
  }
}

TEST_CASE("Advice on a log is its sweeps, and what single runs tell of allocators") {
  const auto spec = question();
  const LogQuestions questions{.shares = {0.5}, .budget = 30, .most_instants = 2};
  const auto advice = advise(spec, questions, 2);
  auto first = spec;
  first.schedulers = {"easy"};
  const Sweep sweep(first);
  const auto rows =
      run_sweep(sweep, *make_local_executor([&](std::size_t task) { return sweep.work(task); }, 2), nullptr);
  REQUIRE(advice.allocators.rows.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) CHECK(advice.allocators.rows[i].result == rows[i].result);
  CHECK(advice.schedulers.sweep->spec().schedulers.size() == 2);
  REQUIRE(advice.schedulers.sweep->spec().allocators.size() == 1);

  CHECK(advice.instants == 2);
  REQUIRE(advice.costs.size() == 3);
  const auto jobs = jobs::open_jobs(spec.jobs[0]);
  const auto summary = jobs::summarize(*jobs);
  const double span = summary.last - summary.first;
  for (const auto& costs : advice.costs) {
    CAPTURE(costs.allocator, costs.error);
    cosim::ScheduleRequest request(sweep.machine(0), *jobs, "easy", spec.allocators[costs.allocator]);
    cosim::Fragmentation pieces(request.machine);
    cosim::SnapshotObserver snapshots({summary.first + 0.25 * span, summary.first + 0.75 * span});
    request.observers = {&pieces, &snapshots};
    cosim::run_schedule(request);
    CHECK(costs.outside == pieces.outside());
    Sample longer;
    const auto taken = snapshots.finish();
    for (std::size_t i = 0; i < 2; ++i)
      if (const auto found = neighbour_costs(request.machine, taken[i].holders, questions.shares, spec.seed + i))
        longer.push_back((*found)[0].longer);
    REQUIRE(costs.instants == longer.size());
    if (longer.empty()) continue;
    REQUIRE(costs.neighbours.size() == 1);
    CHECK(costs.neighbours[0].longer == Approx(mean(longer)).margin(1e-12));
    CHECK(costs.neighbours[0].more.has_value() == (costs.allocator > 0));
  }
}

TEST_CASE("One run of each allocator decides nothing, and a single scheduler is not compared") {
  auto spec = question();
  spec.repeats = 1;
  spec.schedulers = {"easy"};
  const auto advice = advise(spec, {.shares = {0.3}, .budget = 30, .most_instants = 1}, 2);
  CHECK(advice.allocator_is_undecided);
  CHECK(advice.schedulers.sweep == nullptr);
  CHECK(log_advice_json(advice)["by_scheduler"].is_null());
}

TEST_CASE("Advice on a log does not depend on the number of workers") {
  const LogQuestions questions{.shares = {0.3}, .budget = 30, .most_instants = 3};
  CHECK(log_advice_json(advise(question(), questions, 1)) == log_advice_json(advise(question(), questions, 4)));
}

TEST_CASE("An allocator that cannot run a log is told, and the others are judged") {
  const test::Scratch scratch;
  auto spec = question();
  spec.platforms = {"mesh:8x8,fail-node=0"};  // no box of 60 is left
  spec.jobs = {scratch.write("log.csv", "size,submitted_s,run_time_s\n60,0,10\n4,5,10\n3,6,10\n")};
  const auto advice = advise(spec, {.shares = {0.3}, .budget = 30, .most_instants = 1}, 2);
  CHECK(advice.allocators.rows[2].error.find("mesh:8x8") != std::string::npos);
  CHECK(!advice.costs[2].error.empty());
  CHECK(advice.costs[0].error.empty());
  spec.allocators = {"submesh"};
  CHECK_THROWS_AS(advise(spec, {}, 2), core::SimulationError);
}

}  // namespace toroid::study

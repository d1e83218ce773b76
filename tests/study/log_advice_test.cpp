// Advice on a job log against its parts, and what neighbours cost against jobs whose messages meet by hand.

#include "study/advice/log_advice.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <set>

#include "core/random.hpp"
#include "core/units.hpp"
#include "cosim/free_pieces.hpp"
#include "jobs/jobs_source.hpp"
#include "mapping/mapper.hpp"
#include "netsim/run.hpp"
#include "tests/support/support.hpp"
#include "workloads/trace_source.hpp"

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

/// Jobs of four and of eight nodes on a torus of 8x8: some of them boxes, of which no two meet, some anywhere.
std::vector<cosim::Holder> random_jobs(core::Random& random) {
  std::vector<platforms::NodeId> free;
  for (int node = 0; node < 64; ++node) free.emplace_back(node);
  std::vector<cosim::Holder> jobs;
  const auto take = [&](const std::vector<platforms::NodeId>& nodes) {
    for (const auto node : nodes) std::erase(free, node);
    jobs.push_back({.id = static_cast<cosim::JobId>(jobs.size()), .name = {}, .nodes = nodes});
  };
  for (int corner : {0, 4, 32, 36})
    if (random.below(2) == 0) {
      std::vector<platforms::NodeId> box;
      for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 4; ++x) box.emplace_back(corner + 8 * y + x);
      take(box);
    }
  random.shuffle(free);
  for (std::uint64_t more = 1 + random.below(4); more > 0; --more)
    take({free.begin(), free.begin() + (random.below(2) == 0 ? 4 : 8)});
  return jobs;
}

/// The numbers of the jobs that take links with a job, directly or by way of others, by the bytes that links carried.
std::set<std::uint32_t> group_of(std::uint32_t job, const std::vector<netsim::JobLoad>& loads) {
  std::set<std::uint32_t> group{job};
  for (std::size_t before = 0; before < group.size();) {
    before = group.size();
    for (const auto& a : loads)
      for (const auto& b : loads)
        if (a.link == b.link && group.contains(a.job)) group.insert(b.job);
  }
  return group;
}

/// The same answer as neighbour_costs, from one run of all jobs together.
NeighbourCost cost_in_one_run(const platforms::Machine& machine, std::span<const cosim::Holder> holders, double share,
                              std::uint64_t seed) {
  struct Running {
    std::unique_ptr<workloads::Trace> trace;
    double step = 0, start = 0;
  };
  constexpr int steps = 2, rounds = 3;
  core::Random random(seed, "neighbours");
  std::vector<Running> running(holders.size());
  netsim::JobsRequest request{machine, {}, netsim::fast_engine};
  for (std::size_t i = 0; i < holders.size(); ++i) {
    auto& [trace, step, start] = running[i];
    const auto rest =
        fmt::format("stencil:grid={},steps=2,bytes=1MB,flops=", holders[i].nodes.size() == 4 ? "2x2" : "2x2x2");
    const auto exchange = workloads::open_trace(rest + "0f");
    const auto mapping = mapping::make_mapping("quick", {machine, holders[i].nodes, mapping::Traffic(*exchange)});
    step = netsim::run_alone({machine, {{"", *exchange, mapping}}, netsim::fast_engine}, 0) / steps;
    start = random.unit() * steps * step / share;
    const double flops = step * (1 - share) / share * machine.parameters().speed;
    trace = workloads::open_trace(rest + core::exact_speed(flops));
    request.jobs.push_back(
        {.name = {}, .trace = *trace, .mapping = mapping, .start = start, .rounds = netsim::until_end});
    request.jobs.back().options.compute_scale = 1;
  }
  auto once = request;
  for (auto& job : once.jobs) job.rounds = 1;
  const auto loads = netsim::run_together(once).job_loads;
  std::vector<std::pair<double, std::size_t>> watched(holders.size());  // by job: from when on, until the end of whom
  for (std::uint32_t i = 0; i < holders.size(); ++i) {
    const auto group = group_of(i, loads);
    for (const auto j : group) watched[i].first = std::max(watched[i].first, running[j].start);
    watched[i].second = *std::max_element(group.begin(), group.end(),
                                          [&](auto a, auto b) { return running[a].step < running[b].step; });
    request.jobs[watched[i].second].start = watched[i].first;
    request.jobs[watched[i].second].rounds = rounds;
  }
  const auto result = netsim::run_together(request);
  NeighbourCost cost{.share = share};
  double weights = 0;
  for (std::size_t i = 0; i < holders.size(); ++i) {
    double time = result.jobs[i].start, sum = 0;
    int count = 0;
    for (const double round : result.jobs[i].rounds) {
      if (time >= watched[i].first && time + round <= result.jobs[watched[i].second].end + 1e-12) {
        sum += round;
        ++count;
      }
      time += round;
    }
    if (count == 0) continue;
    const double longer = sum / count / netsim::run_alone(request, i) - 1;
    const auto weight = static_cast<double>(holders[i].nodes.size());
    cost.longer += weight * longer;
    cost.longest = std::max(cost.longest, longer);
    weights += weight;
  }
  cost.longer /= weights;
  return cost;
}

}  // namespace

TEST_CASE("Neighbours cost what a run of all jobs together says, in however many groups they meet") {
  const auto machine = platforms::make_machine("torus:8x8");
  const std::vector<double> shares{0.2, 0.7};
  core::Random random(1, "groups");
  int with_cost = 0, apart = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    const auto jobs = random_jobs(random);
    const auto found = neighbour_costs(machine, jobs, shares, seed);
    REQUIRE(found.has_value() == (jobs.size() > 1));
    if (!found) continue;
    for (const auto& cost : *found) {
      const auto expected = cost_in_one_run(machine, jobs, cost.share, seed);
      CHECK(cost.longer == Approx(expected.longer).margin(1e-9));
      CHECK(cost.longest == Approx(expected.longest).margin(1e-9));
      (cost.longest > 0.01 ? with_cost : apart) += 1;
    }
  }
  CHECK(with_cost > 5);
  CHECK(apart > 1);
}

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

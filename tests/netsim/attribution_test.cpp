// Who slows whom: charges beside a sheet of paper and beside exact Shapley values.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <numeric>

#include "core/random.hpp"
#include "netsim/fluid/contention.hpp"
#include "tests/netsim/checks.hpp"
#include "tests/netsim/mixes.hpp"
#include "tests/netsim/shapley.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/netsim/result_json.hpp"
#include "toroid/workloads/trace_source.hpp"

using namespace toroid;
using netsim::PlacedJob;
using netsim::Run;
using test::check_jobs;

namespace {

const netsim::ReplayOptions all_eager{.compute_scale = 1, .eager_threshold = ~std::uint64_t{0}};

/// So many messages, each of the next size, sent at once by rank 0 to 1.
std::unique_ptr<workloads::CompactTrace> messages(const std::vector<std::uint64_t>& sizes) {
  std::string text;
  for (const auto bytes : sizes) text += fmt::format("0 send 1 0 {} 6\n", bytes);
  for (const auto bytes : sizes) text += fmt::format("1 recv 0 0 {} 6\n", bytes);
  return test::trace_of(text);
}

constexpr std::uint64_t gigabyte = 1'000'000'000;

}  // namespace

TEST_CASE("a message without bytes behind another, beside a neighbour") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto machine = platforms::make_machine("mesh:8");
  const auto a = messages({20000}), b = messages({1000, 0});
  const auto r = netsim::run({machine, {{"a", *a, {0, 1}}, {"b", *b, {3, 4}}}, engine});
  for (std::size_t job : {0, 1}) {
    CHECK(r.jobs[job].how == netsim::JobOutcome::done);
    CHECK(r.jobs[job].charges[1 - job] == 0);  // no link has both
  }
}

TEST_CASE("what was never seen on a link has lost nothing there, whoever had its number before") {
  const auto machine = platforms::make_machine("mesh:4,bw=1GBps,lat=0s");
  netsim::Contention contention(machine, core::IdVector<platforms::NodeId, netsim::JobNumber>(4, 0), 1);
  std::vector<platforms::LinkId> route;
  machine.for_each_link(0, 2, [&](platforms::LinkId link) { route.push_back(link); });
  using netsim::Time;
  CHECK(contention.take(7).sharing.empty());
  contention.begin(0, 0, 2, route, 1e9, Time(0));
  contention.begin(1, 0, 2, route, 1e9, Time(0));
  CHECK_THROWS_AS(contention.take(0), core::ContractError);  // it is under way
  CHECK_THROWS_AS(contention.begin(0, 0, 2, route, 1e9, Time(0)), core::ContractError);
  contention.end(0, gigabyte, Time(2));
  CHECK_THROWS_AS(contention.end(0, gigabyte, Time(2)), core::ContractError);
  contention.wait_behind(2, 0, 2);
  REQUIRE(contention.take(0).sharing.size() == 1);
  CHECK(contention.take(0).sharing.empty());  // asked once
  const auto in_line = contention.take(2);
  CHECK(in_line.sharing[0] == 0);
  CHECK(in_line.in_line[0] == Approx(1));
  contention.end(1, gigabyte, Time(2));
  contention.forget(1);
  CHECK(contention.take(1).sharing.empty());
}

TEST_CASE("a graph is charged what its end is later, and not what its strands waited for beside something else") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto machine = platforms::make_machine("mesh:5,bw=1GBps,lat=0s");
  const test::Scratch scratch;
  // Which of its computations rank 1 does first depends on which message is there first.
  const auto graph = [&](int calculation) {
    return workloads::open_trace(
        scratch.write("g.goal", fmt::format("num_ranks 3\nrank 0 {{\nsend 1000000b to 1 tag 1\n}}\n"
                                            "rank 1 {{\na: recv 1000000b from 0 tag 1\nb: recv 8b from 2 tag 2\n"
                                            "c: calc 500000\nc requires a\nd: calc {}\nd requires b\n}}\n"
                                            "rank 2 {{\nsend 8b to 1 tag 2\n}}\n",
                                            calculation)));
  };
  const auto neighbour = messages({1'000'000});
  // Beside the neighbour the large message comes after 2 ms instead of 1.
  for (const auto& [calculation, alone, beside] :
       std::vector<std::array<double, 3>>{{100'000, 1.5e-3, 2.5e-3},                 // is over before it comes
                                          {1'700'000, 2.200008e-3, 2.5e-3},          // lasts until 1.7 ms
                                          {5'000'000, 5.500008e-3, 5.500008e-3}}) {  // ends last anyway
    const auto trace = graph(static_cast<int>(calculation));
    const auto r =
        netsim::run({machine, {{"g", *trace, {0, 2, 4}, all_eager}, {"n", *neighbour, {1, 3}, all_eager}}, engine});
    CAPTURE(engine, calculation);
    CHECK(*r.jobs[0].runtime() == Approx(beside));
    check_jobs(r.jobs[0].charges, {0, beside - alone});
    check_jobs(r.jobs[1].charges, {1e-3, 0});
  }
}

TEST_CASE("who is in the way on another link that is as full is charged as much") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto machine = platforms::make_machine("mesh:6,bw=1GBps,lat=0s");
  const auto trace = messages({1'000'000});
  std::vector<PlacedJob> jobs{
      {"first", *trace, {0, 2}}, {"middle", *trace, {1, 4}}, {"last", *trace, {3, 5}, {}, 0, 8}};
  std::vector<std::size_t> order{0, 1, 2};
  do {
    std::vector<PlacedJob> some;
    for (const auto job : order) some.push_back(jobs[job]);
    const auto r = netsim::run({machine, some, engine});
    const auto at = [&](const char* name) {
      return std::find_if(some.begin(), some.end(), [&](const auto& job) { return job.name == name; }) - some.begin();
    };
    const auto& middle = r.jobs[at("middle")];
    CHECK(*middle.runtime() == Approx(2e-3));
    CHECK(middle.charges[at("first")] == Approx(0.5e-3));
    CHECK(middle.charges[at("last")] == Approx(0.5e-3));
    CHECK(r.jobs[at("first")].charges[at("middle")] == Approx(1e-3));
    CHECK(r.jobs[at("first")].charges[at("last")] == 0);
  } while (engine == "fluid" && std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("one on five full links is in the way as much as one on the sixth") {
  const auto machine = platforms::make_machine("mesh:9,bw=1GBps,lat=0s");
  const auto trace = messages({gigabyte});
  const auto r = netsim::run({machine, {{"a", *trace, {0, 6}}, {"b", *trace, {1, 7}}, {"c", *trace, {5, 8}}}, "fluid"});
  // 5 -> 6 has all three, a third each; that alone holds a and b, as what c leaves on 6 -> 7 is not all used.
  check_jobs(r.jobs[0].charges, {0, 1, 1});
  const auto apart =
      netsim::run({machine, {{"a", *trace, {0, 6}}, {"b", *trace, {1, 7}}, {"c", *trace, {8, 3}}}, "fluid"});
  check_jobs(apart.jobs[1].charges, {1, 0, 0});
  const auto both =
      netsim::run({machine, {{"a", *trace, {0, 5}}, {"b", *trace, {1, 7}}, {"c", *trace, {6, 8}}}, "fluid"});
  check_jobs(both.jobs[1].charges, {0.5, 0, 0.5});
}

TEST_CASE("who delays a message that then waits for its receiver's core is charged nothing") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto machine = platforms::make_machine("mesh:7,bw=1GBps,lat=0s,cores=4,overhead=10us");
  // Four messages of the node beside it keep the core of rank 0 busy until 50 us. The fifth, from the other side, comes
  // at 12 us instead of 11 us, as it shares a link with the neighbour's, which loses as much.
  std::string text;
  for (int from = 1; from <= 5; ++from)
    text += fmt::format("{0} send 0 0 {1} 6\n0 recv {0} 0 {1} 6\n", from, from == 5 ? 1000 : 1);
  const auto a = test::trace_of(text), b = messages({1000});
  const auto r =
      netsim::run({machine, {{"a", *a, {3, 2, 2, 2, 2, 6}, all_eager}, {"b", *b, {5, 4}, all_eager}}, engine});
  CHECK(*r.jobs[0].runtime() == Approx(60e-6).epsilon(1e-3));
  check_jobs(r.jobs[0].charges, {0, 0});
  check_jobs(r.jobs[1].charges, {1e-6, 0});
}

TEST_CASE("what is lost in line is charged to whom the one in front lost it") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto machine = platforms::make_machine("mesh:4,bw=1GBps,lat=0s");
  const auto two = messages({gigabyte, gigabyte}), three = messages({gigabyte, gigabyte, 0}),
             one = messages({gigabyte});
  for (const auto* trace : {two.get(), three.get()}) {
    const auto r = netsim::run({machine, {{"a", *trace, {0, 2}, all_eager}, {"b", *one, {1, 3}, all_eager}}, engine});
    // The first takes 2 s instead of 1, beside b; the second waits 2 s in line, of which it would have waited 1 alone.
    CHECK(*r.jobs[0].runtime() == Approx(3).epsilon(1e-9));
    check_jobs(r.jobs[0].charges, {0, 1});
    check_jobs(r.jobs[1].charges, {1, 0});
  }
}

TEST_CASE("nobody waits longer for what the one in front lost than it waits") {
  const auto machine = platforms::make_machine("mesh:4,bw=1GBps,lat=0s");
  // The second message comes at 1.5 s, when the first would be through alone; it is through at 2 s.
  const auto late = test::trace_of(
      fmt::format("0 isend 1 0 {0} 6\n0 sleep 1.5\n0 isend 1 1 {0} 6\n1 irecv 0 0 {0} 6\n1 irecv 0 1 {0} 6\n"
                  "0 wait 0 1 0\n0 wait 0 1 1\n1 wait 0 1 0\n1 wait 0 1 1\n",
                  gigabyte));
  const auto one = messages({gigabyte});
  const auto r = netsim::run({machine, {{"a", *late, {0, 2}, all_eager}, {"b", *one, {1, 3}, all_eager}}, "fluid"});
  const auto& path = r.jobs[0].critical_path;
  CHECK(path.bandwidth == Approx(1));
  CHECK(path.sharing == Approx(0.5));
  CHECK(path.others == Approx(0.5));
  check_jobs(r.jobs[0].charges, {0, 0.5});
}

TEST_CASE("Shapley values are what jobs add when they come, over all orders of coming") {
  const auto machine = platforms::make_machine("mesh:8,bw=1GBps,lat=0s");
  core::Random random(5, "shapley");
  std::vector<std::unique_ptr<workloads::CompactTrace>> traces;
  Run request{machine, {}, "fluid"};
  std::vector<platforms::NodeId> nodes(machine.nodes().begin(), machine.nodes().end());
  random.shuffle(nodes);
  for (std::size_t job = 0; job < 4; ++job) {
    traces.push_back(messages({1 + random.below(gigabyte), 1 + random.below(gigabyte)}));
    request.jobs.push_back({std::to_string(job),
                            *traces[job],
                            {nodes[2 * job], nodes[2 * job + 1]},
                            all_eager,
                            random.unit(),
                            1 + static_cast<std::uint32_t>(random.below(3))});
  }
  auto together = netsim::run(request);
  for (std::size_t job = 0; job < 4; ++job) together.jobs[job].alone = netsim::run_alone(request, job);
  const auto found = test::shapley_losses(request, together);
  const auto time_of = [&](std::size_t victim, const std::vector<std::size_t>& beside) {
    Run some{machine, {request.jobs[victim]}, "fluid"};
    for (const auto job : beside) some.jobs.push_back(request.jobs[job]);
    return *netsim::run(some).jobs[0].runtime();
  };
  double most = 0;
  for (std::size_t victim = 0; victim < 4; ++victim) {
    std::vector<double> expected(4);
    std::vector<std::size_t> order;
    for (std::size_t job = 0; job < 4; ++job)
      if (job != victim) order.push_back(job);
    do {
      std::vector<std::size_t> beside;
      for (const auto joins : order) {
        const double before = time_of(victim, beside);
        beside.push_back(joins);
        expected[joins] += request.jobs[victim].rounds * (time_of(victim, beside) - before) / 6;
      }
    } while (std::next_permutation(order.begin(), order.end()));
    check_jobs(found[victim], expected);
    const double lost = *together.jobs[victim].lost();
    CHECK(std::accumulate(found[victim].begin(), found[victim].end(), 0.0) == Approx(lost).margin(1e-12));
    most = std::max(most, lost);
  }
  CHECK(most > 0.1);
}

TEST_CASE("charges go with Shapley values", "[slow]") {
  test::Comparison comparison;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const test::Mix mix(seed, 4);
    const auto request = mix.request();
    auto result = netsim::run(request);
    for (std::size_t job = 0; job < 4; ++job) result.jobs[job].alone = mix.alone()[job];
    comparison.add(result, test::shapley_losses(request, result));
  }
  CHECK(comparison.victims() >= 8);
  CHECK(comparison.correlation() > 0.95);
  CHECK(comparison.quantile(0.5) > 0.9);
  CHECK(comparison.quantile(0.5) < 1.1);
}

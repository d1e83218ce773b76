// Several jobs in one run: what each costs the others.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <numeric>

#include "core/random.hpp"
#include "tests/netsim/checks.hpp"
#include "tests/netsim/flows.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/netsim/result_json.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"

using namespace toroid;
using netsim::JobOutcome;
using netsim::PlacedJob;
using netsim::Run;
using test::check_jobs;

namespace {

/// Has a run keep what its last rounds need.
void keep_causes(netsim::Run& run) {
  for (auto& job : run.jobs) job.options.log_causes = true;
  run.keep_windows = true;
}

/// One message of so many megabytes.
std::unique_ptr<workloads::CompactTrace> one_message(int megabytes) {
  const auto bytes = std::to_string(megabytes) + "000000";
  return test::trace_of("0 send 1 0 " + bytes + " 6\n1 recv 0 0 " + bytes + " 6\n");
}

const netsim::ReplayOptions shared{.order = netsim::Order::shared};

double sum(const std::vector<double>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

/// The nodes from the first one on, one for each rank.
netsim::Mapping nodes_from(int first, int ranks) {
  netsim::Mapping mapping;
  for (int rank = 0; rank < ranks; ++rank) mapping.add(platforms::NodeId(first + rank));
  return mapping;
}

}  // namespace

TEST_CASE("two jobs on one link take what a sheet of paper says, and slow each other down") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto machine = platforms::make_machine("mesh:4,bw=1GBps,lat=0s");
  const auto trace = one_message(1000);
  const Run request{machine, {{"a", *trace, {0, 2}}, {"b", *trace, {1, 3}, {}, 0.5}}, engine};
  const auto r = netsim::run(request);
  // Alone until 0.5 s, then each has half of the link between nodes 1 and 2: each ends 1.5 s after its start.
  for (const auto& job : r.jobs) {
    CHECK(job.how == JobOutcome::done);
    CHECK(*job.runtime() == Approx(1.5).epsilon(1e-9));
    CHECK(job.critical_path.sharing == Approx(0.5).epsilon(1e-9));
  }
  CHECK(r.jobs[1].start == 0.5);
  CHECK(r.jobs[1].end == Approx(2).epsilon(1e-9));
  CHECK(r.runtime == r.jobs[1].end);
  check_jobs(r.jobs[0].charges, {0, 0.5});
  check_jobs(r.jobs[1].charges, {0.5, 0});
  CHECK(netsim::run_alone(request, 1) == Approx(1).epsilon(1e-9));
  REQUIRE(r.job_loads.size() == 4);  // 0 -> 1, 2 -> 3 of one, 1 -> 2 of both
  for (const auto& load : r.job_loads) CHECK(load.bytes == 1'000'000'000);
}

TEST_CASE("what was in the way of a job is the other's message, as a sheet of paper says") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto machine = platforms::make_machine("mesh:4,bw=1GBps,lat=0s");
  const auto trace = one_message(1000);
  Run request{machine, {{"a", *trace, {0, 2}}, {"b", *trace, {1, 3}, {}, 0.5}}, engine, 64};
  CHECK_FALSE(netsim::run(request).jobs[0].last_round);
  keep_causes(request);
  const auto r = netsim::run(request);
  // a travels from 0 to 1.5 s, b from 0.5 to 2 s: both do for 1 s, in which two thirds of either travel.
  const double begin[] = {0, 0.5}, end[] = {1.5, 2};
  for (std::uint32_t job : {0U, 1U}) {
    const auto last = r.last_round(job);
    const auto other = 1 - job;
    REQUIRE(last.critical_steps.size() == 1);
    CHECK(last.critical_steps[0].begin == Approx(begin[job]));
    CHECK(last.critical_steps[0].end == Approx(end[job]));
    REQUIRE(last.obstacles.size() == 1);
    const auto& obstacle = last.obstacles[0];
    CHECK(obstacle.job == other);
    CHECK(obstacle.from == 0);
    CHECK(obstacle.to == 1);
    CHECK(obstacle.begin == Approx(begin[other]).margin(1e-9));
    CHECK(obstacle.end == Approx(end[other]));
    CHECK(obstacle.bytes_meanwhile == Approx(2e9 / 3));
    CHECK(machine.link_name(obstacle.link) == "n1 -> n2 (+x)");
    CHECK(last.messages_sent.empty());
  }
  // Both jobs' bytes over the link between nodes 1 and 2, in the windows of the whole run.
  const auto& windows = r.link_windows;
  double bytes = 0;
  for (std::size_t i = 0; i < r.links.size(); ++i)
    if (machine.link_name(r.links[i].link) == "n1 -> n2 (+x)")
      for (std::size_t w = 0; w < windows.windows; ++w) bytes += windows.bytes[i * windows.windows + w];
  CHECK(bytes == Approx(2e9));
}

TEST_CASE("a job that has the machine to itself is told as a run of one trace") {
  const auto machine = platforms::make_machine("mesh:4x4");
  const auto trace = workloads::open_trace("cg:class=S,ranks=16,iterations=2");
  Run request{machine, {{"a", *trace, nodes_from(0, 16)}}, "fluid", 64};
  keep_causes(request);
  const auto last = netsim::run(request).last_round(0);
  netsim::Run single{machine, *trace, nodes_from(0, 16), {.log_causes = true}, "fluid", 64};
  single.keep_windows = true;
  const auto alone = netsim::run(single);
  CHECK(last.runtime == alone.runtime);
  REQUIRE(last.obstacles.size() == alone.obstacles.size());
  CHECK(last.obstacles.size() > 10);
  for (std::size_t i = 0; i < alone.obstacles.size(); ++i) {
    const auto &one = last.obstacles[i], &other = alone.obstacles[i];
    CHECK(std::tuple(one.step, one.from, one.to, one.begin, one.bytes_meanwhile, one.link, one.job) ==
          std::tuple(other.step, other.from, other.to, other.begin, other.bytes_meanwhile, other.link, other.job));
  }
  CHECK(last.link_windows.bytes == alone.link_windows.bytes);
}

TEST_CASE("rounds that ended otherwise are in the way, too, and the last one that was done is told") {
  const auto machine = platforms::make_machine("mesh:4,bw=1GBps,lat=0s");
  const auto once = one_message(1000), small = one_message(100);
  // b sends one message after another, of which the last one is cut off.
  Run request{
      machine, {{"a", *once, {0, 2}, shared}, {"b", *small, {1, 3}, shared, 0, netsim::until_end}}, "fluid", 64};
  keep_causes(request);
  const auto r = netsim::run(request);
  // Each of b's messages takes 0.2 s beside a's, which has sent its 1000 MB after 2 s.
  CHECK(r.jobs[0].end == Approx(2));
  const auto a = r.last_round(0), b = r.last_round(1);
  CHECK(a.obstacles.size() == 4);  // of ten messages, those with the most bytes
  for (const auto& obstacle : a.obstacles) {
    CHECK(obstacle.job == 1);
    CHECK(obstacle.bytes_meanwhile == Approx(1e8));
  }
  CHECK(b.runtime == Approx(0.2));
  CHECK(b.critical_steps.back().end == Approx(0.2 * static_cast<double>(r.jobs[1].rounds.size())));
  REQUIRE(b.obstacles.size() == 1);
  CHECK(b.obstacles[0].job == 0);
  CHECK(b.obstacles[0].bytes_meanwhile == Approx(1e8));
}

TEST_CASE("three jobs on one link: each is charged while it is there") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto machine = platforms::make_machine("mesh:6,bw=1GBps,lat=0s");
  const auto large = one_message(1000), small = one_message(500);
  const auto r = netsim::run({machine, {{"a", *large, {0, 3}}, {"b", *large, {1, 4}}, {"c", *small, {2, 5}}}, engine});
  // A third of 2 -> 3 each until c ends at 1.5 s, then half.
  CHECK(*r.jobs[0].runtime() == Approx(2.5).epsilon(1e-9));
  CHECK(*r.jobs[2].runtime() == Approx(1.5).epsilon(1e-9));
  check_jobs(r.jobs[0].charges, {0, 1, 0.5});
  check_jobs(r.jobs[1].charges, {1, 0, 0.5});
  check_jobs(r.jobs[2].charges, {0.5, 0.5, 0});
}

TEST_CASE("who moves more is charged more") {
  // The slow one gets a quarter of 2 -> 3, as 0 -> 1 lets no more through; the two others share the rest.
  const auto machine = platforms::make_machine("mesh:6,bw=1GBps,lat=0s,x.exceptions=(0 bandwidth=250MBps)");
  const auto trace = one_message(375), large = one_message(2000);
  const auto r =
      netsim::run({machine, {{"victim", *trace, {2, 3}}, {"fast", *large, {1, 4}}, {"slow", *large, {0, 5}}}, "fluid"});
  CHECK(*r.jobs[0].runtime() == Approx(1).epsilon(1e-9));
  check_jobs(r.jobs[0].charges, {0, 0.375, 0.25});
}

TEST_CASE("messages of one job slow each other down, too") {
  const auto machine = platforms::make_machine("mesh:4,bw=1GBps,lat=0s");
  const auto trace = test::trace_of(
      "0 send 2 0 1000000000 6\n1 send 3 0 1000000000 6\n2 recv 0 0 1000000000 6\n3 recv 1 0 1000000000 6\n");
  const auto r = netsim::run({machine, {{"a", *trace, {0, 1, 2, 3}}}, "fluid"});
  CHECK(*r.jobs[0].runtime() == Approx(2).epsilon(1e-9));
  check_jobs(r.jobs[0].charges, {1});
}

TEST_CASE("jobs that nobody watches take as long, and nobody says what they lose to each other") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto machine = platforms::make_machine("mesh:4,bw=1GBps,lat=0s");
  const auto trace = one_message(1000);
  Run request{machine, {{"a", *trace, {0, 2}}, {"b", *trace, {1, 3}, {}, 0.5, 2}}, engine};
  const auto watched = netsim::run(request);
  request.with_charges = false;
  const auto r = netsim::run(request);
  for (std::size_t job : {0, 1}) {
    CHECK(r.jobs[job].rounds == watched.jobs[job].rounds);
    CHECK(r.jobs[job].charges.empty());
  }
  CHECK(r.job_loads.empty());
  const auto json = netsim::jobs_json(request, r, {.links = false});
  CHECK(json["contention"].is_null());
  CHECK(json["no_contention_because"] == "nobody asked for it");
}

TEST_CASE("jobs on disjoint links end as alone, to the last bit") {
  const std::string engine = GENERATE("simgrid", "fluid", "packet");
  const auto machine = platforms::make_machine("mesh:4x8");
  const auto stencil = workloads::open_trace("stencil:grid=4x4,steps=3"),
             cg = workloads::open_trace("cg:class=S,ranks=16,iterations=1");
  const Run request{machine, {{"a", *stencil, nodes_from(0, 16)}, {"b", *cg, nodes_from(16, 16)}}, engine};
  const auto r = netsim::run(request);
  // SimGrid's own clock is a double that all jobs share: what it shows depends a little on who else moved it.
  const double margin = engine == "simgrid" ? 1e-15 : 0;
  for (std::size_t job : {0, 1}) CHECK(std::abs(*r.jobs[job].runtime() - netsim::run_alone(request, job)) <= margin);
  if (engine == "packet") return;
  CHECK(r.jobs[0].charges[1] == 0);
  CHECK(r.jobs[1].charges[0] == 0);
  CHECK(r.jobs[0].charges[0] <= r.jobs[0].critical_path.sharing * (1 + 1e-12));
}

TEST_CASE("flows are charged as by progressive filling from nothing") {
  core::Random random(1, "charges");
  for (int round = 0; round < 40; ++round) {
    // Links of one width, where several hold a flow back alike, and of different ones.
    std::string exceptions;
    for (int i = 0; i < 13; ++i) exceptions += fmt::format("{} bandwidth={}kBps;", i, 500 + random.below(1000));
    exceptions.pop_back();
    const auto machine = platforms::make_machine(round % 2 == 0 ? "mesh:14,lat=0s,bw=1MBps"
                                                                : "mesh:14,lat=0s,x.exceptions=(" + exceptions + ")");
    std::vector<platforms::NodeId> nodes(machine.nodes().begin(), machine.nodes().end());
    random.shuffle(nodes);
    std::vector<test::Flow> flows;
    std::vector<std::unique_ptr<workloads::Trace>> traces;
    Run request{machine, {}, round % 8 == 0 ? "simgrid" : "fluid"};
    for (std::size_t f = 0; f < 7; ++f) {
      const int megabytes = 1 + static_cast<int>(random.below(9));
      flows.push_back({nodes[2 * f], nodes[2 * f + 1], static_cast<std::uint64_t>(megabytes) * 1'000'000,
                       static_cast<double>(random.below(5))});
      traces.push_back(one_message(megabytes));
      request.jobs.push_back({std::to_string(f), *traces[f], {flows[f].from, flows[f].to}, shared, flows[f].start});
    }
    const auto expected = test::reference_losses(machine, flows);
    const auto r = netsim::run(request);
    for (std::size_t f = 0; f < flows.size(); ++f) {
      CHECK(sum(expected[f]) == Approx(r.jobs[f].critical_path.sharing).epsilon(1e-6).margin(1e-9));
      for (std::size_t g = 0; g < flows.size(); ++g)
        CHECK(r.jobs[f].charges[g] == Approx(expected[f][g]).epsilon(1e-6).margin(1e-9));
    }
  }
}

namespace {

/// Three programs scattered over a machine, one of them in the background.
struct Crowd {
  explicit Crowd(std::uint64_t seed) {
    core::Random random(seed, "crowd");
    std::vector<platforms::NodeId> nodes(machine.nodes().begin(), machine.nodes().end());
    random.shuffle(nodes);
    for (std::size_t job = 0; job < traces.size(); ++job) {
      netsim::Mapping mapping;
      for (std::int32_t rank = 0; rank < traces[job]->ranks(); ++rank) {
        mapping.add(nodes.back());
        nodes.pop_back();
      }
      jobs.push_back({std::to_string(job), *traces[job], std::move(mapping), {}, 1e-5 * static_cast<double>(job)});
    }
    jobs[1].rounds = 3;
    jobs[2].rounds = netsim::until_end;
  }
  platforms::Machine machine = platforms::make_machine("torus:6x8,injection=2GBps");
  std::vector<std::unique_ptr<workloads::Trace>> traces = [] {
    std::vector<std::unique_ptr<workloads::Trace>> all;
    for (const auto* text :
         {"cg:class=S,ranks=16,iterations=1", "stencil:grid=4x4,steps=4", "stencil:grid=2x8,steps=1"})
      all.push_back(workloads::open_trace(text));
    return all;
  }();
  std::vector<PlacedJob> jobs;
};

}  // namespace

TEST_CASE("charges are no more than the critical path lost, and loads of jobs sum to those of links") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Crowd crowd(seed);
    const auto r = netsim::run({crowd.machine, crowd.jobs, seed % 5 == 0 ? "simgrid" : "fluid"});
    double charged = 0;
    for (std::size_t number = 0; number < r.jobs.size(); ++number) {
      const auto& job = r.jobs[number];
      CHECK(sum(job.charges) - job.charges[number] <= job.critical_path.others * (1 + 1e-12));
      CHECK(job.critical_path.others <= job.critical_path.sharing);
      CHECK(std::all_of(job.charges.begin(), job.charges.end(), [](double part) { return part >= 0; }));
      charged += sum(job.charges);
      const auto& path = job.critical_path;
      CHECK(path.latency + path.bandwidth + path.sharing == Approx(sum(job.rounds)).epsilon(1e-9));
    }
    CHECK(charged > 0);
    auto load = r.job_loads.begin();
    for (const auto& link : r.links) {
      std::uint64_t bytes = 0;
      for (; load != r.job_loads.end() && load->link == link.link; ++load) bytes += load->bytes;
      CHECK(bytes == link.bytes);
    }
    CHECK(load == r.job_loads.end());
  }
}

TEST_CASE("both engines of the fluid model charge alike") {
  const Crowd crowd(7);
  const auto fluid = netsim::run({crowd.machine, crowd.jobs, "fluid"});
  const auto simgrid = netsim::run({crowd.machine, crowd.jobs, "simgrid"});
  for (std::size_t job = 0; job < crowd.jobs.size(); ++job) {
    CHECK(fluid.jobs[job].rounds.size() == simgrid.jobs[job].rounds.size());
    CHECK(*fluid.jobs[job].runtime() == Approx(*simgrid.jobs[job].runtime()).epsilon(1e-6));
    const double margin = 1e-5 * fluid.jobs[job].critical_path.sharing;
    for (std::size_t other = 0; other < crowd.jobs.size(); ++other)
      CHECK(fluid.jobs[job].charges[other] == Approx(simgrid.jobs[job].charges[other]).margin(margin));
  }
}

TEST_CASE("charges are kept for histories that are left, however long the run") {
  // 2 x 60,000 messages: rows of those that nobody has any more have gone twice.
  const auto machine = platforms::make_machine("mesh:4,bw=1GBps,lat=0s");
  std::string text;
  for (int i = 0; i < 60'000; ++i)
    text += "0 send 1 0 1000 6\n1 recv 0 0 1000 6\n1 send 0 0 1000 6\n0 recv 1 0 1000 6\n";
  const auto trace = test::trace_of(text);
  const auto r = netsim::run({machine, {{"a", *trace, {0, 2}}, {"b", *trace, {1, 3}}}, "fluid"});
  for (std::size_t job : {0, 1}) {
    CHECK(*r.jobs[job].runtime() == Approx(0.24).epsilon(1e-9));  // twice as long as alone
    CHECK(r.jobs[job].charges[1 - job] == Approx(0.12).epsilon(1e-9));
    CHECK(r.jobs[job].charges[job] == Approx(0).margin(1e-12));
  }
}

TEST_CASE("a job repeats as often as it is told to, or until the others have ended") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto machine = platforms::make_machine("mesh:4,bw=1GBps,lat=0s");
  const auto trace = one_message(1000), small = one_message(300);
  const auto r =
      netsim::run({machine,
                   {{"twice", *trace, {0, 1}, {}, 0, 2}, {"background", *small, {2, 3}, {}, 0, netsim::until_end}},
                   engine});
  REQUIRE(r.jobs[0].rounds.size() == 2);
  for (const double round : r.jobs[0].rounds) CHECK(round == Approx(1).epsilon(1e-9));
  CHECK(r.jobs[0].how == JobOutcome::done);
  CHECK(r.jobs[0].bytes == 2'000'000'000);
  CHECK(r.jobs[1].how == JobOutcome::with_others);
  CHECK(r.jobs[1].rounds.size() == 6);  // of 0.3 s in 2 s
  CHECK(r.jobs[1].end == Approx(2).epsilon(1e-9));
  CHECK(r.jobs[1].messages == 7);
  CHECK(r.runtime == Approx(2).epsilon(1e-9));
}

TEST_CASE("what is killed leaves the links to the others") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto machine = platforms::make_machine("mesh:4,bw=1GBps,lat=0s");
  const auto trace = one_message(1000);
  Run request{machine, {{"a", *trace, {0, 2}}, {"b", *trace, {1, 3}, {}, 0, netsim::until_end}}, engine};
  request.kills = {{0.5, 1}};
  const auto r = netsim::run(request);
  CHECK(r.jobs[1].how == JobOutcome::killed);
  CHECK(r.jobs[1].end == 0.5);
  CHECK_FALSE(r.jobs[1].runtime());
  CHECK(*r.jobs[0].runtime() == Approx(1.25).epsilon(1e-9));
  check_jobs(r.jobs[0].charges, {0, 0.25});
  REQUIRE(r.job_loads.size() == 4);
  for (const auto& load : r.job_loads)
    CHECK(static_cast<double>(load.bytes) == Approx(load.job == 0 ? 1e9 : 0.25e9).epsilon(1e-8));
}

TEST_CASE("a job that has not begun when it is killed, or when the others end, never does") {
  const auto machine = platforms::make_machine("mesh:6,bw=1GBps,lat=0s");
  const auto trace = one_message(1000);
  Run request{machine,
              {{"a", *trace, {0, 1}},
               {"late", *trace, {2, 3}, {}, 5},
               {"background", *trace, {4, 5}, {}, 7, netsim::until_end}},
              "fluid"};
  request.kills = {{3, 1}};
  const auto r = netsim::run(request);
  CHECK(r.jobs[1].how == JobOutcome::killed);
  CHECK(r.jobs[1].end == 3);
  CHECK(r.jobs[2].how == JobOutcome::with_others);
  CHECK(r.runtime == 3);
  CHECK(r.jobs[1].messages + r.jobs[2].messages == 0);
}

TEST_CASE("a job that deadlocks among others fails, named; the others stop or go on") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto machine = platforms::make_machine("mesh:4,bw=1GBps,lat=0s");
  const auto trace = one_message(1000), stuck = test::trace_of("0 recv 1 0 8 6\n1 recv 0 0 8 6\n");
  Run request{machine, {{"good", *trace, {0, 1}}, {"bad", *stuck, {2, 3}}}, engine};
  CHECK_THAT(test::message_of<core::SimulationError>([&] { netsim::run(request); }),
             Catch::StartsWith("job 'bad': deadlock"));
  request.on_failure = netsim::OnFailedJob::go_on;
  const auto r = netsim::run(request);
  CHECK(r.jobs[0].how == JobOutcome::done);
  CHECK(*r.jobs[0].runtime() == Approx(1).epsilon(1e-9));
  CHECK(r.jobs[1].how == JobOutcome::failed);
  CHECK_THAT(r.jobs[1].complaint, Catch::StartsWith("deadlock"));
}

TEST_CASE("jobs that cannot be are refused") {
  const auto machine = platforms::make_machine("mesh:4,bw=1GBps,lat=0s");
  const auto trace = one_message(1000), nothing = test::trace_of("0 compute 1\n");
  const auto refused = [&](std::vector<PlacedJob> jobs) {
    return test::error_of([&] { netsim::run({machine, std::move(jobs), "fluid"}); });
  };
  CHECK(refused({{"a", *trace, {0, 1}}, {"b", *trace, {1, 2}}}) == "jobs 'a' and 'b' both run on node 1");
  CHECK(refused({{"a", *trace, {0, 1}, {}, 0, netsim::until_end}}) ==
        "every job repeats until the others have ended; expected one that ends by itself");
  CHECK(refused({{"a", *trace, {0, 1}}, {"b", *nothing, {2}, {}, 0, netsim::until_end}}) ==
        "job 'b' takes no time: it cannot repeat until the others have ended");
  CHECK_THAT(refused({{"a", *trace, {0, 9}}}), Catch::Contains("the mapping names node 9"));
  CHECK_THAT(refused({{"a", *trace, {2, 2}}}), Catch::StartsWith("the mapping names node 2 more than 1 times"));
  CHECK_THAT(test::error_of([&] {
               netsim::run({machine, *trace, {0, 0}});
             }),
             Catch::StartsWith("the mapping names node 0 more than 1 times"));
}

TEST_CASE("packets have jobs, but nobody to charge") {
  const Crowd crowd(3);
  const Run request{crowd.machine, crowd.jobs, "packet"};
  const auto r = netsim::run(request);
  CHECK(r.job_loads.empty());
  CHECK(r.jobs[0].charges.empty());
  const auto json = netsim::jobs_json(request, r);
  CHECK(json["contention"].is_null());
  CHECK(json["no_contention_because"] == "packets wait for buffers behind others, on many links at once");
  CHECK(json["jobs"][0]["runtime_s"].get<double>() > 0);
}

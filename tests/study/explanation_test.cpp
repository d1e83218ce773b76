// Explanations against hand computations and against runs that are made here one by one.

#include "study/advice/explanation.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "study/advice/trials.hpp"
#include "tests/support/support.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::study {
namespace {

/// A run and what explains it.
struct Explained {
  Explained(std::string_view platform, std::unique_ptr<workloads::Trace> program, std::vector<OtherMapping> others = {},
            std::string_view engine = "fluid", double compute = 0, std::size_t workers = 2)
      : machine(platforms::make_machine(platform)), trace(std::move(program)) {
    for (const auto rank : core::ids<workloads::Rank>(trace->ranks())) mapping.add(platforms::NodeId(rank.value()));
    netsim::Run request{machine, *trace, mapping, {}, engine, 64};
    request.job().options.compute_scale = compute;
    record_for_explanation(request);
    result = netsim::run(request);
    why = *explain(request, result, {others}, workers).front();
  }
  Explained(std::string_view platform, const std::string& text) : Explained(platform, workloads::open_trace(text)) {}

  std::string json() const { return explanation_json(why, machine, result).dump(); }
  const Trial& trial(const std::string& change) const {
    const auto found =
        std::find_if(why.trials.begin(), why.trials.end(), [&](const Trial& t) { return t.change == change; });
    REQUIRE(found != why.trials.end());
    return *found;
  }

  platforms::Machine machine;
  std::unique_ptr<workloads::Trace> trace;
  netsim::Mapping mapping = {};
  netsim::Result result = {};
  Explanation why = {};
};

template <class Parts, class Seconds>
double sum(const Parts& parts, Seconds seconds) {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [&](double all, const auto& part) { return all + seconds(part); });
}

double seconds_of(const std::vector<Cause>& causes, std::string_view name) {
  for (const auto& cause : causes)
    if (cause.name == name) return cause.seconds;
  FAIL("no cause is called " << name);
  return 0;
}

}  // namespace

TEST_CASE("Parts, losses and the chain of an explanation add up to what they are parts of") {
  struct Case {
    const char *platform, *trace;
    double compute;
  };
  for (const auto& [platform, trace, compute] :
       {Case{"mesh:8x8", "cg:class=S,ranks=64,iterations=2", 0},
        Case{"torus:4x4", "lu:class=S,ranks=16,iterations=2", 0},
        Case{"mesh:4x4,speed=5Gf,injection=500MBps", "lulesh:ranks=8,steps=2", 1}}) {
    CAPTURE(platform, trace);
    const Explained run(platform, workloads::open_trace(trace), {}, "fluid", compute);
    const auto& why = run.why;
    CHECK(why.runtime == run.result.runtime);
    CHECK(sum(why.causes, [](const Cause& c) { return c.seconds; }) == Approx(why.runtime));
    CHECK(sum(why.ranks, [](const Cause& c) { return c.seconds; }) == Approx(why.runtime));
    CHECK(sum(why.chain, [](const ChainPart& p) { return p.end - p.begin; }) == Approx(why.runtime));
    CHECK(sum(why.losses.kinds, [](const auto& loss) { return loss.seconds; }) == Approx(why.losses.total));
    CHECK(seconds_of(why.causes, "sharing within the job") == Approx(why.losses.total));
    CHECK(sum(why.chain, [](const ChainPart& p) { return p.lost; }) == Approx(why.losses.total));
    REQUIRE_FALSE(why.chain.empty());
    CHECK(why.chain.front().begin == 0);
    std::size_t steps = 0, alone = 0;
    for (const auto& part : why.chain) {
      CHECK(part.first == steps);
      steps += part.steps;
      alone += part.steps == 1 ? 1U : 0U;
    }
    CHECK(steps == run.result.critical_steps.size());
    CHECK(alone >= std::min(steps, Explanation::longest_steps));
  }
}

TEST_CASE("What waits for the core of its receiver is no loss on links") {
  // The messages are there after 10.008 and 10.009 us; rank 1 has the second one 10 us after the first.
  const Explained run("mesh:3,bw=1GBps,latency=0s,overhead=10us",
                      test::trace_of("0 send 1 0 8 6\n2 send 1 0 9 6\n1 recv 2 0 9 6\n1 recv 0 0 8 6\n"));
  const auto& why = run.why;
  CHECK(why.runtime == Approx(30.008e-6));
  CHECK(seconds_of(why.causes, "waiting for cores") == Approx(9.999e-6));
  CHECK(seconds_of(why.causes, "sharing within the job") == Approx(0).margin(1e-12));
  REQUIRE(why.losses.kinds.size() == 1);
  CHECK(why.losses.kinds[0].links == "cores");
  CHECK(why.links.empty());
  CHECK(why.losses.total == 0);
}

TEST_CASE("An explanation of two messages over one link, by hand") {
  // Ranks 0 and 1 send to rank 2 along a row at 1 GB/s: each has half of the link 1 -> 2 until the shorter message has
  // arrived after 40 us; then the longer one has 40 kB left, and arrives after 80 us in place of 60.
  const auto trace = [] {
    return test::trace_of(
        "0 send 2 0 60000 6\n1 send 2 1 20000 6\n"
        "2 recv 0 0 60000 6\n2 recv 1 1 20000 6\n");
  };
  const std::string row = "mesh:3,bw=1GBps,latency=0s";
  // With rank 1 on the far side of rank 2, the messages share no link.
  const Explained run(row, trace(), {{"apart", {0, 2, 1}}});
  const auto& why = run.why;
  CHECK(why.runtime == Approx(80e-6));
  CHECK(seconds_of(why.causes, "bandwidth") == Approx(60e-6));
  CHECK(seconds_of(why.causes, "sharing within the job") == Approx(20e-6));
  CHECK(seconds_of(why.causes, "sharing with other jobs") == 0);
  REQUIRE(why.losses.kinds.size() == 1);
  CHECK(why.losses.kinds[0].links == "x");
  CHECK(why.losses.kinds[0].seconds == Approx(20e-6));
  REQUIRE(why.links.size() == 1);
  CHECK(run.machine.link_name(why.links[0].link) == "n1 -> n2 (+x)");
  CHECK(why.links[0].messages == 1);
  CHECK(why.links[0].mean_utilization == Approx(1));
  REQUIRE(why.links[0].in_the_way.size() == 1);
  CHECK(why.links[0].in_the_way[0].from == 1);
  CHECK(why.links[0].in_the_way[0].to == 2);
  CHECK(why.links[0].in_the_way[0].bytes == Approx(20000));
  REQUIRE(why.chain.size() == 1);
  CHECK(why.chain[0].link == why.links[0].link);
  CHECK(why.chain[0].in_the_way.size() == 1);
  CHECK(run.trial("--set x.bandwidth=x2").runtime == Approx(40e-6));
  CHECK(run.trial("--map apart").runtime == Approx(60e-6));
  REQUIRE(why.what_to_change.size() == 3);
  CHECK(why.what_to_change[0] == "--set x.bandwidth=x2: 40 us instead of 80 us (-50.0 %)");
  // A wrap takes the first message to node 2 directly.
  CHECK(why.what_to_change[1] == "--set x.wrap=torus: 60 us instead of 80 us (-25.0 %)");
  CHECK(why.what_to_change[2] == "--map apart: 60 us instead of 80 us (-25.0 %)");
  CHECK(why.main_cause.starts_with("bandwidth is 75.0 % of the run time: "));
}

TEST_CASE("What an explanation says of changes is what single runs say") {
  const std::string trace = "cg:class=S,ranks=16,iterations=2";
  for (const auto* engine : {"fluid", "simgrid"}) {
    const Explained run("mesh:4x4,base-latency=1us,injection=2GBps", workloads::open_trace(trace), {}, engine);
    std::size_t compared = 0;
    for (auto changes : {changes_by_dimension(run.machine), usual_changes(run.machine)})
      for (const auto& change : changes) {
        CAPTURE(engine, change.text());
        const auto machine = change.apply(run.machine);
        netsim::Run request{machine, *run.trace, run.mapping, {}, engine};
        request.job().options.compute_scale = 0;
        CHECK(run.trial("--set " + change.text()).runtime == netsim::run(request).runtime);
        ++compared;
      }
    CHECK(compared > 8);
  }
}

TEST_CASE("A change that is made twice under two names is tried once") {
  const Explained run("torus:8", "stencil:grid=8");  // all links are those of x
  std::vector<std::string> changes;
  for (const auto& trial : run.why.trials) changes.push_back(trial.change);
  CHECK(changes == std::vector<std::string>{"--set x.bandwidth=x2", "--set x.latency=x0.5"});
}

TEST_CASE("Changes by dimension are those that the machine can have") {
  std::vector<std::string> changes;
  for (const auto& change : changes_by_dimension(platforms::make_machine("torus:4x1x2,latency=1us,z.latency=0s")))
    changes.push_back(change.text());
  CHECK(changes == std::vector<std::string>{"x.bandwidth=x2", "x.latency=x0.5", "z.bandwidth=x2"});
}

TEST_CASE("An explanation does not depend on the number of workers") {
  const auto open = [] { return workloads::open_trace("lu:class=S,ranks=16,iterations=2"); };
  const auto json = Explained("torus:4x4", open(), {}, "fluid", 0, 1).json();
  CHECK(json == Explained("torus:4x4", open(), {}, "fluid", 0, 1).json());
  CHECK(json == Explained("torus:4x4", open(), {}, "fluid", 0, 3).json());
}

TEST_CASE("A program without messages, and an empty one, are explained, too") {
  const Explained computes("mesh:2,speed=1Gf", test::trace_of("0 compute 1000000000\n1 compute 10\n"), {}, "fluid", 1);
  CHECK(seconds_of(computes.why.causes, "compute") == Approx(1));
  CHECK(computes.why.links.empty());
  REQUIRE(computes.why.what_to_change.size() == 1);
  CHECK(computes.why.what_to_change[0].starts_with("no help"));
  const Explained empty("mesh:2", test::trace_of("0 finalize\n1 finalize\n"));
  CHECK(empty.why.runtime == 0);
  CHECK(empty.why.chain.empty());
  CHECK(empty.why.main_cause == "nothing takes any time");
}

namespace {

/// A job that sends one message between the given nodes.
std::unique_ptr<workloads::CompactTrace> one_message(const std::string& bytes) {
  return test::trace_of("0 send 1 0 " + bytes + " 6\n1 recv 0 0 " + bytes + " 6\n");
}

std::vector<std::string> changes_of(const Explanation& why) {
  std::vector<std::string> changes;
  for (const auto& trial : why.trials) changes.push_back(trial.change);
  return changes;
}

}  // namespace

TEST_CASE("An explanation of two jobs on one link, by hand") {
  // b begins after 20 us; from then on both have half of the link, until a's 60 kB have arrived after 100 us.
  const std::string engine = GENERATE("fluid", "simgrid");
  const auto machine = platforms::make_machine("mesh:4,bw=1GBps,latency=0s");
  const auto a = one_message("60000"), b = one_message("80000");
  netsim::Run request{machine, {{"a", *a, {0, 2}}, {"b", *b, {1, 3}, {}, 20e-6}}, engine, 64};
  record_for_explanation(request);
  const auto result = netsim::run(request);
  const auto why = explain(request, result, {{{"back", {2, 0}}}, {{"same", {1, 3}}}}, 2);
  REQUIRE((why.size() == 2 && why[0] && why[1]));
  CHECK(why[0]->runtime == Approx(100e-6));
  CHECK(seconds_of(why[0]->causes, "bandwidth") == Approx(60e-6));
  CHECK(seconds_of(why[0]->causes, "sharing within the job") == Approx(0).margin(1e-12));
  CHECK(seconds_of(why[0]->causes, "sharing with other jobs") == Approx(40e-6));
  REQUIRE(why[0]->links.size() == 1);
  CHECK(machine.link_name(why[0]->links[0].link) == "n1 -> n2 (+x)");
  REQUIRE(why[0]->links[0].in_the_way.size() == 1);
  CHECK(why[0]->links[0].in_the_way[0].job == 1);
  // b: 40 kB until a has ended at 100 us, and 40 kB at full speed.
  CHECK(why[1]->runtime == Approx(120e-6));
  CHECK(why[1]->chain.front().begin == Approx(20e-6));
  using Changes = std::vector<std::string>;
  CHECK(changes_of(*why[0]) == Changes{"--set x.bandwidth=x2", "--set x.wrap=torus", "map=back for a", "without b"});
  CHECK(changes_of(*why[1]) == Changes{"--set x.bandwidth=x2", "--set x.wrap=torus", "map=back for a", "without a"});
  CHECK(why[0]->trials[0].runtime == Approx(40e-6));  // 40 kB alone, then the rest with half of 2 GB/s
  REQUIRE(why[0]->trials[0].others.size() == 1);      // b: 20 kB with half of it, and 60 kB alone
  CHECK(why[0]->trials[0].others[0].saves == Approx(1 - 50.0 / 120));
  // Where a sends the other way, nothing is shared.
  CHECK(why[0]->trials[2].runtime == Approx(60e-6));
  CHECK(why[1]->trials[2].runtime == Approx(80e-6));
  REQUIRE((why[0]->trials[2].others.size() == 1 && why[1]->trials[2].others.size() == 1));
  CHECK(why[0]->trials[2].others[0].job == 1);
  CHECK(why[0]->trials[2].others[0].saves == Approx(1 - 80.0 / 120));
  CHECK(why[1]->trials[2].others[0].saves == Approx(1 - 60.0 / 100));
  CHECK(why[0]->trials[3].runtime == Approx(60e-6));
  CHECK(why[0]->trials[3].others.empty());
  CHECK(why[1]->trials[3].runtime == Approx(80e-6));
  const auto& advice = why[0]->what_to_change;
  CHECK(advice[0] == "--set x.bandwidth=x2: 40 us instead of 100 us (-60.0 %); b takes 58.3 % less");
  CHECK(advice[1] == "map=back for a: 60 us instead of 100 us (-40.0 %); b takes 33.3 % less");
  const auto json = explanation_json(*why[0], machine, result.last_round(0), {"a", "b"});
  CHECK(json["links"][0]["in_the_way"][0]["job"] == "b");
  CHECK(json["trials"][2]["others"][0]["job"] == "b");
}

TEST_CASE("What explanations of jobs say of changes is what runs of all jobs say, with any number of workers") {
  const auto machine = platforms::make_machine("mesh:4x4");
  const auto cg = workloads::open_trace("cg:class=S,ranks=8,iterations=1"),
             stencil = workloads::open_trace("stencil:grid=2x4,steps=3");
  netsim::Run request{machine,
                      {{"cg", *cg, {0, 2, 5, 7, 8, 10, 13, 15}},
                       {"stencil", *stencil, {1, 3, 4, 6, 9, 11, 12, 14}, {}, 0, netsim::until_end}},
                      "fluid",
                      64};
  record_for_explanation(request);
  const auto result = netsim::run(request);
  auto back = request.jobs[0].mapping;
  std::ranges::reverse(back.elements());
  const std::vector<std::vector<OtherMapping>> others{{{"back", back}}, {}};
  const auto why = explain(request, result, others, 2);
  const auto json = [&](const auto& all) {
    return explanation_json(*all[0], machine, result.last_round(0), {"cg", "stencil"}).dump();
  };
  CHECK(json(why) == json(explain(request, result, others, 1)));
  auto moved = request;
  moved.jobs[0].mapping = back;
  const auto after = netsim::run(moved);
  for (const auto job : {0U, 1U}) {
    const auto& e = *why[job];
    CHECK(sum(e.causes, [](const Cause& c) { return c.seconds; }) == Approx(e.runtime));
    CHECK(sum(e.chain, [](const ChainPart& p) { return p.end - p.begin; }) == Approx(e.runtime));
    CHECK(sum(e.chain, [](const ChainPart& p) { return p.lost; }) == Approx(e.losses.total));
    CHECK(e.runtime == result.jobs[job].rounds.back());
    std::size_t compared = 0;
    for (auto changes : {changes_by_dimension(machine), usual_changes(machine)})
      for (const auto& change : changes) {
        const auto changed = change.apply(machine);
        const auto again = netsim::run({changed, request.jobs, "fluid"});
        for (const auto& trial : e.trials)
          if (trial.change == "--set " + change.text()) {
            CAPTURE(trial.change);
            CHECK(trial.runtime == again.jobs[job].rounds.back());
            ++compared;
          }
      }
    CHECK(compared > 6);
    const auto trial = std::ranges::find(e.trials, "map=back for cg", &Trial::change);
    REQUIRE(trial != e.trials.end());
    CHECK(trial->runtime == after.jobs[job].rounds.back());
    for (const auto& other : trial->others)
      CHECK(other.saves == 1 - after.jobs[other.job].rounds.back() / result.jobs[other.job].rounds.back());
  }
  CHECK(why[0]->trials.back().runtime == netsim::run_alone(request, 0));
  CHECK_FALSE(why[1]->trials.back().runtime);  // without cg nothing would end
}

TEST_CASE("Jobs are explained where nobody tells their messages apart, and not where they did no round") {
  const auto machine = platforms::make_machine("mesh:4,bw=1GBps");
  const auto a = one_message("60000"), b = one_message("80000");
  netsim::Run request{machine, {{"a", *a, {0, 2}}, {"b", *b, {1, 3}}}, "packet", 64};
  request.kills = {{1e-6, 1}};
  record_for_explanation(request);
  const auto why = explain(request, netsim::run(request), std::vector<std::vector<OtherMapping>>(), 2);
  REQUIRE(why[0]);
  CHECK_FALSE(why[1]);
  CHECK(sum(why[0]->causes, [](const Cause& c) { return c.seconds; }) == Approx(why[0]->runtime));
  CHECK(seconds_of(why[0]->causes, "sharing with any job") >= 0);
}

TEST_CASE("Nothing is tried where the machine changes during the run") {
  const auto machine = platforms::make_machine("mesh:4"), other = platforms::make_machine("mesh:4,bw=1GBps");
  const auto trace = workloads::open_trace("stencil:grid=4");
  netsim::Run request{machine, *trace, {0, 1, 2, 3}, {}, "fluid", 64};
  request.changes = {{{1e-6, &other}}};
  record_for_explanation(request);
  const auto why = explain(request, netsim::run(request), {{{"reverse", {3, 2, 1, 0}}}}, 2).front();
  REQUIRE(why);
  CHECK(why->trials.empty());
  CHECK(why->no_trials == "the machine changes during the run");
}

}  // namespace toroid::study

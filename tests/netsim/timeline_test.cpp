// The timeline of a run, beside what the run says without one.

#include "toroid/netsim/results/replay_report.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/support.hpp"
#include "tests/workloads/random_program.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/workloads/trace_source.hpp"

using namespace toroid;
using netsim::Doing;
using workloads::OpKind;
using workloads::Rank;

namespace {

netsim::Result run(const std::string& platform, const workloads::Trace& trace, const std::string& engine,
                   netsim::ReplayOptions options = {}) {
  const auto machine = platforms::make_machine(platform);
  options.keep_timeline = true;
  return netsim::run({machine, trace, test::in_order(machine, trace.ranks()), options, engine});
}

/// What holds for every run: calls of a rank follow each other, each of its phases is within one of them unless strands
/// go on beside its program, and messages are those that were counted, in the order of their sends.
void check_timeline(const netsim::Result& result, bool has_strands = false) {
  const auto& timeline = result.timeline;
  for (const auto rank : result.ranks.ids()) {
    CAPTURE(rank);
    const auto& report = result.ranks[rank];
    const auto& calls = timeline.calls[rank];
    double until = 0, computed = 0;
    bool follow = true, ordered = true;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      follow = follow && calls[i].begin == until && calls[i].end >= calls[i].begin;
      ordered = ordered && (i == 0 || calls[i].operation > calls[i - 1].operation || calls[i].kind == OpKind::join);
      until = calls[i].end;
      const bool computes = calls[i].kind == OpKind::compute || calls[i].kind == OpKind::sleep;
      if (computes) computed += calls[i].end - calls[i].begin;
    }
    CHECK(follow);
    CHECK(ordered);
    CHECK(until == report.finish);
    std::vector<double> sums(netsim::doings);
    bool within = true;
    double before = 0;
    std::size_t call = 0;
    for (const auto& phase : timeline.phases[rank]) {
      sums[static_cast<std::size_t>(phase.doing)] += phase.end - phase.begin;
      within = within && phase.begin >= before && phase.end > phase.begin;
      before = phase.begin;
      if (has_strands) continue;
      while (call < calls.size() && calls[call].end <= phase.begin) ++call;
      within = within && call < calls.size() && calls[call].begin <= phase.begin && phase.end <= calls[call].end;
    }
    CHECK(within);
    const double rounding = 1e-15 * result.runtime * static_cast<double>(calls.size() + 1);
    if (!has_strands) CHECK(sums[0] + computed == Approx(report.compute).epsilon(1e-6).margin(rounding));
    CHECK(sums[1] == Approx(report.transfer).epsilon(1e-6).margin(rounding));
    CHECK(sums[2] == Approx(report.wait).epsilon(1e-6).margin(rounding));
  }
  std::uint64_t bytes = 0;
  bool ordered = true;
  double before = 0;
  for (const auto& message : timeline.messages) {
    bytes += message.bytes;
    ordered = ordered && before <= message.sent && message.sent <= message.begin && message.begin <= message.end;
    before = message.sent;
  }
  CHECK(ordered);
  CHECK(timeline.messages.size() == result.messages);
  CHECK(bytes == result.bytes);
}

}  // namespace

TEST_CASE("a timeline computed by hand") {
  // On links of 1 GB/s with 0.1 us a hop: a megabyte, which waits for its receive, and ten bytes, which do not.
  const auto trace = test::trace_of(
      "0 compute 1e6\n0 send 1 7 1000000\n0 isend 1 8 10\n1 compute 3e6\n1 recv 0 7 1000000\n1 recv 0 8 10\n");
  const auto result = run("mesh:2,bandwidth=1GBps,latency=100ns,speed=1Gf", *trace, "fluid", {.compute_scale = 1});
  const auto& timeline = result.timeline;
  const double latency = 1e-7, sent = 3e-3 + latency + 1e-3, received = sent + latency + 1e-8;
  const auto check_call = [](const netsim::Call& call, OpKind kind, std::uint64_t operation, double begin, double end) {
    CAPTURE(to_string(kind), call.begin, call.end);
    CHECK(call.kind == kind);
    CHECK(call.operation == operation);
    CHECK(call.begin == Approx(begin).epsilon(1e-9));
    CHECK(call.end == Approx(end).epsilon(1e-9));
  };
  REQUIRE(timeline.calls[0].size() == 3);
  check_call(timeline.calls[0][0], OpKind::compute, 0, 0, 1e-3);
  check_call(timeline.calls[0][1], OpKind::send, 1, 1e-3, sent);
  check_call(timeline.calls[0][2], OpKind::isend, 2, sent, sent);
  REQUIRE(timeline.calls[1].size() == 3);
  check_call(timeline.calls[1][0], OpKind::compute, 0, 0, 3e-3);
  check_call(timeline.calls[1][1], OpKind::recv, 1, 3e-3, sent);
  check_call(timeline.calls[1][2], OpKind::recv, 2, sent, received);
  const auto check_phase = [](const netsim::Phase& phase, Doing doing, double begin, double end) {
    CHECK(phase.doing == doing);
    CHECK(phase.begin == Approx(begin).epsilon(1e-9));
    CHECK(phase.end == Approx(end).epsilon(1e-9));
  };
  REQUIRE(timeline.phases[0].size() == 2);
  check_phase(timeline.phases[0][0], Doing::wait, 1e-3, 3e-3);
  check_phase(timeline.phases[0][1], Doing::transfer, 3e-3, sent);
  REQUIRE(timeline.phases[1].size() == 2);
  check_phase(timeline.phases[1][0], Doing::transfer, 3e-3, sent);
  check_phase(timeline.phases[1][1], Doing::transfer, sent, received);
  REQUIRE(timeline.messages.size() == 2);
  const auto& large = timeline.messages[0];
  CHECK((large.from == 0 && large.to == 1 && large.bytes == 1000000 && large.operation == 1 && large.tag == 7));
  CHECK(large.sent == Approx(1e-3));
  CHECK(large.begin == Approx(3e-3));
  CHECK(large.end == Approx(sent));
  CHECK(timeline.messages[1].sent == Approx(sent));
  CHECK(timeline.messages[1].begin == timeline.messages[1].sent);
}

TEST_CASE("calls of a rank follow each other, phases add up, and messages are those that were counted") {
  struct Case {
    std::string platform, trace, engine;
  };
  for (const auto& c : std::vector<Case>{{"torus:4x4", "cg:class=S,ranks=16,iterations=2", "fluid"},
                                         {"torus:4x4", "lu:class=S,ranks=16,iterations=2", "packet"},
                                         {"torus:2x2x2", "lulesh:ranks=8,steps=2", "simgrid"},
                                         {"mesh:4x4", "ft:class=S,ranks=16", "fluid"},
                                         {"torus:4x4x4", "llm:steps=1", "fluid"}}) {
    CAPTURE(c.trace, c.engine);
    const auto trace = workloads::open_trace(c.trace);
    check_timeline(run(c.platform, *trace, c.engine, {.compute_scale = 1}));
  }
}

TEST_CASE("timelines of random programs: requests of all kinds, puts, communicators, collectives that do not block") {
  for (int i = 0; i < 40; ++i) {
    CAPTURE(i);
    core::Random random(static_cast<std::uint64_t>(i), "timelines");
    const auto trace = workloads::random_program(
        random, {.ranks = 6, .events = 60, .all_kinds = i % 2 == 0, .puts = true, .empty = i % 3 == 0});
    netsim::ReplayOptions options{.compute_scale = 1};
    options.eager_threshold = i % 4 == 0 ? 100 : 65536;
    check_timeline(run("torus:3x2,speed=1Gf", *trace, "fluid", options));
  }
}

TEST_CASE("messages of a rank to itself, and programs that only compute, have a timeline") {
  check_timeline(run("mesh:2", *test::trace_of("0 irecv 0 3 10\n0 send 0 3 10\n0 wait 0 0 3\n1 compute 1e6\n"), "fluid",
                     {.compute_scale = 1}));
}

TEST_CASE("graphs have a timeline: their operations go on beside each other") {
  const test::Scratch scratch;
  const auto trace = workloads::open_trace(
      scratch.write("t.goal",
                    "num_ranks 2\nrank 0 {\nl1: calc 1000\nl2: send 64b to 1 tag 5\nl2 requires l1\nl3: calc 5000\n"
                    "l4: recv 32b from 1 tag 6\nl4 requires l2\n}\nrank 1 {\nl1: recv 64b from 0 tag 5\nl2: calc 2000\n"
                    "l2 requires l1\nl3: send 32b to 0 tag 6\nl3 requires l2\n}\n"));
  const auto result = run("mesh:2,bandwidth=1GBps,latency=100ns", *trace, "fluid", {.compute_scale = 1});
  check_timeline(result, true);
  // What is a graph computes within the join that waits for the graph; rank 1 is a program, one after the other.
  const auto& phases = result.timeline.phases[0];
  double computed = 0;
  for (const auto& phase : phases)
    if (phase.doing == Doing::compute) computed += phase.end - phase.begin;
  CHECK(computed == Approx(6e-6));
  CHECK(result.ranks[0].compute == Approx(6e-6));
  CHECK(result.timeline.calls[0].back().kind == OpKind::join);
  CHECK(result.timeline.calls[0].back().end >= phases.back().end);
}

TEST_CASE("after weeks of simulated time a timeline has every wait, as at the beginning") {
  // The waits are of 10 us: at 10^6 s a double knows a tenth of a nanosecond.
  std::string text = "0 sleep 1e6\n1 sleep 1e6\n";
  for (int i = 0; i < 20; ++i) text += "0 sleep 1e-5\n0 send 1 0 1000\n1 recv 0 0 1000\n";
  const auto result = run("mesh:2,bandwidth=1GBps,latency=100ns", *test::trace_of(text), "fluid", {.compute_scale = 1});
  const auto& calls = result.timeline.calls[1];
  std::size_t found = 0;
  double waited = 0;
  for (const auto& phase : result.timeline.phases[1]) {
    waited += phase.end - phase.begin;
    for (const auto& call : calls)
      if (call.begin <= phase.begin && phase.end <= call.end) ++found;
  }
  CHECK(result.timeline.phases[1].size() == 40);  // of each message: not sent yet, on its way
  CHECK(found == 40);
  CHECK(waited == Approx(result.ranks[1].transfer + result.ranks[1].wait).epsilon(1e-3));
}

TEST_CASE("a run is the same with a timeline, and has none unless it is asked for") {
  const auto machine = platforms::make_machine("torus:4x4");
  const auto trace = workloads::open_trace("stencil:grid=4x4,steps=5");
  netsim::Run request{machine, *trace, test::in_order(machine, trace->ranks()), {}, "fluid"};
  const auto without = netsim::run(request);
  CHECK(without.timeline.calls.size() == 0);
  CHECK(without.timeline.messages.empty());
  request.job().options.keep_timeline = true;
  const auto with = netsim::run(request);
  CHECK(with.runtime == without.runtime);
  CHECK(with.ranks[3].transfer == without.ranks[3].transfer);
  // What comes from a process of its own has all of it.
  const auto back = netsim::unpacked(netsim::packed(with));
  CHECK(back.timeline.calls[3].size() == with.timeline.calls[3].size());
  CHECK(back.timeline.phases[3].back().end == with.timeline.phases[3].back().end);
  CHECK(back.timeline.messages.back().end == with.timeline.messages.back().end);
}

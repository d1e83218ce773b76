// Graphs that are replayed as strands, beside a run of them by the rules of GOAL. All ranks are on one node, where a
// message takes its latency and its bytes' time, whatever else is under way: LogGP without o and g, and without
// contention.

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "tests/netsim/goal_graph.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/trace_source.hpp"

using namespace toroid;
using test::GoalGraph;

namespace {

constexpr double latency = 2.5e-6, per_byte = 6e-9;
const std::string card = "166666666.66666666Bps";
const std::string one_router = "mesh:1,cores=64,loopback_lat=2.5us,loopback_bw=" + card;

netsim::ReplayOptions options() {
  netsim::ReplayOptions all;
  all.compute_scale = 1;
  all.eager_threshold = ~std::uint64_t{0};
  return all;
}

std::unique_ptr<workloads::Trace> read(const std::string& text) {
  const test::Scratch scratch;
  return workloads::open_trace(scratch.write("t.goal", text));
}

core::Json replayed(const workloads::Trace& trace) {
  netsim::Mapping mapping;
  for (int rank = 0; rank < trace.ranks(); ++rank) mapping.add(0);
  return test::simulate(one_router, trace, options(), mapping, "fluid");
}

bool is_graph(const workloads::Trace& trace) {
  for (const workloads::Rank rank : core::ids<workloads::Rank>(trace.ranks())) {
    const auto stream = trace.open(rank);
    for (workloads::Operation op; stream->next(op);)
      if (op.kind == workloads::OpKind::join) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("All patterns of LogGOPSim's generator take the time of their graphs") {
  int graphs = 0;
  for (const auto& pattern : test::goal_patterns())
    for (const int ranks : {2, 8, 16, 32})
      for (const std::uint64_t bytes : {8U, 1'000U, 100'000U}) {
        CAPTURE(pattern.name, ranks, bytes);
        const auto graph = pattern.make(ranks, bytes);
        const auto trace = read(graph.text());
        graphs += is_graph(*trace) ? 1 : 0;
        const double expected = graph.time(latency, per_byte);
        REQUIRE(expected > 0);
        CHECK(replayed(*trace)["runtime_s"].get<double>() == Approx(expected).epsilon(1e-9));
      }
  CHECK(graphs > 7 * 6);
}

TEST_CASE("A double ring goes both ways at once") {
  // Of 16 ranks: as long as one way alone.
  const auto graph = test::goal_patterns()[6].make(16, 100'000);
  CHECK(replayed(*read(graph.text()))["runtime_s"].get<double>() == Approx(16 * (latency + 1e5 * per_byte)));
}

TEST_CASE("Cards that pass one message at a time give the times of LogGOPSim") {
  // LogGOPSim (o = g = 0) has a card send messages one after another, and receive them so: (s - 1) G each, after L.
  // As a machine: nodes on one router, whose ways in and out have the bandwidth 1 / G. A receiver's messages share the
  // way there, and the last one ends when it would in line.
  struct Case {
    std::size_t pattern;
    std::string name;
    int ranks;
    double messages, in_line;  ///< one after another over all ranks, and through a card behind others
  };
  const std::uint64_t bytes = 65536;
  const double each = static_cast<double>(bytes - 1) * per_byte;
  auto all = options();
  all.order = netsim::Order::node;
  for (const Case& c : {Case{6, "double ring", 8, 8, 1}, Case{6, "double ring", 16, 16, 1},
                        Case{7, "gather", 16, 1, 14}, Case{8, "scatter", 16, 1, 14}}) {
    const auto& pattern = test::goal_patterns()[c.pattern];
    CAPTURE(c.name, c.ranks);
    REQUIRE(pattern.name == c.name);
    const auto trace = read(pattern.make(c.ranks, bytes).text());
    netsim::Mapping mapping;
    for (int rank = 0; rank < c.ranks; ++rank) mapping.add(rank);
    const auto router = fmt::format("mesh:1,nodes={},base=2.5us,lat=0s,injection={},ejection={}", c.ranks, card, card);
    CHECK(test::simulate(router, *trace, all, mapping, "fluid")["runtime_s"].get<double>() ==
          Approx(c.messages * (latency + each) + c.in_line * each).epsilon(1e-3));
  }
}

TEST_CASE("Operations are matched by source and tag as they are posted, where a graph leaves the order to MPI") {
  const auto text =
      "num_ranks 2\nrank 0 {\na: recv 8b from 1 tag 0\nb: send 8b to 1 tag 1\nb requires a\nc: recv 8b from 1 tag 0\n"
      "d: send 8b to 1 tag 1\nd requires c\n}\n"
      "rank 1 {\na: send 8b to 0 tag 0\nb: calc 9000\nb requires a\nc: send 8b to 0 tag 0\nc requires b\n"
      "d: recv 8b from 0 tag 1\ne: recv 8b from 0 tag 1\n}\n";
  const double message = latency + 8 * per_byte;
  CHECK(replayed(*read(text))["runtime_s"].get<double>() == Approx(9e-6 + 2 * message));
}

TEST_CASE("Random graphs take the time that the rules of GOAL say, or are deadlocks there, too") {
  const int cpus = GENERATE(1, 3);
  core::Random random(8, "test/goal-replay");
  int graphs = 0, deadlocks = 0;
  for (int round = 0; round < test::tenth_if_sanitized(3000); ++round) {
    const int ranks = 2 + static_cast<int>(random.below(4));
    GoalGraph graph(ranks);
    const auto count = [&](int rank) { return static_cast<int>(graph.of(rank).size()); };
    const auto events = 2 + random.below(25);
    for (std::uint64_t event = 0; event < events; ++event) {
      const auto rank = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
      if (random.below(3) == 0) {
        // Each of its own length, so that nothing comes at the same time by chance.
        graph.calculate(rank, random.below(4) == 0 ? 0 : 1000 + 13 * event * event);
      } else {
        const auto to = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
        const auto bytes = 1 + 37 * event * event;
        const auto tag = static_cast<int>(random.below(2));
        graph.send(rank, to, bytes, tag);
        graph.receive(to, rank, bytes, tag);
      }
    }
    for (int rank = 0; rank < ranks && cpus > 1; ++rank)
      for (int number = 0; number < count(rank); ++number)
        graph.put_on(rank, number, 2 * static_cast<int>(random.below(static_cast<std::uint64_t>(cpus))));
    for (int rank = 0; rank < ranks; ++rank)
      for (int later = 1; later < count(rank); ++later)
        for (int earlier = 0; earlier < later; ++earlier)
          if (random.below(static_cast<std::uint64_t>(count(rank))) < 2) {
            if (random.below(4) == 0)
              graph.require_begin(rank, later, earlier);
            else
              graph.require(rank, later, earlier);
          }
    CAPTURE(graph.text());
    const auto trace = read(graph.text());
    graphs += is_graph(*trace) ? 1 : 0;
    const double expected = graph.time(latency, per_byte);
    if (expected < 0) {
      ++deadlocks;
      CHECK_THROWS_WITH(replayed(*trace), Catch::Contains("deadlock: ") && Catch::Contains("waits to receive from"));
    } else {
      const auto result = replayed(*trace);
      REQUIRE(result["runtime_s"].get<double>() == Approx(expected).epsilon(1e-9).margin(1e-15));
      double parts = 0;  // of the critical path: without a gap
      for (const auto& [part, seconds] : result["critical_path"].items())
        if (part.ends_with("_s")) parts += seconds.get<double>();
      REQUIRE(parts == Approx(expected).epsilon(1e-9).margin(1e-15));
      for (const auto& rank : result["ranks"])  // a rank computes, or waits
        REQUIRE(rank["compute_s"].get<double>() + rank["transfer_s"].get<double>() + rank["wait_s"].get<double>() ==
                Approx(rank["finish_s"].get<double>()).margin(1e-15));
    }
  }
  CHECK(graphs > test::tenth_if_sanitized(1000));
  CHECK(deadlocks >= test::tenth_if_sanitized(20));
}

TEST_CASE("Each cpu of a rank is a core of its own") {
  // 5 and 6 us side by side, then 1 us behind both.
  const auto time = [](const std::string& cpu) {
    const auto trace = read("num_ranks 1\nrank 0 {\na: calc 5000\nb: calc 6000 cpu " + cpu +
                            "\nc: calc 1000 cpu 3\nc requires a\nc requires b\n}\n");
    return replayed(*trace)["runtime_s"].get<double>();
  };
  CHECK(time("1") == Approx(7e-6));
  CHECK(time("0") == Approx(12e-6));
  CHECK(time("3") == Approx(7e-6));
}

TEST_CASE("A graph that cannot go on is named, and so is a message that nobody receives") {
  const auto message = [](const std::string& text) {
    return test::message_of<core::SimulationError>([&] { replayed(*read("num_ranks 2\n" + text)); });
  };
  const std::string idle = "rank 1 {\n}\n";
  const std::string two =
      "rank 0 {\na: recv 8b from 1 tag 7\nb: recv 8b from 1 tag 8\nc: calc 1\nc requires a\n"
      "d: calc 2\nd requires b\n}\n";
  CHECK_THAT(message(two + idle), Catch::Contains("deadlock: 1 of 2 ranks are blocked: rank 0 in join") &&
                                      Catch::Contains("waits to receive from rank 1, tag 7, posted at"));
  CHECK_THAT(message(two + "rank 1 {\nsend 8b to 0 tag 7\nsend 8b to 0 tag 8\nsend 8b to 0 tag 9\n}\n"),
             Catch::Contains("unmatched message") && Catch::Contains("with tag 9"));
}

TEST_CASE("Graphs run again and again, in rounds, and beside a program's own operations") {
  const test::Scratch scratch;
  const auto trace = workloads::open_trace(scratch.write(
      "t.trace",
      "toroid trace 3\nranks 2\nrank 0\nc1000\n+ send_after to=1 bytes=8\n+ compute_after amount=3000 after=1\n"
      "+ recv_after from=1 tag=1 bytes=8\n+ compute_after amount=500 after=1\nc2000\n+ join\nc4000\n"
      "rank 1\n+ recv bytes=8\n+ send tag=1 bytes=8\nend\n"));
  // The message is sent after 1 us, and answered when the program has computed, and the first strand; the second one
  // takes 0.5 us then, and what follows the join 4 us.
  CHECK(replayed(*trace)["ranks"][0]["finish_s"].get<double>() == Approx(1e-6 + 2 * (latency + 8 * per_byte) + 4.5e-6));
  const auto wrong = workloads::open_trace(
      scratch.write("w.trace", "toroid trace 3\nranks 1\nrank 0\nc1\n+ compute_after amount=1 after=2\nend\n"));
  CHECK_THROWS_WITH(replayed(*wrong),
                    Catch::Contains("begins after the operation 2 before it, but the rank has only 1"));
}

// Execution traces as they are replayed: beside a run of the same graphs by the rules of LogGP, beside the programs
// that they were made of, by bounds that hold for any graph, and beside what ASTRA-sim says of its own examples.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "core/random.hpp"
#include "tests/netsim/differences.hpp"
#include "tests/netsim/goal_graph.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/random_program.hpp"
#include "toroid/netsim/computation_use.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/amounts.hpp"
#include "workloads/derived/forwarded_trace.hpp"
#include "workloads/formats/chakra/node.hpp"
#include "workloads/formats/formats.hpp"

using namespace toroid;
using test::GoalGraph;
using workloads::ChakraNode;
using workloads::ChakraType;

namespace toroid::chakra_replay {

namespace {

constexpr double latency = 2.5e-6, per_byte = 6e-9;
const std::string one_router = "mesh:1,cores=64,loopback_lat=2.5us,loopback_bw=166666666.66666666Bps";

/// A trace of so many ranks, whose nodes are added one by one; each gets the next id of its rank.
class Chakra {
 public:
  explicit Chakra(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}

  std::uint64_t add(int rank, ChakraNode node) {
    auto& nodes = ranks_[static_cast<std::size_t>(rank)];
    node.id = nodes.size();
    nodes.push_back(std::move(node));
    return nodes.back().id;
  }
  std::uint64_t compute(int rank, std::uint64_t micros, std::vector<std::uint64_t> after = {}, bool on_cpu = false) {
    return add(rank, {.type = ChakraType::computation, .data = std::move(after), .micros = micros, .is_cpu = on_cpu});
  }
  /// A computation by nanoseconds, which only traces that we have written say.
  std::uint64_t last(int rank, double nanoseconds, std::vector<std::uint64_t> after) {
    return add(rank, {.type = ChakraType::computation, .data = std::move(after), .amount = nanoseconds});
  }
  std::uint64_t send(int rank, int to, std::uint64_t bytes, int tag, std::vector<std::uint64_t> after = {}) {
    return add(rank, {.type = ChakraType::send,
                      .data = std::move(after),
                      .bytes = bytes,
                      .target = static_cast<std::uint64_t>(to),
                      .tag = static_cast<std::uint64_t>(tag)});
  }
  std::uint64_t receive(int rank, int from, std::uint64_t bytes, int tag, std::vector<std::uint64_t> after = {}) {
    return add(rank, {.type = ChakraType::receive,
                      .data = std::move(after),
                      .bytes = bytes,
                      .source = static_cast<std::uint64_t>(from),
                      .tag = static_cast<std::uint64_t>(tag)});
  }
  std::uint64_t collective(int rank, workloads::OpKind kind, std::uint64_t bytes,
                           std::vector<std::uint64_t> after = {}) {
    const auto number = std::ranges::find(workloads::chakra_kinds, kind) - workloads::chakra_kinds.begin();
    return add(rank, {.type = ChakraType::collective,
                      .data = std::move(after),
                      .kind = static_cast<std::uint64_t>(number),
                      .bytes = bytes});
  }

  std::unique_ptr<workloads::Trace> trace(const std::string& computation = "timed") const {
    const test::Scratch scratch;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      std::string text = chakra_text(workloads::ChakraHeader{computation, "mpi"});
      for (const auto& node : ranks_[rank]) text += chakra_text(node);
      scratch.write(fmt::format("t.{}.et", rank), text);
    }
    return workloads::open_trace(scratch.path("t.0.et"));
  }

 private:
  std::vector<std::vector<ChakraNode>> ranks_;
};

netsim::ReplayOptions options(const std::string& collectives = "default") {
  netsim::ReplayOptions all;
  all.compute_scale = 1;
  all.eager_threshold = ~std::uint64_t{0};
  all.collectives = workloads::CollectiveChoice::parse(collectives);
  return all;
}

core::Json on_one_router(const workloads::Trace& trace, const std::string& collectives = "default") {
  netsim::Mapping mapping;
  for (int rank = 0; rank < trace.ranks(); ++rank) mapping.add(0);
  return test::simulate(one_router, trace, options(collectives), mapping, "fluid");
}
double seconds_of(const core::Json& run) {
  return run["runtime_s"].get<double>();
}

/// A graph of GOAL whose computations are on a core of their own, as an execution trace.
Chakra chakra_of(GoalGraph& graph) {
  Chakra trace(graph.size());
  for (int rank = 0; rank < graph.size(); ++rank)
    for (std::size_t i = 0; i < graph.of(rank).size(); ++i) {
      const auto& op = graph.of(rank)[i];
      const std::vector<std::uint64_t> after(op.ended.begin(), op.ended.end());
      const bool calculates = op.kind == GoalGraph::Operation::Kind::calculate;
      if (calculates)
        trace.last(rank, static_cast<double>(op.amount), after);
      else if (op.kind == GoalGraph::Operation::Kind::send)
        trace.send(rank, op.peer, op.amount, op.tag, after);
      else
        trace.receive(rank, op.peer, op.amount, op.tag, after);
      if (!calculates) graph.put_on(rank, static_cast<int>(i), 1);
    }
  return trace;
}

}  // namespace

TEST_CASE("The patterns of LogGOPSim's generator take the same time as execution traces") {
  for (const auto& pattern : test::goal_patterns())
    for (const int ranks : {2, 8, 16}) {
      CAPTURE(pattern.name, ranks);
      auto graph = pattern.make(ranks, 1000);
      for (int rank = 0; rank < ranks; ++rank)
        for (const auto& op : graph.of(rank)) REQUIRE(op.begun.empty());
      const auto trace = chakra_of(graph).trace();
      CHECK(seconds_of(on_one_router(*trace)) == Approx(graph.time(latency, per_byte)).epsilon(1e-9));
    }
}

TEST_CASE("Collectives of a graph begin when what they depend on has ended, and take the time of their steps") {
  // Rank r computes r us before; a ring all-gather of p blocks takes p - 1 steps from when the last rank has come.
  constexpr int p = 8;
  constexpr std::uint64_t bytes = 1000;
  Chakra graph(p);
  for (int rank = 0; rank < p; ++rank) {
    const auto before = graph.compute(rank, static_cast<std::uint64_t>(rank));
    const auto gathered = graph.collective(rank, workloads::OpKind::allgather, bytes, {before});
    graph.compute(rank, 5, {gathered});
  }
  const double step = latency + bytes * per_byte;
  CHECK(seconds_of(on_one_router(*graph.trace(), "mpi:allgather=ring")) ==
        Approx((p - 1) * step + 7e-6 + 5e-6).epsilon(1e-9));
}

TEST_CASE("Traces of one collective, as ASTRA-sim has them on 4, 8 and 16 ranks, take the time of their closed forms") {
  // A file a rank: 112 for each size. Each step sends a block of an all-gather, or a p-th of the vector; an all-reduce
  // takes twice as many steps.
  using workloads::OpKind;
  const std::string algorithms = "mpi:allreduce=ring,allgather=ring,reduce_scatter=ring,alltoall=pairwise";
  const auto kind = GENERATE(OpKind::allreduce, OpKind::allgather, OpKind::reduce_scatter, OpKind::alltoall);
  for (const int p : {4, 8, 16})
    for (const std::uint64_t bytes : {std::uint64_t{1} << 10U, std::uint64_t{1} << 20U, std::uint64_t{1} << 26U}) {
      CAPTURE(to_string(kind), p, bytes);
      Chakra graph(p);
      for (int rank = 0; rank < p; ++rank) graph.collective(rank, kind, bytes);
      const double block = static_cast<double>(bytes) / (kind == OpKind::allgather ? 1 : p);
      const double steps = (kind == OpKind::allreduce ? 2 : 1) * (p - 1);
      CHECK(seconds_of(on_one_router(*graph.trace(), algorithms)) ==
            Approx(steps * (latency + block * per_byte)).epsilon(1e-9));
      if (kind == OpKind::alltoall) continue;  // between neighbours only: the same on a ring
      const auto ring = fmt::format("torus:{},lat=2.5us,bw=166666666.66666666Bps", p);
      CHECK(seconds_of(test::simulate(ring, *graph.trace(), options(algorithms), {}, "fluid")) ==
            Approx(steps * (latency + block * per_byte)).epsilon(1e-9));
    }
}

TEST_CASE("Calls of a group are told apart by their ids, whatever order they begin in") {
  // Rank 0 comes to the second call first, rank 1 to the first. Of other sizes than the partner's they would take
  // another time: an all-gather of two ranks takes that of one message.
  Chakra graph(2);
  for (int rank = 0; rank < 2; ++rank) {
    const auto late = graph.compute(rank, 50);
    graph.collective(rank, workloads::OpKind::allgather, 4000,
                     rank == 0 ? std::vector{late} : std::vector<std::uint64_t>());
    graph.collective(rank, workloads::OpKind::allgather, 1'000'000,
                     rank == 1 ? std::vector{late} : std::vector<std::uint64_t>());
  }
  CHECK(seconds_of(on_one_router(*graph.trace(), "mpi:allgather=ring")) ==
        Approx(50e-6 + latency + 1e6 * per_byte).epsilon(1e-9));
}

TEST_CASE("The CPU, streams of the accelerator and the network work beside each other, each one thing at a time") {
  Chakra graph(2);
  for (int rank = 0; rank < 2; ++rank) {
    graph.compute(rank, 30, {}, true);
    graph.compute(rank, 20, {}, true);
    graph.compute(rank, 40);
    graph.compute(rank, 15);
    graph.collective(rank, workloads::OpKind::allgather, 10'000);
  }
  const auto run = on_one_router(*graph.trace(), "mpi:allgather=ring");
  CHECK(seconds_of(run) == Approx(10'000 * per_byte + latency).epsilon(1e-9));  // 62.5 us, the longest of the three
}

TEST_CASE("Computations by operations last as long as the roofline of speed and memory bandwidth says") {
  // At half of 1 Gf and 2 GB/s, one after the other: 2 ms of operations, 0.5 ms of memory, and a load of 1.5 ms. A
  // store of 4.5 ms waits for the load alone, as memory does one thing at a time.
  Chakra graph(1);
  const auto add = [&](ChakraType type, std::uint64_t operations, std::uint64_t bytes,
                       std::vector<std::uint64_t> after) {
    return graph.add(0, {.type = type, .data = std::move(after), .operations = operations, .tensor = bytes});
  };
  const auto flops = add(ChakraType::computation, 1'000'000, 1'000'000, {});
  const auto bytes = add(ChakraType::computation, 1000, 1'000'000, {flops});
  const auto load = add(ChakraType::load, 0, 3'000'000, {bytes});
  add(ChakraType::computation, 1'000'000, 0, {load});
  const auto on = [&](const std::string& machine, const workloads::Trace& trace) {
    return seconds_of(test::simulate("mesh:1,speed=1Gf,efficiency=0.5" + machine, trace, options(), {0}, "fluid"));
  };
  const auto trace = graph.trace("modelled");
  CHECK(on(",memory-bandwidth=2GBps", *trace) == Approx(6e-3));
  CHECK(on(",memory-bandwidth=none", *trace) == Approx(4.002e-3));
  CHECK(on(",memory-bandwidth=2GBps,speed=2Gf", *trace) == Approx(4e-3));
  add(ChakraType::store, 0, 9'000'000, {bytes});
  CHECK(on(",memory-bandwidth=2GBps", *graph.trace("modelled")) == Approx(8.5e-3));

  // What the busiest rank computes is no less than its operations, and than its bytes, take: 2.001 M and 14 MB.
  const auto use = [&](const std::string& bandwidth) {
    const auto all = graph.trace("modelled");
    return computation_use(*all, computation_by_rank(*all),
                           platforms::make_machine("mesh:1,memory-bandwidth=" + bandwidth), options())
        .busiest_rank_s;
  };
  CHECK(use("2GBps") == Approx(7e-3));
  CHECK(use("none") == Approx(2.001e-3));

  const test::Scratch scratch;
  core::OutputSet outputs;
  write_chakra(*trace, {}, outputs, scratch.path("again.%d.et"));
  outputs.commit();
  CHECK(on(",memory-bandwidth=2GBps", *workloads::open_trace(scratch.path("again.0.et"))) == Approx(6e-3));
}

TEST_CASE("Of a trace with durations, only loads and stores without one take the time of their bytes") {
  Chakra graph(1);
  const auto computed =
      graph.add(0, {.type = ChakraType::computation, .micros = 5, .operations = 7, .tensor = 1'000'000'000});
  const auto timed = graph.add(0, {.type = ChakraType::load, .data = {computed}, .micros = 3, .tensor = 1'000'000'000});
  graph.add(0, {.type = ChakraType::store, .data = {timed}, .tensor = 2000});
  const auto run = test::simulate("mesh:1,memory-bandwidth=1GBps", *graph.trace(), options(), {0}, "fluid");
  CHECK(seconds_of(run) == Approx(10e-6));
}

TEST_CASE("A program takes the same time as the execution traces that it is written as") {
  core::Random random(5, "chakra programs");
  const std::string machine = "torus:4x4,bw=1GBps,lat=1us,speed=1Gf";
  int graphs = 0;
  for (int i = 0; i < test::tenth_if_sanitized(100); ++i) {
    CAPTURE(i);
    const auto program = workloads::random_program(
        random, {.ranks = 6, .uncertain = false, .synchronous = false, .alltoallv = i % 2 == 0, .large = 200'000});
    const test::Scratch scratch;
    core::OutputSet outputs;
    write_chakra(*program, {}, outputs, scratch.path("t.%d.et"));
    outputs.commit();
    const auto trace = workloads::open_trace(scratch.path("t.0.et"));
    auto how = options();
    how.eager_threshold = 65536;
    // A step of an exchange and another message between the same nodes may begin at one instant, the other way round as
    // a graph: where they go one after another, that decides who waits.
    how.order = netsim::Order::shared;
    const double as_program = seconds_of(test::simulate(machine, *program, how, {}, "fluid")),
                 as_graph = seconds_of(test::simulate(machine, *trace, how, {}, "fluid"));
    CHECK(as_graph == Approx(as_program).epsilon(1e-12));
    ++graphs;
  }
  CHECK(graphs > 0);
}

namespace {

struct RandomGraph {
  Chakra graph;
  double serial = 0, critical = 0;  ///< seconds of all, one after the other; and were nothing ever in the way of it
};

/// Events in one order that all ranks keep: none waits for what comes later.
RandomGraph random_graph(core::Random& random) {
  const int ranks = 2 + static_cast<int>(random.below(4));
  RandomGraph made{Chakra(ranks)};
  auto& graph = made.graph;
  std::vector<std::vector<double>> ends(static_cast<std::size_t>(ranks));  // when each could end at the earliest
  const auto some_of = [&](int rank, double& begin) {
    std::vector<std::uint64_t> after;
    const auto& before = ends[static_cast<std::size_t>(rank)];
    for (std::size_t id = 0; id < before.size(); ++id)
      if (random.below(before.size() + 1) < 2) {
        after.push_back(id);
        begin = std::max(begin, before[id]);
      }
    return after;
  };
  const auto end = [&](int rank, double at) {
    ends[static_cast<std::size_t>(rank)].push_back(at);
    made.critical = std::max(made.critical, at);
  };
  for (int event = 0; event < 40; ++event) {
    const int rank = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
    double begin = 0;
    if (const auto what = random.below(3); what == 0) {
      const auto micros = random.below(20);
      const auto after = some_of(rank, begin);
      graph.compute(rank, micros, after, random.below(2) == 0);
      made.serial += static_cast<double>(micros) * 1e-6;
      end(rank, begin + static_cast<double>(micros) * 1e-6);
    } else if (what == 1) {
      const int to = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
      if (to == rank) continue;
      const auto bytes = random.below(5000);
      double receiver = 0;
      const auto sends_after = some_of(rank, begin), receives_after = some_of(to, receiver);
      graph.send(rank, to, bytes, event, sends_after);
      graph.receive(to, rank, bytes, event, receives_after);
      const double lasts = latency + static_cast<double>(bytes) * per_byte;
      made.serial += lasts;
      end(rank, begin);
      end(to, std::max(receiver, begin + lasts));
    } else {
      const auto bytes = 1 + random.below(5000);
      // A rank has all blocks no earlier than one message after the others have come.
      const double step = latency + static_cast<double>(bytes) * per_byte;
      made.serial += (ranks - 1) * step;
      std::vector<double> begins(static_cast<std::size_t>(ranks), 0.0);
      for (int r = 0; r < ranks; ++r)
        graph.collective(r, workloads::OpKind::allgather, bytes, some_of(r, begins[static_cast<std::size_t>(r)]));
      for (std::size_t r = 0; r < begins.size(); ++r) {
        double at = begins[r];
        for (std::size_t q = 0; q < begins.size(); ++q)
          if (q != r) at = std::max(at, begins[q] + step);
        end(static_cast<int>(r), at);
      }
    }
  }
  return made;
}

}  // namespace

TEST_CASE("Random graphs end, no earlier than their critical path and no later than one thing after the other") {
  core::Random random(8, "chakra graphs");
  for (int i = 0; i < test::tenth_if_sanitized(300); ++i) {
    CAPTURE(i);
    const auto [graph, serial, critical] = random_graph(random);
    const double took = seconds_of(on_one_router(*graph.trace(), "mpi:allgather=ring"));
    CHECK(took <= serial * (1 + 1e-9));
    CHECK(took >= critical * (1 - 1e-9));
  }
}

TEST_CASE("Rounds of random graphs that repeat are told as if they had been simulated") {
  core::Random random(9, "rounds of graphs");
  const auto machine = platforms::make_machine("torus:3x2,bw=300MBps,lat=1us");
  int with_some = 0;
  const int graphs = test::tenth_if_sanitized(200);
  for (int i = 0; i < graphs; ++i) {
    CAPTURE(i);
    const auto once = random_graph(random).graph.trace();
    const workloads::RepeatedTrace trace(*once, 40);
    const auto run = [&](netsim::Repeats repeats) {
      auto how = options();
      how.repeats = repeats;
      return netsim::run(
          {machine, trace, test::in_order(machine, trace.ranks()), how, i % 4 == 0 ? "packet" : "fluid"});
    };
    const auto full = run(netsim::Repeats::off), short_cut = run(netsim::Repeats::exact);
    const test::Differences differences(full.runtime);
    CHECK(differences.are_near(full.runtime, short_cut.runtime));
    CHECK(differences.of_messages(full, short_cut) == "");
    CHECK(differences.of_histories(full.critical_path, short_cut.critical_path) == "");
    CHECK(differences.of_ranks(full.ranks, short_cut.ranks) == "");
    with_some += short_cut.repeated.empty() ? 0 : 1;
  }
  CHECK(2 * with_some > graphs);
}

namespace {

// What ASTRA-sim's analytical networks say of their own examples. A GB is 2^30 bytes there, and all times are whole
// nanoseconds: the serialization of a chunk is cut to them, which is why their numbers are a little below.
const std::string ring_of_16 = "torus:16,bw=53687091200Bps,lat=500ns";
constexpr std::uint64_t mebibyte = 1 << 20;

double nanoseconds_on(const std::string& machine, const Chakra& graph) {
  return 1e9 * seconds_of(test::simulate(machine, *graph.trace(), options(), {}, "fluid"));
}

/// A chunk goes along the ring from rank to rank, each of which passes it on when it has all of it; `forward` along
/// rising ranks. It waits for what `at` says of its source.
void relay(Chakra& graph, int ranks, int from, int hops, bool forward, std::uint64_t bytes, int tag) {
  std::vector<std::uint64_t> after;
  for (int hop = 0; hop < hops; ++hop) {
    const int step = forward ? 1 : ranks - 1, here = (from + hop * step) % ranks, next = (here + step) % ranks;
    graph.send(here, next, bytes, tag, after);
    after = {graph.receive(next, here, bytes, tag)};
  }
}

}  // namespace

TEST_CASE("A message over three links of a ring takes ASTRA-sim's times with and without store and forward") {
  Chakra direct(16), passed_on(16);
  for (int rank = 0; rank < 16; ++rank)
    for (auto* graph : {&direct, &passed_on}) graph->compute(rank, 0);
  direct.send(1, 4, mebibyte, 0);
  direct.receive(4, 1, mebibyte, 0);
  relay(passed_on, 16, 1, 3, true, mebibyte, 0);
  CHECK(std::floor(nanoseconds_on(ring_of_16, direct)) == 21'031);     // theirs without congestion
  CHECK(std::floor(nanoseconds_on(ring_of_16, passed_on)) == 60'093);  // theirs with links that pass on whole chunks
}

TEST_CASE("A direct all-gather on a ring of 16 whose ranks pass on whole chunks takes ASTRA-sim's 704,116 ns") {
  // All chunks of a rank are there at once, in the order of their targets; those for the opposite rank go forward.
  // Links pass on one chunk after the other, in the order in which they come: 36 of them on each forward link.
  constexpr int p = 16;
  Chakra graph(p);
  for (int rank = 0; rank < p; ++rank)
    for (int target = 0; target < p; ++target) {
      const int distance = (target - rank + p) % p;
      if (distance == 0) continue;
      const bool forward = distance <= p / 2;
      relay(graph, p, rank, forward ? distance : p - distance, forward, mebibyte, p * rank + target);
    }
  const double exact = 36 * (1e9 / 51200) + 2 * 500;  // 1/51200 s a chunk
  CHECK(nanoseconds_on(ring_of_16, graph) == Approx(exact).epsilon(1e-9));
  CHECK(exact - 704'116 == Approx(36 * 0.25));  // a quarter of a nanosecond that each chunk loses there
}

TEST_CASE("A ring all-reduce of 8 takes ASTRA-sim's 117,780 ns if memory is read and written as this graph says") {
  // Four parts of 1 MiB, one after the other, in 14 steps each: 32 KiB to the next rank; then 10 ns at the endpoint,
  // and accesses to a memory of 50 GB/s: two where blocks are summed, one where they are only passed on.
  constexpr int p = 8;
  constexpr std::uint64_t block = mebibyte / 4 / p;
  const double access = block / 50e9 * 1e9, at_endpoint = 10;
  Chakra graph(p);
  std::vector<std::vector<std::uint64_t>> last(p);
  for (int part = 0; part < 4; ++part)
    for (int step = 0; step < 2 * (p - 1); ++step)
      for (int rank = 0; rank < p; ++rank) {
        const int tag = part * 16 + step;
        auto& after = last[static_cast<std::size_t>(rank)];
        graph.send(rank, (rank + 1) % p, block, tag, after);
        const auto received = graph.receive(rank, (rank + p - 1) % p, block, tag, after);
        after = {graph.last(rank, at_endpoint + (step < p - 1 ? 2 : 1) * access, {received})};
      }
  const double took = nanoseconds_on("torus:8,bw=53687091200Bps,lat=500ns", graph);
  // Theirs has one more time at the endpoint, and 56 steps whose 0.35 ns are cut off.
  CHECK(took == Approx(117'780 - at_endpoint + 56 * (block / 53687091200.0 * 1e9 - 610)).epsilon(5e-6));
}

}  // namespace toroid::chakra_replay

// What a node does for the bytes of messages (copy, reduce, memcpy) and where it is eager, as by hand, in all engines.

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/random_program.hpp"
#include "toroid/workloads/collectives/choice.hpp"

using namespace toroid;

namespace {

const std::vector<std::string> all_engines{"fluid", "simgrid", "packet"};

/// Two dozen nodes on one router: messages from different nodes to different nodes share nothing, and one of B bytes
/// takes 2 us + B ns.
std::string star(const std::string& properties) {
  return "mesh:1,nodes=24,base=2us,lat=0s,injection=1GBps,ejection=1GBps," + properties;
}

core::Json replay(const std::string& machine, const std::string& trace, const std::string& engine,
                  const std::string& collectives = "default", std::optional<std::uint64_t> eager = {},
                  netsim::Mapping mapping = {}) {
  netsim::ReplayOptions options{.compute_scale = 1, .eager_threshold = eager};
  options.collectives = workloads::CollectiveChoice::parse(collectives);
  options.log_causes = true;
  return test::simulate(machine, trace, options, std::move(mapping), engine);
}

double end_us(const core::Json& result, std::size_t rank) {
  return 1e6 * result["ranks"][rank]["finish_s"].get<double>();
}

double run_us(const core::Json& result) {
  return 1e6 * result["runtime_s"].get<double>();
}

auto about_us(double expected) {
  return Approx(expected).epsilon(3e-4);  // packets go in ticks
}

/// The same operation for all ranks.
std::string everybody(int ranks, const std::string& operation) {
  std::string text;
  for (int rank = 0; rank < ranks; ++rank) text += fmt::format("{} {}\n", rank, operation);
  return text;
}

}  // namespace

TEST_CASE("the core of a receiver copies each eager message") {
  const auto machine = star("copy=2ns");
  const std::string one = "0 send 1 0 50 6\n1 recv 0 0 50 6\n";
  for (const auto& engine : all_engines) {
    CAPTURE(engine);
    const auto alone = replay(machine, one, engine);
    CHECK(end_us(alone, 0) == about_us(0));
    CHECK(end_us(alone, 1) == about_us(2.05 + 0.1));
    CHECK(alone["critical_path"]["latency_s"].get<double>() == Approx(2.1e-6).epsilon(1e-6));
    // Above the eager limit the bytes go straight to their place.
    CHECK(end_us(replay(machine, one, engine, "default", 49), 1) == about_us(2.05));
    // With LogP's overhead, which both cores have.
    CHECK(end_us(replay(machine + ",overhead=300ns", one, engine), 1) == about_us(0.3 + 2.05 + 0.3 + 0.1));
    // Whatever the rank does meanwhile takes so much longer.
    CHECK(end_us(replay(machine, "0 send 1 0 50 6\n1 sleep 1e-5\n1 recv 0 0 50 6\n", engine), 1) == about_us(10.1));
    // One after the other: the second comes 50 ns behind the first, through the same port.
    const auto two = replay(machine, "0 send 2 0 50 6\n1 send 2 0 50 6\n2 recv 0 0 50 6\n2 recv 1 0 50 6\n", engine);
    CHECK(end_us(two, 2) == about_us(engine == "packet" ? 2.05 + 0.2 : 2.1 + 0.2));
  }
  CHECK(end_us(replay(machine + ",cores=2", one, "fluid", "default", {}, {3, 3}), 1) == about_us(0.1 + 0.005));
}

TEST_CASE("the eager limit is the machine's, unless the run says otherwise") {
  const std::string late = "0 send 1 0 1000 6\n1 sleep 1e-5\n1 recv 0 0 1000 6\n";
  for (const auto& engine : all_engines) {
    CAPTURE(engine);
    CHECK(end_us(replay(star("eager=1000"), late, engine), 0) == about_us(0));
    CHECK(end_us(replay(star("eager=999"), late, engine), 0) == about_us(10 + 3));
    CHECK(end_us(replay(star("eager=999"), late, engine, "default", 1000), 0) == about_us(0));
    CHECK(end_us(replay(star("eager=1000"), late, engine, "default", 0), 0) == about_us(10 + 3));
    CHECK(end_us(replay(star("cores=1"), late, engine), 0) == about_us(0));  // 64 KiB
  }
}

TEST_CASE("cores sum after each message and copy what algorithms copy, by hand") {
  const auto machine = star("reduce=2ns,memcpy=1ns,cores=1");
  for (const auto& engine : all_engines) {
    const auto time = [&](int ranks, const std::string& operation, const std::string& algorithm) {
      return run_us(replay(machine, everybody(ranks, operation), engine, "mpi:" + algorithm));
    };
    CAPTURE(engine);
    // The vector is copied, then three times swapped and summed.
    CHECK(time(8, "allreduce 1000 0 6", "allreduce=recursive_doubling") == about_us(1 + 3 * (3 + 2)));
    CHECK(time(2, "allreduce 1000 0 6", "allreduce=recursive_doubling") == about_us(1 + 3 + 2));
    // Three ranks: the first hands its vector to the second, which has that of the third by then, and tells the first.
    CHECK(time(3, "allreduce 1000 0 6", "allreduce=recursive_doubling") == about_us(3 + 2 + 2 + 3));
    CHECK(time(8, "allreduce 8000 0 6", "allreduce=ring") == about_us(8 + 7 * (3 + 2) + 7 * 3));
    CHECK(time(4, "allreduce 8000 0 6", "allreduce=rabenseifner") == about_us(8 + 6 + 8 + 4 + 4 + 4 + 6));
    CHECK(time(8, "reduce 1000 0 0 6", "reduce=binomial") == about_us(3 * (3 + 2)));
    CHECK(time(4, "reduce 1000 0 0 6", "reduce=linear") == about_us(2 + 3 + 3 * 2));
    // Of seven in a tree of two children each: 3 and 4 at once, 5 and 6 at once; then 1 and 2 at once.
    CHECK(time(7, "reduce 1000 0 0 6", "reduce=binary") == about_us(2 * (2 + 2 + 2 * 2)));
    CHECK(time(4, "allgather 1000 1000 6 6", "allgather=bruck") == about_us(1 + 3 + 4 + 8));
    CHECK(time(4, "allgather 1000 1000 6 6", "allgather=ring") == about_us(1 + 3 * 3));
    CHECK(time(4, "alltoall 1000 1000 6 6", "alltoall=bruck") == about_us(4 + 2 * (2 + 4 + 2) + 4));
    CHECK(time(5, "alltoall 1000 1000 6 6", "alltoall=shift") == about_us(1 + 4 * 3));
    const std::string scatter = "reducescatter 2000 2000 2000 2000 0 6";
    CHECK(time(4, scatter, "reduce_scatter=recursive_halving") == about_us(8 + 6 + 8 + 4 + 4 + 2));
    CHECK(time(4, scatter, "reduce_scatter=ring") == about_us(8 + 3 * (4 + 4) + 2));
    CHECK(time(4, scatter, "reduce_scatter=pairwise") == about_us(2 + 3 * (4 + 4)));
    CHECK(time(4, "scan 1000 0 6", "scan=chain") == about_us(3 * (3 + 2)));
  }
}

TEST_CASE("while a core sums a segment, the next one comes") {
  const auto machine = star("reduce=2ns,cores=1");
  const auto chain = everybody(3, "reduce 2000 0 0 6");
  for (const auto& engine : all_engines) {
    CAPTURE(engine);
    const std::string segments = "mpi:reduce=(chain:segment=1000)";
    // Rank 1 has the first segment at 3, has summed it at 5 and the second one at 7; each reaches rank 0 3 later.
    CHECK(run_us(replay(machine, chain, engine, segments)) == about_us(3 + 2 + 2 + 3 + 2));
    // By rendezvous, rank 2 sends the second segment when the first has come, and it comes while rank 1 sums; that
    // sends its own first segment until 8, and rank 0 has to wait for the second one until 13.
    CHECK(run_us(replay(machine, chain, engine, segments, 0)) == about_us(3 + 2 + 3 + 2 + 3 + 2));
  }
}

// Four lanes at once, and 15 of 16 parts of the vector are summed: while messages of other lanes come, the core sums.
TEST_CASE("a root that takes one block after the other waits for each handshake, by hand") {
  // 1 us of handshake, 2 us of latency, and a byte in a nanosecond through the root's port.
  for (const auto& [call, together, in_turn] : {std::tuple("gather 1000 1000 0 6 6", 1 + 2 + 3.0, 3 * (1 + 2 + 1.0)),
                                                std::tuple("scatter 1000 1000 0 6 6", 1 + 2 + 3.0, 3 * (1 + 2 + 1.0)),
                                                std::tuple("gather 100 100 0 6 6", 2 + 0.3, 2 + 0.3)})
    for (const auto& engine : all_engines) {
      CAPTURE(engine, call);
      const auto took = [&](const std::string& algorithm) {
        const auto kind = std::string(call).substr(0, std::string(call).find(' '));
        return run_us(
            replay(star("handshake=1us"), everybody(4, call), engine, "default:" + kind + "=" + algorithm, 100));
      };
      CHECK(took("linear") == Approx(together).epsilon(0.01));
      CHECK(took("basic_linear") == Approx(in_turn).epsilon(0.01));
    }
}

TEST_CASE("what a core sums is computation, whatever other lanes wait for") {
  const auto result = replay("torus:4x4,bw=1GBps,latency=1us,reduce=1ns", everybody(16, "allreduce 1600000 0 6"),
                             "fluid", "mpi:allreduce=swing_halving");
  for (const auto& rank : result["ranks"]) CHECK(rank["compute_s"].get<double>() == Approx(1.5e-3));
}

TEST_CASE("sums by bytes take the place of the flops of a call, and cores are told to compute them") {
  const auto call = everybody(2, "allreduce 1000 5000 6");
  const std::string doubling = "mpi:allreduce=recursive_doubling";
  for (const auto& engine : all_engines) {
    CAPTURE(engine);
    CHECK(run_us(replay(star("cores=1"), call, engine, doubling)) == about_us(3 + 5));
    CHECK(run_us(replay(star("memcpy=1ns"), call, engine, doubling)) == about_us(1 + 3 + 5));
    const auto summed = replay(star("reduce=2ns,memcpy=1ns"), call, engine, doubling);
    CHECK(run_us(summed) == about_us(1 + 3 + 2));
    for (const auto& rank : summed["ranks"]) {
      CHECK(1e6 * rank["compute_s"].get<double>() == about_us(3));
      CHECK(1e6 * rank["transfer_s"].get<double>() == about_us(3));
    }
    const auto& path = summed["critical_path"];
    CHECK(1e6 * path["compute_s"].get<double>() == about_us(3));
    REQUIRE(path["steps"].size() == 3);
    for (const auto& step : path["steps"]) CHECK(step["collective"] == "allreduce");
    CHECK(path["steps"][2]["kind"] == "compute");
    CHECK(1e6 * path["steps"][2]["begin_s"].get<double>() == about_us(4));
  }
}

TEST_CASE("with copies and sums the books balance, and none of them makes a program faster") {
  core::Random random(8, "node costs/books");
  int slower = 0;
  for (int i = 0; i < 150; ++i) {
    workloads::RandomProgramOptions program;
    program.ranks = static_cast<std::int32_t>(2 + random.below(6));
    program.uncertain = false;
    const auto trace = workloads::random_program(random, program);
    const auto costs = fmt::format("overhead={}ns,copy={}ps,reduce={}ps,memcpy={}ps,eager={}", random.below(300),
                                   random.below(900), random.below(900), random.below(900), 1 << random.below(16));
    const auto engine = all_engines[i % 10 == 0 ? random.below(3) : 0];
    CAPTURE(i, costs, engine);
    const netsim::ReplayOptions options{.compute_scale = 1};
    const auto result = test::simulate("mesh:8," + costs, *trace, options, {}, engine);
    const auto& path = result["critical_path"];
    CHECK(path["compute_s"].get<double>() + path["latency_s"].get<double>() + path["bandwidth_s"].get<double>() +
              path["sharing_s"].get<double>() ==
          Approx(result["runtime_s"].get<double>()).epsilon(1e-9));
    for (const auto& rank : result["ranks"])
      CHECK(rank["compute_s"].get<double>() + rank["transfer_s"].get<double>() + rank["wait_s"].get<double>() ==
            Approx(rank["finish_s"].get<double>()).epsilon(1e-9));
    slower += run_us(result) > run_us(test::simulate("mesh:8", *trace, options, {}, "fluid")) ? 1 : 0;
  }
  CHECK(slower > 100);
}

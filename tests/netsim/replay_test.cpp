#include <catch2/catch.hpp>

#include <algorithm>

#include "netsim/simulation.hpp"
#include "tests/netsim/checks.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/generators/generated_trace.hpp"

using namespace toroid;
using test::finish;
using test::simulate;

namespace {

netsim::ReplayOptions with_compute(double scale, std::uint64_t eager = 65536) {
  netsim::ReplayOptions options;
  options.compute_scale = scale;
  options.eager_threshold = eager;
  return options;
}

double runtime(const core::Json& result) {
  return result["runtime_s"];
}
/// Rank 1 sends to rank 0, which ends without a wait. Knows the last step that it was asked for.
class OneMessage final : public workloads::GeneratedTrace {
 public:
  OneMessage() : GeneratedTrace("one message", 2) {}
  bool step(workloads::Rank me, std::uint64_t step, std::vector<workloads::Operation>& out) const override {
    last_asked_ = std::max(last_asked_, step);
    if (step > 0) return false;
    out.push_back({.kind = me == 0 ? workloads::OpKind::irecv : workloads::OpKind::isend,
                   .to = 1 - me.value(),
                   .from = 1 - me.value(),
                   .bytes = 8});
    return true;
  }
  std::uint64_t last_asked() const { return last_asked_; }

 private:
  mutable std::uint64_t last_asked_ = 0;
};

/// One-hop line: 1 GB/s, 1 us.
constexpr const char* line = "mesh:4,bw=1GBps,lat=1us";

}  // namespace

TEST_CASE("What would take longer than a clock reaches is refused, however much stands in line for it") {
  std::string text;
  for (int i = 0; i < 9; ++i) text += "0 isend 1 0 8 6\n1 recv 0 0 8 6\n";
  const auto trace = test::trace_of(text + "0 waitall 9\n");
  for (const std::string platform : {"mesh:2,bandwidth=1e-13Bps", "mesh:2,gap=3e13s", "mesh:2,overhead=3e13s",
                                     "mesh:2,bandwidth=1e-13Bps,gap=3e13s", "mesh:2,injection=1e-13Bps"}) {
    CAPTURE(platform);
    const auto machine = platforms::make_machine(platform);
    const auto run = [&](const std::string& engine) {
      netsim::run({machine, *trace, test::in_order(machine, 2), {}, engine});
    };
    CHECK_THAT(test::message_of<core::SimulationError>([&] { run("fluid"); }),
               Catch::Contains("the run would take longer than 3.5e+13 s"));
    CHECK_THAT(test::message_of<std::runtime_error>([&] { run("packet"); }),
               Catch::Contains("the run would take longer than 3.5e+13 s") || Catch::Contains("the engine fluid"));
  }
}

TEST_CASE("an eager message travels while its receiver computes; its sender does not wait") {
  const auto r = simulate(line, "0 send 1 0 1000 6\n1 sleep 1\n1 recv 0 0 1000 6\n", with_compute(1));
  CHECK(finish(r, 0) == 0);
  CHECK(finish(r, 1) == Approx(1).epsilon(1e-12));
}

TEST_CASE("a rendezvous message travels once the receive is posted; its sender waits for its end") {
  const auto r = simulate(line, "0 send 1 0 1000 6\n1 sleep 1\n1 recv 0 0 1000 6\n", with_compute(1, 999));
  CHECK(finish(r, 0) == Approx(1 + 2e-6).epsilon(1e-12));
  CHECK(finish(r, 1) == Approx(1 + 2e-6).epsilon(1e-12));
}

TEST_CASE("the threshold itself is still eager") {
  const std::string trace = "0 send 1 0 1000 6\n1 sleep 1\n1 recv 0 0 1000 6\n";
  CHECK(finish(simulate(line, trace, with_compute(1, 1000)), 0) == 0);
  CHECK(finish(simulate(line, trace, with_compute(1, 999)), 0) > 1);
}

TEST_CASE("a synchronous send waits whatever its size, a buffered one never") {
  CHECK(finish(simulate(line, "0 Ssend 1 0 8 6\n1 sleep 1\n1 recv 0 0 8 6\n", with_compute(1)), 0) > 1);
  CHECK(finish(simulate(line, "0 bsend 1 0 8000000 6\n1 sleep 1\n1 recv 0 0 8000000 6\n", with_compute(1)), 0) == 0);
}

TEST_CASE("a non-blocking rendezvous send overlaps computation") {
  const auto r =
      simulate(line, "0 isend 1 0 1000000 6\n0 sleep 1\n0 wait 0 1 0\n1 recv 0 0 1000000 6\n", with_compute(1, 0));
  CHECK(finish(r, 0) == Approx(1).epsilon(1e-12));
  CHECK(finish(r, 1) == Approx(1e-6 + 1e-3).epsilon(1e-9));
}

TEST_CASE("computation takes flops over speed, scaled") {
  const std::string trace = "0 compute 2e9\n";
  CHECK(runtime(simulate(line, trace, with_compute(0))) == 0);
  CHECK(runtime(simulate(line, trace, with_compute(1))) == Approx(2).epsilon(1e-12));
  CHECK(runtime(simulate(line, trace, with_compute(0.5))) == Approx(1).epsilon(1e-12));
  CHECK(runtime(simulate("mesh:4,speed=4Gf", trace, with_compute(1))) == Approx(0.5).epsilon(1e-12));
  CHECK(netsim::parse_compute("x2.5") == 2.5);
  for (const char* wrong : {"", "yes", "mean", "x", "x-1", "xnan", "2"})
    CHECK_THROWS_AS(netsim::parse_compute(wrong), core::InputError);
}

TEST_CASE("messages between two ranks do not overtake each other in matching") {
  // Equal tags: the large message was sent first and must be received first.
  const auto r =
      simulate(line, "0 isend 1 5 1000000 6\n0 isend 1 5 1 6\n0 waitall 2\n1 recv 0 5 0 6\n1 recv 0 5 0 6\n");
  CHECK(runtime(r) >= 1e-3);
}

TEST_CASE("wildcard receives take what was sent first") {
  const auto r = simulate(line,
                          "0 sleep 2\n0 send 2 1 10 6\n"
                          "1 sleep 1\n1 send 2 2 10 6\n"
                          "2 recv -333 -444 10 6\n2 sleep 10\n2 recv 0 1 10 6\n",
                          with_compute(1));
  CHECK(finish(r, 2) == Approx(11 + 1e-6 + 1e-8).epsilon(1e-9));
}

TEST_CASE("wait finds a wildcard request by the names that it was posted with") {
  const auto r = simulate(line, "0 isend 1 9 10 6\n0 wait 0 1 9\n1 irecv -333 9 10 6\n1 wait -333 1 9\n");
  CHECK(runtime(r) == Approx(1e-6 + 1e-8).epsilon(1e-9));
}

TEST_CASE("waitany goes on with the first request that ends") {
  const auto r = simulate(line,
                          "0 sleep 2\n0 send 2 1 10 6\n"
                          "1 sleep 1\n1 send 2 2 10 6\n"
                          "2 irecv 0 1 10 6\n2 irecv 1 2 10 6\n2 waitAny 2\n2 sleep 10\n2 waitAny 2\n",
                          with_compute(1));
  CHECK(finish(r, 2) == Approx(11 + 1e-6 + 1e-8).epsilon(1e-9));
}

TEST_CASE("what a waitany did not take ends later without letting the rank go on") {
  // Rank 2 goes on at 1 s with tag 2; tag 1 ends at 2 s, while the rank is blocked until 3 s on another message.
  const auto r = simulate(line,
                          "0 sleep 2\n0 send 2 1 10 6\n"
                          "1 sleep 1\n1 send 2 2 10 6\n1 sleep 2\n1 send 2 3 10 6\n"
                          "2 irecv 0 1 10 6\n2 irecv 1 2 10 6\n2 waitAny 2\n2 recv 1 3 10 6\n2 waitAny 1\n",
                          with_compute(1));
  CHECK(finish(r, 2) == Approx(3 + 1e-6 + 1e-8).epsilon(1e-9));
}

TEST_CASE("waitall waits for the newest requests: the others can be waited for by name") {
  // Rank 1 posts a receive that only ends at 5 s, then waits for the two sends it posts afterwards.
  const auto r =
      simulate(line,
               "0 recv 1 1 10 6\n0 recv 1 2 10 6\n0 sleep 5\n0 send 1 3 10 6\n"
               "1 irecv 0 3 10 6\n1 isend 0 1 10 6\n1 isend 0 2 10 6\n1 waitall 2\n1 sleep 1\n1 wait 0 1 3\n",
               with_compute(1));
  CHECK(r["ranks"][1]["compute_s"] == 1);
  CHECK(finish(r, 1) == Approx(5).epsilon(1e-5));
}

TEST_CASE("waitall may count null requests") {
  CHECK_NOTHROW(simulate(line, "0 isend 1 0 8 6\n0 waitall 12\n1 irecv 0 0 8 6\n1 waitall 7\n"));
}

TEST_CASE("a wait for what a waitany has ended takes no time, whichever name that fits it has") {
  const std::string trace = "0 send 1 0 8 6\n1 irecv -333 0 8 6\n1 waitAny 1\n";
  CHECK(runtime(simulate(line, trace + "1 wait 0 1 0\n")) == runtime(simulate(line, trace)));
}

TEST_CASE("a test ends a request that is done; a later wait for it is in order") {
  const std::string trace = "0 send 1 0 8 6\n1 irecv 0 0 8 6\n1 sleep 1\n1 test 0 1 0\n1 wait 0 1 0\n";
  CHECK(finish(simulate(line, trace, with_compute(1)), 1) == Approx(1).epsilon(1e-12));
  CHECK(finish(simulate(line, trace, with_compute(0)), 1) == Approx(1e-6 + 8e-9).epsilon(1e-9));
}

TEST_CASE("a rank may send to itself, and to nobody") {
  CHECK(runtime(simulate(line, "0 irecv 0 1 1000 6\n0 send 0 1 1000 6\n0 wait 0 0 1\n")) ==
        Approx(1e-7 + 1e-7).epsilon(1e-9));
  CHECK(runtime(simulate(line, "0 send -333 1 1000 6\n0 barrier\n1 barrier\n")) == Approx(1e-6).epsilon(1e-9));
}

TEST_CASE("sendrecv exchanges, also by rendezvous") {
  const std::string trace = "0 sendRecv 1000 1 1000 1 6 6\n1 sendRecv 1000 0 1000 0 6 6\n";
  CHECK(runtime(simulate(line, trace, with_compute(0, 0))) == Approx(2e-6).epsilon(1e-9));
  CHECK(runtime(simulate(line, trace)) == Approx(2e-6).epsilon(1e-9));
}

TEST_CASE("ranks of one node use its loopback and no link") {
  const auto r = simulate("mesh:4,cores=2,loopback_bw=10GBps,loopback_lat=100ns",
                          "0 send 1 0 1000 6\n1 recv 0 0 1000 6\n", {}, {3, 3});
  CHECK(runtime(r) == Approx(2e-7).epsilon(1e-9));
  CHECK(r["links"].empty());
}

TEST_CASE("an envelope adds to every message") {
  auto options = netsim::ReplayOptions{};
  options.envelope = 500;
  CHECK(runtime(simulate(line, "0 send 1 0 1000 6\n1 recv 0 0 1000 6\n", options)) ==
        Approx(1e-6 + 1.5e-6).epsilon(1e-9));
}

TEST_CASE("the books balance") {
  const auto trace = workloads::open_trace("stencil:grid=4x2x2,steps=5,bytes=30kB,flops=10kf,periodic=yes");
  const auto r = simulate("torus:4x4,bw=1GBps,lat=1us,injection=2GBps", *trace, with_compute(1, 8192));
  double compute = 0, latency = 0;
  for (const auto& rank : r["ranks"]) {
    CHECK(rank["compute_s"].get<double>() + rank["transfer_s"].get<double>() + rank["wait_s"].get<double>() ==
          Approx(rank["finish_s"].get<double>()).epsilon(1e-9));
    compute += rank["compute_s"].get<double>();
  }
  CHECK(compute == Approx(16 * 5 * 1e-5).epsilon(1e-9));
  const auto& path = r["critical_path"];
  latency = path["latency_s"];
  CHECK(latency > 0);
  CHECK(path["sharing_s"].get<double>() >= 0);
  CHECK(path["compute_s"].get<double>() + latency + path["bandwidth_s"].get<double>() +
            path["sharing_s"].get<double>() ==
        Approx(runtime(r)).epsilon(1e-9));
  std::uint64_t grid_bytes = 0, injected = 0, most = 0, most_of_ports = 0;
  double most_seconds = 0;
  for (const auto& link : r["links"]) {
    const auto bytes = link["bytes"].get<std::uint64_t>();
    (link["link"].get<int>() < 16 * 4 ? grid_bytes : injected) += bytes;
    auto& most_of_kind = link["link"].get<int>() < 16 * 4 ? most : most_of_ports;
    most_of_kind = std::max(most_of_kind, bytes);
    most_seconds = std::max(most_seconds, static_cast<double>(bytes) / (link["link"].get<int>() < 16 * 4 ? 1e9 : 2e9));
    CHECK(link["busy_s"].get<double>() <= runtime(r) * (1 + 1e-9));
    CHECK(link["mean_utilization"].get<double>() <= link["peak_utilization"].get<double>() + 1e-9);
    CHECK(link["busy_s"].get<double>() * 1e9 * (1 + 1e-9) >= static_cast<double>(bytes) / 2);
  }
  CHECK(grid_bytes == r["hop_bytes"].get<std::uint64_t>());
  CHECK(injected == r["network_bytes"].get<std::uint64_t>());
  CHECK(most == r["max_link_load_bytes"].get<std::uint64_t>());
  CHECK(most_of_ports == r["max_port_load_bytes"].get<std::uint64_t>());
  CHECK(r["max_link_time_s"].get<double>() == Approx(most_seconds).epsilon(1e-12));
  CHECK(r["max_link_time_s"].get<double>() <= runtime(r));
}

TEST_CASE("the critical path of a chain is told apart into its parts") {
  // 1 s of computing, a message over three hops, 2 s of computing.
  const auto r =
      simulate("mesh:4,bw=1GBps,lat=1us",
               "0 compute 1e9\n0 send 3 0 1000 6\n3 recv 0 0 1000 6\n3 compute 2e9\n1 sleep 0.1\n2 sleep 0.1\n",
               with_compute(1));
  const auto& path = r["critical_path"];
  CHECK(path["compute_s"].get<double>() == Approx(3).epsilon(1e-12));
  CHECK(path["latency_s"].get<double>() == Approx(3e-6).epsilon(1e-9));
  CHECK(path["bandwidth_s"].get<double>() == Approx(1e-6).epsilon(1e-9));
  CHECK(path["sharing_s"].get<double>() == 0);
}

TEST_CASE("the steps of the critical path follow each other without a gap, and sum up to it") {
  auto options = with_compute(1, 8192);
  CHECK_FALSE(simulate("torus:4x4", "0 compute 1\n", options)["critical_path"].contains("steps"));
  options.log_causes = true;
  for (const char* program : {"stencil:grid=4x2x2,steps=5,bytes=30kB,flops=10kf,periodic=yes",
                              "cg:class=S,ranks=16,iterations=1", "stencil:grid=4x4,steps=20,bytes=1kB,flops=1kf"}) {
    const auto r = simulate("torus:4x4,bw=1GBps,lat=1us", *workloads::open_trace(program), options);
    double at = 0, compute = 0, latency = 0, bandwidth = 0, contention = 0;
    std::int64_t rank = -1;  // that acts next
    for (const auto& step : r["critical_path"]["steps"]) {
      const double begin = step["begin_s"], end = step["end_s"];
      REQUIRE(begin == Approx(at).epsilon(1e-12).margin(1e-18));
      if (step["kind"] == "compute") {
        if (rank >= 0) REQUIRE(step["rank"] == rank);
        rank = step["rank"];
        compute += end - begin;
      } else {
        // A message is set off by its sender, or by its receiver if it waited for that one.
        if (rank >= 0) REQUIRE((step["rank"] == rank || step["receiver"] == rank));
        rank = -1;  // the one or the other goes on
        latency += step["latency_s"].get<double>();
        bandwidth += step["bandwidth_s"].get<double>();
        contention += step["sharing_s"].get<double>();
        REQUIRE(step["latency_s"].get<double>() + step["bandwidth_s"].get<double>() + step["sharing_s"].get<double>() ==
                Approx(end - begin).epsilon(1e-6));
      }
      at = end;
    }
    CHECK(at == Approx(runtime(r)).epsilon(1e-12));
    const auto& path = r["critical_path"];
    CHECK(compute == Approx(path["compute_s"].get<double>()).epsilon(1e-9));
    CHECK(latency == Approx(path["latency_s"].get<double>()).epsilon(1e-9));
    CHECK(bandwidth == Approx(path["bandwidth_s"].get<double>()).epsilon(1e-9));
    CHECK(contention == Approx(path["sharing_s"].get<double>()).epsilon(1e-9).margin(1e-15));
  }
}

TEST_CASE("a chain of two messages and two computations is listed as it was") {
  auto options = with_compute(1);
  options.log_causes = true;
  const auto r = simulate(line,
                          "0 compute 1e9\n0 send 1 7 1000 6\n1 recv 0 7 1000 6\n1 sleep 2\n1 send 2 7 8 6\n"
                          "2 recv 1 7 8 6\n3 sleep 2\n",
                          options);
  const auto& steps = r["critical_path"]["steps"];
  REQUIRE(steps.size() == 4);
  const auto is = [](const auto& step, const char* kind, int rank, int operation, double end) {
    return step["kind"] == kind && step["rank"] == rank && step["operation"] == operation &&
           step["end_s"].template get<double>() == Approx(end).epsilon(1e-12);
  };
  CHECK(is(steps[0], "compute", 0, 0, 1));
  CHECK(is(steps[1], "message", 0, 1, 1 + 2e-6));
  CHECK(steps[1]["receiver"] == 1);
  CHECK(steps[1]["bytes"] == 1000);
  CHECK(is(steps[2], "compute", 1, 1, 3 + 2e-6));
  CHECK(steps[2]["bytes"].is_null());
  CHECK(is(steps[3], "message", 1, 2, 3 + 2e-6 + 1.008e-6));
}

TEST_CASE("contention on the critical path is what sharing cost") {
  const auto r =
      simulate("mesh:3,bw=1GBps,lat=0s", "0 send 2 0 1000000 6\n1 send 2 0 1000000 6\n2 recv 0 0 1 6\n2 recv 1 0 1 6\n",
               with_compute(0, 0));
  CHECK(runtime(r) == Approx(2e-3).epsilon(1e-6));
}

TEST_CASE("a deadlock names ranks, operations and places") {
  const auto text = test::message_of<core::SimulationError>(
      [] { simulate(line, "0 recv 1 4 8 6\n0 send 1 4 8 6\n1 recv 0 4 8 6\n1 send 0 4 8 6\n"); });
  CHECK_THAT(text, Catch::Contains("deadlock: 2 of 2 ranks"));
  CHECK_THAT(text,
             Catch::Contains("rank 0 in recv at") && Catch::Contains("trace.ti:1 waits to receive from rank 1, tag 4"));
  CHECK_THAT(text,
             Catch::Contains("rank 1 in recv at") && Catch::Contains("trace.ti:3 waits to receive from rank 0, tag 4"));
}

TEST_CASE("large blocking sends to each other deadlock by rendezvous only") {
  const std::string trace = "0 send 1 4 1000 6\n0 recv 1 4 1000 6\n1 send 0 4 1000 6\n1 recv 0 4 1000 6\n";
  CHECK_NOTHROW(simulate(line, trace));
  const auto text = test::message_of<core::SimulationError>([&] { simulate(line, trace, with_compute(0, 0)); });
  CHECK_THAT(text, Catch::Contains("rank 0 in send at") && Catch::Contains("waits to send to rank 1, tag 4"));
}

TEST_CASE("a request that never ends is named with the place where it was posted") {
  const auto text = test::message_of<core::SimulationError>(
      [] { simulate(line, "0 irecv 1 4 8 6\n0 compute 1\n0 compute 1\n1 compute 1\n"); });
  CHECK_THAT(text, Catch::Contains("rank 0 in its end waits to receive from rank 1, tag 4, posted at") &&
                       Catch::Contains("trace.ti:1"));
}

TEST_CASE("a rank that ends with requests under way waits for them, and asks for no operation after its last") {
  const auto machine = platforms::make_machine(line);
  netsim::Clock clock;
  const auto network = netsim::engines().make("fluid", machine, clock);
  const OneMessage trace;
  netsim::ReplayEnd end;
  netsim::Replay replay(trace, {0, 1}, *network, {}, [&](netsim::ReplayEnd how) { end = std::move(how); });
  replay.start();
  clock.run();
  CHECK(end.how == netsim::ReplayOutcome::done);
  CHECK(end.report.ranks[0].finish == Approx(1e-6 + 8e-9).epsilon(1e-12));
  CHECK(trace.last_asked() == 1);
}

TEST_CASE("a message nobody receives is an error with its place") {
  const auto text =
      test::message_of<core::SimulationError>([] { simulate(line, "0 compute 1\n0 send 1 4 8 6\n1 compute 1\n"); });
  CHECK_THAT(text, Catch::Contains("unmatched message") &&
                       Catch::Contains("trace.ti:2: rank 0 sends 8 bytes to rank 1 with tag 4"));
}

TEST_CASE("a wait without a request is an error with its place") {
  const auto text = test::error_of([] { simulate(line, "0 compute 1\n0 wait 1 0 4\n1 compute 1\n"); });
  CHECK_THAT(text,
             Catch::Contains(
                 "trace.ti:2: rank 0 waits for a message from rank 1 to rank 0 with tag 4, but has no such request"));
}

TEST_CASE("a collective that a rank does not join is a deadlock in that collective") {
  const auto text =
      test::message_of<core::SimulationError>([] { simulate(line, "0 barrier\n1 barrier\n2 compute 1\n3 barrier\n"); });
  CHECK_THAT(text, Catch::Contains("deadlock") && Catch::Contains("in barrier at"));
}

TEST_CASE("the same run gives the same bytes") {
  const auto trace = workloads::open_trace("cg:class=S,ranks=16,iterations=1");
  CHECK(simulate("mesh:4x4", *trace).dump() == simulate("mesh:4x4", *trace).dump());
}

TEST_CASE("a test that succeeds only in the replay does not forget the wait that was recorded") {
  CHECK_NOTHROW(simulate(line,
                         "0 irecv 1 2 8 6\n0 isend 1 1 8 6\n0 test 0 1 1\n0 wait 1 0 2\n0 wait 0 1 1\n"
                         "1 recv 0 1 8 6\n1 send 0 2 8 6\n"));
}

TEST_CASE("a message of a collective that nobody receives is told apart from the user's") {
  const auto text =
      test::message_of<core::SimulationError>([] { simulate(line, "0 bcast 8 0 6\n1 compute 1\n2 bcast 8 0 6\n"); });
  CHECK_THAT(text, Catch::Contains("sends 8 bytes to rank 1 in bcast"));
}

TEST_CASE("waitall with null requests does not take what a later wait names") {
  CHECK_NOTHROW(simulate(line,
                         "0 irecv 1 7 10 6\n0 isend 1 5 10 6\n0 isend 1 6 10 6\n0 waitall 3\n0 wait 1 0 7\n"
                         "1 recv 0 5 10 6\n1 recv 0 6 10 6\n1 send 0 7 10 6\n"));
  CHECK_NOTHROW(simulate(line,
                         "0 irecv 1 7 10 6\n0 isend 1 5 10 6\n0 waitall 2\n0 send 1 6 10 6\n0 wait 1 0 7\n"
                         "1 recv 0 5 10 6\n1 recv 0 6 10 6\n1 send 0 7 10 6\n"));
}

TEST_CASE("ranks in different collectives do not understand each other") {
  for (const std::string other : {"reduce 8 0 0 6", "allreduce 8 0 6", "barrier", "gather 8 8 0 6 6"}) {
    const auto text =
        test::message_of<core::SimulationError>([&] { simulate(line, "0 bcast 8 0 6\n1 " + other + "\n"); });
    INFO(other);
    CHECK_FALSE(text.empty());
  }
}

// What the processors, the cards and the headers of packets take of a message's time, as by hand, in all engines.

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "netsim/network.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/random_program.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/platforms/machine.hpp"
#include "toroid/workloads/trace_source.hpp"

using namespace toroid;

namespace {

const std::vector<std::string> engines{"fluid", "simgrid", "packet"};

/// A row of eight nodes: a message of B bytes over h hops takes 2 + h us + B ns.
std::string row(const std::string& properties) {
  return "mesh:8,bw=1GBps,lat=1us,base=2us,cores=2," + properties;
}

/// The replay with that eager limit.
netsim::ReplayOptions eager_up_to(std::uint64_t bytes) {
  return {.compute_scale = 1, .eager_threshold = bytes};
}

core::Json run(const std::string& machine, const std::string& trace, const std::string& engine,
               const netsim::ReplayOptions& options = eager_up_to(65536), netsim::Mapping mapping = {}) {
  return test::simulate(machine, trace, options, std::move(mapping), engine);
}

/// When a rank has finished, in microseconds.
double finish_us(const core::Json& result, std::size_t rank) {
  return 1e6 * result["ranks"][rank]["finish_s"].get<double>();
}

auto in_us(double expected) {
  return Approx(expected).epsilon(3e-4);  // packets go in ticks
}

/// Rank 0 sends eight bytes to ranks 1 to `count`, without waiting in between.
std::string to_many(int count) {
  std::string text;
  for (int to = 1; to <= count; ++to) text += fmt::format("0 isend {0} 0 8 6\n{0} recv 0 0 8 6\n", to);
  return text + "0 waitall\n";
}

}  // namespace

TEST_CASE("headers of packets: as many as it takes to cut the message") {
  core::Random random(1, "cards/headers");
  for (int i = 0; i < 1000; ++i) {
    const platforms::Router router{.packet_bytes = static_cast<std::int32_t>(1 + random.below(100)),
                                   .header_bytes = static_cast<std::int32_t>(random.below(50))};
    const auto bytes = random.below(1000);
    std::uint64_t headers = 0, left = bytes;
    do {
      headers += static_cast<std::uint64_t>(router.header_bytes);
      left -= std::min(left, static_cast<std::uint64_t>(router.packet_bytes));
    } while (left > 0);
    CAPTURE(bytes, router.packet_bytes, router.header_bytes);
    CHECK(router.headers(bytes) == headers);
  }
  CHECK(platforms::Router{.packet_bytes = 1, .header_bytes = 64}.headers(~std::uint64_t{0}) == ~std::uint64_t{0});
}

TEST_CASE("headers of packets go over links, in all engines alike") {
  const auto machine = row("router.packet=100,router.header=20");
  const auto message = [](int bytes) {
    return fmt::format("0 send 3 0 {0} 6\n3 recv 0 0 {0} 6\n1 sleep 0\n2 sleep 0\n", bytes);
  };
  for (const auto& engine : engines) {
    CAPTURE(engine);
    CHECK(finish_us(run(machine, message(250), engine), 3) == in_us(5 + 0.25 + 3 * 0.02));
    CHECK(finish_us(run(machine, message(0), engine), 3) == in_us(5 + 0.02));
    CHECK(finish_us(run(machine, message(1'000'000), engine), 3) ==
          in_us(5 + 1000 * 1.2));  // 100 of 120 bytes are data
    const auto result = run(machine, message(250), engine);
    CHECK(result["bytes"] == 250);
    for (const auto& link : result["links"]) CHECK(link["bytes"] == 310);
  }
  CHECK(finish_us(run(machine, message(250), "packet:packet=250"), 3) == in_us(5 + 0.27));
  CHECK(finish_us(run(machine, message(250), "packet:header=0"), 3) == in_us(5 + 0.25));
  // Where ranks share a node there are no packets.
  CHECK(finish_us(run(machine, "0 send 1 0 1000 6\n1 recv 0 0 1000 6\n", "fluid", eager_up_to(65536), {3, 3}), 1) ==
        in_us(0.1 + 0.1));
}

TEST_CASE("a card sends its messages one gap after another") {
  const auto machine = row("gap=500ns");
  for (const auto& engine : engines) {
    CAPTURE(engine);
    const auto many = run(machine, to_many(5), engine);
    for (std::size_t k = 0; k < 5; ++k)
      CHECK(finish_us(many, k + 1) == in_us(0.5 * static_cast<double>(k) + 2 + static_cast<double>(k + 1) + 0.008));
    CHECK(many["critical_path"]["sharing_s"].get<double>() < 1e-9);  // it waits for its sender's own messages
    // Bytes that take longer than the gap hide it.
    const auto large = run(
        machine, "0 isend 1 0 1000 6\n0 isend 1 0 1000 6\n0 waitall\n1 recv 0 0 1000 6\n1 recv 0 0 1000 6\n", engine);
    CHECK(finish_us(large, 1) == in_us(3 + 2));
  }
  // Ranks of one node share its card, which does not carry what they send to each other.
  const std::string two = "0 send 2 0 8 6\n1 send 3 0 8 6\n2 recv 0 0 8 6\n3 recv 1 0 8 6\n";
  CHECK(finish_us(run(machine, two, "fluid", eager_up_to(65536), {0, 0, 1, 2}), 3) == in_us(0.5 + 4 + 0.008));
  CHECK(finish_us(run(machine, two, "fluid", eager_up_to(65536), {0, 0, 0 + 1, 0 + 1}), 2) == in_us(3 + 0.008));
  const auto result = run(machine, two, "fluid", eager_up_to(65536), {0, 0, 1, 2});
  CHECK(result["critical_path"]["sharing_s"].get<double>() == Approx(0.5e-6).epsilon(1e-6));  // of another rank
}

TEST_CASE("a rendezvous message has the latency of a handshake besides its own") {
  const auto machine = row("handshake=700ns");
  for (const auto& engine : engines) {
    CAPTURE(engine);
    const auto eager = run(machine, "0 send 1 0 50 6\n1 recv 0 0 50 6\n", engine, eager_up_to(100));
    CHECK(finish_us(eager, 1) == in_us(3.05));
    const auto larger = run(machine, "0 send 1 0 1000 6\n1 recv 0 0 1000 6\n", engine, eager_up_to(100));
    CHECK(finish_us(larger, 1) == in_us(3 + 0.7 + 1));
    CHECK(larger["critical_path"]["latency_s"].get<double>() == Approx(3.7e-6).epsilon(1e-6));
    const auto late = run(machine, "0 send 1 0 1000 6\n1 sleep 5e-6\n1 recv 0 0 1000 6\n", engine, eager_up_to(100));
    CHECK(finish_us(late, 0) == in_us(5 + 3 + 0.7 + 1));
  }
  CHECK(finish_us(run(machine, "0 send 1 0 1000 6\n1 recv 0 0 1000 6\n", "fluid", eager_up_to(100), {3, 3}), 1) ==
        in_us(0.2));
}

TEST_CASE("the core of a rank sees to one message after another: LogP") {
  const auto machine = row("overhead=300ns");
  for (const auto& engine : engines) {
    CAPTURE(engine);
    const auto one = run(machine, "0 send 1 0 8 6\n1 recv 0 0 8 6\n", engine);
    CHECK(finish_us(one, 0) == in_us(0.3));
    CHECK(finish_us(one, 1) == in_us(0.3 + 3.008 + 0.3));
    CHECK(one["ranks"][0]["compute_s"].get<double>() == Approx(0.3e-6).epsilon(1e-6));
    CHECK(one["critical_path"]["latency_s"].get<double>() == Approx(3.6e-6).epsilon(1e-6));
    const auto there_and_back =
        run(machine, "0 send 1 0 8 6\n0 recv 1 0 8 6\n1 recv 0 0 8 6\n1 send 0 0 8 6\n", engine);
    CHECK(finish_us(there_and_back, 0) == in_us(2 * (0.3 + 3.008 + 0.3)));
    const auto many = run(machine, to_many(5), engine);
    CHECK(finish_us(many, 0) == in_us(5 * 0.3));
    for (std::size_t k = 0; k < 5; ++k)
      CHECK(finish_us(many, k + 1) ==
            in_us(0.3 * static_cast<double>(k + 1) + 2 + static_cast<double>(k + 1) + 0.008 + 0.3));
    CHECK(many["critical_path"]["sharing_s"].get<double>() < 1e-9);
    // Two messages that come at once are received one after the other.
    const auto both = run(machine, "0 recv 1 0 8 6\n0 recv 2 0 8 6\n1 send 0 0 8 6\n2 send 0 0 8 6\n", engine,
                          eager_up_to(65536), {3, 2, 4});
    CHECK(finish_us(both, 0) == in_us(0.3 + 3.008 + 2 * 0.3));
  }
}

TEST_CASE("computation takes longer by the messages that its core sees to meanwhile") {
  const auto machine = row("overhead=300ns");
  const auto receives = run(
      machine, "0 send 1 0 8 6\n0 send 1 0 8 6\n1 irecv 0 0 8 6\n1 irecv 0 0 8 6\n1 sleep 10e-6\n1 waitall\n", "fluid");
  CHECK(finish_us(receives, 1) == in_us(10 + 2 * 0.3));
  CHECK(receives["ranks"][1]["compute_s"].get<double>() == Approx(10.6e-6).epsilon(1e-6));
  const auto sends = run(machine, "0 isend 1 0 8 6\n0 sleep 10e-6\n0 waitall\n1 recv 0 0 8 6\n", "fluid");
  CHECK(finish_us(sends, 0) == in_us(10.3));
  // A message that comes 0.1 us before the end of a computation is seen to after that, for the rest of its time.
  const auto late = run(machine, "0 send 1 0 8 6\n1 irecv 0 0 8 6\n1 sleep 3.408e-6\n1 wait 0 1 0\n", "fluid");
  CHECK(finish_us(late, 1) == in_us(3.408 + 0.3));
}

TEST_CASE("a message that comes as a computation ends takes the core once") {
  // Rank 1 has computed when the message comes, but for rounding, which engines and instants have their own of.
  std::string text;
  for (int round = 0; round < 3; ++round) text += "0 compute 100\n0 send 1 0 100 6\n1 compute 100\n1 recv 0 0 100 6\n";
  for (const std::string engine : {"fluid", "simgrid"}) {
    CAPTURE(engine);
    const auto result = run("mesh:2,lat=130ns,bw=1.3GBps,overhead=1us", text, engine);
    CHECK(finish_us(result, 1) == in_us(3 * (0.1 + 1) + 0.13 + 0.1 / 1.3 + 1));
  }
}

TEST_CASE("overheads and gaps of a collective are those of its messages") {
  std::string scatter;
  for (int rank = 0; rank < 8; ++rank) scatter += fmt::format("{} scatter 8 8 0 6 6\n", rank);
  auto options = eager_up_to(65536);
  options.collectives = workloads::CollectiveChoice::parse("default:scatter=linear");
  // The last of seven messages to the farthest node: 2 + 7 us, 8 ns.
  CHECK(finish_us(run(row("overhead=300ns"), scatter, "fluid", options), 7) == in_us(7 * 0.3 + 9.008 + 0.3));
  CHECK(finish_us(run(row("gap=500ns"), scatter, "fluid", options), 7) == in_us(6 * 0.5 + 9.008));
  CHECK(finish_us(run(row("overhead=300ns,gap=500ns"), scatter, "fluid", options), 7) ==
        in_us(0.3 + 6 * 0.5 + 9.008 + 0.3));
  CHECK(finish_us(run(row("overhead=500ns,gap=300ns"), scatter, "fluid", options), 7) == in_us(7 * 0.5 + 9.008 + 0.5));
}

TEST_CASE("with overheads, gaps and handshakes the books balance, and more of them make no program faster") {
  core::Random random(5, "cards/books");
  int compared = 0;
  for (int i = 0; i < 150; ++i) {
    workloads::RandomProgramOptions program;
    program.ranks = static_cast<std::int32_t>(2 + random.below(6));
    program.uncertain = false;  // which waits for whatever comes first
    program.puts = random.below(4) == 0;
    const auto trace = workloads::random_program(random, program);
    const auto properties = fmt::format("overhead={}ns,gap={}ns,handshake={}ns,router.header={}", random.below(900),
                                        random.below(900), random.below(900), random.below(100));
    const auto options = eager_up_to(std::uint64_t{1} << random.below(16));
    CAPTURE(i, properties);
    const auto result = test::simulate(row(properties), *trace, options, {}, "fluid");
    const auto& path = result["critical_path"];
    CHECK(path["compute_s"].get<double>() + path["latency_s"].get<double>() + path["bandwidth_s"].get<double>() +
              path["sharing_s"].get<double>() ==
          Approx(result["runtime_s"].get<double>()).epsilon(1e-9));
    for (const auto& rank : result["ranks"])
      CHECK(rank["compute_s"].get<double>() + rank["transfer_s"].get<double>() + rank["wait_s"].get<double>() ==
            Approx(rank["finish_s"].get<double>()).epsilon(1e-9));
    const auto without = test::simulate(row("router.header=0"), *trace, options, {}, "fluid");
    CHECK(result["bytes"] == without["bytes"]);
    compared += result["runtime_s"].get<double>() > without["runtime_s"].get<double>() ? 1 : 0;
  }
  CHECK(compared > 140);
}

TEST_CASE("a program that cannot go on is told so, whatever its cores have to do") {
  CHECK_THROWS(run(row("overhead=300ns"), "0 send 1 0 8 6\n1 recv 0 0 8 6\n1 recv 0 1 8 6\n", "fluid"));
}

#include "study/calibration/calibration.hpp"

#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "core/random.hpp"
#include "platforms/xml.hpp"
#include "study/draws.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/platforms/load.hpp"

using namespace toroid;
using namespace toroid::study;
using platforms::Machine;
using platforms::NodeId;

namespace {

/// A number near 1, with a standard deviation of about `spread`.
double noise(core::Random& random, double spread) {
  double sum = 0;
  for (int i = 0; i < 12; ++i) sum += random.unit();
  return 1 + spread * (sum - 6);
}

/// Messages between random nodes, and along each dimension alone, in sizes of 1 B to 4 MiB. Times are those of `time`.
template <class Time>
std::vector<Measurement> measured(const Machine& machine, std::uint64_t seed, Time time, int pairs = 18) {
  core::Random random(seed, "test");
  std::vector<Measurement> all;
  const auto dims = machine.grid().dimension_count();
  for (int p = 0; p < pairs; ++p) {
    NodeId from{}, to{};
    do {
      from = NodeId(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(machine.node_count()))));
      to = NodeId(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(machine.node_count()))));
      if (p % 2 == 0) {  // along one dimension
        auto at = machine.grid().coordinates(machine.router(from));
        const auto d = static_cast<std::size_t>(p / 2) % dims;
        at[d] = machine.grid().coordinates(machine.router(to))[d];
        to = machine.first_node(machine.grid().router_at(at));
      }
    } while (from == to);
    for (std::uint64_t bytes = 1; bytes <= 4 << 20; bytes *= 8) all.push_back({from, to, bytes, time(from, to, bytes)});
  }
  return all;
}

double model_time(const Machine& machine, NodeId from, NodeId to, std::uint64_t bytes) {
  const auto path = machine.path(from, to);
  return path.latency + static_cast<double>(bytes) / path.bandwidth;
}

const Fitted& fitted(const Calibration& c, const std::string& property) {
  for (const auto& p : c.properties)
    if (p.property == property) return p;
  FAIL("no property " << property);
  return c.properties.front();
}

bool is_in(const Fitted& f, double value) {
  return f.value.interval.low <= value && value <= f.value.interval.high;
}

}  // namespace

TEST_CASE("Times that an engine gives to lone messages lead back to the machine, to five digits") {
  const auto true_machine =
      platforms::make_machine("torus:4x6x5,bw=3.4GBps,lat=170ns,base=2.3us,y.bw=1.7GBps,z.lat=310ns");
  const auto guess = platforms::make_machine("torus:4x6x5,injection=1GBps");
  const auto measurements = measured(true_machine, 7, [&](NodeId from, NodeId to, std::uint64_t bytes) {
    const auto text = std::to_string(bytes);
    const auto trace = test::trace_of("0 send 1 0 " + text + " 6\n1 recv 0 0 " + text + " 6\n");
    return netsim::run({true_machine, *trace, {from, to}, {}, "fluid"}).runtime;
  });
  const auto c = calibrate(guess, measurements);
  CHECK_FALSE(c.handshake.has_value());
  CHECK(fitted(c, "base-latency").value.value == Approx(2.3e-6).epsilon(1e-5));
  CHECK(fitted(c, "y.bandwidth").value.value == Approx(1.7e9).epsilon(1e-5));
  CHECK(fitted(c, "x.bandwidth").value.value == Approx(3.4e9).epsilon(1e-5));
  CHECK(fitted(c, "z.latency").value.value == Approx(310e-9).epsilon(1e-5));
  CHECK(fitted(c, "x.latency").value.value == Approx(170e-9).epsilon(1e-5));
  CHECK(c.mean_deviation() < 1e-5);
  // The machine that comes out predicts what was not measured.
  const Machine result(c.machine);
  for (const std::int32_t to : {1, 17, 59, 119})
    CHECK(model_time(result, 0, NodeId(to), 100'000) ==
          Approx(model_time(true_machine, 0, NodeId(to), 100'000)).epsilon(1e-4));
}

TEST_CASE("With noise, nine tenths of the intervals at least have the true value in them") {
  const auto machine = platforms::make_machine("torus:8x8,bw=5GBps,lat=105ns,base=1.2us");
  int in = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    core::Random random(1000 + seed, "test");
    const auto c = calibrate(machine, measured(machine, seed, [&](NodeId from, NodeId to, std::uint64_t bytes) {
                               return model_time(machine, from, to, bytes) * noise(random, 0.04);
                             }));
    for (const auto& p : c.properties) {
      ++all;
      const bool is_base = p.property == "base-latency";
      in += is_in(p, is_base ? 1.2e-6 : p.is_bandwidth ? 5e9 : 105e-9) ? 1 : 0;
    }
  }
  CHECK(all >= 180);
  CHECK(in >= 0.9 * all);
  CHECK(in < all);  // intervals that nothing can miss say nothing
}

TEST_CASE("A handshake is found beside bandwidths that differ by dimension, without noise and with some") {
  const auto machine = platforms::make_machine("torus:8x8,base=1us,lat=100ns,x.bw=5GBps,y.bw=2.5GBps");
  for (const std::uint64_t limit : {4096, 8192})
    for (const double spread : {0.0, 0.03}) {
      core::Random random(limit, "test");
      std::vector<Measurement> all;
      for (const int to : {1, 2, 4, 8, 16, 32, 9, 18, 27, 36})
        for (const std::uint64_t bytes : {8, 1024, 4096, 8192, 65536, 524288, 4194304})
          all.push_back(
              {0, NodeId(to), bytes,
               (model_time(machine, 0, NodeId(to), bytes) + (bytes > limit ? 2.5e-6 : 0)) * noise(random, spread)});
      const auto c = calibrate(machine, all);
      CAPTURE(limit, spread);
      REQUIRE(c.handshake.has_value());
      CHECK(c.handshake->without == limit);
      const double near = spread > 0 ? 0.1 : 1e-6;
      CHECK(c.handshake->seconds.value == Approx(2.5e-6).epsilon(near));
      CHECK(fitted(c, "x.bandwidth").value.value == Approx(5e9).epsilon(near));
      CHECK(fitted(c, "y.bandwidth").value.value == Approx(2.5e9).epsilon(near));
    }
}

TEST_CASE("Of 200 random machines, nine tenths of the intervals have the true value in them") {
  std::map<std::string, std::pair<int, int>> counts;  // by property: in their intervals, and all
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    core::Random random(seed, "machine");
    const auto between = [&](double low, double high) { return low * std::pow(high / low, random.unit()); };
    const std::string shape = std::array{"torus:8x8", "torus:4x4x4", "mesh:6x6", "mesh:4x8x4"}[random.below(4)];
    const auto guess = platforms::make_machine(shape);
    const auto dims = guess.grid().dimension_count();
    const double base = between(0.5e-6, 5e-6), spread = seed % 5 == 0 ? 0 : between(0.01, 0.05);
    const bool bandwidths_differ = random.below(3) > 0, latencies_differ = random.below(3) > 0;
    std::vector<double> bandwidths(dims, between(1e9, 20e9)), latencies(dims, between(30e-9, 500e-9));
    auto text = shape + fmt::format(",base={}s,injection=1TBps,ejection=1TBps", base);
    for (std::size_t d = 0; d < dims; ++d) {
      if (bandwidths_differ) bandwidths[d] = between(1e9, 20e9);
      if (latencies_differ) latencies[d] = between(30e-9, 500e-9);
      text += fmt::format(",{0}.bw={1}Bps,{0}.lat={2}s", guess.grid().name(d), bandwidths[d], latencies[d]);
    }
    const auto machine = platforms::make_machine(text);
    const double handshake = random.below(2) == 0 ? 0 : base * between(0.5, 3);
    const std::uint64_t limit = 1024U << random.below(5);
    const auto c = calibrate(guess, measured(machine, seed, [&](NodeId from, NodeId to, std::uint64_t bytes) {
                               return (model_time(machine, from, to, bytes) + (bytes > limit ? handshake : 0)) *
                                      noise(random, spread);
                             }));
    const auto count = [&](const std::string& kind, bool in) {
      if (spread == 0) CHECK(in);  // without noise the fit is the machine
      if (spread == 0) return;
      counts[kind].first += in ? 1 : 0;
      ++counts[kind].second;
    };
    const auto is_in = [&](const Fitted& f, double value) {
      return f.value.interval.low * (1 - 1e-6) <= value && value <= f.value.interval.high * (1 + 1e-6);
    };
    if (handshake > 0 || c.handshake) count("handshake", c.handshake && is_in(fitted(c, "handshake"), handshake));
    for (const auto& p : c.properties) {
      if (p.property == "base-latency") count(p.property, is_in(p, base));
      for (std::size_t d = 0; d < dims; ++d) {  // a property of all is one of each
        const auto own = guess.grid().name(d) + ".";
        if (p.property == "latency" || p.property == own + "latency") count("latency", is_in(p, latencies[d]));
        if (p.property == "bandwidth" || p.property == own + "bandwidth") count("bandwidth", is_in(p, bandwidths[d]));
      }
    }
  }
  int in = 0, all = 0;
  for (const auto& [kind, of_kind] : counts) {
    CAPTURE(kind, of_kind.first, of_kind.second);
    CHECK(of_kind.first >= (kind == "handshake" ? 0.8 : 0.9) * of_kind.second);  // some drown in the noise
    in += of_kind.first;
    all += of_kind.second;
  }
  CHECK(all > 800);
  CHECK(in >= 0.9 * all);
  CHECK(in < 0.98 * all);  // intervals that nothing can miss say nothing
}

TEST_CASE("Machines drawn from a calibrated file have the true time of a message among theirs") {
  const auto machine = platforms::make_machine("torus:8x8,bw=5GBps,lat=105ns,base=1.2us");
  const test::Scratch scratch;
  int in = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    core::Random random(2000 + seed, "test");
    const auto c = calibrate(machine, measured(machine, seed, [&](NodeId from, NodeId to, std::uint64_t bytes) {
                               return model_time(machine, from, to, bytes) * noise(random, 0.04);
                             }));
    const auto path = scratch.write("fitted.xml", platforms::xml_text(c.machine, c.intervals()));
    CHECK(platforms::describe(path) == c.machine);
    const auto draws = draw_machines(path, 60, seed);
    REQUIRE(draws.intervals.size() >= 3);
    for (const std::uint64_t bytes : {8ULL, 20'000ULL, 1'000'000ULL}) {
      const auto time = [&](const Machine& of) { return model_time(of, 0, 36, bytes); };
      Sample times;
      for (const auto& description : draws.machines) times.push_back(time(Machine(description)));
      const auto spread = spread_of(times);
      ++all;
      in += spread.interval.low <= time(machine) && time(machine) <= spread.interval.high ? 1 : 0;
    }
  }
  CHECK(in >= 0.85 * all);
  CHECK(in < all);
}

TEST_CASE("One latency unless the data show that dimensions differ") {
  const auto alike = platforms::make_machine("mesh:6x6,bw=2GBps,lat=500ns,base=1us");
  const auto different = platforms::make_machine("mesh:6x6,bw=2GBps,lat=500ns,base=1us,y.lat=700ns");
  for (const auto* machine : {&alike, &different}) {
    core::Random random(5, "test");
    const auto c = calibrate(*machine, measured(*machine, 11, [&](NodeId from, NodeId to, std::uint64_t bytes) {
      return model_time(*machine, from, to, bytes) * noise(random, 0.02);
    }));
    CHECK(c.properties.size() == (machine == &alike ? 3U : 4U));
  }
}

TEST_CASE("A handshake is found between the sizes where times jump, and only there") {
  const auto machine = platforms::make_machine("torus:8x8,bw=5GBps,lat=105ns,base=1.2us");
  for (const double handshake : {0.0, 3e-6}) {
    core::Random random(2, "test");
    const auto c = calibrate(machine, measured(machine, 3, [&](NodeId from, NodeId to, std::uint64_t bytes) {
                               return (model_time(machine, from, to, bytes) + (bytes > 4096 ? handshake : 0)) *
                                      noise(random, 0.03);
                             }));
    REQUIRE(c.handshake.has_value() == (handshake > 0));
    if (!c.handshake) continue;
    CHECK(c.handshake->without == 4096);
    CHECK(c.handshake->with == 32768);
    CHECK(c.handshake->seconds.interval.low < handshake);
    CHECK(c.handshake->seconds.interval.high > handshake);
    CHECK(c.machine.node.handshake == Approx(c.handshake->seconds.value).epsilon(1e-4));
  }
}

TEST_CASE("What headers and cores take is not taken for latency or bandwidth") {
  const auto machine = platforms::make_machine(
      "torus:8x8,bw=5GBps,lat=105ns,base=1.2us,overhead=400ns,router.packet=64,router.header=16");
  const auto c = calibrate(machine, measured(machine, 3, [&](NodeId from, NodeId to, std::uint64_t bytes) {
                             const auto headers = (std::max<std::uint64_t>(bytes, 1) + 63) / 64 * 16;
                             return 2 * 400e-9 + model_time(machine, from, to, bytes + headers);
                           }));
  CHECK(c.machine.node.base_latency == Approx(1.2e-6).epsilon(1e-4));
  CHECK(c.machine.dimensions[0].bandwidth == Approx(5e9).epsilon(1e-4));
  CHECK(c.mean_deviation() < 1e-4);
}

TEST_CASE("What the data cannot tell is refused, and can be kept") {
  const auto machine = platforms::make_machine("torus:8x8,bw=5GBps,lat=105ns,base=1.2us");
  const auto of_pairs = [&](std::vector<std::pair<int, int>> pairs, std::vector<std::uint64_t> sizes) {
    std::vector<Measurement> all;
    for (const auto& [from, to] : pairs)
      for (const auto bytes : sizes)
        all.push_back({NodeId(from), NodeId(to), bytes, model_time(machine, NodeId(from), NodeId(to), bytes)});
    return all;
  };
  const auto one_distance = of_pairs({{0, 2}}, {1, 10, 100, 1000, 10000, 100000, 1000000});
  const auto one_size = of_pairs({{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 9}, {0, 10}}, {1000});
  CHECK_THROWS_WITH(calibrate(machine, one_distance), Catch::Contains("all nodes are 2 hops apart"));
  CHECK_THROWS_WITH(calibrate(machine, one_size), Catch::Contains("all messages have 1000 bytes"));
  CHECK_THROWS_WITH(calibrate(machine, of_pairs({{0, 1}}, {1, 2})), Catch::Contains("found 2 measurements"));
  CHECK_THROWS_WITH(calibrate(machine, one_size, {"speed"}), Catch::Contains("--keep: found 'speed'"));
  CHECK(fitted(calibrate(machine, one_distance, {"latency"}), "base-latency").value.value ==
        Approx(1.2e-6).epsilon(1e-6));
  CHECK(fitted(calibrate(machine, one_size, {"bandwidth"}), "latency").value.value == Approx(105e-9).epsilon(1e-6));
  CHECK_THROWS_WITH(calibrate(machine, one_size, {"bandwidth", "latency", "base-latency"}),
                    Catch::Contains("--keep keeps every property"));
  // Sizes that grow with the distance.
  std::vector<Measurement> together;
  for (int i = 1; i < 5; ++i)
    for (int k = 0; k < 2; ++k)
      together.push_back({0, NodeId(i), static_cast<std::uint64_t>(1000 * i), 1e-6 * i + 1e-9 * k});
  CHECK_THROWS_WITH(calibrate(machine, together), Catch::Contains("change together"));
  // Times that fall with the distance.
  std::vector<Measurement> falling;
  for (int i = 1; i < 5; ++i)
    for (const std::uint64_t bytes : {1, 1000, 1000000})
      falling.push_back({0, NodeId(i), bytes, 1e-5 - 1e-6 * i + 1e-9 * static_cast<double>(bytes)});
  CHECK_THROWS_WITH(calibrate(machine, falling), Catch::Contains("the measurements contradict the model"));
  CHECK_THROWS_WITH(calibrate(platforms::make_machine("mesh:4x4,x.exceptions=0 bandwidth=2GBps"), one_size),
                    Catch::Contains("has links that differ along x"));
}

TEST_CASE("Measurements are read as benchmarks print them, and errors have their line") {
  const test::Scratch scratch;
  const auto machine = platforms::make_machine("mesh:8x8");
  const auto osu =
      scratch.write("osu.txt", "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n0   1.50\n1024  2.25\n");
  const auto imb =
      scratch.write("imb.txt",
                    "#---\n# Benchmarking PingPong\n#bytes #repetitions      t[usec]   Mbytes/sec\n"
                    "     0         1000         1.50         0.00\n  1024         1000         2.25       455.1\n");
  const auto table = scratch.write("t.csv", "bytes,ns,to,from\n0,1500,n9,0\n1024,2250,9,n0\n");
  for (const auto& argument : {osu + "@0,9", imb + "@n0,n9", table}) {
    const auto read = read_measurements(argument, machine);
    REQUIRE(read.size() == 2);
    CHECK(read[1].from == NodeId(0));
    CHECK(read[1].to == NodeId(9));
    CHECK(read[1].bytes == 1024);
    CHECK(read[1].seconds == Approx(2.25e-6));
  }
  const auto named = platforms::make_machine("mesh:4,node-names=(nid[1-4]),fail-node=3");
  const auto of_names = read_measurements(scratch.write("named.csv", "from,to,bytes,us\n\"nid1\",nid3,8,1.5\n"), named);
  CHECK(of_names[0].from == NodeId(0));
  CHECK(of_names[0].to == NodeId(2));
  const auto fails = [&](const std::string& text, const std::string& ends, const std::string& message) {
    const auto path = scratch.write("bad", text);
    CHECK_THROWS_WITH(read_measurements(path + ends, machine), Catch::Contains(message));
  };
  fails("from,to,bytes,us\n0,1,8,1.5\n0,1,8,-2\n", "", "bad:3: found '-2', expected a time above 0");
  fails("from,to,bytes,us\n0,64,8,1.5\n", "", "bad:2: to: node 64 does not exist");
  fails("from,to,bytes,us\n0-3,4,8,1.5\n", "", "bad:2: from: found '0-3', expected one node such as 3");
  fails("from,to,bytes,us\nx,4,8,1.5\n", "", "bad:2: from: found 'x', expected nodes such as 0-15");
  CHECK_THROWS_WITH(read_measurements(scratch.write("failed.csv", "from,to,bytes,us\nnid1,nid4,8,1\n"), named),
                    Catch::Contains("failed.csv:2: to: node nid4 of"));
  fails("from,to,bytes,us\n0,0,8,1.5\n", "", "bad:2: both ends are node 0");
  fails("from,to,bytes,us\n0,1,8\n", "", "bad:2: found 3 columns");
  fails("from,to,bytes,us\n0,1,eight,1\n", "", "bad:2: found 'eight', expected a number of bytes");
  fails("from,to,bytes,us\n", "", "bad: no measurement in it");
  fails("from,to,bytes,us\n0,1,8,1\n", "@0,1", "bad:1: the table has its nodes in it");
  fails("hello\n", "", "bad:1: found 'hello', expected a header");
  fails("# Latency (us)\n8 1.5\n", "", "bad:1: expected the nodes that were measured");
  fails("# Latency (us)\n8 1.5\n", "@0", "expected two nodes behind the @");
}

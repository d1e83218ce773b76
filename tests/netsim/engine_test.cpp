#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "platforms/xml.hpp"
#include "tests/netsim/flows.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/trace_source.hpp"

using namespace toroid;
using test::check_equal;
using test::engine_end_times;
using test::Flow;
using test::random_flows;
using test::random_machine;
using test::reference_end_times;

namespace {

platforms::Machine machine(const std::string& spec) {
  return platforms::make_machine(spec);
}

}  // namespace

TEST_CASE("two flows share a link equally whatever their hop counts") {
  const std::string engine = GENERATE("simgrid", "simgrid:optim=full", "fluid");
  const auto ends =
      engine_end_times(machine("mesh:8,bw=1GBps,lat=0s"), {{0, 7, 1000000000}, {6, 7, 1000000000}}, engine);
  CHECK(ends[0] == Approx(2.0).epsilon(1e-9));
  CHECK(ends[1] == Approx(2.0).epsilon(1e-9));
}

TEST_CASE("hop latencies do not change the shares") {
  const std::string engine = GENERATE("simgrid", "simgrid:optim=full", "fluid");
  const auto ends =
      engine_end_times(machine("mesh:8,bw=1GBps,lat=1us"), {{0, 7, 1000000000}, {6, 7, 1000000000}}, engine);
  // The flow of one hop has the link to itself for 6 us, so it ends before, and the other has it for 6 us at the end.
  CHECK(ends[0] == Approx(2 + 1e-6).epsilon(1e-9));
  CHECK(ends[1] == Approx(2 - 5e-6).epsilon(1e-9));
}

TEST_CASE("sharing=latency is SimGrid's law: shares in inverse proportion to the latency") {
  const auto ends = engine_end_times(machine("mesh:8,bw=1GBps,lat=1us"), {{0, 7, 1000000000}, {6, 7, 1000000000}},
                                     "simgrid:sharing=latency");
  CHECK(ends[0] == Approx(2.0).epsilon(1e-4));
  CHECK(ends[1] == Approx(8.0 / 7).epsilon(1e-4));
}

TEST_CASE("with sharing=latency no port carries more than it can, as with SimGrid's lazy updates it would") {
  const auto m = machine("mesh:5,lat=10us,injection=1.1GBps,ejection=1.1GBps");
  const auto last_end = [&](const std::vector<Flow>& flows, platforms::NodeId into) {
    const auto ends = engine_end_times(m, flows, "simgrid:sharing=latency");
    double last = 0;
    for (std::size_t f = 0; f < flows.size(); ++f)
      if (flows[f].to == into) last = std::max(last, ends[f]);
    return last;
  };
  // Nothing arrives in its first 10 us; then all must go through the port.
  CHECK(last_end({{2, 4, 53475}, {2, 3, 5499}, {3, 4, 24371}, {2, 0, 12335}, {1, 0, 33893}}, 0) >
        10e-6 + (12335 + 33893) / 1.1e9);
  CHECK(last_end({{2, 0, 29344}, {3, 4, 57181}, {0, 1, 32024}, {2, 4, 35530}, {0, 2, 48274}}, 4) >
        10e-6 + (57181 + 35530) / 1.1e9);
}

TEST_CASE("a message pays base latency and hop latencies once, and its bytes once") {
  const std::string engine = GENERATE("simgrid", "simgrid:optim=full", "fluid");
  const auto m = machine("mesh:8x8,bw=1GBps,lat=100ns,base=1us");
  const auto ends = engine_end_times(m, {{0, 63, 0}, {0, 63, 1000}, {5, 5, 1000}}, engine);
  CHECK(ends[0] == Approx(1e-6 + 14e-7).epsilon(1e-12));
  CHECK(ends[1] == Approx(1e-6 + 14e-7 + 1e-6).epsilon(1e-9));
  CHECK(ends[2] == Approx(1e-7 + 1e-7).epsilon(1e-12));  // loopback: 100 ns and 10 GB/s
}

TEST_CASE("injection and ejection limit what leaves and enters a node in all directions together") {
  const std::string engine = GENERATE("simgrid", "simgrid:optim=full", "fluid");
  const std::vector<Flow> out{{4, 3, 1000000}, {4, 5, 1000000}};
  CHECK(engine_end_times(machine("mesh:9,lat=0s,bw=1GBps"), out, engine)[0] == Approx(1e-3).epsilon(1e-9));
  CHECK(engine_end_times(machine("mesh:9,lat=0s,bw=1GBps,injection=1GBps"), out, engine)[0] ==
        Approx(2e-3).epsilon(1e-9));
  const std::vector<Flow> in{{3, 4, 1000000}, {5, 4, 1000000}};
  CHECK(engine_end_times(machine("mesh:9,lat=0s,bw=1GBps,ejection=500MBps"), in, engine)[1] ==
        Approx(4e-3).epsilon(1e-9));
}

TEST_CASE("a one-way ring only goes forward") {
  const std::string engine = GENERATE("simgrid", "simgrid:optim=full", "fluid");
  const auto ends = engine_end_times(machine("ring:8,bw=1GBps,lat=1us"), {{1, 0, 0}, {0, 1, 0}}, engine);
  CHECK(ends[0] == Approx(7e-6).epsilon(1e-9));
  CHECK(ends[1] == Approx(1e-6).epsilon(1e-9));
}

TEST_CASE("nodes of one router are limited by their ports, or by nothing") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto time = [&](const std::string& ports) {
    const auto machine = platforms::make_machine("mesh:2,nodes-per-router=2,lat=0s,base=1us" + ports);
    return test::engine_end_times(machine, {{0, 1, 1000000}}, engine).front();
  };
  CHECK(time("") == Approx(1e-6).epsilon(1e-9));
  CHECK(time(",injection=1GBps") == Approx(1e-6 + 1e-3).epsilon(1e-9));
  CHECK(time(",ejection=2GBps") == Approx(1e-6 + 5e-4).epsilon(1e-9));
}

TEST_CASE("opposite directions of a link do not share") {
  const std::string engine = GENERATE("simgrid", "simgrid:optim=full", "fluid");
  const auto ends = engine_end_times(machine("mesh:2,bw=1GBps,lat=0s"), {{0, 1, 1000000}, {1, 0, 1000000}}, engine);
  CHECK(ends[0] == Approx(1e-3).epsilon(1e-9));
  CHECK(ends[1] == Approx(1e-3).epsilon(1e-9));
}

TEST_CASE("flows that start together end as progressive filling says") {
  const std::string engine = GENERATE("simgrid", "simgrid:optim=full", "fluid");
  core::Random random(11, "engine/together");
  for (int i = 0; i < 40; ++i) {
    const auto m = random_machine(random);
    CAPTURE(platforms::xml_text(m.description()));
    const auto flows = random_flows(random, m, 1 + random.below(40), 0);
    check_equal(engine_end_times(m, flows, engine), reference_end_times(m, flows));
  }
}

TEST_CASE("flows that join and leave at random times end as progressive filling says") {
  const std::string engine = GENERATE("simgrid", "simgrid:optim=full", "fluid");
  core::Random random(12, "engine/join");
  for (int i = 0; i < 40; ++i) {
    const auto m = random_machine(random);
    CAPTURE(platforms::xml_text(m.description()));
    const auto flows = random_flows(random, m, 1 + random.below(40), 2e-3);
    check_equal(engine_end_times(m, flows, engine), reference_end_times(m, flows));
  }
}

TEST_CASE("unknown engines, keys and values are refused") {
  const auto m = machine("mesh:2");
  CHECK_THROWS_AS(engine_end_times(m, {}, "simgird"), core::InputError);
  CHECK_THROWS_AS(engine_end_times(m, {}, "simgrid:sharing=fair"), core::InputError);
  CHECK_THROWS_AS(engine_end_times(m, {}, "simgrid:optimise=lazy"), core::InputError);
}

TEST_CASE("fluid and simgrid agree on crowded machines") {
  core::Random random(13, "engine/crowded");
  for (const char* spec : {"mesh:8x8", "torus:4x4x4", "ring:6x6", "torus:3x3x3x3,bw=1GBps/2GBps/1GBps/4GBps",
                           "torus:3x2x3x2x3,injection=1500MBps"}) {
    const auto m = machine(spec);
    for (const double last_start : {0.0, 1e-3}) {
      const auto flows = random_flows(random, m, 300, last_start);
      check_equal(engine_end_times(m, flows, "fluid"), engine_end_times(m, flows, "simgrid"));
    }
  }
}

TEST_CASE("a long run with joins and leaves of all sizes does not drift") {
  core::Random random(14, "engine/drift");
  const auto m = machine("torus:4x4,bw=1GBps,lat=1ns");
  std::vector<Flow> flows = random_flows(random, m, 400, 10);
  for (std::size_t i = 0; i < flows.size(); ++i) flows[i].bytes = i % 2 == 0 ? 1 : 100000000 + random.below(900000000);
  check_equal(engine_end_times(m, flows, "fluid"), reference_end_times(m, flows));
}

TEST_CASE("times from a nanosecond to ten days in one run") {
  const auto m = machine("mesh:3,bw=1kBps,lat=1ns");
  const auto ends = engine_end_times(m, {{0, 1, 0}, {0, 2, 1000000000}, {1, 2, 1000}}, "fluid");
  CHECK(ends[0] == Approx(1e-9).epsilon(1e-12));
  CHECK(ends[2] == Approx(2.0).epsilon(1e-6));
  CHECK(ends[1] == Approx(1000001).epsilon(1e-9));
}

TEST_CASE("what an engine says that it does not take changes no time, and some of it does where it is taken") {
  const auto trace = workloads::open_trace("traffic:grid=4x4,messages=20,bytes=3000,rate=1GBps");
  std::map<std::string, std::size_t> changed;  // packet
  for (const std::string engine :
       {"fluid", "simgrid", "simgrid:sharing=latency", "packet", "packet:vcs=3,routing=adaptive"}) {
    const netsim::EngineChoice choice(engine);
    const std::string before = "torus:4x4,bw=1GBps,lat=100ns,base=1us,gap=200ns,router.header=16";
    const auto usual = test::simulate(before, *trace, {}, {}, engine)["runtime_s"];
    for (const auto& [property, value] :
         std::vector<std::pair<std::string, std::string>>{{"router.packet", "64"},
                                                          {"router.header", "64"},
                                                          {"router.vcs", "2"},
                                                          {"router.buffer", "400"},
                                                          {"router.inject", "1"},
                                                          {"router.crossbar", "1"},
                                                          {"router.routing", "adaptive"},
                                                          {"router.ties", "split"},
                                                          {"router.rings", "bubble"},
                                                          {"router.arbitration", "age"},
                                                          {"sending", "node"},
                                                          {"bandwidth", "2GBps"},
                                                          {"x.latency", "2us"},
                                                          {"base-latency", "3us"},
                                                          {"gap", "1us"},
                                                          {"overhead", "1us"},
                                                          {"copy", "1ns"},
                                                          {"injection-bandwidth", "1GBps"}}) {
      CAPTURE(engine, property);
      const auto time = test::simulate(before + "," + property + "=" + value, *trace, {}, {}, engine)["runtime_s"];
      const bool is_taken = netsim::not_taken(choice, machine(before).description(), {property}).empty();
      if (!is_taken) CHECK(time == usual);
      if (property.find("router.") != 0 && property != "sending") CHECK((is_taken && time != usual));
      if (engine == "packet") {
        CHECK(is_taken);
        changed[property] += time != usual ? 1 : 0;
      }
      if (engine == "fluid") CHECK(is_taken == (time != usual));
    }
  }
  for (const char* property : {"router.packet", "router.vcs", "router.routing", "router.header", "sending"}) {
    CAPTURE(property);
    CHECK(changed[property] == 1);
  }
  const auto plain = machine("torus:4x4").description();
  CHECK_FALSE(netsim::not_taken("fluid", plain, {"router.packet"}).empty());  // it has no headers
  CHECK(netsim::not_taken("packet:vcs=3", plain, {"router.vcs", "router.buffer"}) ==
        std::vector<std::string>{"router.vcs"});
  CHECK(netsim::engines_that_take("router.rings") == std::vector<std::string>{"packet"});
  CHECK(netsim::engines_that_take("y.bandwidth") == netsim::engines().names());
}

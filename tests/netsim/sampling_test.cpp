// Programs whose iterations differ, by a sample of iterations and whole.

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/netsim/noisy_programs.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/core/text.hpp"
#include "toroid/netsim/result_json.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"

using namespace toroid;
using netsim::Repeats;
using netsim::Result;

namespace {

netsim::Mapping in_order(std::int32_t ranks) {
  netsim::Mapping mapping;
  for (const auto node : core::ids<platforms::NodeId>(ranks)) mapping.add(node);
  return mapping;
}

/// One computation and one message to the next rank, `times` times, with what comes before and behind; rank 0 computes
/// `last` in its last iteration.
std::unique_ptr<workloads::CompactTrace> ring(int times, const std::string& last = "0 compute 2000\n") {
  std::string text = "0 barrier\n1 barrier\n2 barrier\n";
  core::Random random(1, "ring");
  for (int i = 0; i < times; ++i) {
    text += i + 1 < times ? fmt::format("0 compute {}\n", 1000 + random.below(2000)) : last;
    for (int rank = 0; rank < 3; ++rank)
      text += fmt::format("{0} isend {1} 0 2000 6\n{0} recv {2} 0 2000 6\n{0} wait {0} {1} 0\n", rank, (rank + 1) % 3,
                          (rank + 2) % 3);
  }
  return test::trace_of(text + "0 bcast 8\n1 bcast 8\n2 bcast 8\n");
}

Result run(const workloads::Trace& trace, Repeats repeats, const std::string& machine = "torus:4x4,lat=1us",
           const netsim::EngineChoice& engine = "fluid") {
  const auto made = platforms::make_machine(machine);
  return netsim::run({made, trace, in_order(trace.ranks()), {.compute_scale = 1, .repeats = repeats}, engine, 16});
}

void check_counts(const Result& full, const Result& sample) {
  CHECK(std::tie(full.messages, full.bytes, full.network_messages, full.network_bytes, full.hops, full.hop_bytes) ==
        std::tie(sample.messages, sample.bytes, sample.network_messages, sample.network_bytes, sample.hops,
                 sample.hop_bytes));
  for (const auto rank : full.ranks.ids()) {
    const auto &a = full.ranks[rank], &b = sample.ranks[rank];
    CHECK(a.messages == b.messages);
    CHECK(a.bytes == b.bytes);
    CHECK(a.compute == Approx(b.compute).epsilon(1e-9));
    CHECK(b.compute + b.transfer + b.wait == Approx(b.finish).epsilon(1e-6));
    CHECK(b.finish <= sample.runtime * (1 + 1e-12));
  }
  REQUIRE(full.collectives.size() == sample.collectives.size());
  for (std::size_t i = 0; i < full.collectives.size(); ++i)
    CHECK(full.collectives[i].calls == sample.collectives[i].calls);
}

}  // namespace

TEST_CASE("Whole runs of noisy programs are within the intervals of their samples, and send as much") {
  // Seeds that nothing was tuned on.
  const int cases = test::is_sanitized ? 4 : 24;
  core::Random random(2024, "noisy programs");
  int sampled = 0, inside = 0;
  for (int i = 0; i < cases; ++i) {
    const auto some = test::any_noisy_case(random, 400, true);
    INFO(some.program << " on " << some.machine << " by " << some.engine << ", noise seed " << some.noise.seed);
    const test::NoisyRun noisy(some);
    const auto full = noisy.run(Repeats::off), sample = noisy.run(Repeats::sample, 0.02);
    CHECK(!full.sampled);
    REQUIRE(sample.sampled);
    const auto& s = *sample.sampled;
    CHECK(s.iterations + 1 >= some.iterations);  // the first one of some programs is another one
    check_counts(full, sample);
    if (s.left_out == 0) {
      CHECK(!s.why_whole.empty());
      CHECK(sample.runtime == full.runtime);
      continue;
    }
    ++sampled;
    inside += std::abs(sample.runtime - full.runtime) <= s.half_width ? 1 : 0;
    const auto& path = sample.critical_path;
    CHECK(path.compute + path.latency + path.bandwidth + path.sharing == Approx(sample.runtime).epsilon(1e-9));
    REQUIRE(full.links.size() == sample.links.size());
    for (std::size_t l = 0; l < full.links.size(); ++l) {
      CHECK(sample.links[l].bytes == full.links[l].bytes);
      if (some.engine == "fluid") CHECK(sample.links[l].flows == full.links[l].flows);  // packets may be empty
    }
    CHECK(!sample.utilization_window);
    std::uint64_t left_out = 0;
    for (const auto& gap : sample.repeated) {
      CHECK(gap.is_sampled());
      left_out += gap.count;
    }
    CHECK(left_out == s.left_out);
  }
  INFO(inside << " of " << sampled);
  CHECK(2 * sampled > cases);
  CHECK(inside >= sampled - 1 - sampled / 20);
}

TEST_CASE("Samples of 48 long programs, and of 48 without computation", "[.sampling]") {
  int sampled = 0, inside = 0;
  for (const auto any_case : {test::any_noisy_case, test::any_case_of_network}) {
    core::Random random(1, "noisy programs");
    for (int i = 0; i < 48; ++i) {
      const test::NoisyRun noisy(any_case(random, 2000, false));
      const auto full = noisy.run(Repeats::off), sample = noisy.run(Repeats::sample);
      if (!sample.sampled || !sample.sampled->is_estimate()) continue;
      ++sampled;
      inside += std::abs(sample.runtime - full.runtime) <= sample.sampled->half_width ? 1 : 0;
    }
  }
  WARN(inside << " of " << sampled << " within the interval of 95 %");
  CHECK(inside > 0.9 * sampled);
}

TEST_CASE("Streams pass over what is left out where they know that it is the same, with what is computed in it") {
  const auto machine = platforms::make_machine("mesh:4x4x4");
  const auto trace = workloads::open_trace("minighost:ranks=32,points=6x6x6,steps=300,sums=0");
  /// Its streams do not tell that they go on with the same, so what is left out is read.
  class Silent final : public workloads::ForwardedTrace {
    class Stream final : public workloads::OperationStream {
     public:
      explicit Stream(std::unique_ptr<workloads::OperationStream> stream) : stream_(std::move(stream)) {}
      bool next(workloads::Operation& operation) override { return stream_->next(operation); }

     private:
      std::unique_ptr<workloads::OperationStream> stream_;
    };

   public:
    using ForwardedTrace::ForwardedTrace;
    std::unique_ptr<workloads::OperationStream> open(workloads::Rank rank) const override {
      return std::make_unique<Stream>(ForwardedTrace::open(rank));
    }
  };
  std::vector<platforms::NodeId> nodes(machine.nodes().begin(), machine.nodes().end());
  core::Random(1, "mapping").shuffle(nodes);
  nodes.resize(32);
  const auto simulated = [&](const workloads::Trace& program, Repeats repeats) {
    return netsim::run({machine, program, netsim::Mapping(nodes), {.compute_scale = 1, .repeats = repeats}, "fluid"});
  };
  const auto full = simulated(*trace, Repeats::off), sample = simulated(*trace, Repeats::sample);
  REQUIRE(sample.sampled);
  CHECK(sample.sampled->left_out > 240);
  CHECK(sample.sampled->clusters < 10);
  CHECK(std::abs(sample.runtime - full.runtime) <= sample.sampled->half_width);
  check_counts(full, sample);
  const auto read = simulated(Silent(*trace), Repeats::sample);
  REQUIRE(read.sampled);
  CHECK(read.sampled->clusters >= 10);
  check_counts(full, read);
}

TEST_CASE("What repeats exactly is not sampled") {
  const auto trace = workloads::open_trace("stencil:grid=4x4,flops=100kf,steps=300");
  const auto exact = run(*trace, Repeats::exact), sample = run(*trace, Repeats::sample);
  CHECK(!exact.repeated.empty());
  CHECK(!sample.sampled);
  CHECK(netsim::result_json(platforms::make_machine("torus:4x4"), sample) ==
        netsim::result_json(platforms::make_machine("torus:4x4"), exact));
}

TEST_CASE("Iterations of a recorded program are sampled, with what comes before and behind") {
  const auto trace = ring(600);
  const auto full = run(*trace, Repeats::off);
  for (const std::string engine : {"fluid", "packet", "simgrid"}) {
    INFO(engine);
    const auto whole = run(*trace, Repeats::off, "torus:4x4,lat=1us", engine);
    const auto sample = run(*trace, Repeats::sample, "torus:4x4,lat=1us", engine);
    REQUIRE(sample.sampled);
    CHECK(sample.sampled->iterations >= 599);
    CHECK(sample.sampled->left_out > 100);
    CHECK(std::abs(sample.runtime - whole.runtime) <= sample.sampled->half_width);
    check_counts(whole, sample);
  }
}

TEST_CASE("What cannot be sampled is simulated whole, and says why") {
  const auto why = [](const workloads::Trace& trace) {
    const auto whole = run(trace, Repeats::off), sample = run(trace, Repeats::sample);
    CHECK(sample.runtime == whole.runtime);
    REQUIRE(sample.sampled);
    CHECK(sample.sampled->left_out == 0);
    return sample.sampled->why_whole;
  };
  CHECK_THAT(why(*ring(20)), Catch::Contains("iterations are too few for a sample"));
  CHECK(why(*test::trace_of("0 compute 5\n0 send 1 0 8 6\n1 recv 0 0 8 6\n")) == "rank 0 has no iterations");
  // Rank 0 has sent all before rank 1 receives anything, so that a sample of its iterations would not fit.
  std::string text;
  for (int i = 0; i < 200; ++i) text += "0 send 1 0 8 6\n";
  for (int i = 0; i < 100; ++i)
    text += fmt::format("1 compute {}\n1 recv 0 0 8 6\n1 recv 0 0 8 6\n", 1000 + 7 * (i % 13));
  CHECK(!why(*test::trace_of(text)).empty());
}

TEST_CASE("A trace that is wrong about its iterations is simulated whole") {
  /// Says that its ranks go round 100 times, but the last 50 iterations send more.
  class Liar final : public workloads::ForwardedTrace {
   public:
    using ForwardedTrace::ForwardedTrace;
    workloads::Rounds rounds(workloads::Rank) const override { return {0, 4, 100}; }
  };
  std::string text;
  core::Random random(1, "liar");
  for (int i = 0; i < 100; ++i)
    for (int rank = 0; rank < 2; ++rank)
      text += fmt::format("{0} compute {2}\n{0} isend {1} 0 {3} 6\n{0} recv {1} 0 {3} 6\n{0} wait {0} {1} 0\n", rank,
                          1 - rank, 1000 + random.below(300), i < 50 ? 800 : 900);
  const auto trace = test::trace_of(text);
  const Liar liar(*trace);
  const auto sample = run(liar, Repeats::sample);
  REQUIRE(sample.sampled);
  CHECK(sample.sampled->left_out == 0);
  CHECK(sample.runtime == run(*trace, Repeats::off).runtime);
}

TEST_CASE("What tells instants, and jobs that share a network, are not sampled") {
  const auto trace = ring(100);
  const auto machine = platforms::make_machine("torus:4x4");
  netsim::Run request{machine, *trace, in_order(3), {.compute_scale = 1, .repeats = Repeats::sample}, "fluid"};
  const auto refused = [&](const auto& change, const std::string& text) {
    auto other = request;
    change(other);
    CHECK_THROWS_WITH(netsim::run(other), Catch::Contains(text) && Catch::Contains("--repeats sample"));
  };
  refused([](auto& r) { r.job().options.log_causes = true; }, "steps of the critical path");
  refused([](auto& r) { r.job().options.keep_timeline = true; }, "single calls and messages");
  refused([](auto& r) { r.job().options.activity_windows = 8; }, "over time");
  refused([](auto& r) { r.keep_windows = true; }, "over time");
  refused([&](auto& r) { r.changes.changes.push_back({1e-3, &machine}); }, "happens at a time");
  netsim::Run jobs{machine, std::vector<netsim::PlacedJob>(), "fluid"};
  for (const int job : {0, 1}) {
    netsim::Mapping mapping;
    for (int i = 0; i < 3; ++i) mapping.add(platforms::NodeId(3 * job + i));
    jobs.jobs.push_back({.name = "job", .trace = *trace, .mapping = mapping});
    jobs.jobs.back().options.repeats = Repeats::sample;
  }
  CHECK_THROWS_WITH(netsim::run(jobs), Catch::Contains("the network to itself"));
}

TEST_CASE("The text of --repeats") {
  CHECK(netsim::parse_repeats("exact").how == Repeats::exact);
  CHECK(netsim::parse_repeats("off").how == Repeats::off);
  CHECK(netsim::parse_repeats("sample").how == Repeats::sample);
  CHECK(netsim::parse_repeats("sample").width == 0.01);
  CHECK(netsim::parse_repeats("sample:2.5%").width == Approx(0.025));
  for (const std::string wrong : {"sample:", "sample:1", "sample:0%", "sample:60%", "sample:x%", "some", ""})
    CHECK_THROWS_WITH(netsim::parse_repeats(wrong), Catch::Contains("expected exact, off, sample, or sample:W%"));
}

TEST_CASE("Whoever waits long for iterations that do not repeat hears of samples") {
  const auto machine = platforms::make_machine("mesh:4");
  const auto trace = workloads::TraceSource("stencil:grid=4,steps=100").open();
  netsim::Run request{machine, *trace, in_order(4), {}, "fluid"};
  const auto ways = [&](double seconds, const Result& result = {}) {
    return core::join(netsim::faster_ways(request, result, seconds));
  };
  const std::string sampled = "--repeats sample:1% estimates the run time";
  CHECK_THAT(ways(11), Catch::Contains(sampled) && !Catch::Contains("--engine"));
  CHECK(ways(9).empty());
  Result repeats;
  repeats.repeated.push_back({40, 60, 1, 360});
  CHECK(ways(11, repeats).empty());
  request.job().options.keep_timeline = true;  // a sample could not tell it
  CHECK(ways(11).empty());
  request.job().options.keep_timeline = false;
  request.job().options.repeats = Repeats::off;
  CHECK(ways(11).empty());
  request.engine = "simgrid";
  CHECK_THAT(ways(11), Catch::Contains("--engine fluid"));
  request.job().options.repeats = Repeats::exact;  // nobody has looked for repeats there, and fluid may find some
  CHECK_THAT(ways(11), Catch::Contains("--engine fluid") && !Catch::Contains(sampled));
  const auto few = workloads::TraceSource("stencil:grid=4,steps=39").open();
  CHECK(netsim::faster_ways({machine, *few, in_order(4), {}, "fluid"}, {}, 11).empty());
}

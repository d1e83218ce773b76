// Iterations that are passed over against the same iterations simulated: programs drawn by lot, again and again.
// Nothing that a result tells may differ. And what walks do not see must be missed.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "core/random.hpp"
#include "netsim/repeats/state_walk.hpp"
#include "tests/netsim/differences.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/random_program.hpp"
#include "toroid/core/error.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/derived/forwarded_trace.hpp"
#include "workloads/formats/formats.hpp"

using namespace toroid;
using netsim::Repeats;
using netsim::Result;
using netsim::StateWalk;

namespace {

/// A random program, repeated, on a random machine with a random mapping and random protocols.
class RepeatedCase {
 public:
  /// `noise`: its computations are recorded ones, which differ by up to that share. `cards`: cores and cards take time
  /// for messages. `packets`: the engine is `packet` with any routers, else `fluid`. `graph`: the program is replayed
  /// as the graph of what waits for what in it.
  explicit RepeatedCase(std::uint64_t seed, double noise = 0, bool cards = false, bool packets = false,
                        bool graph = false)
      : random_(seed, "repeats"), machine_(platforms::make_machine(any_machine(cards))) {
    const std::uint64_t thresholds[] = {0, 500, 65536, ~std::uint64_t{0}};
    options_.eager_threshold = thresholds[random_.below(4)];
    const std::optional<netsim::Order> orders[] = {{}, netsim::Order::pair, netsim::Order::node, netsim::Order::shared};
    options_.order = orders[random_.below(4)];
    options_.compute_scale = random_.below(3) == 0 ? 0 : 1;
    workloads::RandomProgramOptions program;
    program.ranks = static_cast<std::int32_t>(2 + random_.below(5));
    program.events = static_cast<int>(3 + random_.below(30));
    program.collectives = random_.below(3) != 0;
    program.all_kinds = random_.below(3) == 0;
    if (graph) program.all_kinds = program.synchronous = false;
    program.uncertain = random_.below(3) == 0 && !graph;
    program.puts = random_.below(4) == 0 && !graph;
    program.empty = random_.below(2) == 0;
    program.large = 50'000;
    once_ = workloads::random_program(random_, program);
    const auto times = 20 + random_.below(60);
    if (graph) {
      graph_ = as_graph(*once_);
      trace_ = std::make_shared<const workloads::RepeatedTrace>(*graph_, times);
    } else if (noise == 0) {
      trace_ = std::make_shared<const workloads::RepeatedTrace>(*once_, times);
    } else {
      trace_ = workloads::recorded(random_, *once_, static_cast<int>(times), noise, 300);
      bare_ = workloads::recorded(random_, *trace_, 1, 0, std::numeric_limits<double>::infinity());
    }
    std::vector<platforms::NodeId> nodes(machine_.nodes().begin(), machine_.nodes().end());
    random_.shuffle(nodes);
    for (std::int32_t rank = 0; rank < trace_->ranks(); ++rank) mapping_.add(nodes[static_cast<std::size_t>(rank)]);
    if (packets) engine_ = any_packets();
    windows_ = random_.below(2) == 0 ? 16 : 0;
  }

  Result run(Repeats repeats) const { return run(*trace_, repeats, options_.compute_scale); }
  Result run_without_computations(Repeats repeats) const { return run(*trace_, repeats, 0); }
  /// Of a program that has none.
  Result run_bare() const { return run(*bare_, Repeats::off, 1); }

 private:
  Result run(const workloads::Trace& trace, Repeats repeats, std::optional<double> compute_scale) const {
    auto options = options_;
    options.repeats = repeats;
    options.compute_scale = compute_scale;
    return netsim::run({machine_, trace, mapping_, options, engine_, windows_});
  }

  std::string any_packets() {
    std::string engine = fmt::format("packet:packet={},vcs={}", 256 << random_.below(5), 3 + random_.below(6));
    for (const auto* key : {"routing=adaptive", "rings=bubble", "arbitration=age", "crossbar=1", "inject=3",
                            "header=16", "ties=split", "buffer=16KiB"})
      if (random_.below(4) == 0) engine += fmt::format(",{}", key);
    return engine;
  }

  std::string any_machine(bool cards) {
    static const std::vector<std::string> shapes{"mesh:8", "mesh:4x4", "torus:5x4", "torus:3x7", "mesh:2x4x2"};
    auto text = shapes[random_.below(shapes.size())];
    if (random_.below(2) == 0) text += fmt::format(",bw={}MBps", 100 + random_.below(2000));
    if (random_.below(3) == 0) text += ",lat=0s";
    if (cards)
      for (const auto* property : {"overhead", "gap", "handshake"})
        if (random_.below(3) != 0) text += fmt::format(",{}={}ns", property, random_.below(2000) << random_.below(9));
    if (cards)
      for (const auto* property : {"copy", "reduce", "memcpy"})
        if (random_.below(3) == 0) text += fmt::format(",{}={}ps", property, random_.below(2000));
    return text;
  }

  static std::unique_ptr<workloads::Trace> as_graph(const workloads::Trace& program) {
    const test::Scratch scratch;
    core::OutputSet outputs;
    workloads::write_chakra(program, {}, outputs, scratch.path("t.%d.et"));
    outputs.commit();
    return workloads::open_trace(scratch.path("t.0.et"));
  }

  core::Random random_;
  platforms::Machine machine_;
  netsim::ReplayOptions options_;
  std::unique_ptr<workloads::CompactTrace> once_;
  std::unique_ptr<workloads::Trace> graph_;
  std::shared_ptr<const workloads::Trace> trace_, bare_;
  netsim::Mapping mapping_;
  std::string engine_ = "fluid";
  std::size_t windows_ = 0;
};

/// The first thing that differs in what two results tell; empty if nothing does.
std::string difference(const Result& a, const Result& b) {
  const test::Differences differences(std::max(a.runtime, b.runtime));
  if (!differences.are_near(a.runtime, b.runtime)) return fmt::format("run time {} {}", a.runtime, b.runtime);
  for (const auto& found :
       {differences.of_messages(a, b), differences.of_histories(a.critical_path, b.critical_path),
        differences.of_ranks(a.ranks, b.ranks), differences.of_exposed(a, b), differences.of_links(a.links, b.links)})
    if (!found.empty()) return found;
  return a.utilization_window == b.utilization_window ? "" : "windows";
}

std::uint64_t passed_over(const Result& result) {
  std::uint64_t messages = 0;
  for (const auto& repeated : result.repeated) messages += repeated.messages;
  return messages;
}

}  // namespace

TEST_CASE("Iterations that are passed over are told as if they had been simulated", "[netsim][repeats]") {
  const std::uint64_t cases = test::is_sanitized ? 100 : 1000;
  std::uint64_t all = 0, passed = 0, with_some = 0;
  const bool graphs = GENERATE(false, true);
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    INFO("seed " << seed << (graphs ? ", graph" : ""));
    const RepeatedCase some(seed, 0, seed % 3 == 0, false, graphs);
    const auto full = some.run(Repeats::off), short_cut = some.run(Repeats::exact);
    CHECK(passed_over(full) == 0);
    CHECK(difference(full, short_cut) == "");
    all += full.messages;
    passed += passed_over(short_cut);
    with_some += passed_over(short_cut) > 0 ? 1 : 0;
  }
  INFO(with_some << " cases, " << passed << " messages of " << all);
  // Ranks of graphs run ahead of each other more than those of programs: few of their states return before the end.
  CHECK(3 * with_some > (graphs ? 1 : 2) * cases);
  CHECK((graphs ? 3 : 2) * passed > all);
}

TEST_CASE("Iterations of packets that are passed over are told as if they had been simulated", "[netsim][repeats]") {
  const std::uint64_t cases = test::is_sanitized ? 50 : 1000;
  std::uint64_t all = 0, passed = 0, with_some = 0;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    INFO("seed " << seed);
    const RepeatedCase some(seed, 0, seed % 3 == 0, true);
    const auto full = some.run(Repeats::off), short_cut = some.run(Repeats::exact);
    CHECK(passed_over(full) == 0);
    CHECK(difference(full, short_cut) == "");
    CHECK(full.runtime == short_cut.runtime);  // to the last bit
    all += full.messages;
    passed += passed_over(short_cut);
    with_some += passed_over(short_cut) > 0 ? 1 : 0;
  }
  INFO(with_some << " cases, " << passed << " messages of " << all);
  CHECK(5 * with_some > cases);  // whose turn it is at each router must come round, too
  CHECK(5 * passed > all);
}

TEST_CASE("Where computations do not count, recorded iterations repeat, and all is as if there were none") {
  const std::uint64_t cases = test::is_sanitized ? 30 : 300;
  std::uint64_t with_some = 0, ended = 0;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    INFO("seed " << seed);
    const RepeatedCase some(seed, 0.2);
    std::optional<Result> bare;
    try {
      bare = some.run_bare();
      ++ended;
    } catch (const core::SimulationError&) {
      CHECK_THROWS_AS(some.run_without_computations(Repeats::exact), core::SimulationError);
      continue;  // a receive from any rank took a message of the next iteration, and the program deadlocks
    }
    CHECK(difference(*bare, some.run_without_computations(Repeats::off)) == "");
    const auto short_cut = some.run_without_computations(Repeats::exact);
    CHECK(difference(*bare, short_cut) == "");
    with_some += passed_over(short_cut) > 0 ? 1 : 0;
  }
  INFO(with_some << " cases of " << ended);
  CHECK(3 * with_some > 2 * ended);
}

TEST_CASE("A state without one of its parts is taken for another one", "[netsim][repeats][slow]") {
  using Part = StateWalk::Part;
  // None of 48,000 programs shows that a sender's own traffic is needed: it has gone before the messages themselves
  // have.
  const auto part = GENERATE(Part::flows, Part::times, Part::queues, Part::timers, Part::cores, Part::routers,
                             Part::turns, Part::graphs);
  INFO("part " << static_cast<int>(part));
  bool is_missed = false;
  for (std::uint64_t seed = 1; seed <= 4000 && !is_missed; ++seed) {
    const RepeatedCase some(seed, 0, part == Part::cores, part == Part::routers || part == Part::turns,
                            part == Part::graphs);
    std::optional<Result> full;
    try {
      full = some.run(Repeats::off);
    } catch (const core::SimulationError&) {
      continue;  // a receive from any rank took a message of the next iteration, and the program deadlocks
    }
    StateWalk::unseen = part;
    try {
      is_missed = difference(*full, some.run(Repeats::exact)) != "";
    } catch (const core::SimulationError&) {
      is_missed = true;
    }
    StateWalk::unseen = Part::none;
  }
  CHECK(is_missed);
}

TEST_CASE("Iterations that wait longer for their card each time are not passed over", "[netsim][repeats]") {
  // A message every 3.8 us, which is there after 1.008 us, but leaves 4 us after the one before.
  const auto once = test::trace_of("0 send 1 0 8 6\n0 compute 3800\n1 recv 0 0 8 6\n");
  const workloads::RepeatedTrace trace(*once, 200);
  const auto machine = platforms::make_machine("mesh:2,lat=1us,gap=4us");
  const auto runtime = [&](Repeats repeats) {
    return netsim::run({machine, trace, netsim::Mapping{0, 1}, {.compute_scale = 1, .repeats = repeats}, "fluid"})
        .runtime;
  };
  CHECK(runtime(Repeats::off) == Approx(199 * 4e-6 + 1.008e-6).epsilon(1e-9));
  CHECK(runtime(Repeats::exact) == Approx(runtime(Repeats::off)).epsilon(1e-9));
}

TEST_CASE("Programs of generators and of files repeat", "[netsim][repeats]") {
  const auto machine = platforms::make_machine("torus:4x4x4");
  const auto check = [&](const workloads::Trace& trace, double share) {
    netsim::Mapping mapping;
    for (const auto node : core::ids<platforms::NodeId>(trace.ranks())) mapping.add(node);
    netsim::Run request{machine, trace, mapping, {.compute_scale = 1}, "fluid", 16};
    const auto short_cut = netsim::run(request);
    request.job().options.repeats = Repeats::off;
    const auto full = netsim::run(request);
    CHECK(difference(full, short_cut) == "");
    CHECK(static_cast<double>(passed_over(short_cut)) > share * static_cast<double>(full.messages));
  };
  for (const std::string spec : {"stencil:grid=4x4x4,steps=100", "lu:class=S,ranks=16", "lulesh:ranks=27,steps=50",
                                 "llm:layers=4,tensor=2,pipeline=2,data=2,steps=30"}) {
    INFO(spec);
    const auto trace = workloads::TraceSource(spec).open();
    check(*trace, 0.5);
  }
  std::string text = "0 compute 5000\n1 compute 300\n";
  for (int i = 0; i < 50; ++i)
    text += "0 send 1 0 2000 6\n1 recv 0 0 2000 6\n1 compute 900\n1 send 0 0 9 6\n0 recv 1 0 9 6\n";
  check(*test::trace_of(text + "0 send 1 0 5 6\n1 recv 0 0 5 6\n"), 0.8);
}

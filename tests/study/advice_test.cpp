// Advice against runs that are made here one by one.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "netsim/network.hpp"
#include "study/advice/advice.hpp"
#include "toroid/core/error.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/compact_trace.hpp"

namespace toroid::study {
namespace {

/// A program on a machine, and what is asked about it.
struct Question {
  Question(std::string_view platform, std::string_view text)
      : Question(platform, workloads::open_trace(std::string(text))) {}
  Question(std::string_view platform, std::unique_ptr<workloads::Trace> program)
      : machine(platforms::make_machine(platform)), trace(std::move(program)), traffic(*trace) {}

  AdviceRequest request() const {
    return {.machine = machine,
            .trace = *trace,
            .traffic = traffic,
            .slots = mapping::all_nodes(machine),
            .baseline = "consecutive",
            .maps = {"quick", "auto:budget=20"},
            .repeats = 2};
  }
  double time(const mapping::Mapping& mapping, netsim::ReplayOptions options = {},
              std::string_view engine = netsim::fast_engine) const {
    return time_on(machine, mapping, options, engine);
  }
  double time_on(const platforms::Machine& other, const mapping::Mapping& mapping, netsim::ReplayOptions options = {},
                 std::string_view engine = netsim::fast_engine) const {
    return netsim::run({other, *trace, mapping, std::move(options), engine}).runtime;
  }

  platforms::Machine machine;
  std::unique_ptr<workloads::Trace> trace;
  mapping::Traffic traffic;
};

}  // namespace

TEST_CASE("Changes of a machine are those that it can have, and change one thing") {
  const auto texts = [](const char* platform) {
    std::vector<std::string> all;
    for (const auto& change : usual_changes(platforms::make_machine(platform))) all.push_back(change.text());
    return all;
  };
  using Texts = std::vector<std::string>;
  CHECK(texts("ring:4,latency=0s") == Texts{"bandwidth=x2"});
  CHECK(texts("mesh:1").empty());
  CHECK(texts("torus:4x1x2,latency=0s") == Texts{"bandwidth=x2", "x.bandwidth=x2", "z.bandwidth=x2"});
  CHECK(texts("mesh:2x4,base-latency=1us,injection=2GBps") == Texts{"bandwidth=x2", "x.bandwidth=x2", "y.bandwidth=x2",
                                                                    "injection-bandwidth=x2", "latency=x0.5",
                                                                    "base-latency=x0.5", "y.wrap=torus"});
  CHECK(texts("mesh:2,latency=0s,injection=1GBps,ejection=1GBps") ==
        Texts{"bandwidth=x2", "injection-bandwidth=x2 --set ejection-bandwidth=x2"});
  CHECK(texts("ring:4,latency=0s,overhead=1us,gap=1us,handshake=1us") ==
        Texts{"bandwidth=x2", "overhead=x0.5", "gap=x0.5", "handshake=x0.5"});
  const auto machine = platforms::make_machine("mesh:2x4,x.bandwidth=3GBps,y.bandwidth=1GBps,injection=2GBps");
  const auto changes = usual_changes(machine);
  const auto both = changes[0].apply(machine), second = changes[2].apply(machine), ports = changes[3].apply(machine);
  CHECK(both.grid().dimension(0).bandwidth == 6e9);
  CHECK(both.grid().dimension(1).bandwidth == 2e9);
  CHECK(second.grid().dimension(0).bandwidth == 3e9);
  CHECK(second.grid().dimension(1).bandwidth == 2e9);
  CHECK(ports.parameters().injection_bandwidth == 4e9);
  auto expected = machine.description();
  expected.node.injection_bandwidth = 4e9;
  CHECK(ports.description() == expected);
}

TEST_CASE("Advice tells what single runs tell", "[slow]") {
  const Question question("torus:4x4x4", "cg:class=S,ranks=64,iterations=2");
  const auto request = question.request();
  const auto advice = advise(request, 2);
  REQUIRE(advice.tried.size() == 4);
  CHECK(advice.tried[Advice::baseline].map.text() == "consecutive");
  CHECK(advice.tried[Advice::by_lot].times.size() == 2);
  double least = 1e9;
  for (const auto& tried : advice.tried) {
    CAPTURE(tried.map.text());
    const auto mapping = mapping::make_mapping(
        tried.map, {question.machine, request.slots, question.traffic, request.seed + tried.search});
    if (tried.map.name() != "auto") CHECK(tried.mapping == mapping);
    CHECK(tried.time == question.time(tried.mapping));
    CHECK(tried.time == tried.best());
    least = std::min(least, tried.time);
  }
  CHECK(advice.advised != Advice::baseline);
  CHECK(advice.taken().time == least);
  const auto& before = advice.tried[Advice::baseline].mapping;
  const auto& after = advice.taken().mapping;
  for (const auto& look : advice.looks) {
    CAPTURE(look.engine, look.left_out);
    netsim::ReplayOptions options;
    if (look.kind == SecondLook::Kind::computation) options.compute_scale = 1;
    CHECK(look.baseline == question.time(before, options, look.engine));
    CHECK(look.advised == question.time(after, options, look.engine));
  }
  REQUIRE(advice.looks.size() == 5);
  CHECK(advice.looks[1].engine == netsim::router_engine);
  CHECK(advice.looks[4].engine == "packet:ties=split");
  REQUIRE(advice.effects.size() == usual_changes(question.machine).size());
  for (const auto& effect : advice.effects) {
    CAPTURE(effect.change.text());
    const auto other = effect.change.apply(question.machine);
    netsim::ReplayOptions whole;
    whole.compute_scale = 1;
    CHECK(*effect.time == question.time_on(other, after));
    CHECK(*effect.whole == question.time_on(other, after, whole));
  }
  CHECK(advice.limits->measures.runtime == Approx(advice.taken().time).epsilon(1e-9));
  CHECK(advice.limits->whole->runtime == advice.looks[0].advised);
  CHECK(advice.limits->whole->compute_share > 0);
}

TEST_CASE("Where computation counts, advice tells what mappings gain without it, also where they gain nothing with it",
          "[slow]") {
  const Question question("torus:4x4x4", "cg:class=S,ranks=64,iterations=2");
  for (const double scale : {1.0, 1e4}) {
    auto request = question.request();
    request.options.compute_scale = scale;
    request.maps = {"quick", "snake"};
    request.budget = 1;
    const auto advice = advise(request, 2);
    CAPTURE(scale);
    CHECK(advice.keeps_baseline() == (scale > 1));  // ranks do little but compute
    const auto& look = advice.looks.at(0);
    REQUIRE(look.kind == SecondLook::Kind::communication);
    netsim::ReplayOptions none;
    none.compute_scale = 0;
    CHECK(look.baseline == question.time(advice.without().mapping, none));
    CHECK(look.advised == question.time(advice.tried[look.map].mapping, none));
    CHECK(look.gain() > 1.2);
    if (!advice.keeps_baseline()) CHECK(look.map == advice.advised);
    for (const auto& tried : advice.tried)
      if (advice.keeps_baseline()) CHECK(look.advised <= question.time(tried.mapping, none));
  }
}

TEST_CASE("Advice on algorithms is what runs of the whole program tell", "[slow]") {
  const Question question("torus:4x4", "sharded:mesh=16,all-gather=0,all-reduce=16MB,steps=2");
  auto request = question.request();
  request.options.collectives = workloads::CollectiveChoice::parse("mpi");
  const auto advice = advise(request, 2);
  const auto& said = advice.algorithms;
  REQUIRE(said.left_out.empty());
  REQUIRE(said.tried.size() > 12);
  CHECK(said.tried[0].choice.text() == "mpi");
  CHECK(said.tried[0].algorithms == "allreduce by rabenseifner");
  for (const auto& one : said.tried) {
    CAPTURE(one.choice.text());
    netsim::ReplayOptions options;
    options.collectives = one.choice;
    CHECK(one.time == question.time(advice.taken().mapping, options));
    CHECK(*said.tried[said.taken].time <= *one.time);
  }
  CHECK(said.taken > 0);
  REQUIRE(said.by_packets);
  CHECK(said.by_packets->first > 0);
}

TEST_CASE("Advice does not depend on the number of workers", "[slow]") {
  const Question question("mesh:4x4", "cg:class=S,ranks=16,iterations=1");
  const auto request = question.request();
  CHECK(advice_json(advise(request, 1), request) == advice_json(advise(request, 5), request));
}

TEST_CASE("The first answer is what mappers without a budget find, and changes nothing of the advice") {
  const Question question("mesh:4x4", "stencil:grid=4x4,steps=3");
  auto request = question.request();
  request.maps = {"quick", "auto"};
  request.baseline = "random";
  request.budget = 0.1;
  const auto without = advice_json(advise(request, 1), request);
  std::size_t answers = 0;
  request.first_answer = [&](const Advice& first) {
    ++answers;
    CHECK(first.tried.back().times.empty());
    double least = first.without().time;
    for (std::size_t i = Advice::by_lot; i < first.tried.size(); ++i)
      if (!first.tried[i].times.empty()) least = std::min(least, first.tried[i].best());
    CHECK(first.taken().time <= least / (1 - Advice::margin) * (1 + 1e-9));
    CHECK(first.taken().time == question.time(first.taken().mapping));
  };
  CHECK(advice_json(advise(request, 1), request) == without);
  CHECK(answers == 1);
}

TEST_CASE("What is as good as can be stays as it is") {
  const Question question("torus:4x4", "stencil:grid=4x4,periodic=yes");
  const auto advice = advise(question.request(), 2);
  CHECK(advice.keeps_baseline());
  CHECK(advice.gain() == 1);
  for (const auto& look : advice.looks) CHECK(look.baseline == look.advised);
  // Nothing is run twice, so the budget that is named is that of one mapping.
  auto other = question.request();
  other.baseline = "random";
  const auto moved = advise(other, 2);
  CHECK_FALSE(moved.keeps_baseline());
  CHECK(moved.needed_budget > 1.1 * advice.needed_budget);  // algorithms are tried once in both
}

TEST_CASE("A baseline that draws lots is its median, and a mapping by lot may be the advice", "[slow]") {
  const Question question("mesh:4x4", "cg:class=S,ranks=16,iterations=1");
  auto request = question.request();
  request.baseline = "random";
  request.maps = {"consecutive"};
  request.repeats = 5;
  const auto advice = advise(request, 2);
  auto times = advice.without().times;
  REQUIRE(times.size() == 5);
  std::sort(times.begin(), times.end());
  CHECK(advice.without().time == times[2]);
  CHECK(question.time(advice.without().mapping) == times[2]);

  const Question crowded("mesh:5x5,fail-node=3,fail-router=r12", "ft:class=S,ranks=16,iterations=1");
  auto by_lot = crowded.request();
  by_lot.maps = {};
  CHECK(advise(by_lot, 2).advised == Advice::by_lot);
}

TEST_CASE("Where nobody sends anything there is nothing to ask") {
  for (const auto* program : {"stencil:grid=1", "stencil:grid=1,flops=0f,steps=0"}) {
    const Question question("mesh:1", program);
    auto request = question.request();
    const auto advice = advise(request, 1);
    CHECK(advice.is_idle);
    CHECK(advice.keeps_baseline());
    CHECK(advice.gain() == 1);
    CHECK(advice_json(advice, request)["gain"] == 1);
  }
}

TEST_CASE("A machine of one router has messages of no time") {
  const Question question("mesh:1,cores=2,loopback-latency=0s", "stencil:grid=2");
  auto request = question.request();
  request.slots = {platforms::NodeId(0), platforms::NodeId(0)};
  const auto advice = advise(request, 1);
  CHECK_FALSE(advice.is_idle);
  CHECK(advice.keeps_baseline());
  for (const auto& look : advice.looks) {
    CAPTURE(look.engine, look.left_out);
    CHECK(std::isfinite(look.gain()));
  }
}

TEST_CASE("Losses are on the links where messages meet") {
  // Ranks 0 and 1 of a line along y send to rank 3 at the same time: they share the link from 2 to 3.
  auto trace = std::make_unique<workloads::CompactTrace>(4);
  constexpr std::uint64_t bytes = 1'000'000;
  for (const workloads::Rank from : {workloads::Rank(0), workloads::Rank(1)}) {
    trace->add(from, {.kind = workloads::OpKind::send, .to = 3, .bytes = bytes});
    trace->add(3, {.kind = workloads::OpKind::recv, .from = from.value(), .bytes = bytes});
  }
  trace->finish();
  const Question question("mesh:3x4", std::move(trace));
  std::vector<mapping::NodeId> slots;
  for (const int node : {0, 3, 6, 9}) slots.emplace_back(node);
  auto request = question.request();
  request.slots = slots;
  request.maps = {};
  request.options.eager_threshold = 2 * bytes;  // both set out at once
  const auto advice = advise(request, 1);
  CHECK(advice.advised == Advice::baseline);
  REQUIRE(advice.limits);
  REQUIRE(advice.limits->losses.size() == 1);
  CHECK(advice.limits->losses[0].links == "y");
  // By hand: each of the two has half of the link for 2 ms, and needs 1 ms alone.
  CHECK(advice.limits->losses[0].seconds == Approx(1e-3).epsilon(1e-3));
  CHECK(advice.limits->measures.sharing_share == Approx(0.5).epsilon(1e-2));
}

TEST_CASE("What the budget has no room for is left out, and the budget that is named has room", "[slow]") {
  const Question question("torus:4x4x4", "ft:class=S,ranks=64,iterations=2");
  auto request = question.request();
  request.maps = {"quick"};
  request.budget = 0.001;
  const auto poor = advise(request, 2);
  CHECK(std::any_of(poor.looks.begin(), poor.looks.end(), [](const auto& look) { return !look.left_out.empty(); }));
  CHECK(poor.needed_budget > request.budget);
  request.budget = std::ceil(poor.needed_budget);
  const auto rich = advise(request, 2);
  CHECK(rich.needed_budget <= request.budget);
  for (const auto& look : rich.looks) CHECK(look.left_out.empty());
  CHECK((rich.limits && rich.no_limits.empty()));
  CHECK(!poor.no_limits.empty());
  CHECK(rich.effects.size() == usual_changes(question.machine).size());
  CHECK(poor.tried[Advice::by_lot].times.size() < rich.tried[Advice::by_lot].times.size());
}

// By hand: half of the budget is for searches. Half of that lets a mapper run two mappings, a fifth one.
TEST_CASE("Where runs are long, each mapper that draws lots makes as many searches as it has budget for") {
  const Question question("torus:4x4", "stencil:grid=4x4,steps=1");
  auto request = question.request();
  request.repeats = 5;
  request.maps = {"auto"};
  constexpr double steps_of_message = 100, runs = 5.5;
  request.budget =
      2 * runs * steps_of_message * static_cast<double>(question.traffic.matrix().total_messages()) / steps_of_budget;
  const auto searches = [&] {
    const auto advice = advise(request, 1);
    return std::pair(advice.tried[Advice::by_lot].times.size(), advice.tried.back().times.size());
  };
  CHECK(searches() == std::pair<std::size_t, std::size_t>(1, 2));
  request.budget *= 2;
  CHECK(searches() == std::pair<std::size_t, std::size_t>(2, 5));
  request.budget = 1e-9;
  CHECK(searches() == std::pair<std::size_t, std::size_t>(1, 1));
}

TEST_CASE("Advice on what cannot run is an error") {
  const Question large("mesh:2x2", "stencil:grid=3x3");
  CHECK_THROWS_AS(advise(large.request(), 1), core::InputError);
  auto trace = std::make_unique<workloads::CompactTrace>(2);
  trace->add(0, {.kind = workloads::OpKind::recv, .from = 1, .bytes = 1});
  trace->finish();
  const Question stuck("mesh:2x2", std::move(trace));
  CHECK_THROWS_AS(advise(stuck.request(), 1), core::SimulationError);
}

}  // namespace toroid::study

// Parts of a packet network do the same on any number of threads, and what an undivided one does.

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <numeric>
#include <thread>
#include <tuple>
#include <vector>

#include "core/random.hpp"
#include "netsim/packet/fabric.hpp"
#include "netsim/packet/team.hpp"
#include "platforms/xml.hpp"
#include "tests/netsim/flows.hpp"
#include "toroid/core/error.hpp"

namespace toroid::netsim::packet {
namespace {

/// Routers of all kinds.
Options options_of_parts(core::Random& random, const platforms::Machine& machine) {
  Options options;
  const auto& dimensions = machine.description().dimensions;
  const bool twisted = std::any_of(dimensions.begin(), dimensions.end(), [](const auto& d) { return d.is_twisted(); });
  options.channels = 2 + 2 * static_cast<std::int32_t>(random.below(2));
  options.injection_channels = options.channels;
  if (!twisted && random.below(2) == 0) {
    options.routing = Routing::adaptive;
    options.channels = 4;
  }
  if (!twisted && random.below(3) == 0) {
    options.rings = Rings::bubble;
    options.buffer_bytes = 1024;
  }
  if (random.below(3) == 0) options.ties = Ties::split;
  if (random.below(3) == 0) options.arbitration = Arbitration::age;
  if (random.below(3) == 0) options.crossbar = 1;
  if (random.below(20) == 0) options.channels = 40;  // rows of several words
  return options;
}

struct Message {
  NodeId from, to;
  std::uint64_t bytes;
  double start;  ///< seconds
  bool dropped;  ///< some time later
};

/// All that a fabric tells: of each message the ticks at which it left and arrived, the order in which that was told,
/// the loads and windows of the links.
struct Told {
  std::vector<std::tuple<Tick, std::size_t, bool>> news;  ///< the tick, the message, and whether it arrived
  std::vector<double> loads;
  std::uint64_t hops = 0;
  bool operator==(const Told&) const = default;
};

/// Sends the messages, those that a node still has in hand when others arrive among them.
Told told(const platforms::Machine& machine, const Options& options, const std::vector<Message>& messages,
          const Division& division) {
  netsim::LinkUsage usage(machine);
  usage.measure_windows(16);
  Fabric fabric(machine, options, usage, division);
  Told told;
  std::map<Fabric::MessageId, std::size_t> number;
  const auto note = [&] {
    for (const auto id : fabric.left()) told.news.emplace_back(fabric.now(), number.at(id), false);
    for (const auto id : fabric.arrived()) {
      told.news.emplace_back(fabric.now(), number.at(id), true);
      number.erase(id);
    }
    fabric.left().clear();
    fabric.arrived().clear();
  };
  const auto run_until = [&](Tick end) {
    while (fabric.next() < end) {
      fabric.run_to_news(end);
      note();
    }
  };
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const auto& message = messages[i];
    const netsim::Time start(message.start);
    run_until(fabric.first_from(start));
    const auto id = fabric.send(message.from, message.to, message.bytes, start);
    number[id] = i;
    if (!message.dropped) continue;
    run_until(fabric.first_from(netsim::Time(message.start + 2e-7)));
    if (!number.contains(id) || number[id] != i) continue;
    fabric.drop(id);
    number.erase(id);
  }
  run_until(never);
  fabric.report();
  const auto end = fabric.time_of(fabric.now());
  for (const auto link : core::ids<LinkId>(machine.link_count())) {
    const auto load = usage.load(link, end);
    for (const double value : {static_cast<double>(load.bytes), static_cast<double>(load.flows),
                               static_cast<double>(load.peak_flows), load.busy, load.peak_utilization})
      told.loads.push_back(value);
    const auto windows = usage.bytes_by_window(link, end);
    told.loads.insert(told.loads.end(), windows.begin(), windows.end());
  }
  told.hops = fabric.hops();
  return told;
}

/// Messages of all sizes at any time, or of the same size in a few waves, so that much happens at the same tick.
std::vector<Message> messages_between(core::Random& random, const platforms::Machine& machine, bool drops) {
  const auto nodes = machine.compute_nodes();
  const bool in_waves = random.below(2) == 0;
  std::vector<Message> messages;
  double start = 0;
  while (messages.size() < 300) {
    const auto from = nodes[random.below(nodes.size())], to = nodes[random.below(nodes.size())];
    if (!machine.uses_links(from, to) && random.below(100) == 0) break;  // a machine of one router
    if (!machine.uses_links(from, to)) continue;
    start += in_waves ? (messages.size() % 100 == 99 ? 1e-6 : 0) : 2e-8 * random.unit();
    const auto bytes = in_waves ? 1024 : random.below(8) == 0 ? 0 : random.below(4000);
    messages.push_back({from, to, bytes, start, drops && random.below(9) == 0});
  }
  return messages;
}

TEST_CASE("packets on two threads give what they give on one, with any routers, failures, windows and drops",
          "[slow]") {
  core::Random random(91, "packet/parts");
  std::size_t same = 0;
  while (same < 150) {
    const auto machine = test::random_machine_of_links(random, 200);
    const auto options = options_of_parts(random, machine);
    CAPTURE(platforms::xml_text(machine.description()));
    try {
      const auto messages = messages_between(random, machine, true);
      const auto alone = told(machine, options, messages, {.threads = 1, .least_routers = 2});
      REQUIRE(told(machine, options, messages, {.threads = 2, .least_routers = 2, .busy_ticks_only = false}) == alone);
      REQUIRE(told(machine, options, messages, {.threads = 2, .least_routers = 2}) == alone);
      // One part that looks at the other would see another state, every time and not only in a race.
      REQUIRE(told(machine, options, messages, {.least_routers = 2, .backwards = true}) == alone);
      ++same;
    } catch (const core::InputError&) {  // too few channels for what failed, or for its routers
    }
  }
}

TEST_CASE("packets of a divided network go where those of an undivided one go, and take as long on average") {
  core::Random random(92, "packet/parts");
  double whole_seconds = 0, divided_seconds = 0;
  for (std::size_t cases = 0; cases < 60;) {
    const auto machine = test::random_machine_of_links(random, 200);
    const auto options = options_of_parts(random, machine);
    CAPTURE(platforms::xml_text(machine.description()));
    try {
      const auto messages = messages_between(random, machine, false);
      const auto whole = told(machine, options, messages, {}),
                 divided = told(machine, options, messages, {.least_routers = 2});
      REQUIRE(divided.news.size() == 2 * messages.size());
      REQUIRE(whole.news.size() == divided.news.size());
      if (options.routing == Routing::dimension_order) REQUIRE(whole.hops == divided.hops);
      const auto sum = [](const Told& told) {
        return std::accumulate(told.news.begin(), told.news.end(), 0.0, [](double ticks, const auto& news) {
          return std::get<bool>(news) ? ticks + static_cast<double>(std::get<Tick>(news)) : ticks;
        });
      };
      // Adaptive packets may take other ways: which of several idle links is the first is as good as drawn.
      REQUIRE(sum(divided) == Approx(sum(whole)).epsilon(options.routing == Routing::dimension_order ? 0.05 : 0.10));
      whole_seconds += 1;
      divided_seconds += sum(divided) / sum(whole);
      ++cases;
    } catch (const core::InputError&) {
    }
  }
  CHECK(divided_seconds == Approx(whole_seconds).epsilon(0.002));
}

TEST_CASE("a team does each part once in each step, however late its threads are") {
  for (const std::size_t threads : {2U, 3U, 5U}) {
    constexpr std::size_t parts = 4;
    std::array<std::uint32_t, parts> done{};
    core::Random random(93, "packet/team");
    std::array<bool, parts> late{};
    Team team(parts, threads, [&](std::size_t part) {
      if (late[part]) std::this_thread::sleep_for(std::chrono::microseconds(500));
      ++done[part];
    });
    for (std::uint32_t step = 1; step <= 2000; ++step) {
      for (auto& part : late) part = random.below(50) == 0;
      team.run();
      for (const auto steps : done) REQUIRE(steps == step);
      if (step % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));  // all go to sleep
    }
  }
}

}  // namespace
}  // namespace toroid::netsim::packet

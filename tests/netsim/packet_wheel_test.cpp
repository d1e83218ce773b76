// Events of the packet engine come at their ticks, all of them, against a plain sorted map.

#include "netsim/packet/wheel.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "core/random.hpp"

using namespace toroid;
using netsim::packet::Event;
using netsim::packet::never;
using netsim::packet::Tick;
using netsim::packet::Wheel;

TEST_CASE("events come at their ticks, near or far, in the order in which they were added, and none else") {
  core::Random random(85, "packet/wheel");
  Wheel wheel;
  std::map<Tick, std::set<std::uint32_t>> expected;
  std::uint32_t added = 0;
  const auto add = [&] {
    const Tick spans[] = {1, 4, 100, 20'000, 1'000'000};
    const Tick at = wheel.now() + static_cast<Tick>(random.below(static_cast<std::uint64_t>(spans[random.below(5)])));
    wheel.add(at, 3, added, ~added, added + 1, 63);
    expected[at].insert(added++);
  };
  CHECK(wheel.next() == never);
  for (int i = 0; i < 200; ++i) add();
  while (!wheel.empty()) {
    const Tick tick = wheel.next();
    REQUIRE(tick == expected.begin()->first);
    do {
      auto due = expected.at(tick);
      const auto happen = [&](const Event& event) {
        REQUIRE(event.kind == 3);
        REQUIRE(event.small == 63);
        REQUIRE(event.b == ~event.a);
        REQUIRE(event.c == event.a + 1);
        REQUIRE(event.a == *due.begin());
        due.erase(event.a);
        expected[tick].erase(event.a);
        for (auto more = random.below(4); more > 0 && added < 20'000; --more) add();
      };
      wheel.take(tick, happen, [](const Event&) {});
      REQUIRE(due.empty());
      REQUIRE(wheel.has_more() == !expected[tick].empty());
    } while (wheel.has_more());
    expected.erase(tick);
  }
  CHECK(added == 20'000);
  CHECK(expected.empty());
}

TEST_CASE("where a tick has many events each is announced before it happens, but for the first") {
  Wheel wheel;
  constexpr std::uint32_t count = 100;
  for (std::uint32_t i = 0; i < count; ++i) wheel.add(7, 0, i, 0, 0, 0);
  std::set<std::uint32_t> announced;
  std::vector<std::uint32_t> happened;
  const auto happen = [&](const Event& event) {
    CHECK((happened.empty() || announced.count(event.a) == 1));
    happened.push_back(event.a);
  };
  wheel.take(7, happen, [&](const Event& event) { CHECK(announced.insert(event.a).second); });
  CHECK(happened.size() == count);
  CHECK(announced.size() == count - 1);
}

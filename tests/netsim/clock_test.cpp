#include "netsim/time/clock.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <stdexcept>

#include "core/random.hpp"
#include "toroid/core/error.hpp"

using namespace toroid;
using netsim::Clock;
using netsim::Time;

namespace {

struct TimedClient final : netsim::TimerClient {
  std::function<void(std::uint32_t)> on_timer;
  void timer_ended(std::uint32_t payload) override { on_timer(payload); }
};

/// A clock that writes down the payloads of its timers, and those that its events have, in their order.
struct ClockBench {
  ClockBench() {
    client.on_timer = [this](std::uint32_t n) { order.push_back(n); };
  }
  netsim::TimerId timer(double delay, std::uint32_t payload) { return clock.start_timer(Time(delay), client, payload); }
  Clock clock;
  TimedClient client;
  std::vector<std::uint32_t> order;
};

/// Events at given times, in that order.
struct Source final : netsim::EventSource {
  explicit Source(ClockBench& bench) : bench_(bench) { bench.clock.attach(*this); }
  ~Source() override { bench_.clock.detach(*this); }
  Time next(const Time&) override { return events.empty() ? Time::never() : events.front().first; }
  bool happen(const Time& until) override {
    if (events.empty() || until < events.front().first) return false;
    const auto event = events.front().second;
    events.erase(events.begin());
    bench_.client.timer_ended(event);
    return true;
  }
  std::vector<std::pair<Time, std::uint32_t>> events;

 private:
  ClockBench& bench_;
};

}  // namespace

TEST_CASE("seconds become time and back") {
  core::Random random(61, "clock/time");
  CHECK(Time().seconds() == 0);
  CHECK(Time(1).seconds() == 1);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::exp2(-26 + 71 * random.unit());
    REQUIRE(Time(x).seconds() == x);
    REQUIRE(Time(-x).seconds() == -x);
    const double small = std::exp2(-26 - 60 * random.unit());
    REQUIRE(std::abs(Time(small).seconds() - small) < 2e-24);
  }
}

TEST_CASE("sums and differences of times are exact") {
  core::Random random(62, "clock/time");
  for (int i = 0; i < 100000; ++i) {
    const Time a(std::exp2(-20 + 60 * random.unit())), b(std::exp2(-70 + 60 * random.unit()));
    REQUIRE((a + b) - a == b);
    REQUIRE(a - (a + b) == Time() - b);
    REQUIRE(((a + b) - a).seconds() == b.seconds());
    REQUIRE(a - b < a);
    REQUIRE_FALSE(a + b < a);
    REQUIRE((a < b) == (a.seconds() < b.seconds()));
  }
  const double span = 201.91e-6;
  Time time(6e7);
  for (int i = 0; i < 1000; ++i) time += Time(span);
  CHECK((time - Time(6e7)).seconds() == Approx(1000 * span).epsilon(1e-15));
}

TEST_CASE("what is too long for a time is the latest") {
  for (const double seconds : {0x1p45, 1e300, std::numeric_limits<double>::infinity()}) {
    CHECK(Time(seconds) == Time::latest());
    CHECK(Time(-seconds) < Time());
  }
  CHECK(Time(0x1.fffffffffffffp44) < Time::latest());
  CHECK(Time::latest() < Time::never());
  CHECK(Time::latest() + Time::latest() + Time::latest() < Time::never());
}

TEST_CASE("timers end at their time, those of one time in the order in which they were started") {
  ClockBench b;
  b.timer(2, 1);
  b.timer(1, 2);
  b.clock.start_timer_at(Time(2), b.client, 3);
  b.timer(1, 4);
  const auto gone = b.timer(1, 5);
  b.clock.cancel(gone);
  CHECK(b.clock.timers() == 4);
  b.clock.run();
  CHECK(b.order == std::vector<std::uint32_t>{2, 4, 1, 3});
  CHECK(b.clock.now() == Time(2));
  CHECK(b.clock.timers() == 0);
}

TEST_CASE("of an instant timers come first, then events of sources one at a time, then the hooks") {
  ClockBench b;
  Source first(b), second(b);
  const Time soon = Time(1) + Time(0.5e-13);  // belongs to the instant of 1 s
  first.events = {{Time(1), 10}, {soon, 11}, {Time(3), 12}};
  second.events = {{Time(1), 20}};
  b.timer(1, 1);
  b.clock.start_timer_at(soon, b.client, 2);
  b.clock.after_instant([&] { b.order.push_back(99); });
  int rounds = 0;
  b.clock.after_instant([&] {
    b.order.push_back(100);
    if (++rounds == 1) b.timer(0, 3);  // has its turn in this instant, and so have the hooks after it
  });
  b.client.on_timer = [&](std::uint32_t n) {
    b.order.push_back(n);
    CHECK(b.clock.now() == Time(n == 12 ? 3 : 1));
    if (n == 10) b.timer(0, 4);  // before the next event
  };
  b.clock.run();
  CHECK(b.order == std::vector<std::uint32_t>{1, 2, 10, 4, 11, 20, 99, 100, 3, 99, 100, 12, 99, 100});
}

TEST_CASE("a hook of a clock on which nothing happens is not called") {
  ClockBench b;
  b.clock.after_instant([&] { b.order.push_back(99); });
  b.clock.run();
  CHECK(b.order.empty());
}

TEST_CASE("a clock that was stopped goes on where it stood, after the present instant") {
  ClockBench b;
  for (std::uint32_t n = 0; n < 4; ++n) b.timer(n / 2, n);
  b.client.on_timer = [&](std::uint32_t n) {
    b.order.push_back(n);
    b.clock.stop();
  };
  b.clock.run();
  CHECK(b.order == std::vector<std::uint32_t>{0, 1});
  b.clock.run();
  CHECK(b.order.size() == 4);
}

TEST_CASE("microseconds are as long after two years as at the beginning") {
  ClockBench b;
  const double step = 1.0 / 3 * 1e-6;
  b.clock.start_timer_at(Time(6.3e7), b.client, 1000);
  b.client.on_timer = [&](std::uint32_t left) {
    if (left > 0) b.timer(step, left - 1);
  };
  b.clock.run();
  CHECK((b.clock.now() - Time(6.3e7)).seconds() == Approx(1000 * step).epsilon(1e-15));
}

TEST_CASE("no timer goes beyond the latest time") {
  ClockBench b;
  b.timer(1e30, 0);
  CHECK_THROWS_AS(b.clock.run(), core::SimulationError);
}

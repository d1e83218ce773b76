// When rates are taken to be known: of rounds that are all alike, that settle, that scatter.

#include "cosim/run_times/steadiness.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>

#include "core/random.hpp"

namespace toroid::cosim {
namespace {

struct Found {
  int rounds = 0;  ///< until it was known
  double seconds = 0;
};

/// `round(k)`: seconds of the k-th.
Found find(const EpochOptions& options, const std::function<double(int)>& round) {
  Steadiness steadiness(1, Time(), options);
  double now = 0;
  for (int k = 0;; ++k) {
    now += round(k);
    if (steadiness.round_over(0, Time(now))) return {k + 1, steadiness.seconds_per_round()[0]};
  }
}

TEST_CASE("Rounds that are all alike are known after sixteen, whatever the first ones take") {
  CHECK(find({}, [](int) { return 2.0; }).rounds == 16);
  const auto found = find({}, [](int k) { return k < 2 ? 5.0 : 2.0; });
  CHECK(found.rounds == 16);
  CHECK(found.seconds == Approx(2));
  CHECK(find({.rounds = 2}, [](int k) { return 1.0 + k; }).seconds == Approx(2));
}

TEST_CASE("Rounds that become longer until ranks are out of step are waited for") {
  // As broadcasts do: 1.75 ms at first, 1.972 ms after some twenty rounds.
  const auto found = find({}, [](int k) { return 1.972 - 0.222 * std::exp(-k / 7.0); });
  CHECK(found.rounds >= 16);
  CHECK(found.seconds == Approx(1.972).epsilon(0.01));
}

TEST_CASE("Rounds that are alike only as long as ranks go in step are not taken for all") {
  const auto found = find({}, [](int k) { return k < 8 ? 5.617 : 8.81; });
  CHECK(found.rounds == 32);
  CHECK(found.seconds == Approx(8.81));
}

TEST_CASE("Rounds that scatter are seen the longer the more they do, up to the most that is allowed") {
  int last = 0;
  for (const double spread : {0.02, 0.2, 0.6}) {
    double squares = 0, rounds = 0;
    constexpr int cases = 200;
    for (int seed = 0; seed < cases; ++seed) {
      core::Random random(static_cast<std::uint64_t>(seed), "tests/steadiness");
      const auto found = find({.rounds = 1024}, [&](int) { return 1 + spread * (2 * random.unit() - 1); });
      squares += (found.seconds - 1) * (found.seconds - 1);
      rounds += found.rounds;
    }
    CHECK(std::sqrt(squares / cases) < 0.02);
    CHECK(rounds / cases > last);
    last = static_cast<int>(rounds / cases);
    core::Random random(1, "tests/steadiness");
    CHECK(find({.rounds = 32}, [&](int) { return 1 + spread * (2 * random.unit() - 1); }).rounds <= 32);
  }
}

TEST_CASE("Jobs are seen in the same time: a quick one for as long as the slow one takes") {
  Steadiness steadiness(2, Time(), {});
  std::vector<int> rounds(2);
  bool is_known = false;
  for (int tick = 1; !is_known; ++tick) {
    ++rounds[0];
    is_known = steadiness.round_over(0, Time(0.1 * tick));
    if (tick % 10 != 0) continue;
    ++rounds[1];
    is_known = steadiness.round_over(1, Time(0.1 * tick)) || is_known;
  }
  CHECK(rounds == std::vector<int>{160, 16});
  CHECK(steadiness.seconds_per_round()[0] == Approx(0.1));
  CHECK(steadiness.seconds_per_round()[1] == Approx(1));
}

}  // namespace
}  // namespace toroid::cosim

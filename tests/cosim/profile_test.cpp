// The free nodes of the future beside a list with one number for each second.

#include "cosim/schedulers/profile.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/random.hpp"

namespace toroid::cosim {
namespace {

constexpr int seconds = 3'000;

Time at(int second) {
  return Time(static_cast<double>(second));
}

/// The last number holds for ever.
int earliest(const std::vector<int>& free, int from, int nodes, int duration, int limit) {
  for (int start = from; start < limit; ++start) {
    const auto first = free.begin() + std::min(start, seconds);
    const auto last = free.begin() + std::min(std::min(start + duration, limit), seconds + 1);
    if (*first >= nodes && std::all_of(first, std::max(first, last), [&](int n) { return n >= nodes; })) return start;
  }
  return limit;
}

/// Where many plans are short there are hundreds of steps.
void check_profile(std::uint64_t seed, int longest) {
  core::Random random(seed, "tests/profile");
  const auto below = [&](int n) { return static_cast<int>(random.below(static_cast<std::uint64_t>(n))); };
  Profile profile(at(0), 100);
  std::vector<int> free(seconds + 1, 100);
  int now = 0;
  for (int i = 0; i < 600; ++i) {
    const int from = std::max(now, below(seconds - longest)), until = from + 1 + below(longest);
    const int nodes = below(40) - (i < 300 ? 25 : 15);
    profile.add(at(from), at(until), nodes);
    std::for_each(free.begin() + from, free.begin() + until, [&](int& n) { n += nodes; });
    const int needed = 40 + below(90), duration = below(4) == 0 ? 0 : below(longest);
    const int since = now + below(200), limit = since + below(seconds);
    CHECK(profile.earliest(at(since), needed, at(duration), at(limit)) ==
          at(earliest(free, since, needed, duration, limit)));
    if (i % 100 == 99) profile.forget_before(at(now += below(100)));
  }
}

TEST_CASE("A profile of free nodes says what a list of them by the second says") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) check_profile(seed, seed % 2 == 0 ? 20 : 400);
}

}  // namespace
}  // namespace toroid::cosim

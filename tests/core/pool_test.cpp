#include "core/pool.hpp"

#include <catch2/catch.hpp>

#include <map>

#include "core/random.hpp"

using namespace toroid;

TEST_CASE("present objects of a pool have names of their own, as few as were ever needed at once") {
  core::Random random(1, "pool");
  core::Pool<int> pool;
  std::map<core::Pool<int>::Id, int> present;
  std::size_t most = 0;
  for (int step = 0; step < 2000; ++step) {
    if (present.empty() || random.below(2) == 0) {
      const auto [place, is_new] = present.try_emplace(pool.add(step), step);
      REQUIRE(is_new);
    } else {
      const auto place = std::next(present.begin(), static_cast<std::ptrdiff_t>(random.below(present.size())));
      pool.remove(place->first);
      present.erase(place);
    }
    most = std::max(most, present.size());
    for (const auto& [id, object] : present) REQUIRE(pool[id] == object);
  }
  CHECK(pool.slots().size() == most);
}

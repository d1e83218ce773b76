#include "core/random.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <numeric>

namespace toroid::core {
namespace {

std::vector<std::uint64_t> draw(std::uint64_t seed, std::string_view stream, std::uint64_t bound, std::size_t count) {
  Random random(seed, stream);
  std::vector<std::uint64_t> values;
  while (values.size() < count) values.push_back(random.below(bound));
  return values;
}

TEST_CASE("The numbers of a stream never change") {  // computed with an independent program
  CHECK(draw(1, "x", 1000, 8) == std::vector<std::uint64_t>{797, 276, 724, 633, 244, 604, 252, 55});
  Random random(1, "x");
  CHECK(random.unit() == 0.2863397277166171);
  CHECK(random.unit() == 0.686974711605883);
}

TEST_CASE("Seed and name alone decide the numbers") {
  const auto numbers = draw(7, "mapping", 1'000'000, 20);
  CHECK(draw(7, "mapping", 1'000'000, 20) == numbers);
  CHECK(draw(8, "mapping", 1'000'000, 20) != numbers);
  CHECK(draw(7, "mappinh", 1'000'000, 20) != numbers);
  CHECK(draw(7, "", 1'000'000, 20) != numbers);
}

TEST_CASE("A number is below its bound, whatever that is") {
  constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
  Random random(3, "bounds");
  for (const std::uint64_t bound : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{7}, largest / 2 + 2, largest})
    for (int i = 0; i < 200; ++i) REQUIRE(random.below(bound) < bound);
}

TEST_CASE("Every number below the bound comes about equally often") {
  std::vector<int> seen(7);
  for (const auto value : draw(5, "uniform", 7, 70'000)) ++seen[value];
  CHECK(*std::min_element(seen.begin(), seen.end()) > 9'600);  // 10,000 expected, 4 standard deviations
  CHECK(*std::max_element(seen.begin(), seen.end()) < 10'400);
}

TEST_CASE("Unit numbers fill the range from 0 to 1") {
  Random random(9, "unit");
  double low = 1, high = 0, sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double value = random.unit();
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
  }
  CHECK(low >= 0);
  CHECK(low < 0.001);
  CHECK(high < 1);
  CHECK(high > 0.999);
  CHECK(sum / 10'000 == Approx(0.5).margin(0.012));
}

TEST_CASE("A shuffle keeps every item and moves them") {
  std::vector<int> sorted(100);
  std::iota(sorted.begin(), sorted.end(), 0);
  auto items = sorted;
  Random(2, "shuffle").shuffle(items);
  CHECK(items != sorted);
  CHECK(std::is_permutation(items.begin(), items.end(), sorted.begin()));
}

TEST_CASE("A shuffle of nothing or of one item is that") {
  std::vector<int> none, one{4};
  Random random(2, "shuffle");
  random.shuffle(none);
  random.shuffle(one);
  CHECK(none.empty());
  CHECK(one == std::vector<int>{4});
}

}  // namespace
}  // namespace toroid::core

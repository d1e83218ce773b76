#include "core/huge_pages.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <vector>

using namespace toroid;

TEST_CASE("a vector in huge pages keeps what it has as it grows into them and shrinks out of them") {
  core::LargeVector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) numbers.push_back(i);
  std::vector<std::uint64_t> expected(1'000'000);
  std::iota(expected.begin(), expected.end(), 0U);
  CHECK(std::equal(numbers.begin(), numbers.end(), expected.begin(), expected.end()));
  CHECK(reinterpret_cast<std::uintptr_t>(numbers.data()) % (std::uintptr_t{2} << 20U) == 0);
  const auto copy = numbers;
  numbers.resize(10);
  numbers.shrink_to_fit();
  CHECK(std::equal(numbers.begin(), numbers.end(), expected.begin(), expected.begin() + 10));
  CHECK(std::equal(copy.begin(), copy.end(), expected.begin(), expected.end()));
}

TEST_CASE("a small vector in huge pages lies where its type may") {
  struct alignas(64) Line {
    char bytes[64];
  };
  for (std::size_t count = 1; count < 100; ++count) {
    const core::LargeVector<Line> lines(count);
    CHECK(reinterpret_cast<std::uintptr_t>(lines.data()) % 64 == 0);
  }
}

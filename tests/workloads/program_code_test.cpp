#include "workloads/program_code.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/random.hpp"

namespace toroid::workloads {
namespace {

std::uint64_t bits(double amount) {
  return std::bit_cast<std::uint64_t>(amount);
}

TEST_CASE("An empty program has no items") {
  ProgramCode code;
  CHECK(ProgramCode::Reader(code).at_end());
  code.shrink_to_fit();
  CHECK(ProgramCode::Reader(code).at_end());
}

TEST_CASE("Amounts come back to the last bit") {
  using Limits = std::numeric_limits<double>;
  std::vector<double> amounts{0.0,           -0.0,
                              0.5,           -1,
                              -1.5,          1e300,
                              Limits::min(), Limits::denorm_min(),
                              Limits::max(), Limits::infinity(),
                              1e16,          9007199254740993.0};
  for (const double edge : {255.0, 65'535.0, 65'536.0, 16'777'216.0, 4'294'967'295.0, 4'294'967'296.0})
    for (const double amount :
         {edge - 1, edge, edge + 1, edge + 0.5, std::nextafter(edge, 0), std::nextafter(edge, 1e99)})
      amounts.push_back(amount);
  ProgramCode code;
  for (const double amount : amounts) code.add_computation(amount);
  code.shrink_to_fit();
  ProgramCode::Reader reader(code);
  for (const double amount : amounts) {
    CAPTURE(amount);
    REQUIRE(reader.at_computation());
    CHECK(bits(reader.amount()) == bits(amount));
  }
  CHECK(reader.at_end());
}

TEST_CASE("Numbers of every length come back") {
  std::vector<std::uint32_t> numbers{0, 1, 1'000'000'000, 4'294'967'292};
  for (const std::uint32_t edge : {128U, 16'384U, 2'097'152U, 268'435'456U})
    for (const std::uint32_t below : {0U, 1U, 2U, 3U, 4U, 5U}) numbers.push_back(edge - below);
  ProgramCode code;
  for (const auto number : numbers) code.add_operation(number);
  code.shrink_to_fit();
  ProgramCode::Reader reader(code);
  for (const auto number : numbers) {
    REQUIRE_FALSE(reader.at_computation());
    CHECK(reader.number() == number);
  }
  CHECK(reader.at_end());
}

TEST_CASE("Random programs come back item by item, whichever item is the last") {
  core::Random random(1, "program code");
  for (int round = 0; round < 500; ++round) {
    struct Item {
      std::optional<double> amount;
      std::uint32_t number;
    };
    std::vector<Item> items;
    ProgramCode code;
    for (auto left = random.below(40); left > 0; --left) {
      Item item{std::nullopt, static_cast<std::uint32_t>(random.below(1ULL << random.below(32)))};
      const auto whole = static_cast<double>(random.below(1ULL << random.below(40)));
      if (random.below(2) == 0) item.amount = random.below(4) == 0 ? whole + random.unit() : whole;
      item.amount ? code.add_computation(*item.amount) : code.add_operation(item.number);
      items.push_back(item);
    }
    if (random.below(2) == 0) code.shrink_to_fit();
    ProgramCode::Reader reader(code);
    for (const auto& item : items) {
      REQUIRE_FALSE(reader.at_end());
      REQUIRE(reader.at_computation() == item.amount.has_value());
      if (item.amount) {
        REQUIRE(bits(reader.amount()) == bits(*item.amount));
      } else {
        REQUIRE(reader.number() == item.number);
      }
    }
    REQUIRE(reader.at_end());
  }
}

using Code = std::vector<std::uint8_t>;

/// How many items a block has, as the documentation of the form says it, byte by byte; nothing if it is not sound.
std::optional<std::uint64_t> items_in(const Code& items, Code whole, Code real, std::uint64_t operations) {
  std::uint64_t count = 0;
  for (std::size_t at = 0; at < items.size(); ++count) {
    if (items[at] <= 2) {
      auto& amounts = items[at] == 2 ? real : whole;
      const std::size_t width = items[at] == 0 ? 2 : items[at] == 1 ? 4 : 8;
      ++at;
      if (amounts.size() < width) return std::nullopt;
      double amount = 0;
      if (width == 8) std::copy_n(amounts.begin(), 8, reinterpret_cast<std::uint8_t*>(&amount));
      if (!std::isfinite(amount) || amount < 0) return std::nullopt;
      amounts.erase(amounts.begin(), amounts.begin() + static_cast<std::ptrdiff_t>(width));
      continue;
    }
    double number = 0, scale = 1;
    std::size_t length = 0;
    do {
      if (at == items.size() || ++length > 5) return std::nullopt;
      number += scale * (items[at] % 128);
      scale *= 128;
    } while (items[at++] >= 128);
    if (number < 3 || number - 3 >= static_cast<double>(operations)) return std::nullopt;
  }
  return whole.empty() && real.empty() ? std::optional(count) : std::nullopt;
}

TEST_CASE("Blocks are sound or not as the form says, byte by byte") {
  core::Random random(2, "program code/blocks");
  int sound = 0;
  for (int round = 0; round < 20'000; ++round) {
    const auto operations = random.below(4) == 0 ? 1 + random.below(1000) : 1 + random.below(4);
    ProgramCode code;
    for (auto left = random.below(12); left > 0; --left) switch (random.below(4)) {
        case 0:
          code.add_computation(static_cast<double>(random.below(1ULL << random.below(40))));
          break;
        case 1:
          code.add_computation(random.unit());
          break;
        default:
          code.add_operation(static_cast<std::uint32_t>(random.below(operations)));
      }
    const auto block = code.block();
    Code items(block.items.begin(), block.items.end()), whole(block.whole.begin(), block.whole.end()),
        real(block.real.begin(), block.real.end());
    CHECK(ProgramCode::check(block, operations).fault.empty());
    for (auto* bytes : {&items, &whole, &real}) {
      if (random.below(2) == 0 || bytes->empty()) continue;
      const auto at = random.below(bytes->size());
      if (random.below(3) == 0)
        bytes->erase(bytes->begin() + static_cast<std::ptrdiff_t>(at));
      else
        (*bytes)[at] = static_cast<std::uint8_t>(random.below(2) == 0 ? random.below(6) : random.below(256));
    }
    const auto checked = ProgramCode::check({items, whole, real}, operations);
    const auto expected = items_in(items, whole, real, operations);
    REQUIRE(checked.fault.empty() == expected.has_value());
    if (!expected) continue;
    ++sound;
    CHECK(checked.items == *expected);
    ProgramCode again;
    again.add({items, whole, real});
    std::uint64_t read = 0;
    for (ProgramCode::Reader reader(again); !reader.at_end(); ++read) {
      const bool computes = reader.at_computation();
      if (computes) REQUIRE(reader.amount() >= 0);
      if (!computes) REQUIRE(reader.number() < operations);
    }
    CHECK(read == *expected);
  }
  CHECK(sound > 2000);
}

}  // namespace
}  // namespace toroid::workloads

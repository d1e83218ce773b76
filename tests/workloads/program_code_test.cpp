#include "workloads/program_code.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <optional>

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

}  // namespace
}  // namespace toroid::workloads

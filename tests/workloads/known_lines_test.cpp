#include "workloads/formats/text.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "core/random.hpp"
#include "tests/support/ids.hpp"

namespace toroid::workloads {
namespace {

TEST_CASE("A line that was not added is not known") {
  KnownLines lines;
  CHECK(lines.find("0 barrier") == nullptr);
  lines.add("0 barrier", {0, 1});
  CHECK(lines.find("0 barrie") == nullptr);
  CHECK(lines.find("0 barrier ") == nullptr);
  CHECK(lines.find("1 barrier") == nullptr);
  CHECK(lines.find("") == nullptr);
}

TEST_CASE("Lines of all lengths are known, and told from those that differ in one character") {
  KnownLines lines;
  for (std::size_t length = 0; length < 100; ++length)
    lines.add(std::string(length, 'x'), {7, static_cast<std::uint32_t>(length)});
  for (std::size_t length = 0; length < 100; ++length) {
    std::string line(length, 'x');
    CAPTURE(length);
    REQUIRE(lines.find(line) != nullptr);
    CHECK(lines.find(line)->rank == 7);
    CHECK(lines.find(line)->number == length);
    for (char& c : line) {
      c = 'y';
      CHECK(lines.find(line) == nullptr);
      c = 'x';
    }
  }
}

TEST_CASE("Lines are kept, not what they lay in") {
  KnownLines lines;
  std::string text = "0 send 1 0 8 6";
  lines.add(text, {0, 3});
  text[0] = '1';
  CHECK(lines.find(text) == nullptr);
  CHECK(lines.find("0 send 1 0 8 6") != nullptr);
}

TEST_CASE("Many random lines are found again, until they are cleared") {
  core::Random random(1, "known lines");
  std::map<std::string, std::uint32_t> expected;
  KnownLines lines;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    std::string line;
    for (auto length = 1 + random.below(4); length > 0; --length) line += std::to_string(random.below(60)) + " ";
    if (expected.emplace(line, i).second) lines.add(line, {Rank(i % 64), i});
  }
  for (const auto& [line, number] : expected) {
    const auto* found = lines.find(line);
    REQUIRE(found != nullptr);
    REQUIRE(found->number == number);
    REQUIRE(found->rank == Rank(number % 64));
  }
  lines.clear();
  for (const auto& [line, number] : expected) REQUIRE(lines.find(line) == nullptr);
}

}  // namespace
}  // namespace toroid::workloads

#include "study/journal.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "tests/support/support.hpp"

using namespace toroid;
using study::Journal;

TEST_CASE("a journal gives back what was added, and goes when it is done") {
  const test::Scratch scratch;
  const auto path = scratch.path("j");
  { Journal(path, {{"name", "a"}}).add(7, {{"runtime_s", 0.1}}); }
  Journal again(path, {{"name", "a"}});
  CHECK(again.known().at(7)["runtime_s"] == 0.1);
  again.remove();
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("an unfinished last line is dropped, what came before is kept") {
  const test::Scratch scratch;
  const auto path = scratch.path("j");
  { Journal(path, {{"name", "a"}}).add(1, {{"runtime_s", 1}}); }
  std::ofstream(path, std::ios::app) << R"({"task": 2, "resu)";
  { Journal(path, {{"name", "a"}}).add(3, {{"runtime_s", 3}}); }
  const Journal again(path, {{"name", "a"}});
  CHECK(again.known().size() == 2);
  CHECK(again.known().contains(3));
}

TEST_CASE("a journal whose first line is unfinished begins anew") {
  const test::Scratch scratch;
  const auto path = scratch.path("j");
  const core::Json study{{"name", "a"}};
  { Journal(path, study).add(1, {{"runtime_s", 1}}); }
  const auto whole = test::content(path);
  std::filesystem::resize_file(path, 14);
  { Journal(path, study).add(1, {{"runtime_s", 1}}); }
  CHECK(test::content(path) == whole);
}

TEST_CASE("a damaged line of a journal is named") {
  const test::Scratch scratch;
  const auto path = scratch.path("j");
  { Journal(path, {{"name", "a"}}).add(1, {{"runtime_s", 1}}); }
  std::ofstream(path, std::ios::app) << "{\"task\":\n";
  CHECK_THROWS_WITH(Journal(path, {{"name", "a"}}), Catch::StartsWith(path + ":3: found '{\"task\":', expected"));
}

TEST_CASE("the journal of another study is refused and left alone") {
  const test::Scratch scratch;
  const auto path = scratch.path("j");
  { Journal(path, {{"name", "a"}}).add(1, {{"runtime_s", 1}}); }
  CHECK_THROWS_AS(Journal(path, {{"name", "b"}}), core::InputError);
  CHECK(Journal(path, {{"name", "a"}}).known().size() == 1);
  CHECK_THROWS_AS(Journal(scratch.path("no/such/folder"), {}), core::InputError);
}

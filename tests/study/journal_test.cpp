#include "study/journal.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "tests/support/support.hpp"

using namespace toroid;
using core::Json;
using study::Journal;
using study::Measures;

namespace {

Json run(const std::string& trace, std::uint64_t seed) {
  return {{"platform", "mesh:4"}, {"trace", trace}, {"map", "random"}, {"seed", seed}, {"engine", "fluid"}};
}

Journal::Head head(const std::string& eager = "64KiB", const std::string& hash = "abc") {
  return {{{"eager", eager}}, {{"a.ti", Json::array({hash})}}};
}

Measures measures(double runtime) {
  return {.runtime = runtime, .hop_bytes = 12345678901234567, .hops_per_byte = 1.0 / 3};
}

}  // namespace

TEST_CASE("a journal gives back what was added") {
  const test::Scratch scratch;
  const auto path = scratch.path("j");
  { Journal(path, head()).add(run("a.ti", 7), measures(0.1)); }
  const Journal again(path, head());
  CHECK(again.find(run("a.ti", 7)) == measures(0.1));
  CHECK_FALSE(again.find(run("a.ti", 8)));
}

TEST_CASE("an unfinished last line is dropped, what came before is kept") {
  const test::Scratch scratch;
  const auto path = scratch.path("j");
  { Journal(path, head()).add(run("a.ti", 1), measures(1)); }
  std::ofstream(path, std::ios::app) << R"({"run": 2, "resu)";
  { Journal(path, head()).add(run("a.ti", 3), measures(3)); }
  const Journal again(path, head());
  CHECK(again.find(run("a.ti", 1)));
  CHECK(again.find(run("a.ti", 3)));
}

TEST_CASE("a journal whose first line is unfinished begins anew") {
  const test::Scratch scratch;
  const auto path = scratch.path("j");
  { Journal(path, head()).add(run("a.ti", 1), measures(1)); }
  const auto whole = test::content(path);
  std::filesystem::resize_file(path, 14);
  { Journal(path, head()).add(run("a.ti", 1), measures(1)); }
  CHECK(test::content(path) == whole);
}

TEST_CASE("a damaged line of a journal is named") {
  const test::Scratch scratch;
  const auto path = scratch.path("j");
  { Journal(path, head()).add(run("a.ti", 1), measures(1)); }
  std::ofstream(path, std::ios::app) << "{\"run\":\n";
  CHECK_THROWS_WITH(Journal(path, head()), Catch::StartsWith(path + ":3: found '{\"run\":', expected"));
}

TEST_CASE("runs with other settings or inputs are kept, and not taken for these") {
  const test::Scratch scratch;
  const auto path = scratch.path("j");
  {
    Journal first(path, head());
    first.add(run("a.ti", 1), measures(1));
    first.add(run("stencil", 1), measures(2));
  }
  {
    Journal eager(path, head("1MiB"));
    CHECK_FALSE(eager.find(run("a.ti", 1)));
    eager.add(run("a.ti", 1), measures(3));
  }
  {
    const Journal changed(path, head("64KiB", "def"));  // a.ti is another file now
    CHECK_FALSE(changed.find(run("a.ti", 1)));
    CHECK(changed.find(run("stencil", 1)) == measures(2));
  }
  CHECK(Journal(path, head()).find(run("a.ti", 1)) == measures(1));
  CHECK(Journal(path, head("1MiB")).find(run("a.ti", 1)) == measures(3));
}

TEST_CASE("what is no journal is refused and left alone, and so is one in use") {
  const test::Scratch scratch;
  const auto notes = scratch.write("notes", "my notes\n");
  CHECK_THROWS_AS(Journal(notes, head()), core::InputError);
  CHECK(test::content(notes) == "my notes\n");
  const Journal open(scratch.path("j"), head());
  CHECK_THROWS_WITH(Journal(scratch.path("j"), head()), Catch::Contains("another study is writing this"));
  CHECK_THROWS_AS(Journal(scratch.path("no/such/folder"), {}), core::InputError);
}

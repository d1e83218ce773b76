#include "study/tasks/journal.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "core/inputs.hpp"
#include "tests/study/measures.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/study/rows.hpp"

using namespace toroid;
using core::Json;
using study::Journal;

namespace {

Json run(const std::string& trace, std::uint64_t seed) {
  return {{"platform", "mesh:4"}, {"trace", trace}, {"map", "random"}, {"seed", seed}, {"engine", "fluid"}};
}

Journal::Head head(const std::string& eager = "64KiB", const std::string& hash = "abc") {
  return {{{"eager", eager}}, {{"a.ti", Json::array({hash})}}};
}

Json measures(double runtime) {
  return study::measures_json(
      test::measures(runtime, {{"hop_bytes", std::uint64_t{12345678901234567}}, {"hops_per_byte", 1.0 / 3}}));
}

/// What the journal knows of a run; null if nothing.
Json found(const Journal& journal, const Json& run) {
  const auto* known = journal.find(run);
  return known == nullptr ? Json() : *known;
}

}  // namespace

TEST_CASE("a journal gives back what was added") {
  const test::Scratch scratch;
  const auto path = scratch.path("j");
  { Journal(path, head()).add(run("a.ti", 7), measures(0.1)); }
  const Journal again(path, head());
  CHECK(found(again, run("a.ti", 7)) == measures(0.1));
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

TEST_CASE("a damaged journal is not believed, whatever character it is that changed") {
  const test::Scratch scratch;
  const auto path = scratch.path("j");
  { Journal(path, head()).add(run("a.ti", 1), measures(1.25)); }
  const auto whole = test::content(path);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    if (whole[at] == '\n') continue;
    auto damaged = whole;
    damaged[at] = damaged[at] == '7' ? '8' : '7';
    scratch.write("j", damaged);
    CAPTURE(at);
    CHECK_THROWS_WITH(Journal(path, head()),
                      Catch::Contains("is no journal of a study") || Catch::Contains(": is damaged: found '"));
    CHECK(test::content(path) == damaged);
  }
  scratch.write("j", whole + "{\"run\":\n");
  CHECK_THROWS_WITH(Journal(path, head()), Catch::StartsWith(path + ":3: is damaged: found '{\"run\":', expected"));
}

TEST_CASE("runs are believed below their own head alone") {
  const test::Scratch scratch;
  const auto path = scratch.path("j");
  { Journal(path, head()).add(run("a.ti", 1), measures(1)); }
  { Journal(path, head("8KiB")).add(run("a.ti", 1), measures(2)); }
  auto text = test::content(path);
  const auto second = text.find("{\"settings\"", 1);
  SECTION("a damaged head is named as such") {
    text[second + 20] ^= 1;
    scratch.write("j", text);
    CHECK_THROWS_WITH(Journal(path, head()), Catch::StartsWith(path + ":3: is damaged: found '{\"settings\"") &&
                                                 Catch::EndsWith("delete the line and those below to go on"));
  }
  SECTION("a run whose head is gone is not taken for one of the head before") {
    text.erase(second, text.find('\n', second) + 1 - second);
    scratch.write("j", text);
    CHECK_THROWS_WITH(Journal(path, head()), Catch::StartsWith(path + ":3: is damaged: found '{\"run\""));
  }
}

TEST_CASE("a journal may be cut anywhere") {
  const test::Scratch scratch;
  const auto path = scratch.path("j");
  { Journal(path, head()).add(run("a.ti", 1), measures(1)); }
  const auto whole = test::content(path);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    scratch.write("j", whole.substr(0, size));
    { Journal(path, head()).add(run("a.ti", 1), measures(1)); }
    CAPTURE(size);
    CHECK(test::content(path) == whole);
  }
}

TEST_CASE("runs of another build are not taken for those of this one") {
  const test::Scratch scratch;
  const auto path = scratch.path("j");
  { Journal(path, head()).add(run("a.ti", 1), measures(1)); }
  const auto whole = test::content(path);
  const auto end = whole.find('\n');
  auto other = whole.substr(0, end - 17);
  const auto result = whole.substr(end + 1, whole.size() - end - 2 - 17);
  const auto journal_of = [&](const std::string& build) {
    const auto line = [](const std::string& above, const std::string& json) {
      return json + " " + core::sha256_of_text(above + json).substr(0, 16) + "\n";
    };
    return line("", build) + line(build, result);
  };
  CHECK(journal_of(other) == whole);
  const auto build = other.find("\"build\":\"") + 9;
  other[build] = other[build] == '7' ? '8' : '7';
  scratch.write("j", journal_of(other));
  CHECK_FALSE(Journal(path, head()).find(run("a.ti", 1)));
}

TEST_CASE("a journal is a file") {
  const test::Scratch scratch;
  REQUIRE(::mkfifo(scratch.path("pipe").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(Journal(scratch.path("pipe"), head()), Catch::Contains("is no regular file"));
  CHECK_THROWS_WITH(Journal("/dev/null", head()), Catch::Contains("is no regular file"));
}

TEST_CASE("runs may have names that are no UTF-8") {
  const test::Scratch scratch;
  const auto path = scratch.path("j");
  const Journal::Head named{{{"nodes", "\xfe"}}, {{"\xff.ti", Json::array({"abc"})}}};
  { Journal(path, named).add(run("\xff.ti", 1), measures(1)); }
  CHECK(found(Journal(path, named), run("\xff.ti", 1)) == measures(1));
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
    CHECK(found(changed, run("stencil", 1)) == measures(2));
  }
  CHECK(found(Journal(path, head()), run("a.ti", 1)) == measures(1));
  CHECK(found(Journal(path, head("1MiB")), run("a.ti", 1)) == measures(3));
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

#include "study/journal.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "core/file.hpp"
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

TEST_CASE("a damaged journal is not believed, whatever character it is that changed") {
  const test::Scratch scratch;
  const auto path = scratch.path("j");
  { Journal(path, {{"name", "a"}}).add(1, {{"runtime_s", 1.25}}); }
  const auto whole = test::content(path);
  const auto second = whole.find('\n') + 1;
  for (std::size_t at = 0; at + 1 < whole.size(); ++at) {
    if (whole[at] == '\n') continue;
    auto damaged = whole;
    damaged[at] = damaged[at] == '7' ? '8' : '7';
    scratch.write("j", damaged);
    CAPTURE(at, damaged);
    CHECK_THROWS_WITH(Journal(path, {{"name", "a"}}),
                      Catch::StartsWith(at < second ? path + ": is there, but" : path + ":2: is damaged: found '"));
    CHECK(test::content(path) == damaged);
  }
  scratch.write("j", whole + "{\"task\":\n");
  CHECK_THROWS_WITH(Journal(path, {{"name", "a"}}), Catch::StartsWith(path + ":3: is damaged: found '{\"task\":'"));
}

TEST_CASE("a journal may be cut anywhere") {
  const test::Scratch scratch;
  const auto path = scratch.path("j");
  const core::Json study{{"name", "a"}}, result{{"runtime_s", 1.25}};
  { Journal(path, study).add(1, result); }
  const auto whole = test::content(path);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    scratch.write("j", whole.substr(0, size));
    { Journal(path, study).add(1, result); }
    CAPTURE(size);
    CHECK(test::content(path) == whole);
  }
}

TEST_CASE("the journal of another build is refused") {
  const test::Scratch scratch;
  const auto path = scratch.path("j");
  { Journal(path, {{"name", "a"}}); }
  auto head = test::content(path).substr(17);
  head.pop_back();
  const auto build = head.find("\"build\":\"") + 9;
  head[build] = head[build] == '7' ? '8' : '7';
  scratch.write("j", core::sha256_of_text(head).substr(0, 16) + " " + head + "\n");
  CHECK_THROWS_WITH(Journal(path, {{"name", "a"}}), Catch::Contains("was written by another build of toroid"));
}

TEST_CASE("a journal is a file") {
  const test::Scratch scratch;
  REQUIRE(::mkfifo(scratch.path("pipe").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(Journal(scratch.path("pipe"), {}), Catch::Contains("is no regular file"));
  CHECK_THROWS_WITH(Journal("/dev/null", {}), Catch::Contains("is no regular file"));
}

TEST_CASE("a study may have names that are no UTF-8") {
  const test::Scratch scratch;
  const core::Json study{{"name", "\xff.ti"}};
  { Journal(scratch.path("j"), study).add(1, {{"runtime_s", 1}}); }
  CHECK(Journal(scratch.path("j"), study).known().size() == 1);
}

TEST_CASE("the journal of another study is refused and left alone") {
  const test::Scratch scratch;
  const auto path = scratch.path("j");
  { Journal(path, {{"name", "a"}}).add(1, {{"runtime_s", 1}}); }
  CHECK_THROWS_AS(Journal(path, {{"name", "b"}}), core::InputError);
  CHECK(Journal(path, {{"name", "a"}}).known().size() == 1);
  CHECK_THROWS_AS(Journal(scratch.path("no/such/folder"), {}), core::InputError);
}

// Questions of a reader, answered from a page alone, and held against what the answer must be.

#include <catch2/catch.hpp>
#include <numeric>

#include "core/units.hpp"
#include "tests/support/support.hpp"
#include "tests/views/documents.hpp"

using namespace toroid;
using core::Json;

namespace {

/// What a page answers to a question of tests/browser/task_page.py; null where there is no browser.
Json answer_of(const std::string& question, const std::string& page) {
  const auto text = test::run_browser_script("task_page.py", page + " " + question);
  return text.empty() ? Json() : core::parse_json(text);
}

}  // namespace

TEST_CASE("The page tells which link limits CG on a mesh, and who loads it", "[slow]") {
  const test::Scratch scratch;
  const auto page = scratch.path("page.html"), result = scratch.path("run.json");
  REQUIRE(test::run_toroid("simulate mesh:8x8 cg:class=A,ranks=64,iterations=1 --engine fluid --explain --html " +
                           page + " --json " + result)
              .exit_code == 0);
  const auto answer = answer_of("limits", page);
  if (answer.is_null()) return;
  const auto told = core::parse_json(test::content(result));
  CHECK(answer["link"] == told["explanation"]["links"][0]["link"]);
  CHECK(answer["link"] == "n1 -> n0 (-x)");
  // By routes in dimension order, along x first, messages that take this link go from row 0 to column 0.
  REQUIRE(answer["pairs"].size() == 8);
  for (const auto& pair : answer["pairs"]) {
    const auto from = std::stoi(pair[0].get<std::string>().substr(5)),
               to = std::stoi(pair[1].get<std::string>().substr(5));
    CHECK((from > 0 && from < 8 && to % 8 == 0));
  }
  // The critical path as a chain adds up to the run time, but for digits that are not shown.
  auto takes = answer["takes"].get<std::vector<double>>();
  REQUIRE(takes.size() > 41);
  const double runtime = told["runtime_s"], all = takes.back();
  takes.pop_back();
  CHECK(all == Approx(runtime).epsilon(0.005));
  CHECK(std::accumulate(takes.begin(), takes.end(), 0.0) == Approx(runtime).epsilon(0.005));
}

TEST_CASE("The page tells which job slows which on BigBen", "[slow]") {
  const test::Scratch scratch;
  const auto page = scratch.path("page.html"), result = scratch.path("jobs.json");
  REQUIRE(test::run_toroid("simulate bigben --engine fluid --alloc random --map random "
                           "--job '(stencil:grid=10x10x10,bytes=1MiB,steps=2),name=wide' "
                           "--job '(cg:class=S,ranks=64,iterations=2),name=cg' "
                           "--job '(stencil:grid=2x2,bytes=8),name=small' --html " +
                           page + " --json " + result)
              .exit_code == 0);
  const auto answer = answer_of("slows", page);
  if (answer.is_null()) return;
  const auto told = core::parse_json(test::content(result));
  REQUIRE(answer["lost"].size() == 3);
  std::string most;
  double lost = 0;
  for (const auto& pair : told["contention"])
    if (pair["victim"] == "cg" && pair["aggressor"] != "cg" && pair["contention_s"].get<double>() > lost) {
      lost = pair["contention_s"];
      most = pair["aggressor"];
    }
  CHECK(most == "wide");
  for (std::size_t victim = 0; victim < 3; ++victim)
    for (std::size_t other = 0; other < 3; ++other) {
      const auto& pair = told["contention"][3 * victim + other];
      CHECK(answer["to"][1 + other] == "to " + pair["aggressor"].get<std::string>());
      CHECK(answer["lost"][victim][0] == pair["victim"]);
      const std::string cell = answer["lost"][victim][1 + other];
      CHECK((cell == "-") == !(pair["contention_s"].get<double>() > 0));
      if (cell != "-")
        CHECK_THAT(cell, Catch::Contains(fmt::format("({:.1f} %)", 100 * pair["runtime_share"].get<double>())));
    }
}

TEST_CASE("The page tells which dimension of a platform file has a wrong bandwidth") {
  const test::Scratch scratch;
  const auto file = scratch.path("machine.xml"), page = scratch.path("page.html");
  REQUIRE(
      test::run_toroid("platform create wrong --from torus:8x8x8,bandwidth=2GBps/200MBps/2GBps -o " + file).exit_code ==
      0);
  REQUIRE(test::run_toroid("platform show " + file + " --html " + page).exit_code == 0);
  const auto answer = answer_of("differs", page);
  if (answer.is_null()) return;
  CHECK(answer[0] == Json({"2.00 GB/s", "2,048", "x, z"}));
  CHECK(answer[1] == Json({"200 MB/s", "1,024", "y"}));
}

// A study in parts is joined into what one process would have written.

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/support/support.hpp"

using namespace toroid;
using test::content;
using test::run_script;
using test::run_toroid;

namespace {

constexpr std::array kinds{"csv", "json", "html", "svg", "markdown", "tex"};

void check_same_outputs(const test::Scratch& scratch, const std::string& study, int parts, int exit_code = 0) {
  CAPTURE(study, parts);
  const auto outputs = [&](const std::string& name) {
    const auto path = scratch.path(name);
    std::string options;
    for (const std::string kind : kinds) options += " --" + kind + " " + path + "." + kind;
    return options;
  };
  const auto whole = run_toroid("compare " + study + outputs("whole"));
  REQUIRE(whole.exit_code == exit_code);
  std::string files;
  for (int i = parts; i >= 1; --i) {
    const auto file = scratch.path("p" + std::to_string(i));
    std::filesystem::remove(file);
    const auto r =
        run_toroid("compare " + study + " --part " + std::to_string(i) + "/" + std::to_string(parts) + " -o " + file);
    CHECK((r.exit_code == 0 || r.exit_code == exit_code));
    files += " " + file;
  }
  const auto merged = run_toroid("merge" + files + outputs("merged"));
  CHECK(merged.exit_code == exit_code);
  CHECK(merged.out == whole.out);
  CHECK(merged.err == whole.err);
  for (const std::string kind : kinds)
    CHECK(content(scratch.path("merged." + kind)) == content(scratch.path("whole." + kind)));
  for (const std::string name : {"whole", "merged"}) {
    for (const std::string kind : kinds) std::filesystem::remove(scratch.path(name + "." + kind));
    std::filesystem::remove(scratch.path(name + ".csv.journal"));
  }
}

}  // namespace

TEST_CASE("parts of a study are joined into what one process writes", "[slow]") {
  const test::Scratch scratch;
  const auto trace = scratch.path("t.ti");
  REQUIRE(run_toroid("trace convert stencil:grid=3x3 -o " + trace).exit_code == 0);
  const std::string study = "mesh:3x3 torus:3x3 --trace mine:=" + trace + " stencil:grid=2x2 --map random consecutive ";
  // Few parts, as many as there are runs, and more; groups of repetitions that are cut.
  for (const int parts : {1, 3, 12, 17}) check_same_outputs(scratch, study + "--repeat 2 --seed 5", parts);
  check_same_outputs(scratch, study + "--repeat 5 --no-verify --baseline random", 4);
  for (const std::string kind : kinds)
    test::check_fails(
        "compare " + study + "--part 1/2 -o " + scratch.path("p") + " --" + kind + " " + scratch.path("x." + kind), 2,
        "--" + kind + ": a part has no whole answer");
  check_same_outputs(scratch, study + "--engines fluid packet --what-if x.bandwidth=x0.5 --alpha 0.1", 5);
  check_same_outputs(scratch, "mesh:3x3 --trace stencil:grid=3x3 --map random --repeat 3 --engine simgrid", 2);
}

TEST_CASE("runs that fail are joined with their errors") {
  const test::Scratch scratch;
  const auto stuck = scratch.write("stuck.ti", "0 recv 1 0 8 6\n1 recv 0 0 8 6\n");
  const std::string study = "mesh:2x2 --trace " + stuck + " stencil:grid=2x2 --map random consecutive --repeat 3";
  check_same_outputs(scratch, study, 3, 1);
  check_same_outputs(scratch, study + " --engines fluid packet", 2, 1);
}

TEST_CASE("a part that was stopped goes on, and is refused until it is finished") {
  const test::Scratch scratch;
  const std::string study = "compare mesh:3x3 --trace stencil:grid=3x3 --map random --repeat 6 ";
  const auto part = [&](const std::string& text, const std::string& name) {
    return study + "--part " + text + " -o " + scratch.path(name);
  };
  REQUIRE(run_toroid(part("1/2", "a")).exit_code == 0);
  REQUIRE(run_toroid(part("2/2", "b")).exit_code == 0);
  const auto merge = "merge " + scratch.path("a") + " " + scratch.path("b") + " --json " + scratch.path("j");
  REQUIRE(run_toroid(merge).exit_code == 0);
  const auto whole = content(scratch.path("j")), finished = content(scratch.path("b"));
  // As it is when the process is killed: without its last lines, in the middle of one.
  std::filesystem::remove(scratch.path("j"));
  scratch.write("b", finished.substr(0, finished.size() / 2));
  test::check_fails(merge, 2, "part 2/2 is not finished");
  CHECK_FALSE(std::filesystem::exists(scratch.path("j")));
  REQUIRE(run_toroid(part("2/2", "b")).exit_code == 0);
  REQUIRE(run_toroid(merge).exit_code == 0);
  CHECK(content(scratch.path("j")) == whole);
}

TEST_CASE("parts are inputs: who joins them leaves them as they are, and may do so beside others") {
  const test::Scratch scratch;
  const std::string study = "compare mesh:3x3 --trace stencil:grid=3x3 --map random --repeat 6 ";
  for (const std::string part : {"1", "2"})
    REQUIRE(run_toroid(study + "--part " + part + "/2 -o " + scratch.path("p" + part)).exit_code == 0);
  // As a process leaves the file that was killed while it wrote a line of another study below.
  const auto unfinished = content(scratch.path("p1")) + "{\"settings\": {\"toro";
  scratch.write("p1", unfinished);
  const auto merge = "merge " + scratch.path("p1") + " " + scratch.path("p2");
  const auto joined = run_toroid(merge);
  CHECK(joined.exit_code == 0);
  CHECK(content(scratch.path("p1")) == unfinished);
  const auto together = run_script("chmod 400 " + scratch.path("p1") + "; for i in $(seq 20); do ( $toroid " + merge +
                                   " || echo failed ) & done | sort | uniq -c; wait");
  CHECK(together.err.empty());
  CHECK(together.out.find("failed") == std::string::npos);
  const auto first_line = joined.out.substr(0, joined.out.find('\n'));
  CHECK(together.out.find(first_line) != std::string::npos);
  // A file that is empty, or has half a head, is still there afterwards.
  for (const auto* text : {"", "{\"settings\": "}) {
    scratch.write("p2", text);
    test::check_fails(merge, 2, "is no part of a study");
    CHECK(content(scratch.path("p2")) == text);
  }
}

TEST_CASE("what cannot be joined is told, and nothing is written") {
  const test::Scratch scratch;
  const auto trace = scratch.path("t.ti");
  REQUIRE(run_toroid("trace convert stencil:grid=3x3 -o " + trace).exit_code == 0);
  const std::string study = "compare mesh:3x3 --trace " + trace + " --map random --repeat 4 --no-verify ";
  const auto path = [&](const std::string& name) { return scratch.path(name) + " "; };
  REQUIRE(run_toroid(study + "--part 1/2 -o " + path("a")).exit_code == 0);
  REQUIRE(run_toroid(study + "--part 2/2 -o " + path("b")).exit_code == 0);
  REQUIRE(run_toroid(study + "--part 2/3 -o " + path("third")).exit_code == 0);
  REQUIRE(run_toroid(study + "--seed 2 --part 2/2 -o " + path("other")).exit_code == 0);
  test::check_fails("merge " + path("a"), 2, "a part is missing: 2/2");
  test::check_fails("merge " + path("third"), 2, "parts are missing: 1/3, 3/3");
  test::check_fails("merge " + path("a") + path("a") + path("b"), 2, "are both part 1/2");
  test::check_fails("merge " + path("a") + path("third"), 2, "parts of different studies");
  test::check_fails("merge " + path("a") + path("other"), 2, "are parts of different studies: --seed differs");
  test::check_fails("merge " + path("a") + path("none"), 2, "none: No such file");
  test::check_fails("merge " + path("a") + trace, 2, "is no part of a study");
  test::check_fails("merge " + path("a") + path("b") + "--json " + path("b"), 2, "b");
  test::check_fails("merge", 2, "PARTS is required");
  const auto b = content(scratch.path("b"));
  for (const std::string wrong : {"0/2", "3/2", "1", "1/0", "-1/2", "1/1000001", "a/b", "1/2/3"})
    test::check_fails(study + "--part " + wrong + " -o " + path("w"), 2, "expected K/N");
  test::check_fails(study + "--part 1/2 -o " + path("b"), 2,
                    "is part \"2/2\" of a study; expected a new file for part 1/2, or its own");
  CHECK(content(scratch.path("b")) == b);
  test::check_fails(study + "--part 1/2", 2, "expected -o FILE");
  test::check_fails(study + "-o " + path("w"), 2, "-o is for --part");
  test::check_fails(study + "--part 1/2 -o " + path("w") + "--csv " + path("c"), 2,
                    "--csv: a part has no whole answer");
  test::check_fails(study + "--part 1/2 -o " + trace, 2, "t.ti");
  CHECK_FALSE(std::filesystem::exists(scratch.path("w")));
  // Files that are not what they were.
  REQUIRE(run_toroid("trace convert stencil:grid=3x3,steps=2 -o " + trace).exit_code == 0);
  test::check_fails("merge " + path("a") + path("b") + "--json " + path("j"), 2,
                    "part 1/2 was made from other files than those that are there now");
  CHECK(content(scratch.path("b")) == b);
  CHECK_FALSE(std::filesystem::exists(scratch.path("j")));
}

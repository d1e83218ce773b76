// Every command and code block of the documentation, and that the runner would notice if one were wrong.

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "tests/docs/document.hpp"
#include "tests/support/support.hpp"

namespace toroid::test {
namespace {

void check(const std::string& document) {
  for (const auto& fault : faults_of(content(source_folder + "/" + document))) FAIL_CHECK(document << ", " << fault);
}

TEST_CASE("README.md") {
  check("README.md");
}
TEST_CASE("CONTRIBUTING.md") {
  check("CONTRIBUTING.md");
}
TEST_CASE("docs/allocation-study.md") {
  check("docs/allocation-study.md");
}
TEST_CASE("docs/allocation.md") {
  check("docs/allocation.md");
}
TEST_CASE("docs/architecture.md") {
  check("docs/architecture.md");
}
TEST_CASE("docs/bigben.md") {
  check("docs/bigben.md");
}
TEST_CASE("docs/capture.md") {
  if (run_script(open_mpi_settings + "\ntimeout 30 mpirun -n 2 true").exit_code == 0)
    check("docs/capture.md");
  else
    WARN("skipped: mpirun cannot run anything here");
}
TEST_CASE("docs/closed-loop.md") {
  check("docs/closed-loop.md");
}
TEST_CASE("docs/contention.md") {
  check("docs/contention.md");
}
TEST_CASE("docs/gsearch.md") {
  check("docs/gsearch.md");
}
TEST_CASE("docs/jobs.md") {
  check("docs/jobs.md");
}
TEST_CASE("docs/leak.md") {
  check("docs/leak.md");
}
TEST_CASE("docs/library.md") {
  check("docs/library.md");
}
TEST_CASE("docs/llm.md") {
  check("docs/llm.md");
}
TEST_CASE("docs/machines.md") {
  check("docs/machines.md");
}
TEST_CASE("docs/mapping.md") {
  check("docs/mapping.md");
}
TEST_CASE("docs/model.md") {
  check("docs/model.md");
}
TEST_CASE("docs/npb.md") {
  check("docs/npb.md");
}
TEST_CASE("docs/programs.md") {
  check("docs/programs.md");
}
TEST_CASE("docs/results.md") {
  check("docs/results.md");
}
TEST_CASE("docs/scheduling.md") {
  check("docs/scheduling.md");
}
TEST_CASE("docs/study.md") {
  check("docs/study.md");
}
TEST_CASE("docs/traces.md") {
  check("docs/traces.md");
}
TEST_CASE("docs/which-mapper.md") {
  check("docs/which-mapper.md");
}

TEST_CASE("No document is left out") {
  std::set<std::string> documents;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder + "/docs"))
    if (entry.path().extension() == ".md") documents.insert(entry.path().stem().string());
  CHECK(documents == std::set<std::string>{"allocation",   "allocation-study",
                                           "architecture", "bigben",
                                           "capture",      "closed-loop",
                                           "contention",   "gsearch",
                                           "jobs",         "leak",
                                           "library",      "llm",
                                           "machines",     "mapping",
                                           "model",        "npb",
                                           "programs",     "results",
                                           "scheduling",   "study",
                                           "traces",       "which-mapper"});
}

// The runner itself

TEST_CASE("A block that is as it says has no fault") {
  CHECK(faults_of("    $ echo a; echo b\n    a\n    b\n").empty());
  CHECK(faults_of("```\n$ printf 'a\\nb\\nc\\n'\na\n...\n```\n").empty());
  CHECK(faults_of("text\n\n    $ echo a |\n        tr a b\n    b\n    $ echo c\n    c\n").empty());
  CHECK(faults_of("<!-- before: x=3 -->\n<!-- exit code 4 -->\n\n    $ echo $x; exit 4\n    3\n").empty());
  CHECK(faults_of("<!-- file: f -->\n\n    text\n\n    more\n\nThen\n\n    $ cat f\n    text\n\n    more\n").empty());
  CHECK(faults_of("<!-- output of: seq 5 -->\n\n    2\n    3\n").empty());
  CHECK(faults_of("    $ seq 5\n\n<!-- output of the last command -->\n\n    2\n    3\n").empty());
  CHECK(faults_of("<!-- part of: tests/docs/docs_test.cpp -->\n\n    TEST_CASE(\"README.md\") {\n    ...\n    }\n")
            .empty());
  CHECK(faults_of("<!-- output varies -->\n\n    $ date\n    today\n").empty());
  CHECK(faults_of("<!-- not run: a formula -->\n\n    a + b\n").empty());
}

TEST_CASE("A block that is not as it says is a fault") {
  for (const std::string wrong :
       {"    $ echo a\n    b\n", "    $ echo a; echo b\n    a\n", "    $ echo a\n    a\n    b\n", "    $ false\n",
        "    $ false\n    $ true\n", "    $ echo a | false\n", "<!-- exit code 1 -->\n\n    $ true\n", "    a + b\n",
        "<!-- not run: -->\n\n    a + b\n", "<!-- output of: seq 5 -->\n\n    2\n    4\n", "    $ echo $unknown\n",
        "<!-- part of: packages.txt -->\n\n    no such package\n",
        "<!-- not run: a formula -->\n\nwords in between\n\n    a + b\n"})
    CHECK(faults_of(wrong).size() == 1);
}

TEST_CASE("Faults tell their line") {
  const auto faults = faults_of("# Title\n\n    $ echo a\n    a\n    $ echo b\n    c\n");
  REQUIRE(faults.size() == 1);
  CHECK_THAT(faults[0], Catch::StartsWith("line 5: $ echo b\nprints\nb\n"));
}

}  // namespace
}  // namespace toroid::test

// The runner of the documentation would notice if a block were wrong.

#include <catch2/catch.hpp>

#include "tests/docs/document.hpp"
#include "tests/support/support.hpp"

namespace toroid::test {
namespace {

// The runner itself

std::vector<std::string> faults_of(const std::string& markdown) {
  return run_page(markdown).faults;
}

TEST_CASE("A block that is as it says has no fault") {
  CHECK(faults_of("    $ echo a; echo b\n    a\n    b\n").empty());
  CHECK(faults_of("```\n$ printf 'a\\nb\\nc\\n'\na\n...\n```\n").empty());
  CHECK(faults_of("text\n\n    $ echo a |\n        tr a b\n    b\n    $ echo c\n    c\n").empty());
  CHECK(faults_of("<!-- before: x=3 -->\n<!-- exit code 4 -->\n\n    $ echo $x; exit 4\n    3\n").empty());
  CHECK(faults_of("<!-- file: f -->\n\n    text\n\n    more\n\nThen\n\n    $ cat f\n    text\n\n    more\n").empty());
  CHECK(faults_of("<!-- output of: seq 5 -->\n\n    2\n    3\n").empty());
  CHECK(faults_of("    $ seq 5\n\n<!-- output of the last command -->\n\n    2\n    3\n").empty());
  CHECK(
      faults_of("<!-- part of: tests/docs/docs_test.cpp -->\n\n    namespace toroid::test {\n    ...\n    TEST_CASE\n")
          .empty());
  CHECK(faults_of("<!-- output varies -->\n\n    $ date\n    today\n").empty());
  CHECK(faults_of("<!-- not run: a formula -->\n\n    a + b\n").empty());
  CHECK(faults_of("<!-- made by: printf '| a |\\n\\n| b |\\n' -->\n\n| a |\n\n| b |\n\nText.\n").empty());
}

TEST_CASE("A block that is not as it says is a fault") {
  for (const std::string wrong :
       {"    $ echo a\n    b\n", "    $ echo a; echo b\n    a\n", "    $ echo a\n    a\n    b\n", "    $ false\n",
        "    $ false\n    $ true\n", "    $ echo a | false\n", "<!-- exit code 1 -->\n\n    $ true\n", "    a + b\n",
        "<!-- not run: -->\n\n    a + b\n", "<!-- output of: seq 5 -->\n\n    2\n    4\n", "    $ echo $unknown\n",
        "<!-- part of: packages.txt -->\n\n    no such package\n",
        "<!-- not run: a formula -->\n\nwords in between\n\n    a + b\n", "<!-- made by: echo '| a |' -->\n\n| b |\n",
        "<!-- made by: echo a -->\n\n| a |\n", "<!-- made by: echo '| a |'; false -->\n\n| a |\n",
        "<!-- made by: echo '| a |' -->\n\nText.\n", "<!-- made by: echo '| a |' -->\n"})
    CHECK(faults_of(wrong).size() == 1);
}

TEST_CASE("Faults tell their line") {
  const auto faults = faults_of("# Title\n\n    $ echo a\n    a\n    $ echo b\n    c\n");
  REQUIRE(faults.size() == 1);
  CHECK_THAT(faults[0], Catch::StartsWith("line 5: $ echo b\nprints\nb\n"));
}

TEST_CASE("A page is refreshed with what its commands print now") {
  const std::string right = "    $ seq 2\n    1\n    2\n";
  CHECK(run_page(right).refreshed == right);
  CHECK(run_page("# T\n\n    $ echo a; echo; echo b\n    c\n\ntext\n").refreshed ==
        "# T\n\n    $ echo a; echo; echo b\n    a\n\n    b\n\ntext\n");
  CHECK(run_page("<!-- made by: printf '| a |\\n| b |\\n' -->\n\n| c |\n\n| d |\n\nText.\n").refreshed ==
        "<!-- made by: printf '| a |\\n| b |\\n' -->\n\n| a |\n| b |\n\nText.\n");
  CHECK(run_page("```\n$ seq 9 |\n  cat\n2\n...\n8\n$ echo x\ny\n```\n").refreshed ==
        "```\n$ seq 9 |\n  cat\n1\n...\n9\n$ echo x\nx\n```\n");
}

TEST_CASE("A page says what it needs") {
  CHECK(needed_command("# T\n\n<!-- needs: mpirun -n 2 true -->\n") == "mpirun -n 2 true");
  CHECK(needed_command("# T\n").empty());
  CHECK(faults_of("<!-- needs: false -->\n\n    $ true\n").empty());
}

TEST_CASE("Links that lead nowhere are found") {
  const auto dead = [](const std::string& markdown) { return dead_links("docs/architecture.md", markdown).size(); };
  CHECK(dead("[r](../README.md) [m](explanation/model.md#order) [a](#x) [w](https://a.b/c)\n\n## X\n") == 0);
  CHECK(dead("[r](README.md)\n") == 1);
  CHECK(dead("[m](explanation/model.md#no-such-heading) [b](#y)\n\n## X\n") == 2);
  CHECK(dead("    $ echo '[r](README.md)'\n") == 0);
  CHECK(dead("![picture](no.svg)\n") == 1);
}

}  // namespace
}  // namespace toroid::test

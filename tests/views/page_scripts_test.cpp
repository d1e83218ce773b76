// The scripts of pages, as eslint reads them where there is one.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>

#include "tests/support/support.hpp"

using namespace toroid;

namespace {

/// What tests/browser/page_scripts.py finds in a folder; nothing where there is no eslint.
std::optional<test::CommandResult> faults_in(const std::string& folder) {
  if (test::run_script("command -v eslint && command -v /usr/bin/python3").exit_code != 0) {
    WARN("skipped: there is no eslint, or no python3");
    return std::nullopt;
  }
  return test::run_script("/usr/bin/python3 " + test::source_folder + "/tests/browser/page_scripts.py " + folder);
}

}  // namespace

TEST_CASE("Scripts of pages know all names, and have none that nobody uses") {
  if (const auto found = faults_in(test::source_folder + "/views/web")) {
    INFO(found->err);
    CHECK(found->out.empty());
    CHECK(found->exit_code == 0);
  }
}

TEST_CASE("A fault of a script is told with its file and line") {
  const test::Scratch scratch;
  std::filesystem::copy(test::source_folder + "/views/web/eslint.json", scratch.path("eslint.json"));
  scratch.write("one.txt", "page.css\nshared.js\none.js\n");
  scratch.write("two.txt", "shared.js\ntwo.js\n");
  // Only the second page uses `half`, which is no fault; `third` is known to the second alone; nobody uses `spare`.
  scratch.write("shared.js", "const half = (x) => x / 2;\nconst spare = 1;\n");
  scratch.write("one.js", "// A comment.\ndocument.title = third;\n");
  scratch.write("two.js", "const third = half(3);\ndocument.title = third;\n");
  if (const auto found = faults_in(scratch.path(""))) {
    CHECK(found->exit_code == 1);
    CHECK_THAT(found->out, Catch::Contains("one.js:2: 'third' is not defined. (no-undef)\n"));
    CHECK_THAT(found->out,
               Catch::Contains("shared.js:2: 'spare' is assigned a value but never used. (no-unused-vars)\n"));
    CHECK(std::count(found->out.begin(), found->out.end(), '\n') == 2);
  }
}

// The scripts of pages, as eslint and tsc read them where there are such.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>

#include "tests/support/support.hpp"

using namespace toroid;

namespace {

const std::string web = test::source_folder() + "/views/web/";

/// What a command finds; nothing where there is no `program`, or no python3.
std::optional<test::CommandResult> found_by(const std::string& command, const std::string& program) {
  if (test::run_script("command -v " + program + " && command -v /usr/bin/python3").exit_code != 0) {
    WARN("skipped: there is no " << program << ", or no python3");
    return std::nullopt;
  }
  return test::run_script(command);
}

/// What tests/browser/page_scripts.py finds in a folder.
std::optional<test::CommandResult> faults_in(const std::string& folder) {
  return found_by("/usr/bin/python3 " + test::source_folder() + "/tests/browser/page_scripts.py " + folder, "eslint");
}

void check_fine(const std::optional<test::CommandResult>& found) {
  if (!found) return;
  INFO(found->out << found->err);
  CHECK(found->out.empty());
  CHECK(found->exit_code == 0);
}

}  // namespace

TEST_CASE("Scripts of pages know all names, export none that nobody uses, and have one format") {
  check_fine(faults_in(web));
}

TEST_CASE("Scripts of pages have the types that their comments say") {
  check_fine(found_by("tsc -p " + web, "tsc"));
}

TEST_CASE("A fault of a script is told with its file and line") {
  const test::Scratch scratch;
  std::filesystem::copy(web + "eslint.json", scratch.path("eslint.json"));
  scratch.write("shared.js", "export const half = (x) => x / 2;\nexport const spare = 1;\n");
  scratch.write("one.js", "// A comment.\ndocument.title = third;\n");
  scratch.write("two.js", "import {half} from \"./shared.js\";\nconst third = half(3);\n");
  if (const auto found = faults_in(scratch.path(""))) {
    CHECK(found->exit_code == 1);
    CHECK_THAT(found->out, Catch::Contains("one.js:2: 'third' is not defined. (no-undef)\n"));
    CHECK_THAT(found->out, Catch::Contains("two.js:2: 'third' is assigned a value but never used. (no-unused-vars)\n"));
    CHECK_THAT(found->out, Catch::Contains("shared.js:2: 'spare' is exported, and no module imports it\n"));
    CHECK(std::count(found->out.begin(), found->out.end(), '\n') == 3);
  }
}

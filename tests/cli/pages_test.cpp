// The manual page and the completion against what the command says of itself.

#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "mapping/mapper.hpp"
#include "tests/support/support.hpp"

using namespace toroid;
using test::run_toroid;

namespace {

/// All words of a text that look like options.
std::set<std::string> options_in(const std::string& text) {
  const std::regex option("--?[a-z][-a-z]*");
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), option), end; it != end; ++it) {
    const auto before = it->position() == 0 ? ' ' : text[static_cast<std::size_t>(it->position()) - 1];
    if (before == ' ' || before == ',') found.insert(it->str());
  }
  return found;
}

/// What bash offers for a command line whose last word is not finished.
std::string completions(const test::Scratch& scratch, const std::string& words) {
  scratch.write("completion", run_toroid("pages bash").out);
  const auto script = scratch.write("script", "source " + scratch.path("completion") + "\nCOMP_WORDS=(" + words +
                                                  ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_toroid\n"
                                                  "echo \"${COMPREPLY[*]}\"\n");
  REQUIRE(std::system(("bash -eu " + script + " >" + scratch.path("out") + " 2>&1").c_str()) == 0);
  return test::content(scratch.path("out"));
}

TEST_CASE("Every option of --help is in the manual page") {
  auto page = run_toroid("pages man").out;
  page = std::regex_replace(page, std::regex("\\\\-"), "-");
  page = std::regex_replace(page, std::regex("\\\\f[BIR]"), " ");
  const auto known = options_in(page);
  for (const char* command :
       {"", "simulate", "map", "compare", "trace info", "trace matrix", "trace convert", "platform list",
        "platform show", "platform create", "platform check", "platform export", "list", "pages"}) {
    CAPTURE(command);
    const auto help = options_in(run_toroid(std::string(command) + " --help").out);
    CHECK(help.count("--help") == 1);
    for (const auto& option : help) {
      CAPTURE(option);
      CHECK(known.count(option) == 1);
    }
    CHECK_THAT(page, Catch::Contains(std::string(".SS \"") + command + (*command == '\0' ? "" : "\"")));
  }
}

TEST_CASE("man reads the manual page without a complaint") {
  if (std::system("command -v groff >/dev/null") != 0) {
    WARN("skipped: there is no groff");
    return;
  }
  const test::Scratch scratch;
  const auto page = scratch.write("toroid.1", run_toroid("pages man").out);
  const auto command = "groff -man -Tutf8 -ww " + page + " >" + scratch.path("out") + " 2>" + scratch.path("err");
  CHECK(std::system(command.c_str()) == 0);
  CHECK(test::content(scratch.path("err")).empty());
  CHECK_THAT(test::content(scratch.path("out")), Catch::Contains("predicts run times of MPI programs"));
}

TEST_CASE("bash completes commands, options, and names of things") {
  const test::Scratch scratch;
  CHECK(completions(scratch, "toroid sim") == "simulate\n");
  CHECK(completions(scratch, "toroid trace conv") == "convert\n");
  CHECK(completions(scratch, "toroid simulate --eng") == "--engine\n");
  CHECK(completions(scratch, "toroid simulate --engine flu") == "fluid\n");
  CHECK(completions(scratch, "toroid simulate bigb") == "bigben\n");
  CHECK(completions(scratch, "toroid compare mesh:8x8 --trace sten") == "stencil\n");
  CHECK(completions(scratch, "toroid map mesh:8x8 cg --format slu") == "slurm\n");
  CHECK(completions(scratch, "toroid trace matrix --format mt") == "mtx\n");
  CHECK(completions(scratch, "toroid list mapp") == "mappers\n");
  CHECK(completions(scratch, "toroid nothing of the") == "\n");
  for (const auto& entry : mapping::mappers().entries()) {
    const std::string name(entry.name);
    std::istringstream offered(completions(scratch, "toroid simulate mesh:8x8 cg --map " + name));
    CHECK(std::count(std::istream_iterator<std::string>(offered), {}, name) == 1);
  }
}

TEST_CASE("A page that there is not is refused") {
  test::check_fails("pages html", 2, "unknown page 'html'; valid: man, bash");
}

}  // namespace

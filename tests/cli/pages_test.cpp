// The manual page and the completion against what the command says of itself.

#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "tests/support/support.hpp"
#include "toroid/mapping/mapper.hpp"

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
  const auto script = scratch.write("script", "toroid() { " + test::toroid_command() + " \"$@\"; }\nsource " +
                                                  scratch.path("completion") + "\nCOMP_WORDS=(" + words +
                                                  ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_toroid\n"
                                                  "echo \"${COMPREPLY[*]}\"\n");
  REQUIRE(std::system(("bash -eu " + script + " >" + scratch.path("out") + " 2>&1").c_str()) == 0);
  return test::content(scratch.path("out"));
}

TEST_CASE("Options for files say so, and a command says it of its arguments") {
  const auto page = run_toroid("pages commands").out;
  const std::regex file(
      "`(-o, --output|--config|--plugin|--[a-z-]*(csv|json|svg|pdf|html|columns|perfetto)) ([A-Z]*)`");
  std::size_t files = 0;
  for (std::sregex_iterator it(page.begin(), page.end(), file), end; it != end; ++it, ++files) {
    INFO(it->str());
    CHECK((*it)[3] == "FILE");
  }
  CHECK(files > 40);
  CHECK(page.find("`--otf2 FOLDER`") != std::string::npos);
  CHECK(run_toroid("diff --help").out.find("BEFORE FILE REQUIRED") != std::string::npos);
}

TEST_CASE("Every option of --help-all is in the manual page") {
  auto page = run_toroid("pages man").out;
  page = std::regex_replace(page, std::regex("\\\\-"), "-");
  page = std::regex_replace(page, std::regex("\\\\f[BIR]"), " ");
  const auto known = options_in(page);
  for (const char* command : {"",
                              "simulate",
                              "map",
                              "compare",
                              "diff",
                              "plot",
                              "trace info",
                              "trace matrix",
                              "trace convert",
                              "platform show",
                              "platform create",
                              "platform check",
                              "platform export",
                              "list",
                              "calibrate",
                              "calibrate collectives",
                              "pages",
                              "compare",
                              "schedule",
                              "jobs info",
                              "jobs convert",
                              "trace diff",
                              "examples"}) {
    CAPTURE(command);
    const auto help = options_in(run_toroid(std::string(command) + " --help-all").out);
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
  CHECK(completions(scratch, "toroid trace matrix --format me") == "metis\n");
  CHECK(completions(scratch, "toroid list mapp") == "mappers\n");
  CHECK(completions(scratch, "toroid nothing of the") == "\n");
  CHECK(completions(scratch, "toroid advise mesh:8x8 cg --baseline gras") == "grasp\n");
  CHECK(completions(scratch, "toroid simulate mesh:8x8 cg --json fl") == "\n");  // a file, which bash finds
  for (const auto& entry : mapping::mappers().entries()) {
    const std::string name(entry.name);
    std::istringstream offered(completions(scratch, "toroid simulate mesh:8x8 cg --map " + name));
    CHECK(std::count(std::istream_iterator<std::string>(offered), {}, name) == 1);
  }
}

/// Whether a shell is there; its test is skipped elsewhere.
bool has_shell(const std::string& name) {
  if (std::system(("command -v " + name + " >/dev/null").c_str()) == 0) return true;
  WARN("skipped: there is no " + name);
  return false;
}

/// What a command line is completed with, the last word of it unfinished, and the words that are expected.
const std::vector<std::pair<std::string, std::string>> completed{{"toroid sim", "simulate"},
                                                                 {"toroid trace conv", "convert"},
                                                                 {"toroid simulate --eng", "--engine"},
                                                                 {"toroid simulate --engine flu", "fluid"},
                                                                 {"toroid simulate bigb", "bigben"},
                                                                 {"toroid schedule mesh:8x8 wal", "walker"},
                                                                 {"toroid schedule --scheduler conser", "conservative"},
                                                                 {"toroid jobs convert x --format bat", "batsim"},
                                                                 {"toroid list mapp", "mappers"}};

TEST_CASE("zsh completes the same") {
  if (!has_shell("zsh")) return;
  const test::Scratch scratch;
  scratch.write("_toroid", run_toroid("pages zsh").out);
  for (const auto& [line, expected] : completed) {
    CAPTURE(line);
    // What the completion system of zsh does: it sets these, and takes what is added that begins like the last word.
    const auto script = scratch.write("script", "toroid() { " + test::toroid_command() +
                                                    " \"$@\"; }\ncompdef() { }\nsource " + scratch.path("_toroid") +
                                                    "\ncompadd() { shift; print -l -- ${(M)@:#${words[CURRENT]}*} }\n"
                                                    "words=(" +
                                                    line + ")\nCURRENT=$#words\n_toroid\n");
    REQUIRE(std::system(("zsh -f " + script + " >" + scratch.path("out") + " 2>&1").c_str()) == 0);
    CHECK(test::content(scratch.path("out")) == expected + "\n");
  }
}

TEST_CASE("fish completes the same") {
  if (!has_shell("fish")) return;
  const test::Scratch scratch;
  scratch.write("toroid.fish", run_toroid("pages fish").out);
  for (const auto& [line, expected] : completed) {
    CAPTURE(line);
    const auto script =
        scratch.write("script", "function toroid; " + test::toroid_command() + " $argv; end\ncd " + scratch.path(".") +
                                    "\nsource " + scratch.path("toroid.fish") + "\ncomplete -C '" + line + "'\n");
    REQUIRE(std::system(("HOME=" + scratch.path(".") + " fish " + script + " >" + scratch.path("out")).c_str()) == 0);
    CHECK(test::content(scratch.path("out")) == expected + "\n");
  }
}

/// How often `part` stands in `text`.
std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_CASE("The JSON of the list has every line of its text, and the page of the catalog the keys") {
  const auto text = run_toroid("list").out, page = run_toroid("pages catalog").out;
  const auto json = core::parse_json(run_toroid("list --json -").out);
  CHECK(json.size() == occurrences("\n" + text, ":\n  ") + 1);  // the sections, and the version of the schema
  for (const auto& [name, section] : json.items()) {
    if (name == "schema_version") continue;
    CAPTURE(name);
    CHECK_THAT(text, Catch::Contains(name + ":\n"));
    for (const auto& entry : section["entries"]) {
      const auto entry_name = entry["name"].get<std::string>();
      CAPTURE(entry_name);
      CHECK_THAT(text, Catch::Contains("  " + entry_name + " "));
      if (!entry["keys"].empty()) CHECK_THAT(page, Catch::Contains("### `" + entry_name + "`\n\n| key |"));
      for (const auto& key : entry["keys"])
        CHECK_THAT(text, Catch::Contains(key["help"].get<std::string>() + ": " + key["values"].get<std::string>() +
                                         " (" + key["default"].get<std::string>() + ")"));
    }
  }
  CHECK(core::parse_json(run_toroid("list mappers --json -").out)["mappers"] == json["mappers"]);
  for (const auto& entry : json["mappers"]["entries"]) {
    const auto name = entry["name"].get<std::string>().substr(0, entry["name"].get<std::string>().find(':'));
    const auto alone = core::parse_json(run_toroid("list mappers " + name + " --json -").out)["mappers"]["entries"];
    CHECK(alone == core::Json::array({entry}));
  }
}

TEST_CASE("A list as Markdown: a table of things, of one thing that of its keys, of a kind those of that kind") {
  CHECK_THAT(run_toroid("list schedulers --markdown -").out,
             Catch::StartsWith("| scheduler | what it is | keys (unless given) |\n|---|---|---|\n| `fcfs` |") &&
                 Catch::Contains("| `order` (arrival) |\n| `easy` |"));
  CHECK_THAT(run_toroid("list mappers grasp --markdown -").out,
             Catch::StartsWith("| key | meaning and values | default |\n|---|---|---|\n| `cost` |"));
  CHECK(run_toroid("list collectives barrier --markdown -").out ==
        "| algorithm | what it is |\n|---|---|\n| `dissemination` | signal ranks 1, 2, 4, ... further on |\n"
        "| `linear` | all to rank 0, rank 0 to all |\n");
  CHECK(run_toroid("list fields input 'links of dimension' --markdown -").out ==
        "| field (value) | what it is |\n|---|---|\n| **input** |\n| `file` (text) | its path |\n"
        "| `sha256` (text) | of the bytes as they were read |\n| **links of dimension** |\n"
        "| `dimension` (text) | its name |\n| `links` (count) | how many there are |\n"
        "| `bandwidth_min_bytes_per_s` (B/s) | the least of them |\n"
        "| `bandwidth_max_bytes_per_s` (B/s) | the largest of them |\n");
  CHECK(run_toroid("list mappers snake grasp").out ==
        run_toroid("list mappers snake").out + run_toroid("list mappers grasp").out);
  CHECK_THAT(run_toroid("list collectives alltoallv").out,
             Catch::Contains("  alltoallv   linear     all to all at once\n") && !Catch::Contains("allreduce"));
  test::check_fails("list mappers grisp", 2, "unknown mapper 'grisp'; did you mean 'grasp'? valid: auto, quick");
  test::check_fails("list collectives sum", 2, "unknown algorithm 'sum'; valid: barrier, bcast, reduce, allreduce");
}

TEST_CASE("The page of commands has every option of the manual page") {
  const auto page = run_toroid("pages commands").out;
  auto manual = run_toroid("pages man").out;
  manual = std::regex_replace(manual, std::regex("\\\\-"), "-");
  CHECK(occurrences(page, "\n## toroid ") == occurrences(manual, "\n.SS "));
  for (const auto& option : options_in(std::regex_replace(manual, std::regex("\\\\f[BIR]"), " ")))
    CHECK(page.find(option) != std::string::npos);
}

TEST_CASE("A page that there is not is refused") {
  test::check_fails("pages html", 2, "unknown page 'html'; valid: man, bash, zsh, fish, commands, catalog, schema");
  test::check_fails("pages bash x", 2, "found 'x' behind the last argument");
}

}  // namespace

// The pages of reference beside what they are the reference of: registries, options and results. Their tables are made
// by the command, for the site (docs/site/tables.py) or in the page (<!-- made by: COMMAND -->, document.hpp); here it
// is what stands around them.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/support.hpp"
#include "toroid/core/json.hpp"

namespace toroid::test {
namespace {

using Names = std::set<std::string>;

std::string page(const std::string& name) {
  return content(source_folder() + "/docs/" + name + ".md");
}

/// All pages, by their paths below docs/.
std::map<std::string, std::string> all_pages() {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> pages;
  for (const auto& entry : fs::recursive_directory_iterator(source_folder() + "/docs"))
    if (entry.path().extension() == ".md")
      pages[fs::relative(entry.path(), source_folder() + "/docs").string()] = content(entry.path().string());
  return pages;
}

/// What stands between backticks, on lines that are no code.
std::vector<std::string> code_spans(const std::string& text) {
  static const std::regex span("`([^`]+)`");
  std::vector<std::string> spans;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("    ", 0) != 0)
      for (std::sregex_iterator it(line.begin(), line.end(), span), end; it != end; ++it) spans.push_back((*it)[1]);
  return spans;
}

/// The names of a section of `toroid list`, without what follows their colon; of a property also its alias.
Names names_of(const std::string& section) {
  Names names;
  const auto listed = core::Json::parse(run_toroid("list " + section + " --json -").out);
  for (const auto& entry : listed.at(section).at("entries")) {
    std::istringstream each(entry.at("name").get<std::string>());
    for (std::string name; std::getline(each, name, ',');) {
      name.erase(0, name.find_first_not_of(' '));
      names.insert(name.substr(0, name.find(':')));
    }
  }
  return names;
}

/// The names in the first column of each table whose first heading is `heading`.
std::vector<std::string> first_column(const std::string& text, const std::string& heading) {
  std::vector<std::string> names;
  std::istringstream lines(text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("| " + heading + " |", 0) == 0)
      inside = true;
    else if (line.rfind("|", 0) != 0)
      inside = false;
    else if (inside)
      for (const auto& span : code_spans(line.substr(0, line.find(" | ")) + "`")) names.push_back(span);
  }
  return names;
}

TEST_CASE("Every list of the command is shown by a page") {
  std::string pages;
  for (const auto& [path, text] : all_pages()) pages += text;
  const auto listed = core::Json::parse(run_toroid("list --json -").out);
  for (const auto& [section, contents] : listed.items()) {
    if (section == "schema_version") continue;
    INFO("no page has a block with $ toroid list " << section);
    CHECK(std::regex_search(pages, std::regex("\n\n    \\$ toroid list " + section + "[^\n|]*\n\n")));
  }
  for (const auto& field : listed["fields"]["entries"]) {  // of each object, alone or with others in a table
    const auto object = field["kind"].get<std::string>();
    const auto word = object.find(' ') == std::string::npos ? object : "'" + object + "'";
    INFO("no page has a block with $ toroid list fields ... " << word);
    CHECK(std::regex_search(pages, std::regex("    \\$ toroid list fields ([^\n]* )?" + word + "[ \n]")));
  }
}

TEST_CASE("Tables of names have none that the command does not list") {
  std::size_t rows = 0;
  for (const auto& [heading, section] : std::map<std::string, std::string>{{"property", "properties"},
                                                                           {"scheduler", "schedulers"},
                                                                           {"allocator", "allocators"},
                                                                           {"mapper", "mappers"},
                                                                           {"algorithm", "collectives"},
                                                                           {"program", "generators"},
                                                                           {"engine", "engines"}}) {
    const auto names = names_of(section);
    for (const auto& [path, text] : all_pages())
      for (const auto& spelled : first_column(text, heading)) {
        ++rows;
        INFO(path << ": " << spelled << " is none of toroid list " << section);
        CHECK(names.count(spelled.substr(0, spelled.find_first_of(":,="))) == 1);
      }
  }
  CHECK(rows > 0);
}

/// The words of a list of values: `row, snake or hilbert`, `wall,cpu`.
Names words_of(const std::string& list) {
  static const std::regex word("[a-z][-a-z0-9]*");
  Names words;
  for (std::sregex_iterator it(list.begin(), list.end(), word), end; it != end; ++it) words.insert(it->str());
  words.erase("or");
  return words;
}

/// By key of a thing or option of a command, each set of words that are its values: allocators differ in those of
/// `fit`.
std::map<std::string, std::set<Names>> values_of_keys() {
  std::map<std::string, std::set<Names>> all;
  const auto listed = core::Json::parse(run_toroid("list --json -").out);
  for (const auto& section : listed)
    for (const auto& entry : section.is_object() ? section.at("entries") : core::Json::array())
      for (const auto& key : entry.at("keys"))
        all[key.at("name").get<std::string>()].insert(words_of(key.at("values").get<std::string>()));
  static const std::regex option("(--[-a-z]+) TEXT:[{]([^}]*)[}]");
  const auto commands = run_toroid("pages commands").out;
  for (std::sregex_iterator it(commands.begin(), commands.end(), option), end; it != end; ++it)
    all[(*it)[1]].insert(words_of((*it)[2]));
  return all;
}

TEST_CASE("A table of the values of a key has all of them, and no others") {
  static const std::regex heading("(?:^|\n)[|] `(-*[a-z][-a-z]*)` [|][^\n]*\n[|]-");
  const auto values = values_of_keys();
  std::size_t seen = 0;
  for (const auto& [path, text] : all_pages())
    for (std::sregex_iterator it(text.begin(), text.end(), heading), end; it != end; ++it) {
      const auto name = (*it)[1].str();
      if (values.count(name) == 0) continue;  // a kind of value, which the table explains
      INFO(path << ": the table of `" << name << "`");
      const auto rows = first_column(text, "`" + name + "`");
      CHECK(values.at(name).count(Names(rows.begin(), rows.end())) == 1);
      ++seen;
    }
  CHECK(seen >= 5);
}

/// Whether a span of code is an option by itself, or a command of toroid; others are of other programs.
bool is_ours(const std::string& span) {
  return span.rfind("--", 0) == 0 || span.rfind("toroid ", 0) == 0;
}

TEST_CASE("An option that a page names is one that the command has") {
  static const std::regex option("(^|[ (])(--[a-z][-a-z]*)");
  // which pages name without the program that has them: pip, Open MPI, SMPI, OSU, sbatch, Fugaku's, zstd, those in
  // bench/
  const Names of_others{"--array", "--bind-to", "--cfg",      "--config-settings", "--full",
                        "--long",  "--map-by",  "--opposite", "--rsc-list",        "--sharing"};
  Names known{"--help", "--version"};
  for (const auto& span : code_spans(run_toroid("pages commands").out)) {
    static const std::regex each("--[a-z][-a-z]*");
    for (std::sregex_iterator it(span.begin(), span.end(), each), end; it != end; ++it) known.insert(it->str());
  }
  std::size_t seen = 0;
  for (const auto& [path, text] : all_pages())
    for (const auto& span : code_spans(text)) {
      if (!is_ours(span)) continue;
      for (std::sregex_iterator it(span.begin(), span.end(), option), end; it != end; ++it, ++seen) {
        INFO("docs/" << path << " tells of " << (*it)[2]);
        CHECK(known.count((*it)[2]) + of_others.count((*it)[2]) == 1);
      }
    }
  CHECK(seen > 300);
}

/// The names in the column `columns` of the tables of pages.
Names columns_of(const std::vector<std::string>& pages) {
  Names names;
  for (const auto& name : pages)
    for (const auto& column : first_column(page(name), "columns")) names.insert(column);
  return names;
}

TEST_CASE("Pages on tables and columns tell every column that a file has, and no others") {
  const Scratch scratch;
  const auto in_file = [&](const std::string& command) {
    const auto file = scratch.path("columns");
    REQUIRE(run_toroid(command + " --columns " + file).exit_code == 0);
    const auto head = content(file);
    Names names;
    const auto json = core::Json::parse(head.substr(0, head.find('\n')));
    for (const auto& [name, column] : json.at("columns").items()) names.insert(name);
    return names;
  };
  const auto of_schedule =
      in_file("schedule mesh:4x4 derose:jobs=9,side=4 --times epochs --program ep:ranks=1 --windows 8");
  auto of_run = in_file("simulate mesh:4x4 stencil:grid=4x4,steps=2 --engine fluid");
  of_run.merge(in_file("simulate mesh:4x4 --job stencil:grid=2x2@0-3 --job stencil:grid=2x2@4-7 --engine fluid"));
  CHECK(columns_of({"reference/run-columns"}) == of_run);
  auto both = of_run;
  both.insert(of_schedule.begin(), of_schedule.end());
  CHECK(columns_of({"reference/run-columns", "reference/schedule-columns"}) == both);

  Names of_jobs;
  const auto csv =
      run_toroid("schedule mesh:4x4 derose:jobs=9,side=4 --times epochs --program ep:ranks=1 --jobs-csv -").out;
  std::istringstream header(csv.substr(0, csv.find('\n')));
  for (std::string name; std::getline(header, name, ',');) of_jobs.insert(name);
  CHECK(columns_of({"reference/scheduling"}) == of_jobs);
}

TEST_CASE("Pages use the words that the glossary explains") {
  static const std::regex heading("(?:^|\n)### ([^\n]+)");
  const auto glossary = page("reference/glossary");
  std::string others;
  for (const auto& [path, text] : all_pages())
    if (path != "reference/glossary.md") others += text;
  others.erase(std::remove(others.begin(), others.end(), '*'), others.end());
  std::replace(others.begin(), others.end(), '\n', ' ');
  const auto lower = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
  };
  others = lower(others);
  Names seen;
  for (std::sregex_iterator it(glossary.begin(), glossary.end(), heading), end; it != end; ++it) {
    const auto word = (*it)[1].str();
    INFO("the glossary explains '" << word << "'");
    CHECK(seen.insert(word).second);
    CHECK(others.find(lower(word)) != std::string::npos);
  }
  CHECK(seen.size() > 50);
}

}  // namespace
}  // namespace toroid::test

// The pages of the documentation as test cases, which CMake writes down, one for each; and where their links lead.

#include <catch2/catch.hpp>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/docs/document.hpp"
#include "tests/support/support.hpp"

namespace toroid::test {
namespace {

/// Calls `visit` with each line that is prose, not code, and its number.
template <class Visit>
void for_each_prose_line(const std::string& markdown, Visit&& visit) {
  std::istringstream lines(markdown);
  std::string line;
  bool fenced = false;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.rfind("```", 0) == 0) fenced = !fenced;
    if (!fenced && line.rfind("    ", 0) != 0) visit(line, number);
  }
}

/// The anchor of a heading, as sites that show Markdown make it.
std::string anchor(const std::string& heading) {
  std::string text;
  for (const char c : heading) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) || c == '-' || c == '_')
      text += static_cast<char>(std::tolower(u));
    else if (c == ' ')
      text += '-';
  }
  return text;
}

std::set<std::string> anchors(const std::string& markdown) {
  std::set<std::string> found;
  for_each_prose_line(markdown, [&](const std::string& line, int) {
    std::smatch heading;
    if (std::regex_match(line, heading, std::regex("#+ +(.*)"))) found.insert(anchor(heading[1]));
  });
  return found;
}

}  // namespace

std::vector<std::string> dead_links(const std::string& path, const std::string& markdown) {
  namespace fs = std::filesystem;
  std::vector<std::string> dead;
  static const std::regex link(R"(\]\(([^)\s#]*)(#[^)\s]*)?\))");
  for_each_prose_line(markdown, [&](const std::string& line, int number) {
    for (std::sregex_iterator at(line.begin(), line.end(), link), end; at != end; ++at) {
      const auto target = (*at)[1].str(), heading = (*at)[2].str();
      if (target.find(':') != std::string::npos) continue;  // elsewhere in the world
      const auto file = source_folder() / (fs::path(path).parent_path() / target);
      const bool is_there = target.empty() || fs::exists(file);
      if (is_there &&
          (heading.empty() || anchors(target.empty() ? markdown : content(file.string())).count(heading.substr(1)) > 0))
        continue;
      dead.push_back("line " + std::to_string(number) + ": the link to " + target + heading + " leads nowhere");
    }
  });
  return dead;
}

TEST_CASE("The front page leads to every page") {
  namespace fs = std::filesystem;
  const auto front = content(source_folder() + "/docs/index.md");
  for (const auto& entry : fs::recursive_directory_iterator(source_folder() + "/docs")) {
    const auto page = fs::relative(entry.path(), source_folder() + "/docs").string();
    if (entry.path().extension() != ".md" || page == "index.md") continue;
    INFO("add a line for docs/" << page << " to docs/index.md, in the part where readers look for it");
    CHECK(front.find("](" + page + ")") != std::string::npos);
  }
}

void check_page(const std::string& path) {
  const auto file = source_folder() + "/" + path, markdown = content(file);
  for (const auto& fault : dead_links(path, markdown)) FAIL_CHECK(path << ", " << fault);
  const auto needed = needed_command(markdown);
  if (!needed.empty() && run_script(open_mpi_settings + "\n" + needed).exit_code != 0) {
    WARN("skipped: '" << needed << "' fails here, which the page needs");
    return;
  }
  const auto run = run_page(markdown);
  for (const auto& fault : run.faults) FAIL_CHECK(path << ", " << fault);
  if (std::getenv("TOROID_REFRESH_DOCS") != nullptr && run.refreshed != markdown) std::ofstream(file) << run.refreshed;
}

}  // namespace toroid::test

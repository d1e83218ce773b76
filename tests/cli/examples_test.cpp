// What leads a new user: the commands that `toroid` and `toroid examples` show work when they are pasted, and --help is
// short.

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "tests/support/support.hpp"

using namespace toroid;
using test::run_script;
using test::run_toroid;

namespace {

/// The lines that begin so, without the blanks before.
std::vector<std::string> lines_with(const std::string& text, const std::string& begin) {
  std::vector<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);)
    if (line.starts_with(begin)) lines.push_back(line.substr(line.find_first_not_of(' ')));
  return lines;
}

void check_pasted(const test::Scratch& scratch, const std::string& command) {
  INFO(command);
  const auto run =
      run_script("cd '" + scratch.path("") + "'\ntoroid() { " + test::toroid_command() + " \"$@\"; }\n" + command);
  INFO(run.err);
  CHECK(run.exit_code == 0);
}

}  // namespace

TEST_CASE("Without arguments there are three commands that work without a file", "[slow]") {
  const auto told = run_toroid("");
  CHECK(told.exit_code == 0);
  const auto commands = lines_with(told.out, "  toroid ");
  CHECK(commands.size() == 3);
  const test::Scratch scratch;
  for (const auto& command : commands) check_pasted(scratch, command);
}

TEST_CASE("Every example works when it is pasted behind those before it", "[slow]") {
  const test::Scratch scratch;
  const auto commands = lines_with(run_toroid("examples").out, "  ");
  CHECK(commands.size() >= 20);
  for (const auto& command : commands)
    if (command.find("./my-program") == std::string::npos) check_pasted(scratch, command);
}

TEST_CASE("Examples are found by words of their task or command") {
  const auto found = run_toroid("examples SLURM order").out;
  CHECK(lines_with(found, "  toroid map").size() == 1);
  CHECK(lines_with(found, "  ").size() == 1);
  test::check_fails("examples slurm nonsense", 2, "no example has 'slurm nonsense'; toroid examples shows all 22");
}

TEST_CASE("Help is as wide as the terminal") {
  for (const std::string command : {"", "simulate", "advise"}) {
    const auto help = run_script("COLUMNS=110 " + test::toroid_command() + " " + command + " --help").out;
    std::istringstream lines(help);
    std::size_t described = 0;
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(std::string(34, ' '))) {
        ++described;
        CHECK((line.size() <= 110 || line.find(' ', 34) == std::string::npos));  // a word stays whole
      }
    CHECK(described >= 5);
  }
}

TEST_CASE("--help has few options and says how many there are, --help-all has all of them") {
  for (const std::string command : {"simulate", "map", "compare", "advise", "schedule", "platform create",
                                    "calibrate collectives", "merge", "platform show"}) {
    CAPTURE(command);
    const auto help = run_toroid(command + " --help"), all = run_toroid(command + " --help-all");
    CHECK(help.exit_code == 0);
    CHECK(all.exit_code == 0);
    const auto shown = lines_with(help.out, "  -"), options = lines_with(all.out, "  -");
    CHECK(shown.size() <= 17);
    for (const auto& option : shown) CHECK(std::find(options.begin(), options.end(), option) != options.end());
    const auto more = "All " + std::to_string(options.size()) + " options: ";
    CHECK((help.out.find(more) != std::string::npos) == (shown.size() < options.size()));
    CHECK(all.out.find("--help-all\n\n") == std::string::npos);
  }
}

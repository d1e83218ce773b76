// The checker of plain English names what it should, and nothing else.

#include <catch2/catch.hpp>
#include <optional>
#include <string>

#include "tests/docs/document.hpp"
#include "tests/support/support.hpp"

namespace toroid::test {
namespace {

/// What tools/prose prints of a page, or of a source of that name; nothing where there is no python3.
std::optional<CommandResult> faults_of_prose(const std::string& text, const std::string& name) {
  if (run_script("command -v python3").exit_code != 0) {
    WARN("skipped: there is no python3");
    return std::nullopt;
  }
  const Scratch scratch;
  const auto page = scratch.write(name, text);
  return run_script("python3 '" + source_folder() + "/tools/prose' '" + page + "' 2>&1");
}

void check_fault(const std::string& text, const std::string& fault, const std::string& name = "page.md") {
  const auto result = faults_of_prose(text, name);
  if (!result) return;
  CAPTURE(text, result->out);
  CHECK(result->exit_code == 1);
  CHECK(result->out.find(fault) != std::string::npos);
}

void check_fine(const std::string& text, const std::string& name = "page.md") {
  const auto result = faults_of_prose(text, name);
  if (!result) return;
  CAPTURE(text, result->out);
  CHECK(result->exit_code == 0);
}

std::string words(int count) {
  std::string text = "A";
  for (int i = 1; i < count; ++i) text += " word";
  return text + ".\n";
}

TEST_CASE("A sentence whose first word stands for a noun elsewhere is headless") {
  check_fault("Links share.\n\nThe same of links.\n", ":3: headless");
  check_fault("A job waits. Of a job that has the machine to itself.\n", ":1: headless");
  check_fault("- Of which it had something to do for\n", ":1: headless");
  check_fault("| a | b |\n|---|---|\n| c | Those of the machine |\n", ":3: headless");
  check_fault("Some wait (briefly). Those that wait are told.\n", ":1: headless");
  check_fine("The same seed gives the same mapping. Of several links the last one counts. Who slows whom?\n");
  check_fine("    Those that are code\n\n```\nThe same of code\n```\n\n<!-- Those -->\n\nA text.\n");
  check_fine(
      "| before | after |\n|---|---|\n| Those of links | The links |\n\nThe note \"The same of links.\" was bad.\n");
}

TEST_CASE("A sentence has fifty words at most, and a page twenty-five on average") {
  check_fine(words(50));
  check_fault(words(51), ":1: long, 51 words");
  check_fault("The answer, e.g. this, is\nin two lines: " + words(45), ":1: long");
  std::string page;
  for (int i = 0; i < 6; ++i) page += words(26) + "\n";
  check_fault(page, "26.0 words on average");
  check_fine("| " + words(30) + " |\n\n    " + words(99) + "\nOne of the links `a b c d e` is [busy](a%20page.md).\n");
}

TEST_CASE("A page without a budget begins no sentence with It, So or They") {
  check_fault("A rank waits. So it goes on.\n", "1 sentences begin with It, So or They, of 0");
  check_fine("One of the ranks waits. Italy is no rank.\n");
}

TEST_CASE("A comment of a source begins with its own noun") {
  check_fault("// As it is.\nint a;\n", "page.cpp:1: As it is", "page.cpp");
  check_fault("int a;\nint b;  ///< by rank\n", "page.cpp:2: by rank", "page.cpp");
  check_fault("int a;  // in nodes\n", "1 comments are fragments, of 0", "page.cpp");
  check_fault("def f():\n    \"\"\"Of a rank.\"\"\"\n", "page.py:2: Of a rank.", "page.py");
  check_fault("/** Or a link. */\nconst a = 1;\n", "page.js:1: Or a link.", "page.js");
  check_fine("// In SimGrid a link is shared.\nint a;  ///< bytes by rank\nauto b = \"// of\";\n", "page.cpp");
}

TEST_CASE("Spelling is checked where there is codespell") {
  if (run_script("command -v codespell").exit_code != 0) return;
  check_fault("A rank recieves.\n", "recieves ==> receives");
}

}  // namespace
}  // namespace toroid::test

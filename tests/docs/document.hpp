#pragma once
// The documentation as a test: every code block of a Markdown file, indented or fenced, is run and compared, and so is
// every table that a command makes.
//
// In a block, a line that begins with "$ " is a command, with the lines after it that a "\" or a "|" at the end of a
// line asks for; what follows is its output, whole and to the letter, where a line "..." stands for any lines. A
// command without output below it may print anything. The blocks of a file run one after the other in a scratch folder,
// with the command `toroid` in the path, and with examples/, include/ and build/release/ as in the checkout. Comments
// right above a block say what readers need not see:
//
//   <!-- not run: WHY -->       a block that is no session in a shell; without this it is an error
//   <!-- output varies -->      commands that run, with output that need not be the one shown
//   <!-- exit code N -->        of the last command, which otherwise must be 0
//   <!-- file: NAME -->         the block is that file; the commands after it find it
//   <!-- before: COMMANDS -->   run first, to make what readers are told to bring
//   <!-- output of: COMMAND --> the block is part of what this command prints
//   <!-- output of the last command -->  the block is part of what the last command above it printed
//   <!-- part of: FILE -->      the block stands in this file of the checkout, other white space apart
//   <!-- not with sanitizers: WHY -->    commands that programs built with them cannot do, or not in good time
//
// A comment above tables says what makes them:
//
//   <!-- made by: COMMAND -->   the tables from here to the next line of something else are what this command prints
//
// And one that holds for the whole page, wherever it stands:
//
//   <!-- needs: COMMAND -->     where this command fails, nothing of the page is run

#include <string>
#include <vector>

namespace toroid::test {

struct CodeBlock {
  int line = 0;             ///< of its first line, in the file
  std::string text;         ///< without indentation or fence
  std::string indentation;  ///< of its lines in the file
  bool is_run = true, output_varies = false;
  int exit_code = 0;
  std::string file, before, output_of, part_of, made_by;  ///< empty if not said
  bool is_of_last_output = false;
};

/// The code blocks, and the tables that a command makes. Throws std::runtime_error, with the line, on a comment that
/// says nothing of the above, and where no table follows a command that makes it.
std::vector<CodeBlock> code_blocks(const std::string& markdown);

/// Whether the lines of `output` are those expected, where an expected line "..." stands for any lines.
bool matches(const std::string& output, const std::string& expected);

/// What the blocks of a page came to.
struct PageRun {
  std::vector<std::string> faults;  ///< what was not as the page says, each with its line; empty if all is well
  std::string refreshed;            ///< the page with the outputs that its commands have now
};

/// Runs all blocks. Outputs that are not as shown are refreshed: a line "..." keeps its place, with as many lines
/// before the first and after the last as there were.
PageRun run_page(const std::string& markdown);

/// The command that the page needs, or nothing.
std::string needed_command(const std::string& markdown);

/// The links of a page that lead nowhere, each with its line: to files that are not there, or to headings that no page
/// has. `path` is the page's own, from the root of the checkout.
std::vector<std::string> dead_links(const std::string& path, const std::string& markdown);

/// The test of a page of the checkout: its blocks and its links. With TOROID_REFRESH_DOCS in the environment the page
/// is written anew, with the outputs as they are now.
void check_page(const std::string& path);

}  // namespace toroid::test

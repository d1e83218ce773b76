#pragma once
// The documentation as a test: every code block of a Markdown file, indented or fenced, is run and compared.
//
// In a block, a line that begins with "$ " is a command, with the lines after it that a "\" or a "|" at the end of a
// line asks for; what follows is its output, whole and to the letter, where a line "..." stands for any lines. A
// command without output below it may print anything. The blocks of a file run one after the other in a scratch folder,
// with the command `toroid` in the path, and with examples/ and build/release/ as in the checkout. Comments right above
// a block say what readers need not see:
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

#include <string>
#include <vector>

namespace toroid::test {

struct CodeBlock {
  int line = 0;      ///< of its first line, in the file
  std::string text;  ///< without indentation or fence
  bool is_run = true, output_varies = false;
  int exit_code = 0;
  std::string file, before, output_of, part_of;  ///< empty if not said
  bool is_of_last_output = false;
};

/// Throws std::runtime_error, with the line, on a comment right above a block that says nothing of the above.
std::vector<CodeBlock> code_blocks(const std::string& markdown);

/// Whether the lines of `output` are those expected, where an expected line "..." stands for any lines.
bool matches(const std::string& output, const std::string& expected);

/// Runs all blocks; what was not as the document says, each with its line. Empty if all is well.
std::vector<std::string> faults_of(const std::string& markdown);

}  // namespace toroid::test

#include "tests/docs/document.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <regex>
#include <stdexcept>
#include <utility>

#include "tests/support/support.hpp"
#include "toroid/core/assert.hpp"

namespace toroid::test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  if (lines.back().empty()) lines.pop_back();
  for (auto& line : lines) line.erase(line.find_last_not_of(" \r") + 1);
  return lines;
}

/// Whether the parts of `excerpt` between "..." stand in the text, in this order, broken into lines as they may be.
bool has_excerpt(const std::string& text, const std::string& excerpt) {
  const auto squeezed = [](const std::string& s) { return std::regex_replace(s, std::regex("\\s+"), " "); };
  const auto whole = squeezed(text), parts = squeezed(excerpt) + "...";
  std::size_t at = 0;
  for (std::size_t begin = 0, end; (end = parts.find("...", begin)) != std::string::npos; begin = end + 3) {
    auto part = parts.substr(begin, end - begin);
    part.erase(0, part.find_first_not_of(' ')).erase(part.find_last_not_of(' ') + 1);
    at = whole.find(part, at);
    if (at == std::string::npos) return false;
    at += part.size();
  }
  return true;
}

bool starts_with(const std::string& text, const std::string& beginning) {
  return text.rfind(beginning, 0) == 0;
}

bool is_row(const std::string& line) {
  return starts_with(line, "|");
}

/// Notes what one comment says of the block that follows it.
void read_comment(CodeBlock& block, const std::string& comment, std::size_t line) {
  std::smatch found;
  if (std::regex_match(comment, std::regex("not run: .+")))
    block.is_run = false;
  else if (std::regex_match(comment, std::regex("not with sanitizers: .+")))
    block.is_run = !is_sanitized;
  else if (comment == "output of the last command")
    block.is_of_last_output = true;
  else if (comment == "output varies")
    block.output_varies = true;
  else if (std::regex_match(comment, found, std::regex("exit code ([0-9]+)")))
    block.exit_code = std::stoi(found[1]);
  else if (std::regex_match(comment, found, std::regex("file: (\\S+)")))
    block.file = found[1];
  else if (std::regex_match(comment, found, std::regex("part of: (\\S+)")))
    block.part_of = found[1];
  else if (starts_with(comment, "before: "))
    block.before = comment.substr(8);
  else if (starts_with(comment, "needs: "))
    return;  // of the whole page
  else if (starts_with(comment, "output of: "))
    block.output_of = comment.substr(11);
  else if (starts_with(comment, "made by: "))
    block.made_by = comment.substr(9);
  else
    throw std::runtime_error(fmt::format("line {}: unknown comment '{}'", line, comment));
}

/// A command and what it prints, as a block shows them.
struct Step {
  int line;         ///< of the command
  int output_line;  ///< where the output begins
  std::string command, output;
};

/// Lines of a page that are to be others.
struct Change {
  int line;
  std::size_t count;
  std::string text;
};

/// The output as a page that showed `shown` would show it.
std::string as_shown(const std::string& output, const std::string& shown) {
  const auto lines = lines_of(output), old = lines_of(shown);
  const auto first = std::find(old.begin(), old.end(), "...");
  if (first == old.end()) return output;
  const auto head = std::min<std::size_t>(static_cast<std::size_t>(first - old.begin()), lines.size());
  const auto last = std::find(old.rbegin(), old.rend(), "...");
  const auto tail = std::min<std::size_t>(static_cast<std::size_t>(last - old.rbegin()), lines.size() - head);
  std::string text;
  for (std::size_t i = 0; i < head; ++i) text += lines[i] + "\n";
  text += "...\n";
  for (std::size_t i = lines.size() - tail; i < lines.size(); ++i) text += lines[i] + "\n";
  return text;
}

std::vector<Step> steps_of(const CodeBlock& block) {
  std::vector<Step> steps;
  bool goes_on = false;
  int line = block.line;
  for (const auto& text : lines_of(block.text)) {
    if (goes_on) {
      steps.back().command += "\n" + text;
      ++steps.back().output_line;
    } else if (starts_with(text, "$ ")) {
      steps.push_back({line, line + 1, text.substr(2), ""});
    } else {
      steps.back().output += text + "\n";
    }
    const bool in_command = goes_on || starts_with(text, "$ ");
    goes_on = in_command && !text.empty() && (text.back() == '\\' || text.back() == '|');
    ++line;
  }
  return steps;
}

struct Ended {
  std::string output;
  int exit_code;
};

/// Runs a script of bash in a folder, for two minutes at most.
Ended run_commands(const Scratch& scratch, const std::string& script) {
  const auto toroid_folder = std::filesystem::path(toroid_command()).parent_path().string();
  const auto path =
      scratch.write(".script", fmt::format("set -euo pipefail\nexport PATH={}:$PATH TOROID_PROGRESS=0\n{}\n{}",
                                           toroid_folder, open_mpi_settings, script));
  const auto command = fmt::format("cd {} && timeout {} bash {} 2>&1 </dev/null", scratch.path(""),
                                   core::heavy_assertions ? 600 : 120, path);
  auto* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen failed");
  Ended ended;
  std::array<char, 4096> buffer{};
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    ended.output.append(buffer.data(), n);
  const int status = ::pclose(pipe);
  ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

/// Runs the blocks of one document and collects what is not as they say.
class Runner {
 public:
  Runner() {
    namespace fs = std::filesystem;
    for (const std::string folder : {"examples", "include"})
      fs::create_directory_symlink(source_folder() + "/" + folder, scratch_.path(folder));
    fs::create_directory(scratch_.path("build"));
    fs::create_directory_symlink(fs::path(toroid_command()).parent_path(), scratch_.path("build/release"));
  }

  void run(const CodeBlock& block) {
    if (!block.is_run) return;
    if (!block.made_by.empty())
      make(block);
    else if (!block.file.empty())
      scratch_.write(block.file, block.text);
    else if (!block.part_of.empty())
      check_excerpt(block);
    else if (block.is_of_last_output)
      check_part(block, "the last command", last_output_);
    else if (!block.output_of.empty())
      check_part(block, block.output_of, run_commands(scratch_, block.output_of).output);
    else if (block.text.compare(0, 2, "$ ") == 0)
      run_steps(block);
    else
      faults.push_back(
          fmt::format("line {}: a block without a command; say `<!-- not run: WHY -->` above it", block.line));
  }

  std::vector<std::string> faults;
  std::vector<Change> changes;

 private:
  void check_excerpt(const CodeBlock& block) {
    if (!has_excerpt(content(source_folder() + "/" + block.part_of), block.text))
      faults.push_back(fmt::format("line {}: not in {}", block.line, block.part_of));
  }

  void check_part(const CodeBlock& block, const std::string& what, const std::string& output) {
    if (!matches(output, "...\n" + block.text + "...\n"))
      faults.push_back(fmt::format("line {}: not in what {} prints:\n{}", block.line, what, output));
  }

  void make(const CodeBlock& block) {
    const auto ended = run_commands(scratch_, block.made_by);
    const auto made = lines_of(ended.output);
    const bool is_table = !made.empty() && std::all_of(made.begin(), made.end(), [](const std::string& line) {
      return line.empty() || is_row(line);
    });
    if (ended.exit_code != 0 || !is_table)
      faults.push_back(fmt::format("line {}: {} prints no table, but\n{}", block.line, block.made_by, ended.output));
    else if (made != lines_of(block.text)) {
      changes.push_back({block.line, lines_of(block.text).size(), ended.output});
      faults.push_back(
          fmt::format("line {}: {}\nprints\n{}instead of\n{}", block.line, block.made_by, ended.output, block.text));
    }
  }

  void run_steps(const CodeBlock& block) {
    const std::string mark = "-- end of the output of a command --\n", print_mark = "\nprintf -- '" + mark + "'\n";
    const auto steps = steps_of(block);
    std::string script = block.before + print_mark;
    for (const auto& step : steps) script += step.command + print_mark;
    const auto ended = run_commands(scratch_, script);
    std::vector<std::string> outputs(1);
    for (std::size_t at = 0; at < ended.output.size();) {
      const auto next = ended.output.find(mark, at);
      outputs.back() += ended.output.substr(at, next - at);
      if (next == std::string::npos) break;
      outputs.emplace_back();
      at = next + mark.size();
    }
    // outputs[0] is of what comes before, outputs[i + 1] of step i.
    for (std::size_t i = 0; i < steps.size() && i + 1 < outputs.size(); ++i) {
      last_output_ = outputs[i + 1];
      if (!block.output_varies && !steps[i].output.empty() && !matches(last_output_, steps[i].output)) {
        std::string text;
        for (const auto& line : lines_of(as_shown(last_output_, steps[i].output)))
          text += line.empty() ? "\n" : block.indentation + line + "\n";
        changes.push_back({steps[i].output_line, lines_of(steps[i].output).size(), text});
        faults.push_back(fmt::format("line {}: $ {}\nprints\n{}instead of\n{}", steps[i].line, steps[i].command,
                                     last_output_, steps[i].output));
      }
    }
    if (ended.exit_code != block.exit_code)
      faults.push_back(fmt::format("line {}: exit code {} instead of {}, after\n{}", block.line, ended.exit_code,
                                   block.exit_code, outputs.back()));
  }

  Scratch scratch_;
  std::string last_output_;
};

}  // namespace

std::vector<CodeBlock> code_blocks(const std::string& markdown) {
  const auto lines = lines_of(markdown);
  std::vector<CodeBlock> blocks;
  CodeBlock next;
  const auto is_gap = [&](std::size_t i) {  // between two tables
    while (i < lines.size() && lines[i].empty()) ++i;
    return i < lines.size() && is_row(lines[i]);
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!next.made_by.empty() && !lines[i].empty()) {
      if (!is_row(lines[i])) throw std::runtime_error(fmt::format("line {}: found no table that is made", i + 1));
      next.line = static_cast<int>(i + 1);
      while (i < lines.size() && (is_row(lines[i]) || is_gap(i))) next.text += lines[i++] + "\n";
      blocks.push_back(std::exchange(next, {}));
      --i;
      continue;
    }
    const bool fenced = starts_with(lines[i], "```");
    const bool indented = starts_with(lines[i], "    ") && (i == 0 || lines[i - 1].empty());
    if (fenced || indented) {
      std::size_t end = i + 1;
      if (fenced) {
        while (end < lines.size() && !starts_with(lines[end], "```")) ++end;
        for (std::size_t k = i + 1; k < end; ++k) next.text += lines[k] + "\n";
      } else {
        while (end < lines.size() && (lines[end].empty() || starts_with(lines[end], "    "))) ++end;
        while (lines[end - 1].empty()) --end;
        for (std::size_t k = i; k < end; ++k) next.text += (lines[k].empty() ? "" : lines[k].substr(4)) + "\n";
        --end;
      }
      next.line = static_cast<int>(i + 1 + (fenced ? 1 : 0));
      next.indentation = fenced ? "" : "    ";
      blocks.push_back(std::exchange(next, {}));
      i = end;
    } else if (starts_with(lines[i], "<!-- ")) {
      std::string comment = lines[i];
      const auto first = i + 1;
      while (comment.find(" -->") == std::string::npos && i + 1 < lines.size()) comment += "\n" + lines[++i];
      read_comment(next, comment.substr(5, comment.find(" -->") - 5), first);
    } else if (!lines[i].empty()) {
      next = {};
    }
  }
  if (!next.made_by.empty()) throw std::runtime_error("at the end: found no table that is made");
  return blocks;
}

bool matches(const std::string& output, const std::string& expected) {
  const auto found = lines_of(output), wanted = lines_of(expected);
  // reached[i]: the lines wanted so far may be the first i of the output.
  std::vector<bool> reached(found.size() + 1, false);
  reached[0] = true;
  for (const auto& line : wanted) {
    std::vector<bool> next(found.size() + 1, false);
    if (line == "...") {
      bool any = false;
      for (std::size_t i = 0; i < next.size(); ++i) next[i] = any = any || reached[i];
    } else {
      for (std::size_t i = 0; i < found.size(); ++i) next[i + 1] = reached[i] && found[i] == line;
    }
    reached = next;
  }
  return reached.back();
}

PageRun run_page(const std::string& markdown) {
  Runner runner;
  try {
    for (const auto& block : code_blocks(markdown)) runner.run(block);
  } catch (const std::runtime_error& error) {  // a comment that says nothing
    runner.faults.emplace_back(error.what());
  }
  std::string refreshed;
  const auto lines = lines_of(markdown);
  auto change = runner.changes.begin();
  for (std::size_t i = 0; i < lines.size();) {
    if (change != runner.changes.end() && change->line == static_cast<int>(i + 1)) {
      refreshed += change->text;
      i += change++->count;
    } else {
      refreshed += lines[i++] + "\n";
    }
  }
  return {runner.faults, refreshed};
}

std::string needed_command(const std::string& markdown) {
  std::smatch found;
  return std::regex_search(markdown, found, std::regex("<!-- needs: (.+) -->")) ? found[1].str() : "";
}

}  // namespace toroid::test

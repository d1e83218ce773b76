// The manual page and the completion of bash, zsh and fish, made from the tables of options and of what `toroid list`
// has: what they say is what the command does. The reference in Markdown is in reference.cpp.

#include <CLI/CLI.hpp>
#include <array>

#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/pages/catalog.hpp"

namespace toroid::cli {
namespace {

// The manual page

/// Text as roff takes it: no escapes, no commands, and hyphens that can be copied.
std::string roff(const std::string& text) {
  std::string out = text.find_first_of(".'") == 0 ? "\\&" : "";
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\n')
      out += ' ';
    else
      out += c;
  }
  return out;
}

std::string option_entry(const CLI::Option& option) {
  std::string text = ".TP\n\\fB" + roff(spelling(option)) + "\\fR";
  if (option.nonpositional() && takes_value(option)) text += " \\fI" + roff(option.get_type_name()) + "\\fR";
  text += "\n" + roff(option.get_description());
  const auto value = option.get_default_str();
  if (!value.empty()) text += roff(fmt::format(" [{}]", value));
  return text + "\n";
}

/// The command, what it takes, and the same of its subcommands. `name` is the whole of it: `toroid trace info`.
std::string command_section(const CLI::App& command, const std::string& name) {
  std::string text = ".SS \"" + roff(name) + "\"\n" + roff(command.get_description()) + "\n";
  for (const auto* option : options(command)) text += option_entry(*option);
  for (const auto* sub : subcommands(command)) text += command_section(*sub, name + " " + sub->get_name());
  return text;
}

std::string manual_page(const CLI::App& app) {
  std::string text = fmt::format(".TH TOROID 1 \"\" \"toroid {}\" \"User Commands\"\n", version);
  text +=
      ".SH NAME\ntoroid \\- predicts run times of MPI programs on mesh and torus machines\n"
      ".SH SYNOPSIS\n\\fBtoroid\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR...]\n.SH DESCRIPTION\n"
      "Replays traces of MPI programs, message by message, on a machine and with a placement of the ranks, with links "
      "that messages share.\n.PP\n\\fBtoroid list\\fR prints machines, mappers, generators, collective algorithms and "
      "engines with all their parameters.\n.SH OPTIONS\n";
  for (const auto* option : options(app)) text += option_entry(*option);
  text += ".SH COMMANDS\n";
  for (const auto* command : subcommands(app)) text += command_section(*command, command->get_name());
  return text +
         ".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n1\nthe simulated program failed\n.TP\n2\nbad arguments or input files\n"
         ".SH ENVIRONMENT\n.TP\nTOROID_PLATFORM\nthe machine that libtoroid_platform.so gives to SimGrid programs\n"
         ".TP\nTOROID_PROGRESS\nwithout a terminal, seconds between two lines on how far the work is (60; 0: none)\n"
         ".SH EXAMPLE\n.EX\ntoroid simulate mesh:8x8 stencil:grid=4x4x4,bytes=64KiB \\-\\-map grasp:cost=td\n.EE\n"
         ".SH SEE ALSO\n\\fBsmpirun\\fR(1), \\fBmpirun\\fR(1)\n";
}

// The completion

/// The words of a command line that may stand in the place of the last one, which is not finished.
Names completions(const CLI::App& app, const Names& words) {
  const auto* command = &app;
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    for (const auto* sub : subcommands(*command))
      if (sub->check_name(words[i])) {
        command = sub;
        break;
      }
  const auto last = words.empty() ? std::string() : words.back();
  Names all;
  const auto add = [&](const Names& names) { all.insert(all.end(), names.begin(), names.end()); };
  const auto* before = words.size() < 2 ? nullptr : command->get_option_no_throw(words[words.size() - 2]);
  if (before != nullptr && before->nonpositional() && takes_value(*before)) {
    add(words_of(*before));
  } else {
    for (const auto* option : options(*command))
      if (last.starts_with('-') && option->nonpositional())
        add(spellings(*option));
      else if (!last.starts_with('-') && !option->nonpositional())
        add(words_of(*option));
    if (!last.starts_with('-'))
      for (const auto* sub : subcommands(*command)) add({sub->get_name()});
  }
  std::erase_if(all, [&](const std::string& name) { return !name.starts_with(last); });
  return all;
}

// The shells ask for these words, and take files where there are none.

std::string bash_completion(const CLI::App&) {
  return R"sh(# bash completion for toroid: made by `toroid pages bash`.
_toroid() {
  local command=${COMP_WORDS[0]/#\~/$HOME}
  type -P "$command" >/dev/null || command=toroid
  mapfile -t COMPREPLY < <("$command" pages complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _toroid toroid
)sh";
}

std::string zsh_completion(const CLI::App&) {
  return R"sh(#compdef toroid
# zsh completion for toroid: made by `toroid pages zsh`.
_toroid() {
  compadd -- ${(f)"$($words[1] pages complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"} || _default
}
if [[ $funcstack[1] == _toroid ]]; then _toroid; else compdef _toroid toroid; fi
)sh";
}

std::string fish_completion(const CLI::App&) {
  return R"sh(# fish completion for toroid: made by `toroid pages fish`.
complete -c toroid -a '(toroid pages complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
)sh";
}

struct PagesOptions {
  std::string what;
  Names words;
};

struct Page {
  std::string_view name;
  std::string (*write)(const CLI::App& app);
};

constexpr std::array<Page, 7> pages{{{"man", manual_page},
                                     {"bash", bash_completion},
                                     {"zsh", zsh_completion},
                                     {"fish", fish_completion},
                                     {"commands", commands_reference},
                                     {"catalog", catalog_reference},
                                     {"schema", json_schema}}};

Names page_names() {
  Names names;
  for (const auto& page : pages) names.emplace_back(page.name);
  return names;
}

Options pages_options(PagesOptions& o) {
  return {
      {"WHAT", o.what, like(page_names()), required,
       "man: the page as man reads it; bash, zsh, fish: to be sourced, as by source <(toroid pages bash); "
       "commands, catalog: all options, and all that `toroid list` has, as pages in Markdown; schema: the JSON Schema "
       "of all "
       "results"},
      {"WORDS", o.words,
       "behind complete --: the words of a command line, without the first, whose last one is to be completed"},
  };
}

void print_page(const CLI::App& app, const PagesOptions& o) {
  if (o.what == "complete") {
    for (const auto& word : completions(app, o.words)) fmt::print("{}\n", word);
    return;
  }
  if (!o.words.empty()) core::fail_input("found '{}' behind the last argument (see --help)", o.words.front());
  const auto page = std::ranges::find(pages, o.what, &Page::name);
  if (page == pages.end()) core::fail_input("unknown page '{}'{}", o.what, core::valid_instead(o.what, page_names()));
  fmt::print("{}", page->write(app));
}

}  // namespace

void add_pages(CLI::App& app) {
  add_command<PagesOptions>(app, "pages", "print the manual page, the completion for a shell, or the reference",
                            pages_options, [&app](const PagesOptions& o) { print_page(app, o); });
}

}  // namespace toroid::cli

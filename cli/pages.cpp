// The manual page and the completion of bash, zsh and fish, made from the tables that the parser and `toroid list`
// have: what they say is what the command does. The reference in Markdown is in reference.cpp.

#include <algorithm>
#include <array>

#include "alloc/allocator.hpp"
#include "cli/catalog.hpp"
#include "cli/commands.hpp"
#include "cli/manifest.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "cosim/placement.hpp"
#include "cosim/scheduler.hpp"
#include "jobs/jobs.hpp"
#include "mapping/mapper.hpp"
#include "mapping/rank_files.hpp"
#include "netsim/network.hpp"
#include "platforms/load.hpp"
#include "workloads/collectives/rules.hpp"
#include "workloads/matrices/matrices.hpp"
#include "workloads/trace.hpp"

namespace toroid::cli {
namespace {

using Names = std::vector<std::string>;

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

template <class Make>
Names names_of(const core::Registry<Make>& registry) {
  Names names;
  for (const auto& entry : registry.entries()) names.emplace_back(entry.name);
  return names;
}

Names platforms_by_name() {
  auto names = platforms::preset_names();
  for (const auto& kind : platforms::inline_platforms()) names.emplace_back(kind.name);
  return names;
}

Names page_names();

/// What may begin the value of an option or an argument of a command; nothing where only files or numbers do.
Names values(const std::string& command, const CLI::Option& option) {
  const auto name = option.get_name(!option.nonpositional());
  const auto is = [&](const char* wanted) { return name.find(wanted) != std::string::npos; };
  if (is("PLATFORM") || is("--from") || is("--and-platform")) return platforms_by_name();
  if (is("TRACE") || is("OTHER") || is("--trace")) return names_of(workloads::generators());
  if (is("--map")) return names_of(mapping::mappers());
  if (is("--engine")) return names_of(netsim::engines());
  if (is("--alloc")) return names_of(alloc::allocators());
  if (is("--scheduler")) return names_of(cosim::schedulers());
  if (is("--busy")) return names_of(cosim::busy_machines());
  if (is("JOBS") || is("--and-jobs")) return names_of(jobs::job_generators());
  if (is("--order")) return {"pair", "node", "shared"};
  if (is("--matrix")) return {"expanded", "p2p"};
  if (is("--collectives")) return workloads::collective_rule_names();
  if (is("--compute")) return {"default", "none", "trace", "mean"};
  if (is("--wrap")) return {"mesh", "torus", "ring"};
  if (is("--format") && command == "convert") return names_of(jobs::job_formats());
  if (is("--format"))
    return command == "map" ? names_of(mapping::rank_file_formats()) : names_of(workloads::matrix_formats());
  if (is("WHAT")) return command == "list" ? list_sections() : page_names();
  return {};
}

/// How a shell says which words may follow: one clause of a choice, and what joins the commands in a pattern.
struct Dialect {
  fmt::format_string<const std::string&, const std::string&> clause;
  std::string_view separator;
};

const Dialect posix{"    '{}') names='{}' ;;\n", "|"}, fish{"    case '{}'\n      set names '{}'\n", " "};

/// The clauses of such choices: which words go on a command, what its options and its arguments may be.
struct Cases {
  const Dialect& dialect;
  std::string commands = {}, option_values = {}, options = {}, words = {};

  Cases(const Dialect& shell, const CLI::App& app) : dialect(shell) { add(app, ""); }

 private:
  /// `path` is the command with a slash before each word; empty for toroid itself.
  void add(const CLI::App& command, const std::string& path) {
    Names dashed, plain;
    for (const auto* option : toroid::cli::options(command)) {
      const auto names = values(command.get_name(), *option);
      if (!option->nonpositional()) {
        plain.insert(plain.end(), names.begin(), names.end());
        continue;
      }
      for (const auto& name : option->get_snames()) add_option(path, "-" + name, names, dashed);
      for (const auto& name : option->get_lnames()) add_option(path, "--" + name, names, dashed);
    }
    for (const auto* sub : subcommands(command)) {
      plain.push_back(sub->get_name());
      commands += std::string(commands.empty() ? "" : dialect.separator) + path + "/" + sub->get_name();
      add(*sub, path + "/" + sub->get_name());
    }
    add_clause(options, path, dashed);
    add_clause(words, path, plain);
  }

  void add_option(const std::string& path, const std::string& name, const Names& names, Names& dashed) {
    dashed.push_back(name);
    if (!names.empty()) add_clause(option_values, path + " " + name, names);
  }

  void add_clause(std::string& choice, const std::string& pattern, const Names& names) const {
    const std::string list = core::join(names, " ");
    choice += fmt::format(dialect.clause, pattern, list);
  }
};

/// What bash and zsh have in common: `names` are found from `word`, `previous` and `trail`, the command so far.
std::string choose_names(const Cases& cases) {
  return fmt::format(
      R"(  case "$trail $previous" in
{}    *)
    if [[ $word == -* ]]; then
      case $trail in
{}      esac
    else
      case $trail in
{}      esac
    fi
    ;;
  esac
)",
      cases.option_values, cases.options, cases.words);
}

std::string bash_completion(const CLI::App& app) {
  const Cases cases(posix, app);
  return fmt::format(
      R"(# bash completion for toroid {}: made by `toroid pages bash`.
_toroid() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} trail='' names='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$trail/${{COMP_WORDS[i]}}" in
    {}) trail+=/${{COMP_WORDS[i]}} ;;
    esac
  done
{}  mapfile -t COMPREPLY < <(compgen -W "$names" -- "$word")
}}
# Files where no name fits.
complete -o default -F _toroid toroid
)",
      version, cases.commands, choose_names(cases));
}

std::string zsh_completion(const CLI::App& app) {
  const Cases cases(posix, app);
  return fmt::format(
      R"(#compdef toroid
# zsh completion for toroid {}: made by `toroid pages zsh`.
_toroid() {{
  local word=$words[CURRENT] previous=$words[CURRENT-1] trail='' names='' i
  for ((i = 2; i < CURRENT; i++)); do
    case "$trail/$words[i]" in
    {}) trail+=/$words[i] ;;
    esac
  done
{}  # Files where no name fits.
  compadd -- ${{=names}} || _default
}}
if [[ $funcstack[1] == _toroid ]]; then _toroid; else compdef _toroid toroid; fi
)",
      version, cases.commands, choose_names(cases));
}

std::string fish_completion(const CLI::App& app) {
  const Cases cases(fish, app);
  return fmt::format(
      R"(# fish completion for toroid {}: made by `toroid pages fish`.
function __toroid_names
  set -l words (commandline -opc)
  set -l trail ''
  set -l names ''
  for word in $words[2..]
    switch "$trail/$word"
    case {}
      set trail "$trail/$word"
    end
  end
  switch "$trail $words[-1]"
{}    case '*'
    switch (commandline -ct)
    case '-*'
      switch "$trail"
{}      end
    case '*'
      switch "$trail"
{}      end
    end
  end
  string split -n -- ' ' $names
end
complete -c toroid -a '(__toroid_names)'
)",
      version, cases.commands, cases.option_values, cases.options, cases.words);
}

struct Page {
  std::string_view name;
  std::string (*write)(const CLI::App& app);
};

constexpr std::array<Page, 6> pages{{{"man", manual_page},
                                     {"bash", bash_completion},
                                     {"zsh", zsh_completion},
                                     {"fish", fish_completion},
                                     {"commands", commands_reference},
                                     {"catalog", catalog_reference}}};

Names page_names() {
  Names names;
  for (const auto& page : pages) names.emplace_back(page.name);
  return names;
}

}  // namespace

void add_pages(CLI::App& app) {
  auto* command = app.add_subcommand("pages", "print the manual page, the completion for a shell, or the reference");
  auto what = std::make_shared<std::string>();
  command
      ->add_option("WHAT", *what,
                   "man: the page as man reads it; bash, zsh, fish: to be sourced, as by source <(toroid pages bash); "
                   "commands, catalog: all options, and all that `toroid list` has, as pages in Markdown")
      ->required();
  command->callback([&app, what] {
    const auto page = std::find_if(pages.begin(), pages.end(), [&](const Page& p) { return p.name == *what; });
    if (page == pages.end()) core::fail_input("unknown page '{}'{}", *what, core::valid_instead(*what, page_names()));
    fmt::print("{}", page->write(app));
  });
}

}  // namespace toroid::cli

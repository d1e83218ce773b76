#include "cli/commands.hpp"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <filesystem>
#include <new>
#include <span>
#include <sstream>
#include <system_error>

#include "cli/config.hpp"
#include "core/inputs.hpp"
#include "core/process.hpp"
#include "core/standard_error.hpp"
#include "core/table.hpp"

namespace toroid::cli {
namespace {

// What commands say of themselves: --help has the options that most people need, --help-all every option. The flag
// `common` in the tables of options (cli/option.hpp) says which are which.

constexpr std::size_t indent = 34;  ///< the width of the column of names

/// A description in lines that a terminal has room for; longer words stay whole.
std::string wrapped(std::string text) {
  constexpr std::size_t least = 40;
  const auto room = std::max(core::terminal_width(), indent + least) - indent;
  for (std::size_t begin = 0; text.size() - begin > room;) {
    auto at = text.rfind(' ', begin + room);
    if (at == std::string::npos || at < begin) at = text.find(' ', begin + room);
    if (at == std::string::npos) break;
    text[at] = '\n';
    begin = at + 1;
  }
  return text;
}

constexpr std::size_t few = 16;  ///< the most options that are shown without being chosen

/// The help of a command of many options, shortened unless --help-all asks.
class Help final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    const auto options = app->get_options([](const CLI::Option* o) { return o->nonpositional(); });
    is_short_ = mode == CLI::AppFormatMode::Normal && options.size() > few;
    auto text = CLI::Formatter::make_help(app, name, mode);
    for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n")) text.erase(at, 1);
    if (is_short_) text += fmt::format("All {} options: {} --help-all\n", options.size(), name);
    return text;
  }

  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (is_short_ && !is_positional)
      std::erase_if(options, [](const auto* o) { return !is_common(*o) && !o->get_lnames()[0].starts_with("help"); });
    return options.empty() ? "" : CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
  }

  std::string make_option_desc(const CLI::Option* option) const override { return wrapped(option->get_description()); }

  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, command->get_display_name(true), wrapped(command->get_description()), indent);
    return out.str();
  }

 private:
  mutable bool is_short_ = false;
};

void add_help(CLI::App& app) {
  const auto help = std::make_shared<Help>();
  help->column_width(indent);
  app.formatter(help);
  app.set_help_flag("-h,--help", "the options that most people need");
  app.set_help_all_flag("--help-all", "all options");
}

/// What `toroid` says without arguments.
std::string first_commands() {
  return R"(toroid predicts run times of MPI programs on mesh and torus machines. Three first commands:

  toroid simulate torus:4x4x4 cg:class=A,ranks=64,iterations=1 --explain
      how long a program runs, on which links it waits, and what would help
  toroid advise torus:4x4x4 minighost:grid=4x4x4,steps=1 --repeat 2
      which rank order to take, and whether its gain is more than chance
  toroid schedule mesh:16x16 derose:side=16,jobs=300 --alloc mc1x1
      how jobs wait and run under an allocator

toroid examples    more tasks, each with its command
toroid --help      all commands; toroid COMMAND --help what one of them takes
toroid list        machines, programs, mappers, allocators and all else that has a name
)";
}

constexpr std::string_view errors_option = "--json-errors";

/// How a command says what is wrong: one line, whatever is in it, on standard error, if there is one.
class Complaints {
 public:
  explicit Complaints(const std::vector<std::string>& words) {
    const auto ours = std::span(words).first(count_of_ours(words));
    as_json_ = std::ranges::find(ours, errors_option) != ours.end();
    if (as_json_) core::leave_to_errors();
  }

  static void take_option(std::vector<std::string>& words) {
    const auto end = words.begin() + static_cast<std::ptrdiff_t>(count_of_ours(words));
    words.erase(std::remove(words.begin(), end, errors_option), end);
  }

  int tell(int exit_code, std::string_view message) const {
    const auto line = as_json_ ? core::json_text({{"schema_version", core::schema_version},
                                                  {"exit_code", exit_code},
                                                  {"error", std::string(message)}}) +
                                     "\n"
                               : fmt::format("toroid: {}\n", core::excerpt(message, 10000));
    std::fputs(line.c_str(), stderr);
    return exit_code;
  }

 private:
  /// How many words there are before those that are somebody else's: behind `--`, and of a program that is captured.
  static std::size_t count_of_ours(const std::vector<std::string>& words) {
    bool is_command = true;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i] == "--") return i;
      if (words[i].starts_with('-')) continue;
      if (is_command && words[i] == "capture") return i;
      is_command = is_command && words[i - 1] == "--plugin";
    }
    return words.size();
  }

  bool as_json_ = false;
};

/// What the parser has to print: the help, or the version.
void print_answer(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out, none;
  app.exit(error, out, none);
  fmt::print("{}", out.str());
}

void flush_standard_output() {
  if (std::fflush(stdout) != 0) core::fail_input("standard output cannot be written: {}", std::strerror(errno));
}

/// The command, or the one of its commands that was named.
const CLI::App& named_command(const CLI::App& app) {
  const auto named = app.get_subcommands();
  return named.empty() ? app : named_command(*named[0]);
}

/// `trace info`
std::string full_name(const CLI::App& command) {
  const auto* parent = command.get_parent();
  if (parent == nullptr) return "toroid";
  return parent->get_parent() == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

/// The words that a command did not take, but for those behind `--`, which are no options.
std::vector<std::string> words_left(const CLI::App& command) {
  auto words = command.remaining();
  words.erase(std::ranges::find(words, "--"), words.end());
  return words;
}

/// The first of the words that is an option which a command does not have, and what was perhaps meant; nothing where
/// the command has all of them.
std::string unknown_option(const CLI::App& command, const std::vector<std::string>& words) {
  const auto name_in = [](const std::string& word) { return word.substr(0, word.find('=')); };
  const auto option = std::ranges::find_if(words, [&](const auto& word) {
    return word.starts_with('-') && command.get_option_no_throw(name_in(word)) == nullptr;
  });
  if (option == words.end()) return {};
  const auto name = name_in(*option);
  std::vector<std::string> known;
  for (const auto* one : command.get_options())
    for (const auto& long_name : one->get_lnames()) known.push_back(long_name);
  const auto meant = core::nearest(name.substr(std::min(name.find_first_not_of('-'), name.size())), known);
  return fmt::format("{} has no option '{}'{}", full_name(command), core::excerpt(name),
                     meant ? fmt::format("; did you mean '--{}'?", *meant) : "");
}

/// The program that is to be captured, with its arguments, if no `--` is before it.
std::string program_without_dashes(const CLI::App& command, const std::vector<std::string>& given) {
  if (command.get_name() != "capture" || command.count("COMMAND") == 0 || std::ranges::find(given, "--") != given.end())
    return {};
  const auto begin = std::ranges::find(given, command.get_option("COMMAND")->as<std::vector<std::string>>().front());
  return core::excerpt(core::join({begin, given.end()}, " "), 200);
}

/// The parser's own words, but for a command or an option that is unknown: those would not say what was meant.
std::string what_is_wrong(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& given) {
  const auto& first = given[1];
  std::vector<std::string> commands;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(command->get_name());
  const bool known = std::ranges::find(commands, first) != commands.end();
  if (known)
    if (const auto why = taken_by_an_option(*app.get_subcommand(first)); !why.empty()) return why;
  if (!known && !first.empty() && first[0] != '-')
    return fmt::format("unknown command '{}'{}", first, core::valid_instead(first, commands));
  const auto& command = named_command(app);
  if (const auto program = program_without_dashes(command, given); !program.empty())
    return "put -- before the program: toroid capture ... -- " + program;
  if (const auto unknown = unknown_option(command, words_left(command)); !unknown.empty()) return unknown;
  const auto words = words_left(command);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || words.empty()) return error.what();
  return fmt::format("found '{}' behind the last argument", core::excerpt(words[0]));
}

void run(CLI::App& app, std::vector<std::string> words) {
  try {
    if (words.size() == 1) return fmt::print("{}", first_commands()), flush_standard_output();
    prepare_config(app, words);
    std::vector<const char*> arguments;
    for (const auto& word : words) arguments.push_back(word.c_str());
    app.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) core::fail_input("{} (see --help)", what_is_wrong(app, error, words));
    print_answer(app, error);
  }
  flush_standard_output();
}

/// The parser, with all commands. What they say of names they take from the registries, plug-ins included.
void add_commands(CLI::App& app) {
  app.set_version_flag("--version", std::string("toroid ") + version);
  app.require_subcommand(1);
  add_help(app);
  app.add_option_function<std::string>(
         "--plugin", [](const std::string&) {},  // load_plugins() has taken it
         "algorithms from elsewhere, under names like all others: a shared library with a TOROID_PLUGIN, or a file of "
         "Python (.py); any number of times, before or after the command")
      ->type_name("FILE");
  app.add_flag_callback(
      std::string(errors_option), [] {},  // Complaints have taken it
      "what is wrong as a line of JSON on standard error, exit_code and error; nothing else is written there");
  add_simulate(app);
  add_map(app);
  add_compare(app);
  add_advise(app);
  add_merge(app);
  add_batch(app);
  add_diff(app);
  add_plot(app);
  add_schedule(app);
  add_trace(app);
  add_capture(app);
  add_jobs(app);
  add_platform(app);
  add_calibrate(app);
  add_examples(app);
  add_list(app);
  add_pages(app);
}

}  // namespace

CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& help, const Options& options,
                      const std::function<void()>& run) {
  auto& command = *app.add_subcommand(name, help);
  add_options(command, options);
  command.callback([&command, run] {
    if (command.get_subcommands().empty()) run();  // else one of its own commands has done what was asked for
  });
  return command;
}

CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& help, const Options& options,
                      const std::function<void(const core::Json& arguments)>& run) {
  auto& command = *app.add_subcommand(name, help);
  add_options(command, options);
  set_action(command, run);
  return command;
}

CLI::App& add_family(CLI::App& app, const std::string& name, const std::string& help) {
  return *app.add_subcommand(name, help)->require_subcommand(1);
}

int run_command(const std::vector<std::string>& words, const RunPython& run_python) {
  TOROID_ASSERT(!words.empty());
  core::prepare_process();
  const core::Inputs inputs;  // all that is read from now on
  const Complaints complaints(words);
  try {
    auto rest = load_plugins(words, run_python);
    Complaints::take_option(rest);
    CLI::App app{"toroid: predicted run times of MPI traces on mesh and torus machines"};
    add_commands(app);
    run(app, rest);
    return 0;
  } catch (const core::InputError& error) {
    return complaints.tell(2, error.what());
  } catch (const core::SimulationError& error) {
    return complaints.tell(1, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return complaints.tell(2, error.what());
  } catch (const std::system_error& error) {  // what printing throws
    return complaints.tell(2, fmt::format("standard output cannot be written: {}", error.code().message()));
  } catch (const std::bad_alloc&) {
    return complaints.tell(1, core::out_of_memory);
  } catch (const std::exception& error) {
    return complaints.tell(1, fmt::format("internal error: {}", error.what()));
  } catch (...) {  // faults of a library, or of a plug-in
    return complaints.tell(1, "internal error: an exception that says nothing");
  }
}

}  // namespace toroid::cli

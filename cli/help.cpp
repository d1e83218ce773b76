// What commands say of themselves: --help has the options that most people need, --help-all every option. The flag
// `common` in the tables of options (cli/option.hpp) says which are which.

#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "core/table.hpp"

namespace toroid::cli {
namespace {

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

}  // namespace

void add_help(CLI::App& app) {
  const auto help = std::make_shared<Help>();
  help->column_width(indent);
  app.formatter(help);
  app.set_help_flag("-h,--help", "the options that most people need");
  app.set_help_all_flag("--help-all", "all options");
}

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

}  // namespace toroid::cli

#pragma once
// Options and arguments of commands, each told once: a table has the name of an option, the member that it sets, its
// help, what its values may be, and its group. The command line, --help, the completion, the settings in manifests and
// Python's keywords come from these tables; the default is what the member has when the table is made:
//
//   Options replay_options(netsim::ReplayTexts& o) {
//     return {Heading{"Replay"}, {"--eager", o.eager, setting, "largest message sent without waiting ..."}, ...};
//   }

#include <variant>

#include "toroid/core/json.hpp"
#include "toroid/core/registry.hpp"

namespace CLI {  // whose header takes seconds to read
class App;
class Option;
}  // namespace CLI

namespace toroid::cli {

using core::Json;
using Names = std::vector<std::string>;

/// Things that texts stand for, such as choices of a registry.
struct Meant {
  std::function<void(Names texts)> set;
  std::function<Names()> texts = [] { return Names(); };  ///< the texts of the things that are set now
  bool are_many = false;
};

/// What an option sets.
using Value =
    std::variant<bool*, std::int32_t*, std::uint64_t*, double*, std::optional<std::uint64_t>*, std::optional<double>*,
                 std::optional<std::string>*, std::string*, Names*, std::vector<double>*, Meant>;

/// Takes labels off the names, and returns one for each: what has none is called by its short name. A file that is
/// called `LABEL := NAME` is a name. `change` makes of each name what stands in its place. Throws InputError if a label
/// comes twice, and where a label or a name is missing.
Names take_labels(Names& names, const std::function<std::string(const std::string&)>& change = nullptr);

/// Choices, which replace the default ones; `labels`, unless null, gets what each is called: `LABEL := CHOICE`.
template <class Choice>
Value choices(std::vector<Choice>& things, Names* labels = nullptr) {
  const auto set = [&things, labels](Names texts) {
    if (labels != nullptr) *labels = take_labels(texts);
    things = core::choices_of<Choice>(texts);
  };
  return Meant{set, [&things] { return core::texts_of(things); }, true};
}

/// The value that a member is, or that a function sets which takes a text.
template <class Thing>
Value value_of(Thing&& thing) {
  using T = std::remove_cvref_t<Thing>;
  if constexpr (std::is_constructible_v<Value, T>)
    return Value(std::forward<Thing>(thing));
  else if constexpr (std::is_constructible_v<Value, T*>)
    return Value(&thing);
  else if constexpr (std::is_invocable_v<T, const std::string&>)
    return Meant{[set = thing](const Names& texts) { set(texts.at(0)); }};
  else if constexpr (requires { thing.has_value(); })
    return Meant{[&thing](const Names& texts) { thing = typename T::value_type(texts.at(0)); },
                 [&thing] { return thing ? Names{thing->text()} : Names(); }};
  else if constexpr (requires { thing.begin(); })
    return choices(thing);
  else
    return Meant{[&thing](const Names& texts) { thing = T(texts.at(0)); }, [&thing] { return Names{thing.text()}; }};
}

/// What the values of an option may be: how they are judged, what --help calls them, and the words that complete them.
struct Type {
  std::string called = {};                       ///< `FILE`; empty: as the parser calls what is set
  std::function<void(CLI::Option&)> judge = {};  ///< has the parser judge each value
  std::optional<std::pair<double, double>> range = {};
  std::function<Names()> words = {};  ///< what a value may be, or begin with
  bool are_all = false;               ///< whether a value is one of the words
  bool is_output = false;             ///< whether a value is the path of what is written
};

/// Whole numbers in decimal digits, which CLI11 alone would take for octal ones after a 0.
Type whole(std::uint64_t low, std::uint64_t high);
Type any_seed();
/// Finite numbers.
Type real(double low, double high);
/// One of a few words.
Type one_of(Names words);
/// Words such as these, which somebody else judges.
Type like(Names words);
/// Specs of the things in a registry.
template <class Make>
Type entry_of(const core::Registry<Make>& registry) {
  return {.words = [&registry] { return registry.names(); }};
}
/// Things whose type says its registry.
template <auto registry>
Names words_for(const core::Choice<registry>*) {
  return registry().names();
}
Type machine_name();
Type trace_name();
Type input_file();
/// Nodes of a machine, which somebody else reads; an unset variable of a shell is none.
Type node_list();
/// Paths of what is written; one that is given must not be empty. Such an option is no part of what results record.
Type output_file();
Type output_folder();

/// An option, or an argument that is known by its place.
struct Option {
  std::string name;  ///< `--eager`, `-o,--output`, `PLATFORM`; `--verify{simgrid}` where a flag may have a value
  Value value;
  std::string help = {};
  Type type = {};
  std::string group = {};
  Names needs = {}, excludes = {};        ///< options of the same command that stand before this one
  std::string key = {};                   ///< the name in manifests and in Python: `mtbf_hours`; `eager` of `--eager`
  std::optional<std::size_t> count = {};  ///< how many values must be given
  char separator = 0;                     ///< what parts values within a word
  bool is_required = false;
  bool is_common = false;    ///< whether most people need it: --help shows it, not only --help-all
  bool is_repeated = false;  ///< takes one value each time that it is given, as what follows may be an argument
  bool is_recorded = true;   ///< whether results record what was given, for --config
  bool is_setting = false;   ///< whether manifests tell its value even if nobody gave one; and Python has the keyword
  bool is_in_force = true;   ///< whether manifests tell the setting, as it has an effect beside the others
  std::string lacking = {};  ///< what the option needs from others to mean anything, and does not find there
  Json if_empty = Json::value_t::discarded;  ///< what manifests tell of an empty text or no choice; discarded: nothing

  /// The option with its name, what it sets, what else there is to say of it (below), and its help.
  template <class Thing, class... Traits>
  Option(std::string option_name, Thing&& thing, Traits&&... traits)
      : name(std::move(option_name)), value(value_of(std::forward<Thing>(thing))), key(usual_key(name)) {
    use_words<std::remove_cvref_t<Thing>>();
    (put(std::forward<Traits>(traits)), ...);
  }

  /// What the option is set to.
  Json json() const;

 private:
  /// `ranks_per_node` of `--ranks-per-node`, `alone` of `--no-alone`.
  static std::string usual_key(const std::string& name);

  template <class T>
  void use_words() {
    if constexpr (requires { words_for(static_cast<T*>(nullptr)); })
      type.words = [] { return words_for(static_cast<T*>(nullptr)); };
    else if constexpr (requires { words_for(static_cast<typename T::value_type*>(nullptr)); })
      type.words = [] { return words_for(static_cast<typename T::value_type*>(nullptr)); };
  }
  void put(Type of) { type = std::move(of); }
  void put(std::string text) { help = std::move(text); }
  void put(const char* text) { help = text; }
  template <class Trait>
  void put(const Trait& trait) {
    trait(*this);
  }
};

// What else a line of a table says of its option.

/// A trait that gives a member of the option a value; one that makes a trait of each value.
template <auto member, auto value = true>
constexpr auto makes = [](Option& option) { option.*member = value; };
template <auto member>
constexpr auto sets = [](auto value) { return [=](Option& option) { option.*member = value; }; };

inline constexpr auto required = makes<&Option::is_required>;
inline constexpr auto common = makes<&Option::is_common>;
inline constexpr auto repeated = makes<&Option::is_repeated>;
inline constexpr auto unrecorded = makes<&Option::is_recorded, false>;
inline constexpr auto setting = makes<&Option::is_setting>;
/// A setting that manifests leave out unless it is in force; refuse_idle() tells what it lacks.
inline auto setting_if(bool is_in_force, const std::string& lacking = {}) {
  return [=](Option& option) {
    option.is_setting = true;
    option.is_in_force = is_in_force;
    option.lacking = lacking;
  };
}
inline constexpr auto idle = sets<&Option::lacking>;
/// A setting of which manifests tell that where nothing is given.
inline auto setting_or(const Json& if_empty) {
  return [=](Option& option) {
    option.is_setting = true;
    option.if_empty = if_empty;
  };
}
inline constexpr auto key = sets<&Option::key>;
inline auto called(const std::string& what) {
  return [=](Option& option) { option.type.called = what; };
}
inline auto needs(const std::string& other) {
  return [=](Option& option) { option.needs.push_back(other); };
}
inline auto excludes(const std::string& other) {
  return [=](Option& option) { option.excludes.push_back(other); };
}
inline constexpr auto exactly = sets<&Option::count>;
inline constexpr auto separated = sets<&Option::separator>;

/// A heading of --help, under which the options after it stand.
struct Heading {
  std::string name;
};

/// The options of a command, or some that several commands have, in the order in which results record them.
class Options {
 public:
  /// A line of a table: a group begins, or an option, or those of another table.
  struct Line {
    template <class Thing, class... Traits>
    Line(std::string name, Thing&& thing, Traits&&... traits)
        : Line(Option(std::move(name), std::forward<Thing>(thing), std::forward<Traits>(traits)...)) {}
    Line(Option option) { options.push_back(std::move(option)); }
    Line(std::vector<Option> some) : options(std::move(some)) {}
    Line(Options table) : options(std::move(table.all_)) {}
    Line(Heading begun) : group(std::move(begun.name)) {}

    std::string group;
    mutable std::vector<Option> options;  ///< the table takes them out of its lines, which are constant
  };
  Options(std::initializer_list<Line> lines);

  /// The options, none of which is in force unless `are_in_force`; `lacking` is what they lack then.
  Options only_if(bool are_in_force, const std::string& lacking) &&;

  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::vector<Option> all_;
};

void add_options(CLI::App& command, const Options& options);

/// The words that complete an option that add_options() has added.
Names words_of(const CLI::Option& option);
/// Whether it is an option that add_options() has added, and that most people need.
bool is_common(const CLI::Option& option);

/// Adds to a manifest the settings of the options that are not in it.
void record(Json& manifest, const Options& options);
/// Adds the settings of a table, as they are in `of`.
template <class T>
void record(Json& manifest, Options (*table)(T&), std::type_identity_t<T> of) {
  record(manifest, table(of));
}

/// Throws InputError where an option is given (cli/config.hpp) that means nothing beside the others.
void refuse_idle(const Options& options, const Json& given);

/// Which option took the words that were meant for required arguments of the command, such as PLATFORM, as an option
/// with any number of values takes all words up to the next option. Empty if there is none.
std::string taken_by_an_option(const CLI::App& command);

}  // namespace toroid::cli

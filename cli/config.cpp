#include "cli/config.hpp"

#include <CLI/CLI.hpp>
#include <cctype>
#include <fstream>

#include "cli/outputs.hpp"
#include "cli/plugins.hpp"
#include "cli/result_fields.hpp"
#include "core/blame.hpp"
#include "core/file.hpp"
#include "core/progress.hpp"
#include "toroid/platforms/load.hpp"

namespace toroid::cli {
namespace {

constexpr const char* config_option = "--config";
constexpr const char* dump_option = "--dump-config";
constexpr const char* plugins_in_record = "--plugin";  ///< the name of the plug-ins in a record of arguments
constexpr const char* any_result = "a result that --json or --dump-config wrote";

/// `--map`, or `PLATFORM` where an argument is known by its place.
std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name() : "--" + option.get_lnames().front();
}

std::vector<const CLI::Option*> recorded_options(const CLI::App& command) {
  return command.get_options([](const CLI::Option* o) { return o->get_configurable(); });
}

Json given_arguments(const CLI::App& command) {
  auto given = Json::object();
  if (!plugins().empty()) given[plugins_in_record] = plugins();
  for (const auto* option : recorded_options(command)) {
    const auto& results = option->results();
    if (!results.empty()) given[name_of(*option)] = results.size() == 1 ? Json(results[0]) : Json(results);
  }
  return given;
}

/// A value as it would stand on the command line, also where someone wrote a number.
std::string argument_text(const Json& value, const std::string& name) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  core::fail_input("\"{}\": found {}, expected a text or a list of texts", core::excerpt(name),
                   core::excerpt(core::json_text(value)));
}

/// Files that differ would give another result without a word.
void check_inputs(const Json& manifest) {
  if (!manifest.contains("inputs")) return;
  for (const auto& input : manifest["inputs"]) {
    const auto file = input.value("file", ""), sum = input.value("sha256", "");
    if (core::is_file(file) && core::sha256_of_file(file) != sum)
      core::fail_input("{} has changed since this result was made from it", core::excerpt(file));
  }
}

struct NamedResult {
  const CLI::App* command;  ///< whose run it is to be
  std::string path;

  template <class Read>
  auto in_context(Read read) const {
    return core::in_context(fmt::format("{} {}", config_option, core::excerpt(path)),
                            [&] { return core::read_document(any_result, read); });
  }

  Json manifest() const {
    return in_context([&] {
      if (!core::is_file(path)) core::fail_input("{}", core::why_no_file(path));
      std::ifstream file(path);
      const auto result = core::parse_json(core::text_of_stream(file, "its text"));
      auto manifest = result.is_object() ? result.value("manifest", result) : Json();
      if (!manifest.is_object() || !manifest.value("arguments", Json()).is_object())
        core::fail_input("found no manifest with arguments, expected {}", any_result);
      check_result(result, manifest, "manifest", command->get_name());
      check_inputs(manifest);
      return manifest;
    });
  }
};

/// What follows an option in the words of a command line, on its own or behind `=`; nothing if the option is not there.
std::optional<std::string> value_of(const std::vector<std::string>& words, const std::string& option) {
  for (auto word = words.begin(); word != words.end() && *word != "--"; ++word) {
    if (*word == option) return std::next(word) == words.end() ? "" : *std::next(word);
    if (word->starts_with(option + "=")) return word->substr(option.size() + 1);
  }
  return std::nullopt;
}

/// The result that --config names in a command line, which is no question for help; nothing if there is none.
std::optional<NamedResult> named_result(const CLI::App& app, const std::vector<std::string>& words) {
  const auto path = value_of(words, config_option);
  if (!path || words.size() < 2 || value_of(words, "--help") || value_of(words, "--help-all") || value_of(words, "-h"))
    return std::nullopt;
  const auto named = app.get_subcommands([&](const CLI::App* one) { return one->get_name() == words[1]; });
  if (named.empty() || named[0]->get_option_no_throw(config_option) == nullptr) return std::nullopt;
  return NamedResult{named[0], *path};
}

/// Gives the parser the arguments of a result in the place of a file that it would read.
class ManifestConfig final : public CLI::Config {
 public:
  ManifestConfig(NamedResult result, Json arguments) : result_(std::move(result)), arguments_(std::move(arguments)) {}

  std::string to_config(const CLI::App*, bool, bool, std::string) const override { return {}; }

  std::vector<CLI::ConfigItem> from_config(std::istream&) const override {
    return result_.in_context([&] {
      std::vector<CLI::ConfigItem> items;
      for (const auto& [name, value] : arguments_.items()) {
        if (name == plugins_in_record) continue;  // loaded by now
        check_name(name);
        CLI::ConfigItem item;
        item.parents = {result_.command->get_name()};
        item.name = name.substr(std::min(name.find_first_not_of('-'), name.size()));
        for (const auto& one : value.is_array() ? value : Json::array({value}))
          item.inputs.push_back(argument_text(one, name));
        if (!item.inputs.empty()) items.push_back(std::move(item));
      }
      return items;
    });
  }

 private:
  void check_name(const std::string& name) const {
    std::vector<std::string> valid;
    for (const auto* option : recorded_options(*result_.command)) valid.push_back(name_of(*option));
    if (std::ranges::find(valid, name) == valid.end())
      core::fail_input("unknown argument '{}'{}", core::excerpt(name), core::valid_instead(name, valid));
  }

  NamedResult result_;
  Json arguments_;
};

/// `--ranks-per-node` and PLATFORM as they are written in JSON: `ranks_per_node`, `platform`.
std::string key_of(std::string_view name) {
  std::string key(name.substr(std::min(name.find_first_not_of('-'), name.size())));
  for (auto& c : key) c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return key;
}

/// Adds a value of an option as a word of a command line. An option known by its place has no name there.
void add_word(std::vector<std::string>& words, const CLI::Option& option, const Json& value) {
  const auto name = name_of(option);
  const bool is_flag = option.get_expected_max() == 0 || option.get_expected_min() == 0;
  if (is_flag && value.is_boolean()) {
    if (value.get<bool>()) words.push_back(name);
  } else {
    words.push_back((name.starts_with("--") ? name + "=" : "") + argument_text(value, name));
  }
}

void dump(const CLI::App& command, const Json& arguments) {
  Json manifest{{"toroid", version}, {"command", command.get_name()}, {"arguments", arguments}};
  if (!plugins().empty()) manifest["inputs"] = inputs_json();  // a plug-in that has changed is another one
  fmt::print("{}\n", core::json_text(Json{{"manifest", manifest}}, 1));
}

/// Plug-ins cannot be loaded any more when a record is read.
void check_plugins(const Json& recorded) {
  if (recorded != Json(plugins()))
    core::fail_input(
        "found a record that was made with --plugin {}, expected the same plug-ins: toroid --plugin FILE ...",
        core::excerpt(core::json_text(recorded)));
}

std::string name_of(const platforms::SourcedProperty& property) {
  if (property.source) return std::string(platforms::to_word(*property.source));
  return property.is_default ? "default" : "unstated";
}

core::Json provenance_of(const std::string& platform) {
  std::map<std::string, platforms::PropertyInterval> intervals;
  const auto machine = platforms::describe(platform, [&](const auto& interval) {
    intervals[interval.property] = interval;
    return interval.middle();
  });
  core::Json json{{"platform", platform}};
  for (const auto* source : {"measured", "published", "estimate", "chosen", "unstated", "default"})
    json[source] = core::Json::object();
  for (const auto& property : platforms::sourced_properties(machine)) {
    const auto found = intervals.find(property.property);
    const bool is_drawn = found != intervals.end() && found->second.text(found->second.middle()) == property.value;
    json[name_of(property)][property.property] = is_drawn ? found->second.text() : property.value;
  }
  return json;
}

}  // namespace

void set_action(CLI::App& command, const std::function<void(const Json& arguments)>& run) {
  command
      .add_option_function<std::string>(
          config_option, [](const std::string&) {},  // the parser has read it, see prepare_config()
          "do the run of a result (JSON) again; options that are given here replace those of its manifest; an input "
          "that has changed is an error")
      ->type_name("FILE")
      ->configurable(false);
  const auto* dumps = command.add_flag(dump_option)
                          ->description("print these arguments for --config, and run nothing")
                          ->configurable(false);
  command.callback([&command, dumps, run] {
    const auto arguments = given_arguments(command);
    if (dumps->count() > 0) return dump(command, arguments);
    run(arguments);
  });
}

RecordParser::RecordParser(const std::string& name, const Options& options)
    : command_(std::make_shared<CLI::App>(name)) {
  add_options(*command_, options);
  for (const auto* option : recorded_options(*command_)) {
    known_.push_back(option);
    keys_.push_back(key_of(name_of(*option)));
  }
  TOROID_ASSERT(std::set(keys_.begin(), keys_.end()).size() == keys_.size());
}

std::map<std::size_t, const Json*> RecordParser::values_of(const Json& record) const {
  TOROID_ASSERT(keys_.size() == known_.size());
  std::map<std::size_t, const Json*> values;
  for (const auto& [name, value] : record.items()) {
    if (name == plugins_in_record) {
      check_plugins(value);
      continue;
    }
    const auto key = key_of(name);
    const auto found = static_cast<std::size_t>(std::ranges::find(keys_, key) - keys_.begin());
    if (found == keys_.size())
      core::fail_input("unknown argument '{}'{}", core::excerpt(name), core::valid_instead(key, keys_));
    if (!values.emplace(found, &value).second) core::fail_input("'{}' is given twice", core::excerpt(name));
  }
  // What is known by its place would stand in another one.
  bool is_later_given = false;
  for (auto i = known_.size(); i-- > 0;) {
    if (!known_[i]->get_positional()) continue;
    is_later_given = is_later_given || values.contains(i);
    if (is_later_given && !values.contains(i)) core::fail_input("{} is required", name_of(*known_[i]));
  }
  return values;
}

Json RecordParser::parse(const Json& record) {
  std::vector<std::string> words, places{"--"};
  for (const auto& [option, value] : values_of(record))
    for (const auto& one : value->is_array() ? *value : Json::array({*value}))
      add_word(known_[option]->get_positional() ? places : words, *known_[option], one);
  words.insert(words.end(), places.begin(), places.end());
  std::ranges::reverse(words);  // the parser takes the last word first
  try {
    command_->parse(words);
  } catch (const CLI::ParseError& error) {
    core::fail_input("{}", error.what());
  }
  return given_arguments(*command_);
}

void prepare_config(CLI::App& app, const std::vector<std::string>& words) {
  const auto result = named_result(app, words);
  if (!result) return;
  const auto manifest = result->manifest();
  const auto by = result->in_context([&] { return manifest.value("toroid", std::string(version)); });
  if (by != version)
    core::announce(fmt::format("{} is by toroid {}: what this version ({}) makes of it may differ", result->path,
                               core::excerpt(by), version));
  result->in_context([&] {
    if (plugins().empty()) check_plugins(manifest["arguments"].value(plugins_in_record, Json::array()));
  });
  core::Inputs::keep(result->path);  // a result is not overwritten by what is made from it
  app.config_formatter(std::make_shared<ManifestConfig>(*result, manifest["arguments"]));
  app.set_config("--config-of-command", result->path)->group("");
}

core::Json provenance_json(const std::vector<std::string>& platforms) {
  auto all = core::Json::array();
  for (const auto& platform : platforms) all.push_back(provenance_of(platform));
  return all;
}

}  // namespace toroid::cli

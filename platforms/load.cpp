// From a PLATFORM argument to a description: inline kinds, presets and files, each with more properties.

#include <filesystem>

#include "core/file.hpp"
#include "platforms/check.hpp"
#include "platforms/slurm/topology.hpp"
#include "platforms/xml.hpp"
#include "toroid/core/json.hpp"
#include "toroid/core/parameter.hpp"

namespace toroid::platforms {
namespace {

using core::is_file;

constexpr std::string_view shown_machine = "a machine as platform show --json writes it";

/// `mesh:8x8`: the kind is the wrap of every dimension; or `tpu-v5p:4x4x8`.
Description describe_inline(const core::Spec& spec, const Choose& choose) {
  for (const auto& family : slice_families())
    if (family.name == spec.name()) return slice(family, spec.argument(), choose);
  Description m;
  if (spec.argument().empty())
    core::fail_input("'{}': expected extents such as {}:8x8 or {}:4x4x4", spec.text(), spec.name(), spec.name());
  choose_properties(m, {{"shape", spec.argument()}, {"wrap", spec.name()}});
  return m;
}

const Preset* find_preset(std::string_view name) {
  const auto& all = presets();
  const auto found = std::ranges::find_if(all, [&](const Preset& preset) { return preset.name == name; });
  return found == all.end() ? nullptr : &*found;
}

bool is_inline(std::string_view name) {
  const auto& all = inline_platforms();
  return std::ranges::any_of(all, [&](const auto& kind) { return kind.name == name; });
}

bool is_shape(std::string_view text) {
  return text.find('x') != std::string_view::npos && text.find_first_not_of("0123456789x") == std::string_view::npos;
}

/// What a name that is no platform was probably meant to be, as a sentence; empty if that is hard to tell.
std::string guess(const std::string& name) {
  std::vector<std::string> valid = preset_names();
  for (const auto& kind : inline_platforms()) {
    valid.emplace_back(kind.name);
    if (name.starts_with(kind.name) && is_shape(name.substr(kind.name.size())))
      return fmt::format("did you mean {}:{}?", kind.name, core::excerpt(name.substr(kind.name.size())));
  }
  if (is_shape(name)) return fmt::format("did you mean mesh:{} or torus:{}?", core::excerpt(name), core::excerpt(name));
  const auto base = name.substr(0, name.find(','));
  if (base != name && (is_platform_name(base) || is_file(base)))
    return fmt::format("a colon comes before the properties: {}:{}", core::excerpt(base),
                       core::excerpt(name.substr(base.size() + 1)));
  if (name.ends_with(".xml") || is_topology_file(name) || is_json_file(name) || name.find('/') != std::string::npos)
    return "no such file";
  if (const auto nearest = core::nearest(name, valid)) return fmt::format("did you mean '{}'?", *nearest);
  return {};
}

[[noreturn]] void fail_unknown_machine(const std::string& name) {
  if (const auto instead = core::instead_of_file(name); !instead.empty())
    core::fail_input("platform '{}': {}", core::excerpt(name), instead);
  if (const auto meant = guess(name); !meant.empty())
    core::fail_input("unknown platform '{}': {}", core::excerpt(name), meant);
  core::fail_input(
      "unknown platform '{}'; valid: mesh, torus, ring or a TPU with a shape (mesh:8x8, tpu-v5p:4x4x8), a preset ({}), "
      "an XML file, or a topology.yaml of Slurm",
      core::excerpt(name), core::join(preset_names()));
}

/// The machine of `platform show --json`, whose properties are all that counts.
Description read_json(const std::string& path) try {
  const auto json = core::parse_json(core::text_of_file(path));
  Description m;
  for (const auto& [name, value] : json.at("properties").items()) set_property(m, name, value.get<std::string>());
  m.name = json.at("name").get<std::string>();
  return m;
} catch (const core::JsonError& error) {
  core::fail_input_at(path, std::max<std::uint64_t>(error.line, 1), "found no JSON, expected {}", shown_machine);
} catch (const core::Json::exception&) {
  core::fail_input_at(path, 1, "found no properties of a machine, expected {}", shown_machine);
}

/// A platform file of ours, Slurm's topology.yaml, of which `part` may name a part, or a network of ASTRA-sim.
Description read_file(const std::string& path, const Choose& choose, const TopologyPart& part = {}) {
  if (is_json_file(path)) return read_json(path);
  if (!is_topology_file(path)) return read_xml(path, choose);
  return is_astra_network(path) ? read_astra_network(path) : read_topology(path, part);
}

Description describe_base(const core::Spec& spec, const Choose& choose) {
  if (is_inline(spec.name())) return describe_inline(spec, choose);
  const auto* preset = find_preset(spec.name());
  std::error_code ignored;
  if (preset == nullptr && !std::filesystem::exists(spec.name(), ignored)) fail_unknown_machine(spec.name());
  if (!spec.argument().empty())
    core::fail_input("'{}': found '{}', expected property=value", core::excerpt(spec.text()), spec.argument());
  return preset != nullptr ? parse_xml(std::string(preset->xml), spec.name(), choose) : read_file(spec.name(), choose);
}

}  // namespace

const std::vector<InlinePlatform>& inline_platforms() {
  static const auto all = [] {
    std::vector<InlinePlatform> kinds{{"mesh", "grid without wrap-around links"},
                                      {"torus", "grid with wrap-around links, the shorter way round"},
                                      {"ring", "grid of one-way rings (SCI): routes only go forward"}};
    for (const auto& family : slice_families()) kinds.push_back({family.name, family.help, family.example});
    return kinds;
  }();
  return all;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const auto& preset : presets()) names.emplace_back(preset.name);
  return names;
}

bool is_topology_file(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml");
}

bool is_json_file(std::string_view path) {
  return path.ends_with(".json");
}

CheckedXml check_file(const std::string& path) {
  if (!is_topology_file(path) && !is_json_file(path)) return check_xml_file(path);
  CheckedXml checked;
  try {
    checked.description = read_file(path, best_estimate);
    check_plausible(checked.description, [&](const std::string&, const std::string& message) {
      checked.findings.push_back({false, 1, 1, message});
    });
    const Machine machine(checked.description);
  } catch (const core::InputError& error) {
    // Its place stands in front of the message, if it is known.
    std::string_view message = error.what();
    if (message.starts_with(path + ":")) message.remove_prefix(path.size() + 1);
    const auto number = message.substr(0, message.find(':'));
    const auto line = core::parse_number<std::size_t>(number);
    if (line) message.remove_prefix(number.size() + 1);
    checked.findings.push_back({true, line.value_or(1), 1, std::string(core::trim(message))});
  }
  return checked;
}

bool is_platform_name(std::string_view name) {
  return is_inline(name) || find_preset(name) != nullptr;
}

std::string platform_file(std::string_view text) {
  if (is_file(text) && find_preset(text) == nullptr) return std::string(text);
  const auto name = core::Spec::parse(text, true).name();
  return !is_platform_name(name) && is_file(name) ? name : std::string{};
}

Description describe(std::string_view text, const Choose& choose) {
  if (is_file(text) && find_preset(text) == nullptr) return read_file(std::string(text), choose);  // names come first
  const auto spec = core::Spec::parse(text, true);  // of a property given twice the last one counts
  const bool is_topology = is_topology_file(spec.name()) && is_file(spec.name());
  const TopologyPart part{spec.find("topology").value_or(""), spec.find("torus").value_or("")};
  auto m = is_topology ? read_file(spec.name(), choose, part) : describe_base(spec, choose);
  auto properties = spec.parameters();
  if (is_topology) std::erase_if(properties, [](const auto& p) { return p.first == "topology" || p.first == "torus"; });
  for (auto& [name, value] : properties) value = chosen(name, value, choose);
  choose_properties(m, properties);
  if (m.name.empty() || !spec.parameters().empty()) m.name = text;
  return m;
}

std::vector<PropertyInterval> intervals_of(std::string_view text) {
  std::vector<PropertyInterval> all;
  const auto lowest = describe(text, [&](const PropertyInterval& interval) {
    all.push_back(interval);
    return interval.low;
  });
  std::vector<PropertyInterval> effective;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::size_t met = 0;
    const auto other = describe(text, [&](const PropertyInterval& one) { return met++ == i ? one.high : one.low; });
    if (all[i].low == all[i].high || !(other == lowest)) effective.push_back(all[i]);
  }
  return effective;
}

Machine make_machine(std::string_view text) {
  return Machine(describe(text));
}

std::vector<std::string> properties_in(std::string_view platform) {
  if (platform.find('=') == std::string_view::npos || is_file(platform)) return {};
  std::vector<std::string> names;
  try {
    const auto spec = core::Spec::parse(platform, true);
    for (const auto& [name, value] : spec.parameters())
      if (find_property(name) != nullptr) names.push_back(canonical_property(name));
  } catch (const core::InputError&) {  // what a file calls its machine may look like anything
    return {};
  }
  return names;
}

std::vector<std::pair<std::string, std::string>> as_options_set(
    std::vector<std::pair<std::string, std::string>> properties) {
  std::map<std::string, std::string> values;
  for (const auto& [name, value] : properties)
    if (const auto [at, is_new] = values.emplace(canonical_property(name), value);
        !is_new && !name.starts_with("fail-"))
      core::fail_input("'{}' is set twice, to {} and {}; expected one value", at->first, core::excerpt(at->second),
                       core::excerpt(value));
  std::stable_partition(properties.begin(), properties.end(), [](const auto& property) {
    const auto* help = find_property(property.first);
    return help == nullptr || !help->of_dimension || property.first.find('.') == std::string::npos;
  });
  return properties;
}

std::string with_properties(std::string_view platform,
                            const std::vector<std::pair<std::string, std::string>>& properties) {
  std::string text(platform);
  bool is_first = text.find(':') == std::string::npos;
  for (const auto& [name, value] : as_options_set(properties)) {
    const bool is_plain = value.find_first_of(" ,()") == std::string::npos;
    text += fmt::format("{}{}={}", is_first ? ':' : ',', name, is_plain ? value : fmt::format("({})", value));
    is_first = false;
  }
  return text;
}

void MachineSource::check() const {
  if (platform_file(text_).empty()) platforms::describe(text_, &PropertyInterval::middle);
}

Description MachineSource::describe(const Choose& choose) const {
  return platforms::describe(text_, choose);
}

std::vector<PropertyInterval> MachineSource::intervals() const {
  return intervals_of(text_);
}

}  // namespace toroid::platforms

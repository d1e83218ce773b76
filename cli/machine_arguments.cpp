#include "cli/machine_arguments.hpp"

#include <filesystem>

#include "cli/option.hpp"
#include "study/draws.hpp"
#include "workloads/trace.hpp"

namespace toroid::cli {
namespace {

std::pair<std::string, std::string> parse_assignment(const std::string& option, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    core::fail_input("{} '{}': expected {}", option, text, option == "--wrap" ? "z=mesh" : "property=value");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string name_of(const std::string& spec) {
  return spec.substr(0, spec.find_first_of(":,"));
}

/// Whether a file is XML, by its first character; nothing where there is no file, or nothing in it.
std::optional<bool> is_xml(const std::string& path) {
  if (!core::is_file(path)) return std::nullopt;
  const auto first = core::first_content(path);
  return first.empty() ? std::nullopt : std::optional(first.starts_with('<'));
}

/// Traces come after platforms, and are easily put before.
void refuse_trace(const std::string& platform) {
  const bool is_generator = workloads::generators().has(name_of(platform));
  const auto file = platforms::platform_file(platform);
  const bool is_other = platforms::is_topology_file(file) || platforms::is_json_file(file);
  if (is_generator || (!is_other && !is_xml(platform).value_or(true)))
    core::fail_input("'{}' is {}, where PLATFORM is expected: swapped with TRACE or JOBS?", core::excerpt(platform),
                     is_generator ? "a trace" : "a file that is no XML");
}

}  // namespace

void refuse_platform(const std::string& trace) {
  std::error_code ignored;
  const bool is_platform = !std::filesystem::exists(trace, ignored) && platforms::is_platform_name(name_of(trace));
  if (is_platform || is_xml(trace).value_or(false))
    core::fail_input("'{}' is {}, where TRACE is expected: swapped with PLATFORM?", core::excerpt(trace),
                     is_platform ? "a platform" : "an XML file");
}

void add_uncertainty_option(CLI::App& command, std::size_t& draws, const std::string& help) {
  command.add_option("--uncertainty", draws, help)->type_name("N")->transform(whole(1, study::most_draws));
}

void MachineArguments::add_to(CLI::App& command) {
  const std::initializer_list<std::tuple<const char*, std::vector<std::string>*, std::string>> options{
      {"--set", &set, "change a property of the platform: y.bandwidth=2GBps, or by a factor: y.bandwidth=x0.5"},
      {"--wrap", &wrap, "change the wrap: mesh, or of one dimension z=mesh"},
      {"--fail-link", &fail_link,
       "links that are down, as they are printed: n5-n6, (0,1)-(0,2), n5>n6 one way, 'n5 -> n6 (+x)'"},
      {"--fail-node", &fail_node, "nodes that are down: 17, 0-3, those of a box (0-5,0,0) or z=0"},
      {"--fail-router", &fail_router,
       "routers that are down, with their links and nodes: r17, n34, (0,1), a box (0-5,0,0) or z=0"}};
  for (const auto& [name, values, help] : options)  // one value each: what follows may be a trace
    command.add_option(name, *values, help + " (may be repeated)")->allow_extra_args(false);
}

std::vector<std::pair<std::string, std::string>> MachineArguments::properties() const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& text : set) all.push_back(parse_assignment("--set", text));
  for (const auto& text : wrap) {
    if (text.find('=') == std::string::npos) {
      all.emplace_back("wrap", text);
      continue;
    }
    const auto [dimension, value] = parse_assignment("--wrap", text);
    all.emplace_back(dimension + ".wrap", value);
  }
  if (!fail_link.empty()) all.emplace_back("fail-link", core::join(fail_link, " "));
  if (!fail_node.empty()) all.emplace_back("fail-node", core::join(fail_node, " "));
  if (!fail_router.empty()) all.emplace_back("fail-router", core::join(fail_router, " "));
  return all;
}

std::string MachineArguments::apply(const std::string& platform) const {
  refuse_trace(platform);
  const auto changes = properties();
  return changes.empty() ? platform : platforms::with_properties(platform, changes);
}

}  // namespace toroid::cli

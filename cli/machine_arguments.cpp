#include "cli/machine_arguments.hpp"

#include "core/error.hpp"
#include "platforms/load.hpp"

namespace toroid::cli {
namespace {

std::pair<std::string, std::string> parse_assignment(const std::string& option, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    core::fail_input("{} '{}': expected {}", option, text, option == "--wrap" ? "z=mesh" : "property=value");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const auto& part : parts) all += (all.empty() ? "" : " ") + part;
  return all;
}

}  // namespace

void MachineArguments::add_to(CLI::App& command) {
  // One value each: what follows may be a trace.
  command.add_option("--set", set, "change a property of the platform: y.bandwidth=2GBps (may be repeated)")
      ->allow_extra_args(false);
  command.add_option("--wrap", wrap, "change the wrap of a dimension: z=mesh (may be repeated)")
      ->allow_extra_args(false);
  command.add_option("--fail-link", fail_link, "a link that is down: 5-6, (0,1)-(0,2), 5>6 one way (may be repeated)")
      ->allow_extra_args(false);
  command.add_option("--fail-node", fail_node, "nodes that are down: 17, 0-3 (may be repeated)")
      ->allow_extra_args(false);
}

std::string MachineArguments::apply(const std::string& platform) const {
  std::vector<std::pair<std::string, std::string>> properties;
  for (const auto& text : set) properties.push_back(parse_assignment("--set", text));
  for (const auto& text : wrap) {
    const auto [dimension, value] = parse_assignment("--wrap", text);
    properties.emplace_back(dimension + ".wrap", value);
  }
  if (!fail_link.empty()) properties.emplace_back("fail-link", joined(fail_link));
  if (!fail_node.empty()) properties.emplace_back("fail-node", joined(fail_node));
  return properties.empty() ? platform : platforms::with_properties(platform, properties);
}

}  // namespace toroid::cli

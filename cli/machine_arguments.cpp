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
  command.add_option("--wrap", wrap, "change the wrap: mesh, or of one dimension z=mesh (may be repeated)")
      ->allow_extra_args(false);
  command.add_option("--fail-link", fail_link, "a link that is down: 5-6, (0,1)-(0,2), 5>6 one way (may be repeated)")
      ->allow_extra_args(false);
  command.add_option("--fail-node", fail_node, "nodes that are down: 17, 0-3 (may be repeated)")
      ->allow_extra_args(false);
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
  if (!fail_link.empty()) all.emplace_back("fail-link", joined(fail_link));
  if (!fail_node.empty()) all.emplace_back("fail-node", joined(fail_node));
  return all;
}

std::string MachineArguments::apply(const std::string& platform) const {
  const auto changes = properties();
  return changes.empty() ? platform : platforms::with_properties(platform, changes);
}

}  // namespace toroid::cli

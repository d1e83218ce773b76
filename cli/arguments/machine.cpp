#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/swapped_arguments.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "platforms/load.hpp"
#include "study/draws.hpp"

namespace toroid::cli {

namespace {

std::pair<std::string, std::string> parse_assignment(const std::string& option, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    core::fail_input("{} '{}': expected {}", option, text, option == "--wrap" ? "z=mesh" : "property=value");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

void add_uncertainty_option(CLI::App& command, std::size_t& draws, const std::string& help) {
  command.add_option("--uncertainty", draws, help)->type_name("N")->transform(whole(1, study::most_draws));
}

void MachineArguments::add_to(CLI::App& command) {
  // One value each: what follows may be a trace.
  add_repeated(
      command, "--set", set,
      "change a property of the platform: y.bandwidth=2GBps, or by a factor: y.bandwidth=x0.5 (may be repeated)");
  add_repeated(command, "--wrap", wrap, "change the wrap: mesh, or of one dimension z=mesh (may be repeated)");
  add_repeated(command, "--fail-link", fail_link,
               "links that are down, as they are printed: n5-n6, (0,1)-(0,2), n5>n6 one way, 'n5 -> n6 (+x)' (may "
               "be repeated)");
  add_repeated(command, "--fail-node", fail_node,
               "nodes that are down: 17, 0-3, those of a box (0-5,0,0) or z=0 (may be repeated)");
  add_repeated(command, "--fail-router", fail_router,
               "routers that are down, with their links and nodes: r17, n34, (0,1), a box (0-5,0,0) or z=0 (may be "
               "repeated)");
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
  refuse_swapped("PLATFORM", platform);
  const auto changes = properties();
  return changes.empty() ? platform : platforms::with_properties(platform, changes);
}

}  // namespace toroid::cli

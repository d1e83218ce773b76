#include "cli/placement_arguments.hpp"

#include "cli/option.hpp"

namespace toroid::cli {

void PlacementArguments::add_to(CLI::App& command) {
  add_nodes(command);
  add_choice(command, "--alloc", alloc, "an allocator chooses the job's nodes (toroid list allocators)")
      ->excludes("--nodes");
  add_rest(command);
}

void PlacementArguments::add_to(CLI::App& command, std::vector<alloc::AllocatorChoice>& allocators,
                                std::vector<std::string>& labels, const std::string& help) {
  add_nodes(command);
  add_choices(command, "--alloc", allocators, help, &labels)->excludes("--nodes");
  add_rest(command);
}

void PlacementArguments::add_nodes(CLI::App& command) {
  command.add_option("--nodes", nodes,
                     "the job's nodes in their order: numbers such as 0-15,20, names such as nid[001-016], boxes such "
                     "as (0-5,0,0) or z=0, or @FILE with any of these on its lines (default: all)");
}

void PlacementArguments::add_rest(CLI::App& command) {
  add_choice(
      command, "--busy", busy,
      "nodes that other jobs hold: a list such as 0-15,20, (0-5,0,0) or @FILE, as --nodes has; a share, drawn by "
      "the seed, such as random:0.7; or "
      "what the jobs of a log hold at a time, schedule:jobs=log.swf,at=3600s (toroid list busy)");
  command.add_option("--ranks-per-node", ranks_per_node, "ranks that share a node, up to its cores")
      ->capture_default_str()
      ->transform(whole(1, 1000000));
}

void PlacementArguments::record(core::Json& manifest) const {
  manifest["nodes"] = nodes.empty() ? "all" : nodes;
  if (alloc) manifest["alloc"] = alloc->text();
  if (busy) manifest["busy"] = busy->text();
  manifest["ranks_per_node"] = ranks_per_node;
}

}  // namespace toroid::cli

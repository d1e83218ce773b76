#pragma once
// Where the ranks of a job go: the job's nodes, as users give them, alike for every command that places ranks, and the
// mapping that a command writes, as the user wants it for a launcher.

#include <CLI/CLI.hpp>

#include "core/json.hpp"
#include "cosim/placement.hpp"
#include "mapping/rank_files.hpp"

namespace toroid::cli {

struct PlacementArguments : cosim::Placement {
  void add_to(CLI::App& command);
  /// Adds the options of a command that takes several allocators, which go into `allocators`; `labels` has what they
  /// are called, and `help` is that of --alloc.
  void add_to(CLI::App& command, std::vector<alloc::AllocatorChoice>& allocators, std::vector<std::string>& labels,
              const std::string& help);
  /// Adds these options to the manifest.
  void record(core::Json& manifest) const;

 private:
  void add_nodes(CLI::App& command);
  void add_rest(CLI::App& command);
};

struct RankFileArguments {
  std::string output, format = "nodes", hosts;

  void add_to(CLI::App& command);

  /// What the arguments say, judged.
  struct Writer {
    mapping::WriteRankFile write;
    std::optional<mapping::HostNames> hosts;  ///< none: those of the machine

    /// The file. Throws InputError when the format cannot say the mapping.
    std::string text(const mapping::Machine& machine, std::span<const mapping::NodeId> slots,
                     const mapping::Mapping& mapping) const;
  };
  /// Throws InputError on formats and hosts that are none.
  Writer read() const;
};

}  // namespace toroid::cli

#pragma once
// The mapping that a command writes, as the user wants it for a launcher.

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>

#include "mapping/rank_files.hpp"

namespace toroid::cli {

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

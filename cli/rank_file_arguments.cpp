#include "cli/rank_file_arguments.hpp"

#include "cli/outputs.hpp"

namespace toroid::cli {

void RankFileArguments::add_to(CLI::App& command) {
  add_output(command, "-o,--output", output, "write the mapping (- for standard output)");
  command
      .add_option("--format", format,
                  "format of the mapping: nodes (for --map), or that of a launcher (toroid list rankfiles)")
      ->capture_default_str();
  command.add_option(
      "--hosts", hosts,
      "names of the hosts: {} is the node's number, {:05} with five digits; or a file with one a line, for "
      "all nodes of the machine or for those of the job in their order "
      "(default: the names of the machine's nodes, or node-{})");
}

RankFileArguments::Writer RankFileArguments::read() const {
  Writer writer{mapping::rank_file_formats().find(format).make, {}};
  if (!hosts.empty()) writer.hosts.emplace(hosts);
  return writer;
}

std::string RankFileArguments::Writer::text(const mapping::Machine& machine, std::span<const mapping::NodeId> slots,
                                            const mapping::Mapping& mapping) const {
  auto names = hosts ? *hosts : mapping::HostNames(machine);
  if (hosts) names.belong_to(machine, slots);
  return write({machine, slots, mapping, names});
}

}  // namespace toroid::cli

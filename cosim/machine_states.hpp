#pragma once
// How many nodes compute, idle or are out, as the table that Batsim calls machine_states.csv and evalys draws.

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>

#include "cosim/record.hpp"

namespace toroid::cosim {

/// Writes a line after each instant in which one of the numbers has changed. Nodes that are out count as sleeping: the
/// five states are all that evalys draws, and evalys refuses a table whose lines have other sums of these.
class MachineStatesCsv final : public Observer {
 public:
  using Write = std::function<void(std::string_view)>;

  /// Writes the header and the state at the beginning at once by `write`, and later all lines.
  MachineStatesCsv(const Machine& machine, Write write);
  void started(const Record& record) override;
  void resized(JobId id, std::span<const NodeId> nodes, const Time& now) override;
  void ended(const Record& record) override;
  void node_out(NodeId, const Time& now) override;
  void node_back(NodeId, const Time& now) override;
  void settled(const Time& now) override;

 private:
  struct Counts {
    std::int64_t computing = 0, out = 0;
    bool operator==(const Counts&) const = default;
  };
  void hold(JobId id, std::size_t nodes);
  void write(double time);

  std::int64_t nodes_ = 0;
  Write write_;
  std::map<JobId, std::size_t> held_;
  Counts now_, written_;
};

}  // namespace toroid::cosim

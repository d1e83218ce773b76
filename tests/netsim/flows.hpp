#pragma once
// Flows on a network without any replay: for testing engines, against a slow and plain reference.

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/machine.hpp"

namespace toroid::test {

struct Flow {
  platforms::NodeId from, to;
  std::uint64_t bytes;
  double start = 0;
};

/// When each flow ends, by an engine, in seconds.
std::vector<double> engine_end_times(const platforms::Machine& machine, const std::vector<Flow>& flows,
                                     const std::string& engine);

/// The same by textbook progressive filling, recomputed from nothing at every event: raise all rates together, freeze
/// those whose link is full, and so on.
std::vector<double> reference_end_times(const platforms::Machine& machine, const std::vector<Flow>& flows);

}  // namespace toroid::test

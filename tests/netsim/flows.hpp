#pragma once
// Flows on a network without any replay: for testing engines, against a slow and plain reference.

#include <cstdint>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "netsim/flow.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::test {

struct Flow {
  platforms::NodeId from, to;
  std::uint64_t bytes;
  double start = 0;
};

/// When each flow ends, by an engine, in seconds.
std::vector<double> engine_end_times(const platforms::Machine& machine, const std::vector<Flow>& flows,
                                     const std::string& engine, netsim::Order order = netsim::Order::shared);

/// How many flows were told of before each, by an engine.
std::vector<double> engine_places(const platforms::Machine& machine, const std::vector<Flow>& flows,
                                  const std::string& engine, netsim::Order order);

/// When each flow ends by textbook progressive filling, recomputed from nothing at every event: raise all rates
/// together, freeze those whose link is full, and so on. A flow takes part once the one before it in its line has
/// ended.
std::vector<double> reference_end_times(const platforms::Machine& machine, const std::vector<Flow>& flows,
                                        netsim::Order order = netsim::Order::shared);

/// What each flow lost to each other one (first the flow, then the other), by the same filling. While a flow gets less
/// than alone, 1 - rate / rate alone of the time is lost, split by their rates over the others on those links of its
/// route that are full and on which nobody gets more. They are in no lines.
std::vector<std::vector<double>> reference_losses(const platforms::Machine& machine, const std::vector<Flow>& flows);

/// A machine of at least two nodes that compute, with everything that a description can say, failures included.
platforms::Machine random_machine(core::Random& random);

/// Such a machine whose links are not shared, so that packets can take them.
platforms::Machine random_machine_of_links(core::Random& random, std::int32_t most_routers);

/// Flows between different nodes, of one byte to a megabyte, some of equal size, some on the pair of the one before.
std::vector<Flow> random_flows(core::Random& random, const platforms::Machine& machine, std::size_t count,
                               double last_start);

/// Where a node of a k-ary n-cube sends to in a permutation of BookSim's: transpose, bitcomp, bitrev, shuffle, tornado,
/// neighbor.
std::int32_t permuted(const std::string& pattern, std::int32_t node, std::int32_t k, std::int32_t n);

/// Checks that the times are equal but for what the engines' precisions allow.
void check_equal(const std::vector<double>& found, const std::vector<double>& expected);

}  // namespace toroid::test

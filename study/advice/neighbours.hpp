#pragma once
// What jobs cost each other on a machine, judged at an instant: who holds which nodes is known, what the jobs send is
// assumed.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cosim/pictures.hpp"
#include "platforms/machine.hpp"

namespace toroid::study {

/// What neighbours cost jobs that communicate for `share` of their time where they are alone: how much longer these
/// take beside the others.
struct NeighbourCost {
  double share = 0;    ///< 0 to 1, above 0
  double longer = 0;   ///< 0.05: five per cent, the mean over jobs, each with the weight of its nodes
  double longest = 0;  ///< that of the job with the most
};

/// Runs all jobs of more than one node at once, over and over. A job exchanges 1 MB with its neighbours in a box of its
/// size, as near to a cube as that size allows, and is mapped by `quick`. The job computes so much that it communicates
/// for that share of its time alone. Jobs meet if their messages take a link in common, or if both meet a third one: a
/// job that meets no other takes as long as alone, and the others are simulated with those that they meet. When jobs
/// begin follows from the seed; rounds count from the time on at which all that meet have begun, so that each has its
/// neighbours all the time, until the job with the longest rounds has done three. Nothing for less than two such jobs.
std::optional<std::vector<NeighbourCost>> neighbour_costs(const platforms::Machine& machine,
                                                          std::span<const cosim::Holder> jobs,
                                                          std::span<const double> shares, std::uint64_t seed);

}  // namespace toroid::study

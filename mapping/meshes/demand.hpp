#pragma once
// What a program asks of the axes of its mesh: which collectives of how many bytes along which of them.

#include <cstdint>
#include <map>
#include <vector>

#include "mapping/mapper.hpp"
#include "mapping/meshes/jax_assignment.hpp"

namespace toroid::mapping {

/// Bytes of a rank along some axes, in the whole program.
struct Demand {
  double rings = 0;      ///< that its group gathers or scatters in all; of an all-reduce both
  double exchanges = 0;  ///< that a rank has for others in all-to-alls
  double messages = 0;   ///< that a rank sends to single others
};

/// The demands by axes: the members of a communicator, or the two ends of a message, differ along these alone. Taken
/// from the operations of a few ranks, the first, the last and some between them.
std::map<std::vector<std::size_t>, Demand> demands(const Program& program, const jax::Shape& mesh);

}  // namespace toroid::mapping

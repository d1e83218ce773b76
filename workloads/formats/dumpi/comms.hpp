#pragma once
// The communicators of a DUMPI trace. Each rank's file only says what the rank itself told: that it duplicated one, or
// split it with a color and a key. All ranks' files together say who is in them.

#include <vector>

#include "workloads/compact_trace.hpp"

namespace toroid::workloads::dumpi {

/// A communicator of a rank, in the order in which it got them; 0 is the world, 1 the rank alone.
using LocalComm = std::int32_t;
inline constexpr LocalComm local_world = 0, local_self = 1, first_local_comm = 2;

/// How a rank got a communicator, or, where it has no color, took part in splitting one without getting a part.
struct CommMade {
  enum class How { dup, split, other } how = How::dup;
  LocalComm from = local_world;
  std::int64_t color = 0, key = 0;
  bool is_member = true;
  std::string call;  ///< the call that made it, and its line
  std::uint64_t line = 0;
};

/// For each rank, how it made its communicators. Its local communicators 2, 3, ... are those of these that it is a
/// member of, in this order.
using CommsMade = core::IdVector<Rank, std::vector<CommMade>>;

/// Adds the communicators to the trace. Returns for each rank the ids of its local ones. Communicators made by `other`,
/// whose members are not known, and those made from them get CommId(-1). Throws InputError when the ranks of a
/// communicator do not make the same communicators from it.
core::IdVector<Rank, std::vector<CommId>> add_communicators(CompactTrace& trace, const CommsMade& made);

}  // namespace toroid::workloads::dumpi

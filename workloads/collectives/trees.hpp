#pragma once
// Messages that go down a tree of the members of a call, and sums that come up one. Which tree is the algorithm's
// matter.

#include "workloads/collectives/schedule.hpp"

namespace toroid::workloads {

/// A member's place in a tree.
struct Tree {
  CommRank parent = no_process;  ///< no_process: the member is the root
  std::vector<CommRank> children = {};
};

/// How many segments of at most so many bytes a message of `bytes` is cut into. A segment of 0 bytes stands for any.
CommRank segments_of(std::uint64_t bytes, std::uint64_t segment);

/// A message goes down the tree in segments, to all children of a member at once: while a segment comes, the one before
/// it goes on. A chain of 3 members and 2 segments:
///
///     member 0   send s0        send s1
///     member 1   receive s0     receive s1, send s0   send s1
///     member 2                  receive s0            receive s1
Schedule down_the_tree(Tree tree, std::uint64_t bytes, CommRank segments);

/// Vectors are summed up the tree in segments: while the segments of all children come, those before them are summed,
/// and the sum goes to the parent.
Schedule up_the_tree(Tree tree, std::uint64_t bytes, CommRank segments);

}  // namespace toroid::workloads

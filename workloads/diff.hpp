#pragma once
// Whether two traces are the same program: the same operations of each rank, in the same order.

#include "toroid/workloads/trace.hpp"

namespace toroid::workloads {

struct DiffOptions {
  /// Whether computations and sleeps count. Successive ones count as one, and may differ by `tolerance`, a share of the
  /// larger one.
  bool computation = false;
  double tolerance = 0.01;
  bool tags = true;  ///< whether tags count
  /// Whether successive waits (a waitall, or a wait for each request) count as one, and waits that take no request not
  /// at all.
  bool merge_waits = false;
};

/// The first place where a rank does something else in one trace than in the other.
struct TraceDifference {
  struct Side {
    std::string operation;  ///< the operation in words, `send to 1, tag 0, 100 bytes`; `the end` after the last
    std::string place;      ///< where it stands; empty at the end
  };
  Rank rank;
  Side a, b;
};

/// The first difference of each rank that has one, by rank. The traces must have the same number of ranks. The capacity
/// of receives and the handles of requests are not compared, as they have no effect: waits are the same if they take
/// requests that were posted at the same positions among the rank's requests. The communicators of single messages are
/// not compared, as some formats have none. The texts of the two sides always differ.
std::vector<TraceDifference> first_differences(const Trace& a, const Trace& b, const DiffOptions& options);

}  // namespace toroid::workloads

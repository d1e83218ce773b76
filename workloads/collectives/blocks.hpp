#pragma once
// What part of the data a rank holds, sends or receives; shared by the algorithms.

#include <algorithm>

#include "workloads/collectives/schedule.hpp"

namespace toroid::workloads {

/// (a + b) mod size for a in [0, size) and b in (-size, size).
inline CommRank around(CommRank a, CommRank b, CommRank size) {
  return (a + b + size) % size;
}

/// Bytes of blocks [first, last) when `bytes` are cut into `parts` blocks of nearly equal size, the large ones first.
inline std::uint64_t cut_bytes(std::uint64_t bytes, CommRank parts, CommRank first, CommRank last) {
  const auto start = [&](CommRank i) {
    const auto n = static_cast<std::uint64_t>(parts);
    const auto k = static_cast<std::uint64_t>(i);
    return bytes / n * k + std::min(k, bytes % n);
  };
  return start(last) - start(first);
}

/// Bytes that the calling rank sends to rank `to` in an all-to-all, by its own counts.
inline std::uint64_t block_to(const CollectiveCall& call, CommRank to) {
  return call.send_counts.empty() ? call.bytes : call.send_counts[static_cast<std::size_t>(to)];
}

/// Bytes of rank i's block in an allgather or reduce_scatter: every rank knows them all.
inline std::uint64_t block_of(const CollectiveCall& call, CommRank i) {
  return call.recv_counts.empty() ? call.bytes : call.recv_counts[static_cast<std::size_t>(i)];
}

/// The largest power of two that is at most n (n >= 1).
inline CommRank power_below(CommRank n) {
  CommRank power = 1;
  while (2 * power <= n) power *= 2;
  return power;
}

}  // namespace toroid::workloads

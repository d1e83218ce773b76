#pragma once
// Ranks renumbered at random, so that no mapper gains by the order in which a program numbers them.

#include <algorithm>
#include <vector>

#include "core/random.hpp"
#include "workloads/summary.hpp"

namespace toroid::bench {

/// The same messages between the same processes, under other numbers.
inline workloads::CommunicationMatrix renumbered(const workloads::CommunicationMatrix& matrix, std::uint64_t seed) {
  core::IdVector<workloads::Rank, workloads::Rank> number;
  for (const auto rank : matrix.rows.ids()) number.add(rank);
  core::Random(seed, "renumbered").shuffle(number.elements());
  workloads::CommunicationMatrix result;
  result.rows.resize(matrix.rows.size());
  for (const auto from : matrix.rows.ids())
    for (auto cell : matrix.rows[from]) {
      cell.to = number[cell.to];
      result.rows[number[from]].push_back(cell);
    }
  for (auto& row : result.rows) std::sort(row.begin(), row.end(), [](auto& a, auto& b) { return a.to < b.to; });
  return result;
}

}  // namespace toroid::bench

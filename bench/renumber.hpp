#pragma once
// Ranks renumbered at random, so that no mapper gains by the order in which a program numbers them.

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "core/random.hpp"
#include "toroid/core/assert.hpp"
#include "toroid/workloads/summary.hpp"
#include "workloads/compact_trace.hpp"

namespace toroid::bench {

using Numbers = core::IdVector<workloads::Rank, workloads::Rank>;

/// Another number for each rank.
inline Numbers random_numbers(std::size_t ranks, std::uint64_t seed) {
  Numbers number;
  for (std::size_t rank = 0; rank < ranks; ++rank) number.add(static_cast<std::int32_t>(rank));
  core::Random(seed, "renumbered").shuffle(number.elements());
  return number;
}

/// A matrix with the same messages between the same processes, under other numbers.
inline workloads::CommunicationMatrix renumbered(const workloads::CommunicationMatrix& matrix, std::uint64_t seed) {
  const auto number = random_numbers(matrix.rows.size(), seed);
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

/// The program whose ranks go under the numbers that renumbered() gives those of its matrix. Operations with a count
/// for each rank of the world are not renumbered: there must be none.
inline std::unique_ptr<workloads::Trace> renumbered(const workloads::Trace& trace, std::uint64_t seed) {
  using namespace workloads;
  const auto number = random_numbers(static_cast<std::size_t>(trace.ranks()), seed);
  auto result = std::make_unique<CompactTrace>(trace.ranks());
  std::map<CommId, CommId> communicators{{world, world}};
  for (const auto rank : number.ids()) {
    const auto stream = trace.open(rank);
    for (Operation operation; stream->next(operation);) {
      if (const auto [at, is_new] = communicators.try_emplace(operation.comm); is_new) {
        const auto& communicator = trace.communicator(operation.comm);
        std::vector<Rank> members;
        for (CommRank i = 0; i < communicator.size(); ++i) members.push_back(number[communicator.member(i)]);
        at->second = result->add_communicator(Communicator(std::move(members)));
      }
      if (operation.comm != world) {
        operation.comm = communicators[operation.comm];
      } else if (is_collective(operation.kind)) {
        TOROID_ASSERT(operation.send_counts.empty() && operation.recv_counts.empty());
        operation.root = number[Rank(operation.root)].value();
      } else {
        if (operation.to >= 0) operation.to = number[Rank(operation.to)].value();
        if (operation.from >= 0) operation.from = number[Rank(operation.from)].value();
      }
      result->add(number[rank], operation);
    }
  }
  result->finish();
  return result;
}

}  // namespace toroid::bench

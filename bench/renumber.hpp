#pragma once
// Ranks renumbered at random, so that no mapper gains by the order in which a program numbers them.

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "toroid/core/assert.hpp"
#include "toroid/workloads/summary.hpp"
#include "workloads/derived/forwarded_trace.hpp"

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

/// A program whose ranks go under the numbers that renumbered() gives those of its matrix. Operations with a count
/// for each rank of the world are not renumbered: there must be none.
class RenumberedTrace final : public workloads::ForwardedTrace {
 public:
  RenumberedTrace(std::unique_ptr<workloads::Trace> trace, std::uint64_t seed)
      : ForwardedTrace(std::move(trace)), number_(random_numbers(static_cast<std::size_t>(ranks()), seed)) {
    old_.resize(number_.size());
    for (const auto rank : number_.ids()) old_[number_[rank]] = rank;
  }

  std::unique_ptr<workloads::OperationStream> open(workloads::Rank rank) const override {
    return std::make_unique<Stream>(forwarded().open(old_[rank]), number_);
  }
  std::string locate(workloads::Rank rank, std::uint64_t index) const override {
    return forwarded().locate(old_[rank], index);
  }
  workloads::Rounds rounds(workloads::Rank) const override { return {}; }  // its streams do not tell
  const workloads::Communicator& communicator(workloads::CommId comm) const override {
    if (comm == workloads::world) return forwarded().communicator(comm);
    auto& known = communicators_[comm];
    if (!known) {
      const auto& communicator = forwarded().communicator(comm);
      std::vector<workloads::Rank> members;
      for (workloads::CommRank i = 0; i < communicator.size(); ++i) members.push_back(number_[communicator.member(i)]);
      known.emplace(std::move(members));
    }
    return *known;
  }

 private:
  class Stream final : public workloads::OperationStream {
   public:
    Stream(std::unique_ptr<workloads::OperationStream> stream, const Numbers& number)
        : stream_(std::move(stream)), number_(number) {}
    bool next(workloads::Operation& operation) override {
      if (!stream_->next(operation)) return false;
      if (operation.comm != workloads::world) return true;
      if (workloads::is_collective(operation.kind)) {
        TOROID_ASSERT(operation.send_counts.empty() && operation.recv_counts.empty());
        operation.root = number_[workloads::Rank(operation.root)].value();
      } else {
        if (operation.to >= 0) operation.to = number_[workloads::Rank(operation.to)].value();
        if (operation.from >= 0) operation.from = number_[workloads::Rank(operation.from)].value();
      }
      return true;
    }

   private:
    std::unique_ptr<workloads::OperationStream> stream_;
    const Numbers& number_;
  };

  Numbers number_, old_;
  mutable std::map<workloads::CommId, std::optional<workloads::Communicator>> communicators_;
};

}  // namespace toroid::bench

#pragma once
// An executor of collectives without time: messages meet only when both sides have posted them.

#include <fmt/format.h>

#include <bitset>
#include <cstdint>
#include <deque>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.hpp"
#include "workloads/collectives/collectives.hpp"

namespace toroid::workloads {

inline constexpr std::size_t most_ranks = 64;
using Counts = std::vector<std::uint64_t>;

/// One collective as all its ranks call it. Block sizes by rank where the kind has them.
struct Collective {
  OpKind kind;
  CommRank size, root;
  std::uint64_t bytes;
  const MemberGrid* grid = nullptr;
  CollectiveTuning tuning = {};
  std::vector<Counts> counts;  ///< [sender][receiver] for alltoallv; else row 0: the block of each rank

  Collective(OpKind of, CommRank ranks, CommRank root_rank, std::uint64_t size_of_block)
      : kind(of), size(ranks), root(root_rank), bytes(size_of_block) {
    for (CommRank from = 0; from < size; ++from) {
      counts.emplace_back();
      for (CommRank to = 0; to < size; ++to)
        counts.back().push_back(bytes * static_cast<std::uint64_t>((3 * from + 5 * to) % 4));
    }
  }

  std::uint64_t block(CommRank rank) const { return counts[0][static_cast<std::size_t>(rank)]; }
  std::uint64_t block(CommRank from, CommRank to) const {
    return counts[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  }

  CollectiveCall call(CommRank me) const {
    CollectiveCall c{
        .kind = kind, .me = me, .size = size, .root = root, .bytes = bytes, .grid = grid, .tuning = tuning};
    const auto& blocks = counts[0];
    if (kind == OpKind::alltoallv) {
      c.bytes = 0;
      c.send_counts = counts[static_cast<std::size_t>(me)];
    }
    if (kind == OpKind::scatterv || kind == OpKind::gatherv) {
      c.bytes = block(me);
      if (me == root) (kind == OpKind::scatterv ? c.send_counts : c.recv_counts) = blocks;
    }
    if (kind == OpKind::allgatherv || kind == OpKind::reduce_scatter) c.recv_counts = blocks;
    if (kind == OpKind::allgatherv) c.bytes = block(me);
    if (kind == OpKind::reduce_scatter) c.bytes = 0;
    return c;
  }
};

/// What became of a collective.
struct Outcome {
  std::string_view algorithm;
  std::string failure;  ///< empty if the collective ends as it should
  std::vector<std::bitset<most_ranks>> knows;
  Counts sent, received, messages;  ///< by rank; messages: sent
  Counts summed, copied;            ///< bytes by rank

  std::uint64_t total_messages() const { return std::accumulate(messages.begin(), messages.end(), std::uint64_t{0}); }
  std::uint64_t total_bytes() const { return std::accumulate(sent.begin(), sent.end(), std::uint64_t{0}); }
};

/// Does the steps of a lane of all ranks, in turn, as far as they go without waiting.
class Executor {
 public:
  Executor(const CollectiveAlgorithm& algorithm, const Collective& collective, CommRank lane)
      : size_(static_cast<std::size_t>(collective.size)),
        ranks_(size_),
        sends_(size_ * size_),
        receives_(size_ * size_) {
    for (CommRank r = 0; r < collective.size; ++r) {
      auto call = collective.call(r);
      call.lane = lane;
      auto schedule = algorithm.run(call);
      while (const auto step = schedule.next()) ranks_[static_cast<std::size_t>(r)].steps.push_back(*step);
    }
  }

  Outcome run() {
    out_.sent = out_.received = out_.messages = out_.summed = out_.copied = Counts(size_);
    out_.knows.resize(size_);
    for (std::size_t r = 0; r < size_; ++r) out_.knows[r].set(r);
    for (bool moved = true; moved && out_.failure.empty();) {
      moved = false;
      for (std::size_t r = 0; r < size_; ++r)
        while (out_.failure.empty() && advance(r)) moved = true;
    }
    for (std::size_t r = 0; r < size_ && out_.failure.empty(); ++r) {
      if (ranks_[r].at < ranks_[r].steps.size()) out_.failure = fmt::format("rank {} waits for ever", r);
      if (ranks_[r].open > 0 || !ranks_[r].arrived.none()) out_.failure = fmt::format("rank {} ends without wait", r);
    }
    return out_;
  }

 private:
  struct RankState {
    std::vector<Step> steps;
    std::size_t at = 0;
    int open = 0;                     ///< posted and not met
    std::bitset<most_ranks> arrived;  ///< known once the rank has waited
  };
  struct Message {
    std::uint64_t bytes;
    std::bitset<most_ranks> knowledge;  ///< of the sender when it posted
  };

  /// Does the next step of rank r, if it can.
  bool advance(std::size_t r) {
    auto& rank = ranks_[r];
    if (rank.at == rank.steps.size()) return false;
    const Step step = rank.steps[rank.at];
    const auto peer = static_cast<std::size_t>(step.peer);
    if (step.kind == Step::Kind::wait) {
      if (rank.open > 0) return false;
      out_.knows[r] |= rank.arrived;
      rank.arrived.reset();
    } else if (step.kind == Step::Kind::sum) {
      out_.summed[r] += step.bytes;
    } else if (step.kind == Step::Kind::copy) {
      out_.copied[r] += step.bytes;
    } else if (peer >= size_ || peer == r) {
      out_.failure = fmt::format("rank {} has partner {}", r, step.peer);
      return false;
    } else if (step.kind == Step::Kind::send) {
      ++rank.open;
      ++out_.messages[r];
      out_.sent[r] += step.bytes;
      sends_[r * size_ + peer].push_back({step.bytes, out_.knows[r]});
      meet(r, peer);
    } else {
      ++rank.open;
      ++receives_[peer * size_ + r];
      meet(peer, r);
    }
    ++rank.at;
    return true;
  }

  void meet(std::size_t from, std::size_t to) {
    auto& sends = sends_[from * size_ + to];
    auto& receives = receives_[from * size_ + to];
    if (sends.empty() || receives == 0) return;
    out_.received[to] += sends.front().bytes;
    ranks_[to].arrived |= sends.front().knowledge;
    sends.pop_front();
    --receives;
    --ranks_[from].open;
    --ranks_[to].open;
  }

  std::size_t size_;
  std::vector<RankState> ranks_;
  std::vector<std::deque<Message>> sends_;
  std::vector<int> receives_;
  Outcome out_;
};

/// Runs all lanes of the algorithm. Each carries a part of the data, so a rank knows of another what it has heard in
/// all of them. `failure` says who waits for ever, or for nobody.
inline Outcome run(const CollectiveAlgorithm& algorithm, const Collective& collective) {
  auto outcome = Executor(algorithm, collective, 0).run();
  outcome.algorithm = algorithm.name;
  const auto lanes = algorithm.lanes_of(collective.call(0));
  for (CommRank lane = 1; lane < lanes; ++lane) {
    const auto other = Executor(algorithm, collective, lane).run();
    if (outcome.failure.empty()) outcome.failure = other.failure;
    for (std::size_t r = 0; r < outcome.knows.size(); ++r) {
      outcome.knows[r] &= other.knows[r];
      outcome.sent[r] += other.sent[r];
      outcome.received[r] += other.received[r];
      outcome.messages[r] += other.messages[r];
      outcome.summed[r] += other.summed[r];
      outcome.copied[r] += other.copied[r];
    }
  }
  return outcome;
}

inline Outcome run(OpKind kind, std::string_view name, CommRank size, CommRank root, std::uint64_t bytes) {
  return run(find_collective(kind, name), {kind, size, root, bytes});
}

/// A grid whose members stand in any order.
inline MemberGrid shuffled_grid(const std::vector<CommRank>& extents, core::Random& random) {
  CommRank size = 1;
  for (const auto extent : extents) size *= extent;
  std::vector<CommRank> members(static_cast<std::size_t>(size));
  std::iota(members.begin(), members.end(), 0);
  for (std::size_t i = members.size(); i > 1; --i) std::swap(members[i - 1], members[random.below(i)]);
  return MemberGrid(extents, members);
}

}  // namespace toroid::workloads

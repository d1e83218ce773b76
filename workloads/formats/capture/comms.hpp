#pragma once
// The communicators of a captured program. A rank tells who is in those that it has; which of them is the same at
// another rank follows from the order in which both made them of the same one.

#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "workloads/compact_trace.hpp"

namespace toroid::workloads::raw {

/// How a communicator was made. Two ranks whose records are equal mean the same communicator.
struct CommMade {
  CommId parent;
  bool of_group;  ///< whether its members alone made it, with `tag`, and not all ranks of the parent
  std::int32_t tag;
  std::int32_t before = 0;  ///< how many the rank had made in the same way before
  std::vector<Rank> members;

  auto operator<=>(const CommMade&) const = default;
};

/// The communicators of all ranks.
class Comms {
 public:
  explicit Comms(CompactTrace& trace) : trace_(trace) {}

  CommId self_of(Rank rank) { return trace_.add_communicator(Communicator::strided(rank, 1, 1)); }
  CommId id_of(const CommMade& made) {
    const auto [known, is_new] = ids_.try_emplace(made, world);
    if (is_new) known->second = trace_.add_communicator(Communicator(made.members));
    return known->second;
  }

 private:
  CompactTrace& trace_;
  std::map<CommMade, CommId> ids_;
};

/// The communicators of one rank, by their handles; a handle may be used again.
class RankComms {
 public:
  explicit RankComms(Comms& all) : all_(all) {}

  CommId self_of(Rank rank) { return all_.self_of(rank); }
  void set(std::uint64_t handle, CommId comm) { ids_[handle] = comm; }
  /// The communicator of a handle; null if there is none.
  const CommId* find(std::uint64_t handle) const {
    const auto found = ids_.find(handle);
    return found == ids_.end() ? nullptr : &found->second;
  }
  /// Notes that the rank took part in making a communicator. One without members is not one of its own.
  void make(std::uint64_t handle, CommMade made) {
    auto like = made;
    if (!like.of_group) like.members.clear();
    made.before = counts_[like]++;
    if (!made.members.empty()) set(handle, all_.id_of(made));
  }

 private:
  Comms& all_;
  std::unordered_map<std::uint64_t, CommId> ids_;
  std::map<CommMade, std::int32_t> counts_;
};

}  // namespace toroid::workloads::raw

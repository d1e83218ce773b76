#pragma once
// The communicators of a captured program. A rank tells who is in those that it has; which of them is the same at
// another rank follows from the order in which both made them of the same one.

#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "workloads/compact_trace.hpp"

namespace toroid::workloads::raw {

/// What two ranks must agree on: what it was made of, as the how manieth, and who is in it.
struct CommMade {
  CommId parent;
  bool of_group;  ///< its own ranks have made it, with that tag; otherwise all ranks of the parent have
  std::int32_t tag;
  std::int32_t before = 0;  ///< that were made likewise
  std::vector<Rank> members;

  auto operator<=>(const CommMade&) const = default;
};

/// Those of all ranks.
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

/// Those of one rank, by their handles, which may come again.
class RankComms {
 public:
  explicit RankComms(Comms& all) : all_(all) {}

  CommId self_of(Rank rank) { return all_.self_of(rank); }
  void set(std::uint64_t handle, CommId comm) { ids_[handle] = comm; }
  /// Null if it is not known.
  const CommId* find(std::uint64_t handle) const {
    const auto found = ids_.find(handle);
    return found == ids_.end() ? nullptr : &found->second;
  }
  /// The rank took part in making it; a communicator without members is not its own.
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

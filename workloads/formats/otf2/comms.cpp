#include "workloads/formats/otf2/comms.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "core/error.hpp"

namespace toroid::workloads::otf2 {
namespace {

Communicator members_of(const std::vector<std::uint64_t>& ranks, std::size_t world_size, Ref ref,
                        const std::string& path) {
  std::vector<Rank> members;
  for (const auto rank : ranks) {
    if (rank >= world_size)
      core::fail_input("{}: communicator {}: found rank {}, expected one below {}", path, ref, rank, world_size);
    members.push_back(Rank(static_cast<std::int32_t>(rank)));
  }
  if (std::set<Rank>(members.begin(), members.end()).size() != members.size())
    core::fail_input("{}: communicator {}: found a rank twice, expected different ones", path, ref);
  return Communicator(members);
}

bool is_world(const std::vector<std::uint64_t>& ranks, std::size_t world_size) {
  if (ranks.size() != world_size) return false;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] != i) return false;
  return true;
}

}  // namespace

CommRank LocalComm::rank_of(std::uint32_t partner) const {
  if (partner > static_cast<std::uint32_t>(std::numeric_limits<CommRank>::max())) return no_process;
  const auto number = static_cast<CommRank>(partner);
  if (is_global) return members->rank_of(Rank(number));
  return number < members->size() ? number : no_process;
}

Comms::Comms(CompactTrace& trace, const Definitions& definitions, const std::string& path) : trace_(trace) {
  const auto ranks = definitions.ranks.size();
  bool has_world = false;
  for (const auto& [head, members] : definitions.comms) {
    if (head.kind != CommKind::group) {
      known_.emplace(head.ref, Known{head, world, Communicator::all(0)});
      continue;
    }
    const auto comm = members_of(members, ranks, head.ref, path);
    // Its copies are communicators of their own.
    const bool is_first_world = !has_world && is_world(members, ranks);
    has_world = has_world || is_first_world;
    known_.emplace(head.ref, Known{head, is_first_world ? world : trace.add_communicator(comm), comm});
  }
}

std::string Comms::error_of(Ref comm, Rank rank) const {
  const auto found = known_.find(comm);
  if (found == known_.end()) return fmt::format("found communicator {}, expected one that is defined", comm);
  const auto& known = found->second;
  if (known.head.kind == CommKind::inter)
    return fmt::format("found communicator {} between two groups, expected one of a single group", comm);
  if (known.head.kind == CommKind::other)
    return fmt::format("found communicator {}, expected one of processes of MPI", comm);
  if (known.head.kind == CommKind::group && known.members.rank_of(rank) == no_process)
    return fmt::format("found communicator {}, expected one of which rank {} is a member", comm, rank);
  return {};
}

LocalComm Comms::of(Ref comm, Rank rank) {
  const auto& known = known_.at(comm);
  if (known.head.kind == CommKind::group)
    return {known.id, &known.members, known.members.rank_of(rank), known.head.is_global};
  auto alone = alone_.find(rank);
  if (alone == alone_.end()) {
    const auto self = Communicator::strided(rank, 1, 1);
    alone = alone_.emplace(rank, std::pair(trace_.add_communicator(self), self)).first;
  }
  return {alone->second.first, &alone->second.second, 0, known.head.is_global};
}

}  // namespace toroid::workloads::otf2

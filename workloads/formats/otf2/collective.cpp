#include "workloads/formats/otf2/rank.hpp"

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

/// The kinds in the order of OTF2_CollectiveOp, whose numbers are part of the format. All-to-alls of different sizes
/// are not understood.
constexpr std::array<CollectiveKind, 17> kinds{{{OpKind::barrier, true},
                                                {OpKind::bcast, true},
                                                {OpKind::gather, true},
                                                {OpKind::gatherv, false},
                                                {OpKind::scatter, true},
                                                {OpKind::scatterv, false},
                                                {OpKind::allgather, true},
                                                {OpKind::allgatherv, false},
                                                {OpKind::alltoall, true},
                                                {OpKind::alltoallv, false},
                                                {OpKind::alltoallv, false},
                                                {OpKind::allreduce, true},
                                                {OpKind::reduce, true},
                                                {OpKind::reduce_scatter, false},
                                                {OpKind::scan, true},
                                                {OpKind::exscan, true},
                                                {OpKind::reduce_scatter, true}}};
constexpr std::uint8_t alltoallv = 9, alltoallw = 10, last_shared = 22;

/// A part for each of `parts` ranks, or for all but one.
std::optional<std::uint64_t> part_of(std::uint64_t bytes, std::uint64_t parts) {
  if (bytes % parts == 0) return bytes / parts;
  if (parts > 1 && bytes % (parts - 1) == 0) return bytes / (parts - 1);
  return std::nullopt;
}

/// The root has the parts of all; the others have their own.
std::optional<std::uint64_t> rooted(bool is_root, std::uint64_t own, std::uint64_t all, std::uint64_t size) {
  if (!is_root || own * size == all) return own;
  if (own == 0 && size > 1 && all % (size - 1) == 0) return all / (size - 1);
  return std::nullopt;
}

/// Rank i of n sends its part to itself and those behind it, and gets those of itself and all before it.
std::optional<std::uint64_t> scanned(std::uint64_t size, std::uint64_t me, Moved moved, bool with_self) {
  const std::uint64_t self = with_self ? 1 : 0, behind = size - me - 1 + self, before = me + self;
  const auto part = before > 0 ? moved.received / before : behind > 0 ? moved.sent / behind : 0;
  if (part * before != moved.received || part * behind != moved.sent) return std::nullopt;
  return part;
}

using Parts = std::vector<Moved>;

/// What the members gave, each to `times` ranks, is what each got, but for its own part if that is left out.
std::optional<std::vector<std::uint64_t>> shared_parts(const Parts& parts, std::uint64_t times, bool leaves_self_out) {
  std::vector<std::uint64_t> bytes;
  std::uint64_t all = 0;
  for (const auto& part : parts) {
    if (times == 0 ? part.sent > 0 : part.sent % times != 0) return std::nullopt;
    bytes.push_back(times == 0 ? 0 : part.sent / times);
    all += bytes.back();
  }
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].received != all - (leaves_self_out ? bytes[i] : 0)) return std::nullopt;
  return bytes;
}

/// The root has the rest of what it says to have of all.
std::optional<std::vector<std::uint64_t>> rooted_parts(const Parts& parts, std::size_t root) {
  std::vector<std::uint64_t> bytes;
  std::uint64_t others = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    bytes.push_back(parts[i].sent);
    if (i != root) others += parts[i].sent;
  }
  if (parts[root].received < others) return std::nullopt;
  bytes[root] = parts[root].received - others;
  return bytes;
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

FoundCollective collective_of(std::uint8_t op) {
  if (op == alltoallv || op == alltoallw)
    return {{},
            "found an all-to-all of different sizes, expected others: the archive does not say the bytes to each rank"};
  if (op < kinds.size()) return {kinds[op], {}};
  if (op <= last_shared) return {};
  return {{}, fmt::format("found collective operation {}, expected one up to {}", op, last_shared)};
}

std::optional<std::uint64_t> contribution(OpKind kind, CommRank size, CommRank me, CommRank root, Moved moved) {
  const auto ranks = static_cast<std::uint64_t>(size), rank = static_cast<std::uint64_t>(me);
  switch (kind) {
    case OpKind::barrier:
      return 0;
    case OpKind::bcast:
      return moved.received;
    case OpKind::reduce:
    case OpKind::gather:
      return rooted(me == root, moved.sent, moved.received, ranks);
    case OpKind::scatter:
      return rooted(me == root, moved.received, moved.sent, ranks);
    case OpKind::scan:
      if (const auto part = scanned(ranks, rank, moved, true)) return part;
      return scanned(ranks, rank, moved, false);
    case OpKind::exscan:
      return scanned(ranks, rank, moved, false);
    default:
      return part_of(moved.received, ranks);
  }
}

std::uint64_t UnequalBlocks::add(OpKind kind, const LocalComm& comm, CommRank root, Moved moved) {
  const auto number = next_[comm.id]++;
  auto& call = calls_.try_emplace({comm.id, number}, Call{kind, root, {}}).first->second;
  call.moved.resize(static_cast<std::size_t>(comm.members->size()));
  call.moved[static_cast<std::size_t>(comm.me)] = moved;
  call.is_same = call.is_same && call.kind == kind && call.root == root;
  return number;
}

UnequalBlocks::Blocks UnequalBlocks::blocks(CommId comm, std::uint64_t number) const {
  const auto& call = calls_.at({comm, number});
  if (!call.is_same) return {{}, "found another collective or root than other ranks have, expected the same"};
  Parts parts;
  for (const auto& moved : call.moved) {
    if (!moved) return {{}, "found a collective that not all ranks of its communicator take part in"};
    parts.push_back(*moved);
  }
  const auto turned = [&] {
    for (auto& part : parts) std::swap(part.sent, part.received);
    return parts;
  };
  const auto size = parts.size();
  const auto root = static_cast<std::size_t>(call.root);
  std::optional<std::vector<std::uint64_t>> bytes;
  if (call.kind == OpKind::gatherv) bytes = rooted_parts(parts, root);
  if (call.kind == OpKind::scatterv) bytes = rooted_parts(turned(), root);
  if (call.kind == OpKind::allgatherv || call.kind == OpKind::reduce_scatter) {
    if (call.kind == OpKind::reduce_scatter) turned();
    bytes = shared_parts(parts, size, false);
    if (!bytes) bytes = shared_parts(parts, size - 1, true);
  }
  if (!bytes) return {{}, "found that the ranks do not send what is received, expected sizes as Score-P counts them"};
  return {std::move(*bytes), {}};
}

}  // namespace toroid::workloads::otf2

#include "workloads/cuts/ties.hpp"

#include "workloads/cuts/copied_trace.hpp"

#include "workloads/operation_kinds.hpp"

namespace toroid::workloads {

struct Ties::Reading {
  struct Open {           ///< requests of one handle
    std::size_t tie = 0;  ///< the tie of the request since which the handle always had one
    std::uint64_t count = 0;
  };
  Rank rank = 0;
  std::uint64_t index = 0;
  std::unordered_map<RequestHandle, Open> open;
  std::unordered_map<RequestHandle, Operation> persistent;
  std::unordered_map<CommId, std::size_t> puts;  ///< the tie of the first since the last fence
};

Ties::Ties(const Trace& trace) : trace_(trace), ties_(trace.ranks()) {
  for (const Rank rank : ties_.ids()) read(rank);
  for (const auto& channel : channels_) check(channel);
}

Places Ties::closed(Places places) {
  TOROID_ASSERT(places.size() == ties_.size());
  places_ = std::move(places);
  next_.assign(trace_.ranks(), 0);
  for (auto& [comm, calls] : calls_) calls.within = 0;
  pending_.assign(ties_.ids().begin(), ties_.ids().end());
  while (!pending_.empty()) {
    const auto rank = pending_.back();
    pending_.pop_back();
    follow(rank);
  }
  return places_;
}

void Ties::read(Rank rank) {
  Reading at;
  at.rank = rank;
  const auto stream = trace_.open(rank);
  for (Operation op; stream->next(op); ++at.index) read(at, op);
}

void Ties::read(Reading& at, const Operation& op) {
  refuse_graph(trace_, at.rank, at.index, op);
  if (is_collective(op.kind)) {
    call(at, op);
    if (op.kind == OpKind::fence) fence(at, op.comm);
    return give(at, op.request);
  }
  if (is_persistent_init(op.kind)) {
    at.persistent[op.request] = op;
    return;
  }
  if (is_point_to_point(op.kind)) {
    message(at, op);
    if (op.kind == OpKind::isend || op.kind == OpKind::irecv) give(at, op.request);
    return;
  }
  if (op.kind == OpKind::put && !at.puts.contains(op.comm)) at.puts[op.comm] = tie(at, Tie::Kind::request, at.index, 0);
  if (op.kind == OpKind::start) return start(at, op.request);
  if (op.kind == OpKind::startall)
    for (const auto handle : op.requests) start(at, handle);
  if (op.kind == OpKind::wait) take(at, op.request, true);
  if (op.kind == OpKind::test) take(at, op.request, false);
  if (op.kind == OpKind::waitall || op.kind == OpKind::waitany || op.kind == OpKind::waitsome)
    for (const auto handle : op.requests) take(at, handle, op.kind == OpKind::waitall);
}

/// Reads a fence, which ends the puts since the last one.
void Ties::fence(Reading& at, CommId comm) {
  const auto first = at.puts.find(comm);
  if (first == at.puts.end()) return;
  ties_[at.rank][first->second].number = at.index;
  at.puts.erase(first);
}

void Ties::start(Reading& at, RequestHandle handle) {
  const auto init = at.persistent.find(handle);
  if (init == at.persistent.end()) return;
  message(at, init->second);
  give(at, handle);
}

void Ties::message(Reading& at, const Operation& op) {
  const bool receives = is_receive(op.kind);
  const auto me = trace_.communicator(op.comm).rank_of(at.rank);
  if (!receives && op.to >= 0) {
    const auto number = channel(op.comm, me, op.to, op.tag);
    auto& sends = channels_[number].sends;
    tie(at, Tie::Kind::send, sends.size(), number);
    sends.push_back(at.index);
  }
  if (!receives && op.kind != OpKind::sendrecv) return;
  if (op.from == any_source || op.tag == any_tag)
    core::fail_input("{}: rank {}: {}: found any source or tag, expected one: only a run tells which message it gets",
                     trace_.locate(at.rank, at.index), at.rank, to_string(op.kind));
  if (op.from < 0) return;
  const auto number = channel(op.comm, op.from, me, op.tag);
  auto& all = channels_[number].receives;
  tie(at, Tie::Kind::receive, all.size(), number);
  all.push_back(at.index);
}

std::uint32_t Ties::channel(CommId comm, CommRank from, CommRank to, std::int32_t tag) {
  const auto [known, is_new] =
      channel_numbers_.try_emplace({comm, from, to, tag}, static_cast<std::uint32_t>(channels_.size()));
  if (is_new) {
    const auto& members = trace_.communicator(comm);
    channels_.push_back({{}, {}, members.member(from), members.member(to)});
  }
  return known->second;
}

void Ties::call(Reading& at, const Operation& op) {
  auto& calls = calls_[op.comm];
  const auto& comm = trace_.communicator(op.comm);
  calls.by_member.resize(static_cast<std::size_t>(comm.size()));
  auto& mine = calls.by_member[static_cast<std::size_t>(comm.rank_of(at.rank))];
  tie(at, Tie::Kind::collective, mine.size(), static_cast<std::uint32_t>(op.comm.value()));
  mine.push_back(at.index);
}

std::size_t Ties::tie(const Reading& at, Tie::Kind kind, std::uint64_t number, std::uint32_t of) {
  ties_[at.rank].push_back({kind, at.index, number, of});
  return ties_[at.rank].size() - 1;
}

void Ties::give(Reading& at, RequestHandle handle) {
  if (handle == no_handle) return;
  auto& open = at.open[handle];
  if (open.count++ == 0) open.tie = tie(at, Tie::Kind::request, at.index, 0);
}

/// A handle is free again when waits have taken all its requests. What is taken for certain counts; of the others,
/// that they may be taken here.
void Ties::take(Reading& at, RequestHandle handle, bool for_certain) {
  const auto open = at.open.find(handle);
  if (open == at.open.end() || open->second.count == 0) return;
  ties_[at.rank][open->second.tie].number = at.index;
  if (for_certain) --open->second.count;
}

void Ties::check(const Channel& channel) const {
  const auto both = std::min(channel.sends.size(), channel.receives.size());
  if (channel.sends.size() > both)
    core::fail_input("{}: rank {} sends rank {} a message that it never receives",
                     trace_.locate(channel.sender, channel.sends[both]), channel.sender, channel.receiver);
  if (channel.receives.size() > both)
    core::fail_input("{}: rank {} receives a message from rank {} that is never sent",
                     trace_.locate(channel.receiver, channel.receives[both]), channel.receiver, channel.sender);
}

/// All that the rank's operations before the cut are tied to.
void Ties::follow(Rank rank) {
  const auto& ties = ties_[rank];
  for (auto& next = next_[rank]; next < ties.size() && ties[next].index < places_[rank]; ++next) {
    const auto& tie = ties[next];
    if (tie.kind == Tie::Kind::request) {
      reach(rank, tie.number);
    } else if (tie.kind == Tie::Kind::collective) {
      reach_call(rank, tie);
    } else {
      const auto& channel = channels_[tie.of];
      if (tie.kind == Tie::Kind::send)
        reach(channel.receiver, channel.receives[tie.number]);
      else
        reach(channel.sender, channel.sends[tie.number]);
    }
  }
}

void Ties::reach_call(Rank caller, const Tie& tie) {
  const CommId comm(static_cast<std::int32_t>(tie.of));
  const auto number = tie.number;
  auto& calls = calls_.at(comm);
  if (number < calls.within) return;
  calls.within = number + 1;
  const auto& members = trace_.communicator(comm);
  for (std::size_t member = 0; member < calls.by_member.size(); ++member) {
    const auto& theirs = calls.by_member[member];
    const auto rank = members.member(static_cast<CommRank>(member));
    if (number >= theirs.size())
      core::fail_input("{}: rank {} calls collective {} of a communicator, of which rank {} calls only {}",
                       trace_.locate(caller, tie.index), caller, number + 1, rank, theirs.size());
    reach(rank, theirs[number]);
  }
}

/// The operation comes before the cut.
void Ties::reach(Rank rank, std::uint64_t index) {
  if (places_[rank] > index) return;
  places_[rank] = index + 1;
  pending_.push_back(rank);
}

}  // namespace toroid::workloads

#include "netsim/replay/complaints.hpp"

#include "netsim/replay/strand.hpp"

namespace toroid::netsim {
namespace {

using core::SimulationError;
using workloads::OpKind;
using workloads::Trace;

std::string rank_text(Rank rank) {
  return rank == workloads::any_source ? "any rank" : fmt::format("rank {}", rank);
}

std::string tag_text(std::int32_t tag) {
  return tag == workloads::any_tag ? "any tag" : fmt::format("tag {}", tag);
}

/// What the rank is blocked in, and the first request that has not ended.
std::string describe(const Trace& trace, const BlockedRank& blocked) {
  const auto in =
      blocked.at_end ? std::string("its end")
                     : fmt::format("{} at {}", to_string(blocked.operation), trace.locate(blocked.rank, blocked.index));
  if (blocked.request == nullptr) return fmt::format("rank {} in {}", blocked.rank, in);
  const auto& request = *blocked.request;
  const bool elsewhere = blocked.at_end || request.operation != blocked.index;
  const bool in_collective = is_collective_context(request.context);
  const auto posted = in_collective ? fmt::format(", in {} begun", to_string(kind_of_collective_tag(request.tag)))
                                    : std::string(", posted");
  return fmt::format("rank {} in {} waits to {} {}{}{}", blocked.rank, in,
                     request.kind == Request::Kind::send ? "send to" : "receive from", rank_text(request.partner),
                     in_collective ? "" : ", " + tag_text(request.tag),
                     elsewhere ? posted + " at " + trace.locate(blocked.rank, request.operation) : "");
}

}  // namespace

void fail_deadlock(const Trace& trace, std::span<const BlockedRank> some, std::int32_t blocked) {
  std::vector<std::string> all;
  for (const auto& rank : some) all.push_back(describe(trace, rank));
  throw SimulationError(fmt::format("deadlock: {} of {} ranks are blocked: {}{}", blocked, trace.ranks(),
                                    core::join(all, "; "),
                                    static_cast<std::size_t>(blocked) > some.size() ? "; ..." : ""));
}

void fail_unreceived(const Trace& trace, const Message& message, std::size_t count) {
  const auto& [source, tag, context] = message.envelope;
  const auto what = is_collective_context(context) ? fmt::format("in {}", to_string(kind_of_collective_tag(tag)))
                                                   : "with " + tag_text(tag);
  throw SimulationError(fmt::format(
      "unmatched message: {}: rank {} sends {} bytes to rank {} {}, which never receives them ({} unreceived there)",
      trace.locate(source, message.operation), source, message.bytes, message.target, what, count));
}

void fail_lost(const Trace& trace, const Message& message, std::string_view link) {
  throw SimulationError(fmt::format("lost message: {}: rank {} sends {} bytes to rank {} over {}, which fails",
                                    trace.locate(message.envelope.source, message.operation), message.envelope.source,
                                    message.bytes, message.target, link));
}

void fail_unfenced(const Trace& trace, Rank rank) {
  // Which put it is is not kept: this is worth reading the program again.
  const auto stream = trace.open(rank);
  workloads::Operation op;
  std::map<workloads::CommId, std::uint64_t> last;
  for (std::uint64_t i = 0; stream->next(op); ++i) {
    if (op.kind == OpKind::put && op.to != workloads::no_process) last[op.comm] = i;
    if (op.kind == OpKind::fence) last.erase(op.comm);
  }
  throw SimulationError(fmt::format("put without end: {}: rank {} puts into another's window, and no fence follows",
                                    trace.locate(rank, last.begin()->second), rank));
}

void fail_no_request(const Trace& trace, Rank rank, std::uint64_t index, workloads::RequestHandle handle) {
  // Where the handle was given last is not kept: this is worth reading the program again.
  const auto stream = trace.open(rank);
  workloads::Operation op;
  std::string given = "which no operation before it gave";
  OpKind taker = OpKind::wait;
  for (std::uint64_t i = 0; i <= index && stream->next(op); ++i) {
    const bool takes = op.kind == OpKind::start || op.kind == OpKind::wait || op.kind == OpKind::test;
    if (op.request == handle && !takes)
      given = fmt::format("which the {} at {} gave and another call has taken since", to_string(op.kind),
                          trace.locate(rank, i));
    taker = op.kind;
  }
  throw SimulationError(fmt::format("{}: rank {} in {} asks for request {}, {}", trace.locate(rank, index), rank,
                                    to_string(taker), handle, given));
}

void fail_operation(const Trace& trace, Rank rank, std::uint64_t index, std::string_view why) {
  throw SimulationError(fmt::format("{}: rank {}{}", trace.locate(rank, index), rank, why));
}

}  // namespace toroid::netsim

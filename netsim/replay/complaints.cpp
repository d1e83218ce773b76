#include "netsim/replay/complaints.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

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
  const auto& [sender, receiver, tag] = request.name;
  const bool elsewhere = blocked.at_end || request.operation != blocked.index;
  return fmt::format("rank {} in {} waits to {} {}{}{}", blocked.rank, in, request.is_send ? "send to" : "receive from",
                     rank_text(request.is_send ? receiver : sender),
                     is_collective_context(request.context) ? "" : ", " + tag_text(tag),
                     elsewhere ? ", posted at " + trace.locate(blocked.rank, request.operation) : "");
}

}  // namespace

void fail_deadlock(const Trace& trace, std::span<const BlockedRank> some, Rank blocked) {
  std::vector<std::string> all;
  for (const auto& rank : some) all.push_back(describe(trace, rank));
  throw SimulationError(fmt::format("deadlock: {} of {} ranks are blocked: {}{}", blocked, trace.ranks(),
                                    core::join(all, "; "),
                                    static_cast<std::size_t>(blocked) > some.size() ? "; ..." : ""));
}

void fail_unreceived(const Trace& trace, const Message& message, std::size_t count) {
  const auto& [source, tag, context] = message.envelope;
  // The tag of a collective's messages is its kind.
  const auto what = is_collective_context(context) ? fmt::format("in {}", to_string(static_cast<OpKind>(tag)))
                                                   : "with " + tag_text(tag);
  throw SimulationError(fmt::format(
      "unmatched message: {}: rank {} sends {} bytes to rank {} {}, which never receives them ({} unreceived there)",
      trace.locate(source, message.operation), source, message.bytes, message.target, what, count));
}

void fail_no_request(const Trace& trace, Rank rank, std::uint64_t index, const RequestName& name) {
  const auto& [sender, receiver, tag] = name;
  throw SimulationError(fmt::format("{}: rank {} waits for a message from {} to {} with {}, but has no such request",
                                    trace.locate(rank, index), rank, rank_text(sender), rank_text(receiver),
                                    tag_text(tag)));
}

}  // namespace toroid::netsim

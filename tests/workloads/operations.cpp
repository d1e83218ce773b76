#include "tests/workloads/operations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <tuple>

namespace toroid::workloads {

std::string describe(const Operation& op) {
  std::string text(to_string(op.kind));
  if (op.mode == SendMode::synchronous) text += " synchronous";
  if (op.mode == SendMode::buffered) text += " buffered";
  if (op.comm != world) text += fmt::format(" comm={}", op.comm);
  if (op.to != 0) text += fmt::format(" to={}", op.to);
  if (op.from != 0) text += fmt::format(" from={}", op.from);
  if (op.root != 0) text += fmt::format(" root={}", op.root);
  if (op.tag != 0) text += fmt::format(" tag={}", op.tag);
  if (op.request != no_handle) text += fmt::format(" request={}", op.request);
  if (op.bytes != 0) text += fmt::format(" bytes={}", op.bytes);
  if (op.amount != 0) text += fmt::format(" amount={}", op.amount);
  if (!op.requests.empty()) text += fmt::format(" requests={}", fmt::join(op.requests, "/"));
  if (!op.after.empty()) text += fmt::format(" after={}", fmt::join(op.after, "/"));
  if (!op.after_begin.empty()) text += fmt::format(" after-begin={}", fmt::join(op.after_begin, "/"));
  if (!op.send_counts.empty()) text += fmt::format(" sends={}", fmt::join(op.send_counts, "/"));
  if (!op.recv_counts.empty()) text += fmt::format(" receives={}", fmt::join(op.recv_counts, "/"));
  return text;
}

std::vector<std::string> program(const Trace& trace, Rank rank) {
  std::vector<std::string> operations;
  const auto stream = trace.open(rank);
  for (Operation op; stream->next(op);) operations.push_back(describe(op));
  return operations;
}

std::vector<std::string> unmatched_channels(const Trace& trace) {
  using Channel = std::tuple<Rank, Rank, std::int32_t>;
  std::map<Channel, std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>>> sizes;  // sent, received
  for (const Rank rank : core::ids<Rank>(trace.ranks())) {
    const auto stream = trace.open(rank);
    for (Operation op; stream->next(op);) {
      const auto& comm = trace.communicator(op.comm);
      if (is_send(op.kind)) sizes[{rank, comm.member(op.to), op.tag}].first.push_back(op.bytes);
      if (op.kind == OpKind::recv || op.kind == OpKind::irecv || op.kind == OpKind::sendrecv)
        sizes[{comm.member(op.from), rank, op.tag}].second.push_back(op.bytes);
    }
  }
  std::vector<std::string> wrong;
  for (const auto& [channel, both] : sizes)
    if (both.first != both.second)
      wrong.push_back(fmt::format("{} to {}, tag {}: {} sent, {} received", std::get<0>(channel), std::get<1>(channel),
                                  std::get<2>(channel), fmt::join(both.first, "/"), fmt::join(both.second, "/")));
  return wrong;
}

}  // namespace toroid::workloads

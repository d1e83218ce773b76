#include "workloads/diff.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/assert.hpp"
#include "workloads/operation_kinds.hpp"

namespace toroid::workloads {
namespace {

using Numbers = std::vector<std::uint64_t>;

/// The requests of a rank by their handles; each has the number of its posting.
class Outstanding {
 public:
  void post(RequestHandle handle) { by_handle_[handle].push_back(posted_++); }
  /// The oldest that the handle stands for is taken.
  void take(RequestHandle handle, Numbers& taken) {
    auto& numbers = by_handle_[handle];
    if (numbers.empty()) return;
    taken.push_back(numbers.front());
    numbers.pop_front();
  }
  /// All that the handle stands for, of which one may be taken.
  void name(RequestHandle handle, Numbers& named) {
    const auto& numbers = by_handle_[handle];
    named.insert(named.end(), numbers.begin(), numbers.end());
  }

 private:
  std::unordered_map<RequestHandle, std::deque<std::uint64_t>> by_handle_;
  std::uint64_t posted_ = 0;
};

bool is_computation(OpKind kind) {
  return kind == OpKind::compute || kind == OpKind::sleep;
}

/// The operations of a rank as they are compared.
class Reader {
 public:
  Reader(const Trace& trace, Rank rank, bool computation)
      : trace_(trace), rank_(rank), computation_(computation), stream_(trace.open(rank)) {}

  /// Goes on to the next operation; false after the last. Lists of the operation last until then.
  bool next() {
    if (!ahead_) pull();
    while (more_ && !computation_ && is_computation(pulled_.kind)) pull();
    operation = pulled_;
    at_ = pulls_ - 1;
    ahead_ = more_ && is_computation(operation.kind);
    if (ahead_)
      for (pull(); more_ && pulled_.kind == operation.kind; pull()) operation.amount += pulled_.amount;
    const bool found = more_ || ahead_;
    if (found) resolve();
    ended_ = !found;
    return found;
  }

  Operation operation;
  /// What waits take, tests name and starts begin, by number.
  Numbers requests;

  /// World rank of a partner or root; the special values as they are.
  std::int32_t in_world(CommRank number) const {
    return number < 0 ? number : trace_.communicator(operation.comm).member(number).value();
  }
  Difference::Side side() const;

 private:
  void pull() {
    if (!more_) return;
    more_ = stream_->next(pulled_);
    pulls_ += more_ ? 1 : 0;
  }

  void resolve();

  const Trace& trace_;
  Rank rank_;
  bool computation_;
  std::unique_ptr<OperationStream> stream_;
  Operation pulled_;
  bool ahead_ = false;  ///< what was pulled last is still to come
  bool more_ = true, ended_ = false;
  std::uint64_t pulls_ = 0, at_ = 0;
  Outstanding outstanding_, persistent_;
};

void Reader::resolve() {
  requests.clear();
  switch (operation.kind) {
    case OpKind::send_init:
    case OpKind::recv_init:
      persistent_.post(operation.request);
      break;
    case OpKind::start:
      persistent_.name(operation.request, requests);
      outstanding_.post(operation.request);
      break;
    case OpKind::startall:
      for (const auto handle : operation.requests) {
        persistent_.name(handle, requests);
        outstanding_.post(handle);
      }
      break;
    case OpKind::wait:
      outstanding_.take(operation.request, requests);
      break;
    case OpKind::waitall:
      for (const auto handle : operation.requests) outstanding_.take(handle, requests);
      break;
    case OpKind::test:
      outstanding_.name(operation.request, requests);
      break;
    case OpKind::waitany:
    case OpKind::waitsome:
      for (const auto handle : operation.requests) outstanding_.name(handle, requests);
      break;
    default:
      if (operation.request != no_handle) outstanding_.post(operation.request);
  }
  std::sort(requests.begin(), requests.end());
}

std::string partner(std::int32_t rank) {
  if (rank == any_source) return "any rank";
  return rank == no_process ? "no process" : fmt::format("{}", rank);
}

Difference::Side Reader::side() const {
  if (ended_) return {"the end", ""};
  const auto kind = operation.kind;
  std::string text(to_string(kind));
  if (operation.mode == SendMode::synchronous) text += " (synchronous)";
  if (operation.mode == SendMode::buffered) text += " (buffered)";
  const bool message = is_point_to_point(kind);
  if (message && !is_receive(kind)) text += " to " + partner(in_world(operation.to));
  if (kind == OpKind::put) text += fmt::format(" to {}, {} bytes", partner(in_world(operation.to)), operation.bytes);
  if (is_receive(kind) || kind == OpKind::sendrecv) text += " from " + partner(in_world(operation.from));
  if (message) text += operation.tag == any_tag ? ", any tag" : fmt::format(", tag {}", operation.tag);
  if (is_collective(kind)) {
    const auto& members = trace_.communicator(operation.comm);
    text += fmt::format(" of {} ranks", members.size());
    if (members.size() > 0) text += fmt::format(", root {}", in_world(operation.root));
  }
  if ((message && !is_receive(kind)) || is_collective(kind)) text += fmt::format(", {} bytes", operation.bytes);
  if (!operation.send_counts.empty()) text += fmt::format(", sends {}", fmt::join(operation.send_counts, "/"));
  if (!operation.recv_counts.empty()) text += fmt::format(", receives {}", fmt::join(operation.recv_counts, "/"));
  if (is_computation(kind)) text += fmt::format(" {}", operation.amount);
  if (!requests.empty()) text += fmt::format(" request {}", fmt::join(requests, "/"));
  constexpr std::size_t readable = 200;
  if (text.size() > readable) text = text.substr(0, readable) + "...";
  return {text, trace_.locate(rank_, at_)};
}

/// Compares operations of two traces of the same ranks.
class Comparison {
 public:
  Comparison(const Trace& a, const Trace& b, const DiffOptions& options) : a_(a), b_(b), options_(options) {}

  std::optional<Difference> first_difference(Rank rank) {
    Reader a(a_, rank, options_.computation), b(b_, rank, options_.computation);
    while (true) {
      const bool more_a = a.next(), more_b = b.next();
      if (!more_a && !more_b) return std::nullopt;
      if (!more_a || !more_b || !same(a, b)) return Difference{rank, a.side(), b.side()};
    }
  }

 private:
  bool same(const Reader& a, const Reader& b) {
    const auto &x = a.operation, &y = b.operation;
    if (x.kind != y.kind || x.mode != y.mode || a.requests != b.requests) return false;
    if (options_.computation && !same_amount(x.amount, y.amount)) return false;
    if (is_collective(x.kind))
      return same_members(x.comm, y.comm) && x.root == y.root && x.bytes == y.bytes &&
             std::ranges::equal(x.send_counts, y.send_counts) && std::ranges::equal(x.recv_counts, y.recv_counts) &&
             (x.request == no_handle) == (y.request == no_handle);
    if (x.kind == OpKind::put)
      return same_members(x.comm, y.comm) && a.in_world(x.to) == b.in_world(y.to) && x.bytes == y.bytes;
    if (!is_point_to_point(x.kind)) return true;
    return a.in_world(x.to) == b.in_world(y.to) && a.in_world(x.from) == b.in_world(y.from) &&
           (!options_.tags || x.tag == y.tag) && (is_receive(x.kind) || x.bytes == y.bytes);
  }

  bool same_amount(double x, double y) const {
    return std::abs(x - y) <= options_.tolerance * std::max(std::abs(x), std::abs(y));
  }

  /// Whether the communicators have the same ranks in the same order.
  bool same_members(CommId x, CommId y) {
    if (x == world && y == world) return true;
    const auto [entry, is_new] = same_members_.try_emplace({x, y}, false);
    if (is_new) {
      const auto &in_a = a_.communicator(x), &in_b = b_.communicator(y);
      bool equal = in_a.size() == in_b.size();
      for (CommRank i = 0; equal && i < in_a.size(); ++i) equal = in_a.member(i) == in_b.member(i);
      entry->second = equal;
    }
    return entry->second;
  }

  const Trace &a_, &b_;
  const DiffOptions& options_;
  std::map<std::pair<CommId, CommId>, bool> same_members_;
};

}  // namespace

std::vector<Difference> first_differences(const Trace& a, const Trace& b, const DiffOptions& options) {
  TOROID_ASSERT(a.ranks() == b.ranks());
  Comparison comparison(a, b, options);
  std::vector<Difference> differences;
  for (const Rank rank : core::ids<Rank>(a.ranks()))
    if (auto difference = comparison.first_difference(rank)) differences.push_back(*std::move(difference));
  return differences;
}

}  // namespace toroid::workloads

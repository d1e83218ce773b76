#include "workloads/diff.hpp"

#include <cmath>
#include <unordered_map>

#include <fmt/ranges.h>

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

/// What the program of a rank does between its calls. The computations of a graph have a place in it, and are none.
bool is_computation(OpKind kind) {
  return kind == OpKind::compute || kind == OpKind::sleep;
}

bool sends(OpKind kind) {
  return kind == OpKind::put || (is_point_to_point(kind) && !is_receive(kind));
}
bool receives(OpKind kind) {
  return is_receive(kind) || kind == OpKind::sendrecv;
}

std::string partner(std::int32_t rank) {
  if (rank == any_source) return "any rank";
  return rank == no_process ? "no process" : fmt::format("{}", rank);
}

/// The operations of a rank as they are compared.
class Reader {
 public:
  Reader(const Trace& trace, Rank rank, const DiffOptions& options)
      : trace_(trace), rank_(rank), options_(options), stream_(trace.open(rank)) {}

  /// Goes on to the next operation; false after the last. Lists of the operation last until then.
  bool next() {
    do {
      if (!std::exchange(ahead_, false)) pull();
      requests.clear();
      ended_ = !more_;
      if (ended_) return false;
      operation = pulled_;
      at_ = pulls_ - 1;
      if (is_computation(operation.kind))
        merge_computations();
      else if (options_.merge_waits && is_wait_for_all(operation.kind))
        merge_waits();
      else
        resolve(operation);
    } while (options_.merge_waits && is_wait_for_all(operation.kind) && requests.empty());
    std::sort(requests.begin(), requests.end());
    return true;
  }

  Operation operation;
  /// What waits take, tests name and starts begin, by number.
  Numbers requests;

  /// World rank of a partner or root; the special values as they are.
  std::int32_t in_world(CommRank number) const {
    return number < 0 ? number : trace_.communicator(operation.comm).member(number).value();
  }

  /// All that is compared.
  TraceDifference::Side side() const {
    if (ended_) return {"the end", ""};
    const auto kind = operation.kind;
    std::string text(to_string(kind));
    if (operation.mode == SendMode::synchronous) text += " (synchronous)";
    if (operation.mode == SendMode::buffered) text += " (buffered)";
    if (is_collective(kind) && operation.request != no_handle) text += " (does not block)";
    if (sends(kind)) text += " to " + partner(in_world(operation.to));
    if (receives(kind)) text += " from " + partner(in_world(operation.from));
    if (is_point_to_point(kind))
      text += operation.tag == any_tag ? ", any tag" : fmt::format(", tag {}", operation.tag);
    if (is_collective(kind) || kind == OpKind::put) text += members();
    if (is_collective(kind)) text += fmt::format(", root {}", in_world(operation.root));
    if (sends(kind) || is_collective(kind)) text += fmt::format(", {} bytes", operation.bytes);
    if (!operation.send_counts.empty()) text += fmt::format(", sends {}", fmt::join(operation.send_counts, "/"));
    if (!operation.recv_counts.empty()) text += fmt::format(", receives {}", fmt::join(operation.recv_counts, "/"));
    if (is_collective(kind) && operation.amount > 0) text += fmt::format(", {} flops", operation.amount);
    if (is_computation(kind) || kind == OpKind::compute_after) text += fmt::format(" {}", operation.amount);
    if (operation.touched() > 0) text += fmt::format(", touches {} bytes", operation.bytes);
    if (!operation.after.empty()) text += fmt::format(", after {}", fmt::join(operation.after, "/"));
    if (!operation.after_begin.empty())
      text += fmt::format(", after begin of {}", fmt::join(operation.after_begin, "/"));
    if (!requests.empty()) text += fmt::format(" request {}", fmt::join(requests, "/"));
    return {text, trace_.locate(rank_, at_)};
  }

 private:
  /// The next operation that counts.
  void pull() {
    do {
      if (!more_) return;
      more_ = stream_->next(pulled_);
      pulls_ += more_ ? 1 : 0;
    } while (more_ && !options_.computation && is_computation(pulled_.kind));
  }

  void merge_computations() {
    for (pull(); more_ && pulled_.kind == operation.kind; pull()) operation.amount += pulled_.amount;
    ahead_ = true;
  }
  void merge_waits() {
    operation = {.kind = OpKind::waitall};
    do {
      resolve(pulled_);
      pull();
    } while (more_ && is_wait_for_all(pulled_.kind));
    ahead_ = true;
  }

  void resolve(const Operation& op) {
    const auto start = [&](RequestHandle handle) {
      if (const auto init = persistent_.find(handle); init != persistent_.end()) requests.push_back(init->second);
      outstanding_.post(handle);
    };
    if (is_persistent_init(op.kind))
      persistent_[op.request] = inits_++;
    else if (is_start(op.kind))
      for_each_handle(op, start);
    else if (is_wait_for_all(op.kind))
      for_each_handle(op, [&](RequestHandle handle) { outstanding_.take(handle, requests); });
    else if (op.kind >= OpKind::waitany && op.kind <= OpKind::test)
      for_each_handle(op, [&](RequestHandle handle) { outstanding_.name(handle, requests); });
    else if (op.request != no_handle)
      outstanding_.post(op.request);
  }

  /// How many, and who if these are not all ranks in order.
  std::string members() const {
    const auto& comm = trace_.communicator(operation.comm);
    std::vector<std::int32_t> ranks;
    bool all = comm.size() == trace_.ranks();
    for (CommRank i = 0; i < comm.size(); ++i) {
      ranks.push_back(comm.member(i).value());
      all = all && ranks.back() == i;
    }
    return fmt::format(" of {} ranks", comm.size()) + (all ? "" : fmt::format(" ({})", fmt::join(ranks, "/")));
  }

  const Trace& trace_;
  Rank rank_;
  const DiffOptions& options_;
  std::unique_ptr<OperationStream> stream_;
  Operation pulled_;
  bool ahead_ = false;  ///< what was pulled last is still to come
  bool more_ = true, ended_ = false;
  std::uint64_t pulls_ = 0, at_ = 0;
  Outstanding outstanding_;
  std::unordered_map<RequestHandle, std::uint64_t> persistent_;  ///< the number of the last init that gave it
  std::uint64_t inits_ = 0;
};

/// Shortens two texts that differ, so that it can be seen where.
void shorten(std::string& a, std::string& b) {
  constexpr std::size_t readable = 200, before = 40;
  const auto same = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  for (auto* text : {&a, &b}) {
    if (same > readable - before) text->replace(before, same - 2 * before, "...");
    if (text->size() > readable) *text = text->substr(0, readable) + "...";
  }
}

/// Compares operations of two traces of the same ranks.
class Comparison {
 public:
  Comparison(const Trace& a, const Trace& b, const DiffOptions& options) : a_(a), b_(b), options_(options) {}

  std::optional<TraceDifference> first_difference(Rank rank) {
    Reader a(a_, rank, options_), b(b_, rank, options_);
    while (true) {
      const bool more_a = a.next(), more_b = b.next();
      if (!more_a && !more_b) return std::nullopt;
      if (more_a && more_b && same(a, b)) continue;
      TraceDifference difference{rank, a.side(), b.side()};
      TOROID_ASSERT(difference.a.operation != difference.b.operation);
      shorten(difference.a.operation, difference.b.operation);
      return difference;
    }
  }

 private:
  bool same(const Reader& a, const Reader& b) {
    const auto &x = a.operation, &y = b.operation;
    const auto kind = x.kind;
    if (kind != y.kind || x.mode != y.mode || a.requests != b.requests) return false;
    if (options_.computation && !same_amount(x.amount, y.amount)) return false;
    if (is_collective(kind))
      return same_members(x.comm, y.comm) && x.root == y.root && x.bytes == y.bytes &&
             std::ranges::equal(x.send_counts, y.send_counts) && std::ranges::equal(x.recv_counts, y.recv_counts) &&
             (x.request == no_handle) == (y.request == no_handle);
    if (!std::ranges::equal(x.after, y.after) || !std::ranges::equal(x.after_begin, y.after_begin)) return false;
    if (kind == OpKind::put && !same_members(x.comm, y.comm)) return false;
    if (sends(kind) && (a.in_world(x.to) != b.in_world(y.to) || x.bytes != y.bytes)) return false;
    if (receives(kind) && a.in_world(x.from) != b.in_world(y.from)) return false;
    return !is_point_to_point(kind) || !options_.tags || x.tag == y.tag;
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

std::vector<TraceDifference> first_differences(const Trace& a, const Trace& b, const DiffOptions& options) {
  TOROID_ASSERT(a.ranks() == b.ranks());
  Comparison comparison(a, b, options);
  std::vector<TraceDifference> differences;
  for (const Rank rank : core::ids<Rank>(a.ranks()))
    if (auto difference = comparison.first_difference(rank)) differences.push_back(*std::move(difference));
  return differences;
}

}  // namespace toroid::workloads

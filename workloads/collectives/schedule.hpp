#pragma once
// A collective algorithm is a schedule of point-to-point messages. It is written as the straight-line program of one
// rank (a coroutine that yields sends, receives and waits), so it reads like its MPI implementation, costs memory only
// while it runs, and serves the replay and the communication matrix alike.

#include <algorithm>
#include <array>
#include <coroutine>
#include <numeric>
#include <optional>

#include "toroid/workloads/collectives/choice.hpp"

namespace toroid::workloads {

class MemberGrid;

/// One call of a collective as one rank sees it. Ranks here are positions in the communicator.
struct CollectiveCall {
  OpKind kind = OpKind::barrier;
  CommRank me = 0;
  CommRank size = 1;
  CommRank root = 0;
  std::uint64_t bytes = 0;  ///< see Operation::bytes
  std::span<const std::uint64_t> send_counts = {};
  std::span<const std::uint64_t> recv_counts = {};
  /// Where the members stand, which whoever placed the ranks knows; null: one ring in the order of their numbers.
  const MemberGrid* grid = nullptr;
  CommRank lane = 0;  ///< which of the call's schedules (CollectiveAlgorithm::lanes)
  CollectiveTuning tuning = {};
};

/// One step of a rank: post a send, post a receive, wait for all that this schedule has posted so far; or let its core
/// sum or copy, which takes time on machines that say how much.
struct Step {
  enum class Kind : std::uint8_t { send, receive, wait, sum, copy };
  Kind kind;
  CommRank peer;        ///< position in the communicator
  std::uint64_t bytes;  ///< bytes that a send sends, or that the core sums or copies
};

inline Step send(CommRank to, std::uint64_t bytes) {
  return {Step::Kind::send, to, bytes};
}
inline Step receive(CommRank from) {
  return {Step::Kind::receive, from, 0};
}
inline Step wait() {
  return {Step::Kind::wait, 0, 0};
}
/// Bytes that have come are combined with those that the rank has.
inline Step summed(std::uint64_t bytes) {
  return {Step::Kind::sum, 0, bytes};
}
/// The algorithm moves bytes from one buffer into another.
inline Step copied(std::uint64_t bytes) {
  return {Step::Kind::copy, 0, bytes};
}

/// A step, and the wait for it.
inline std::array<Step, 2> completed(const Step& step) {
  return {step, wait()};
}
/// A receive, a send, and the wait for both.
inline std::array<Step, 3> exchange(CommRank from, CommRank to, std::uint64_t bytes) {
  return {receive(from), send(to, bytes), wait()};
}

/// The coroutine behind a schedule, which yields steps, or several at a time: pull them with next() until there are
/// none.
class Schedule {
 public:
  struct promise_type {
    std::array<Step, 3> steps{};  ///< the steps that were yielded last
    std::size_t count = 0, taken = 0;
    Schedule get_return_object() { return Schedule(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(const Step& step) noexcept { return yield_value(std::array{step}); }
    template <std::size_t n>
    std::suspend_always yield_value(const std::array<Step, n>& yielded) noexcept {
      std::copy(yielded.begin(), yielded.end(), steps.begin());
      count = n;
      taken = 0;
      return {};
    }
    void return_void() noexcept {}
    void unhandled_exception() { throw; }
  };

  Schedule() = default;
  Schedule(Schedule&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Schedule& operator=(Schedule&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Schedule() {
    if (handle_) handle_.destroy();
  }

  std::optional<Step> next() {
    auto& promise = handle_.promise();
    if (promise.taken == promise.count) handle_.resume();
    if (handle_.done()) return std::nullopt;
    return promise.steps[promise.taken++];
  }

 private:
  using Handle = std::coroutine_handle<promise_type>;
  explicit Schedule(Handle handle) : handle_(handle) {}
  Handle handle_ = nullptr;
};

// What part of the data a rank holds, sends or receives; shared by the algorithms.

/// (a + b) mod size for a in [0, size) and b in (-size, size).
inline CommRank around(CommRank a, CommRank b, CommRank size) {
  TOROID_ASSERT_HEAVY(0 <= a && a < size && -size < b && b < size);
  return (a + b + size) % size;
}

/// Bytes of blocks [first, last) when `bytes` are cut into `parts` blocks of nearly equal size, the large ones first.
inline std::uint64_t cut_bytes(std::uint64_t bytes, CommRank parts, CommRank first, CommRank last) {
  TOROID_ASSERT_HEAVY(0 <= first && first <= last && last <= parts);
  const auto start = [&](CommRank i) {
    const auto n = static_cast<std::uint64_t>(parts);
    const auto k = static_cast<std::uint64_t>(i);
    return bytes / n * k + std::min(k, bytes % n);
  };
  return start(last) - start(first);
}

/// Bytes that the calling rank sends to rank `to` in an all-to-all, by its own counts.
inline std::uint64_t block_to(const CollectiveCall& call, CommRank to) {
  return call.send_counts.empty() ? call.bytes : call.send_counts[static_cast<std::size_t>(to)];
}

/// Bytes of rank i's block in an allgather or reduce_scatter: every rank knows them all.
inline std::uint64_t block_of(const CollectiveCall& call, CommRank i) {
  return call.recv_counts.empty() ? call.bytes : call.recv_counts[static_cast<std::size_t>(i)];
}

/// All these blocks together.
inline std::uint64_t blocks_in_all(const CollectiveCall& call) {
  if (call.recv_counts.empty()) return call.bytes * static_cast<std::uint64_t>(call.size);
  return std::accumulate(call.recv_counts.begin(), call.recv_counts.end(), std::uint64_t{0});
}

/// Bytes of a call's vector, which for some kinds are those of all blocks.
inline std::uint64_t vector_bytes(const CollectiveCall& call) {
  return call.kind == OpKind::allreduce ? call.bytes : blocks_in_all(call);
}

/// The largest power of two that is at most n (n >= 1).
inline CommRank power_below(CommRank n) {
  TOROID_ASSERT_HEAVY(n >= 1);
  CommRank power = 1;
  while (2 * power <= n) power *= 2;
  return power;
}

// Messages that go down a tree of the members of a call, and sums that come up one. Which tree is the algorithm's
// matter.

/// A member's place in a tree.
struct Tree {
  CommRank parent = no_process;  ///< no_process: the member is the root
  std::vector<CommRank> children = {};
};

/// How many segments of at most so many bytes a message of `bytes` is cut into. A segment of 0 bytes stands for any.
CommRank segments_of(std::uint64_t bytes, std::uint64_t segment);

/// A message goes down the tree in segments, to all children of a member at once: while a segment comes, the one before
/// it goes on. A chain of 3 members and 2 segments:
///
///     member 0   send s0        send s1
///     member 1   receive s0     receive s1, send s0   send s1
///     member 2                  receive s0            receive s1
Schedule down_the_tree(Tree tree, std::uint64_t bytes, CommRank segments);

/// Vectors are summed up the tree in segments: while the segments of all children come, those before them are summed,
/// and the sum goes to the parent.
Schedule up_the_tree(Tree tree, std::uint64_t bytes, CommRank segments);

}  // namespace toroid::workloads

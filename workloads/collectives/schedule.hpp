#pragma once
// A collective algorithm is a schedule of point-to-point messages. It is written as the straight-line program of one
// rank (a coroutine that yields sends, receives and waits), so it reads like its MPI implementation, costs memory only
// while it runs, and serves the replay and the communication matrix alike.

#include <coroutine>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <utility>

#include "workloads/operation.hpp"

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
};

/// One step of a rank: post a send, post a receive, or wait for all that this schedule has posted so far.
struct Step {
  enum class Kind : std::uint8_t { send, receive, wait };
  Kind kind;
  CommRank peer;        ///< position in the communicator
  std::uint64_t bytes;  ///< bytes that a send sends
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

/// The coroutine behind a schedule: pull steps with next() until there are none.
class Schedule {
 public:
  struct promise_type {
    Step step{};
    Schedule get_return_object() { return Schedule(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(Step s) noexcept {
      step = s;
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
    handle_.resume();
    if (handle_.done()) return std::nullopt;
    return handle_.promise().step;
  }

 private:
  using Handle = std::coroutine_handle<promise_type>;
  explicit Schedule(Handle handle) : handle_(handle) {}
  Handle handle_ = nullptr;
};

}  // namespace toroid::workloads

#pragma once
// What one rank is blocked on: its own blocking calls, and waits for what it left outstanding.

#include "netsim/repeats/state_walk.hpp"
#include "netsim/replay/matching.hpp"

namespace toroid::netsim {

/// The bool of a call says whether the rank can go on at once. Otherwise it is blocked until end() says so. What a rank
/// has waited for is removed from the pool.
class Waiting {
 public:
  /// Tells which requests it took (taken()) if it is to.
  explicit Waiting(Requests& requests, bool tells = false)
      : tells_(tells), requests_(requests), outstanding_(requests) {}

  /// A request that a later call waits for.
  void keep(RequestId id) { outstanding_.add(id); }
  /// A handle that starts of a persistent request give.
  void keep_persistent(RequestHandle handle) {
    auto& notes = outstanding_.notes(handle);
    notes.given = notes.persistent = true;
  }
  /// Whether a request had the handle some time.
  bool knows(RequestHandle handle) const { return outstanding_.knows(handle); }

  /// A request of the present call, which waits with wait_for_added(); no_request is none.
  void add(RequestId id) {
    if (id != no_request) blockers_.push_back(id);
  }
  bool wait_for_added() { return blockers_.empty() || wait_for_all(); }

  /// The oldest request of a handle; `unknown` if there is none and no other call took one before.
  enum class Named : std::uint8_t { ended, blocked, unknown };
  Named wait(RequestHandle handle);

  // Handles without requests are passed over.

  /// Waits for the oldest request of each handle, as often as the handle is given.
  bool wait_all(std::span<const RequestHandle> handles);
  /// Waits for the first of the requests of these handles to end. Where several have ended, it takes the oldest one of
  /// the first handle that has one.
  bool wait_any(std::span<const RequestHandle> handles);
  /// Waits as wait_any() does, and takes all requests that have ended by then.
  bool wait_some(std::span<const RequestHandle> handles);
  /// Takes the oldest request of the handle, if it is done.
  void test(RequestHandle handle);
  /// Waits for all requests that are outstanding.
  bool wait_for_rest();

  /// The request, whose owner this is, is done now. True if the rank was blocked and can go on.
  bool end(RequestId id);

  /// The flops that come with the requests taken since the last call.
  double take_work() { return std::exchange(work_, 0.0); }
  /// The requests taken since the list was last cleared, which are no more: to be looked at before others get their
  /// ids.
  std::vector<RequestId>& taken() { return taken_; }

  /// Shows all to a walk; `visit(request)` shows a request.
  template <class Visit>
  void walk(StateWalk& walk, Visit visit) const {
    walk.same(pending_, any_);
    walk.each(work_, blockers_.size());
    for (const auto id : blockers_) visit(id);
    outstanding_.for_each([&](RequestHandle handle, const Outstanding::Notes& notes, RequestId oldest) {
      walk.same(handle, notes.ended_early);
      walk.same(notes.persistent);
      // What nobody asks for any more but the end of the rank decides nothing once it is done.
      for (auto id = oldest; id != no_request; id = requests_[id].newer)
        if (handle != workloads::no_handle || !requests_[id].done || requests_[id].work > 0) visit(id);
      walk.same(no_request);
    });
  }

  /// The first request that the rank is blocked on, or null.
  const Request* blocker() const;

 private:
  bool wait_for_all();
  void take(RequestId id);
  void take_early(RequestId id);
  bool ask_again(RequestHandle handle);
  template <class Visit>
  void for_each_outstanding(std::span<const RequestHandle> handles, Visit&& visit) const;

  std::size_t pending_ = 0;  ///< number of requests that must still end; 0: not blocked
  double work_ = 0;
  bool any_ = false;  ///< blocked until one of them ends, not all
  bool tells_;
  RequestIds blockers_;
  Requests& requests_;
  Outstanding outstanding_;
  std::vector<RequestId> taken_;
};

}  // namespace toroid::netsim

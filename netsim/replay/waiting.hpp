#pragma once
// What one rank is blocked on: its own blocking calls, and wait, waitall, waitany and test on what it left outstanding.

#include <cstdint>
#include <vector>

#include "netsim/replay/requests.hpp"

namespace toroid::netsim {

/// The bool of a call says whether the rank can go on at once. Otherwise it is blocked until end() says so. What a rank
/// has waited for is removed from the pool.
class Waiting {
 public:
  explicit Waiting(Requests& requests) : requests_(requests), outstanding_(requests) {}

  /// A request that a later call waits for.
  void keep(RequestId id) { outstanding_.add(id); }

  /// A request of the present call, which waits with wait_for_added(); no_request is none.
  void add(RequestId id) {
    if (id != no_request) blockers_.push_back(id);
  }
  bool wait_for_added() { return blockers_.empty() || wait_for_all(); }

  /// The request that a wait names; `unknown` if there never was such a request.
  enum class Named : std::uint8_t { ended, blocked, unknown };
  Named wait(const RequestName& name);
  /// The `count` newest of those that no later wait names: the trace only says how many, null requests included.
  bool wait_all(std::size_t count);
  /// Of the same requests the first to end, the oldest if several have.
  bool wait_any(std::size_t count);
  /// Ends the request of that name, if it is done.
  void test(const RequestName& name);
  /// All that are outstanding.
  bool wait_for_rest();

  /// The request, whose owner this is, is done now. True if the rank was blocked and can go on.
  bool end(RequestId id);

  /// The first request that the rank is blocked on, or null.
  const Request* blocker() const;

 private:
  bool wait_for_all();
  void end_early(RequestId id);

  Requests& requests_;
  Outstanding outstanding_;
  std::vector<RequestId> blockers_;
  std::size_t pending_ = 0;  ///< how many must still end; 0: not blocked
  bool any_ = false;         ///< blocked until one of them ends, not all
  /// Requests that a test or a waitany has ended here, but maybe not in the program: it may still wait for them by
  /// name. Counted by name.
  core::FlatMap<RequestName, std::uint64_t, HashRequestName> ended_early_;
};

}  // namespace toroid::netsim

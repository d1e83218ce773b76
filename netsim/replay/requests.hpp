#pragma once
// Requests: what a rank can wait for. A call that does not block leaves one outstanding, to be found later by its
// handle.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/pool.hpp"
#include "workloads/operation.hpp"

namespace toroid::netsim {

using workloads::Rank;
using workloads::RequestHandle;

using RequestId = std::uint32_t;
inline constexpr RequestId no_request = ~RequestId{0};
using StrandId = std::uint32_t;
inline constexpr StrandId no_strand = ~StrandId{0};

/// A message that its owner sends or receives, or a whole collective.
struct Request {
  enum class Kind : std::uint8_t { send, receive, collective };

  Kind kind;
  Rank owner;
  std::uint64_t operation;  ///< index in the owner's stream
  Rank partner = 0;         ///< of a message: may be any_source
  std::int32_t tag = 0;
  std::uint32_t context = 0;  ///< of a message (matching.hpp)
  /// The strand that a message is a part of, which alone waits for the message.
  StrandId strand = no_strand;
  std::uint32_t lanes = 0;  ///< strands of a collective that have not ended
  double work = 0;  ///< flops that the owner computes when it takes the request
  RequestHandle handle = workloads::no_handle;
  bool done = false;
  bool awaited = false;          ///< its owner is blocked on it
  RequestId newer = no_request;  ///< the next that is outstanding under its handle
};

using Requests = core::Pool<Request>;

/// The outstanding requests of one rank. Adding and finding take constant time, and so does removing the oldest of its
/// handle.
class Outstanding {
 public:
  explicit Outstanding(Requests& requests) : requests_(requests) {}

  void add(RequestId id);
  void remove(RequestId id);

  /// The oldest one of that handle; no_request if there is none.
  RequestId oldest(RequestHandle handle) const { return has(handle) ? slots_[handle].first : no_request; }

  /// Takes all out and puts them into `chosen`.
  void take_all(std::vector<RequestId>& chosen);

  /// What is known of a handle besides its requests.
  struct Notes {
    bool given = false;             ///< to a request, some time
    bool persistent = false;        ///< by an init
    std::uint32_t ended_early = 0;  ///< how many requests a call took that a later wait may ask for again
  };
  Notes& notes(RequestHandle handle) { return slot(handle).notes; }
  /// Calls visit(handle, notes, oldest request or no_request) for each handle that was given some time, by number.
  template <class Visit>
  void for_each(Visit visit) const {
    visit(workloads::no_handle, without_handle_.notes, without_handle_.first);
    for (RequestHandle handle = 0; handle < slots_.size(); ++handle)
      if (slots_[handle].notes.given) visit(handle, slots_[handle].notes, slots_[handle].first);
  }
  /// Whether the handle was given some time.
  bool knows(RequestHandle handle) const { return has(handle) && slots_[handle].notes.given; }

 private:
  struct Slot {
    RequestId first = no_request, last = no_request;
    Notes notes = {};
  };
  bool has(RequestHandle handle) const { return handle < slots_.size(); }
  Slot& slot(RequestHandle handle) {
    if (handle == workloads::no_handle) return without_handle_;
    if (!has(handle)) slots_.resize(std::size_t{handle} + 1);
    return slots_[handle];
  }

  Requests& requests_;
  std::vector<Slot> slots_;  ///< by handle
  Slot without_handle_;
};

}  // namespace toroid::netsim

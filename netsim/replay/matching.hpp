#pragma once
// Requests, which ranks wait for, and how messages find the receives that are posted for them.

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>

#include "core/flat_map.hpp"
#include "core/hash.hpp"
#include "core/pool.hpp"
#include "toroid/workloads/operation.hpp"

namespace toroid::netsim {

using workloads::Rank;

struct Envelope {
  Rank source;
  std::int32_t tag;
  std::uint32_t context;  ///< keeps communicators, and collectives from user messages, apart
  bool operator==(const Envelope&) const = default;
};

constexpr std::uint32_t user_context(workloads::CommId comm) {
  return static_cast<std::uint32_t>(comm.value()) * 2;
}
constexpr std::uint32_t collective_context(workloads::CommId comm) {
  return user_context(comm) + 1;
}
constexpr workloads::CommId comm_of_context(std::uint32_t context) {
  return workloads::CommId(static_cast<std::int32_t>(context / 2));
}
constexpr bool is_collective_context(std::uint32_t context) {
  return context % 2 == 1;
}

/// What each rank has queued: receives nobody has sent to yet, messages nobody has received yet. Both match as MPI
/// prescribes: among messages that fit a receive the one sent first, among receives that fit a message the one posted
/// first. A message becomes visible to its receiver when it is sent. O(1) a message; a receive with wildcards looks at
/// the queued messages of its rank, oldest first, until one fits. All ranks share one table and one pool, as each rank
/// has little queued: what one leaves is in the cache for the next.
class MatchQueues {
 public:
  using Id = std::uint32_t;
  static constexpr Id none = ~Id{0};

  explicit MatchQueues(std::size_t ranks) : receivers_(ranks) {}

  /// The earliest queued message that fits; without one the receive is queued, and the result is `none`. The source and
  /// tag of the envelope may be any_source and any_tag.
  Id post_receive(Rank receiver, const Envelope& wanted, Id receive);

  /// The earliest queued receive that fits; without one the message is queued, and the result is `none`.
  Id announce(Rank receiver, const Envelope& message, Id id);

  /// Messages that the rank has not received, in the order in which they were sent.
  std::vector<Id> unreceived(Rank receiver) const;

  struct Queued {
    std::uint64_t order;
    Envelope envelope;
    Id id;
    bool is_message;
  };
  /// All that the rank has queued, in the order in which it came.
  std::vector<Queued> in_order(Rank receiver) const;

 private:
  struct Address {
    Rank receiver;
    Envelope envelope;
    bool operator==(const Address&) const = default;
  };
  struct Entry : Queued {
    std::uint32_t next;          ///< the next entry of this address
    std::uint32_t older, newer;  ///< the neighbours among all messages, or receives, of the rank
  };
  /// The first and the last entry of a list.
  struct Ends {
    std::uint32_t first = none, last = none;
  };
  struct Hash {
    std::uint64_t operator()(const Address& at) const {
      const auto& [source, tag, context] = at.envelope;
      return core::mix(core::mix(0, core::joined(context, at.receiver.value())), core::joined(tag, source.value()));
    }
  };
  struct Receiver {
    std::array<Ends, 2> lists = {};  ///< the receives and the messages, by is_message
    std::uint32_t wildcards = 0;     ///< number of receives that have any
  };

  Id meet(const Address& address, Id id, bool is_message);
  Id take(const Address& address, Ends& queue);
  bool none_wait_in_vain(Rank receiver) const;

  /// First in, first out, never empty. The queue of an envelope without wildcards has messages alone, or receives
  /// alone.
  core::FlatMap<Address, Ends, Hash> queues_;
  core::Pool<Entry> entries_;
  core::IdVector<Rank, Receiver> receivers_;
  std::uint64_t order_ = 0;
};

// Requests: what a rank can wait for. A call that does not block leaves one outstanding, to be found later by its
// handle.

using workloads::RequestHandle;

using RequestId = std::uint32_t;
using RequestIds = boost::container::small_vector<RequestId, 4>;
inline constexpr RequestId no_request = ~RequestId{0};
using StrandId = std::uint32_t;
inline constexpr StrandId no_strand = ~StrandId{0};

/// A message that its owner sends or receives, or a whole collective.
struct Request {
  enum class Kind : std::uint8_t { send, receive, collective };

  Kind kind;
  Rank owner;
  std::uint64_t operation;  ///< index in the owner's stream
  Rank partner = 0;         ///< the other rank of a message: may be any_source
  std::int32_t tag = 0;
  std::uint32_t context = 0;  ///< context of a message, see Envelope
  /// The strand that a message is a part of, which alone waits for the message.
  StrandId strand = no_strand;
  std::uint32_t lanes = 0;    ///< strands of a collective that have not ended
  std::uint32_t at_core = 0;  ///< strands of these for which the core of the owner sums or copies
  double work = 0;            ///< flops that the owner computes when it takes the request
  RequestHandle handle = workloads::no_handle;
  bool done = false;
  bool awaited = false;          ///< whether its owner is blocked on it
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
  void take_all(RequestIds& chosen);

  /// What is known of a handle besides its requests.
  struct Notes {
    bool given = false;             ///< whether a request had the handle some time
    bool persistent = false;        ///< whether an init gave the handle
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
  core::LargeVector<Slot> slots_;  ///< slots by handle
  Slot without_handle_;
};

}  // namespace toroid::netsim

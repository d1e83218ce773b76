#pragma once
// MPI message matching: envelopes (source, tag, context) against posted receives, wildcards included, in the order that
// MPI prescribes: among messages that fit a receive the one sent first, among receives that fit a message the one
// posted first. A message becomes visible to its receiver when it is sent.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/flat_map.hpp"
#include "core/pool.hpp"
#include "workloads/operation.hpp"

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

/// What one receiving rank has queued: receives nobody has sent to yet, messages nobody has received yet. O(1) a
/// message; a receive with wildcards looks at the queued messages, oldest first, until one fits.
class MatchQueue {
 public:
  using Id = std::uint32_t;
  static constexpr Id none = ~Id{0};

  /// The earliest queued message that fits; without one the receive is queued, and the result is `none`. The source and
  /// tag of the envelope may be any_source and any_tag.
  Id post_receive(const Envelope& wanted, Id receive);

  /// The earliest queued receive that fits; without one the message is queued, and the result is `none`.
  Id announce(const Envelope& message, Id id);

  /// Messages nobody has received, in the order in which they were sent.
  std::vector<Id> unreceived() const;

  struct Queued {
    std::uint64_t order;
    Envelope envelope;
    Id id;
    bool is_message;
  };
  /// All that is queued, in the order in which it came; valid until the next call.
  const std::vector<Queued>& in_order();

 private:
  struct Entry {
    Envelope envelope;
    Id id;
    bool is_message;
    std::uint32_t next;          ///< of this envelope
    std::uint32_t older, newer;  ///< of all messages
    std::uint64_t order;
  };
  /// First in, first out, never empty. The queue of an envelope without wildcards has messages alone, or receives alone.
  struct Queue {
    std::uint32_t head, tail;
  };
  struct Hash {
    std::uint64_t operator()(const Envelope& e) const {
      const auto source_tag =
          (std::uint64_t{static_cast<std::uint32_t>(e.source.value())} << 32U) | static_cast<std::uint32_t>(e.tag);
      const std::uint64_t h = (source_tag ^ (std::uint64_t{e.context} << 48U)) * 0x9e3779b97f4a7c15ULL;
      return h ^ (h >> 32U);
    }
  };

  Id meet(const Envelope& envelope, Id id, bool is_message);
  Id take(const Envelope& envelope, Queue& queue);

  core::FlatMap<Envelope, Queue, Hash> queues_;
  core::Pool<Entry> entries_;
  std::uint32_t oldest_message_ = none, newest_message_ = none;
  std::size_t wildcards_ = 0;  ///< how many of the receives have any
  std::uint64_t order_ = 0;
  std::vector<Queued> in_order_;  ///< as in_order() found it
};

}  // namespace toroid::netsim

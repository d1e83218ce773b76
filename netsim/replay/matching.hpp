#pragma once
// MPI message matching: envelopes (source, tag, context) against posted receives, wildcards included, in the order that
// MPI prescribes: among messages that fit a receive the one sent first, among receives that fit a message the one
// posted first. A message becomes visible to its receiver when it is sent.

#include <cstddef>
#include <cstdint>
#include <optional>
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
  return static_cast<std::uint32_t>(comm) * 2;
}
constexpr std::uint32_t collective_context(workloads::CommId comm) {
  return static_cast<std::uint32_t>(comm) * 2 + 1;
}
constexpr bool is_collective_context(std::uint32_t context) {
  return context % 2 == 1;
}

/// First-in-first-out queues, one per envelope; an empty queue takes no memory. What is queued is also in order of all.
class EnvelopeQueues {
 public:
  using Id = std::uint32_t;
  struct Entry {
    Envelope envelope;
    Id id;
    std::uint64_t order;  ///< grows with every push
    std::uint32_t next;   ///< of this envelope
    std::uint32_t older, newer;
  };

  void push(const Envelope& envelope, Id id, std::uint64_t order);
  /// The oldest entry of exactly that envelope, or null.
  const Entry* front(const Envelope& envelope) const;
  /// The oldest entry that fits an envelope with wildcards, or null. Looks at the entries before it.
  const Entry* front_fitting(const Envelope& wanted) const;
  /// Takes out the oldest entry of exactly that envelope, which must be there.
  Id pop(const Envelope& envelope);

  std::vector<Id> ids() const;  ///< oldest first

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Queue {
    std::uint32_t head, tail;
  };
  struct Hash {
    std::uint64_t operator()(const Envelope& e) const;
  };
  core::FlatMap<Envelope, Queue, Hash> queues_;
  core::Pool<Entry> entries_;
  std::uint32_t oldest_ = none, newest_ = none;
};

/// What one receiving rank has queued: receives nobody has sent to yet, messages nobody has received yet. O(1) a
/// message; a receive with wildcards looks at the queued messages, oldest first, until one fits.
class MatchQueue {
 public:
  using Id = EnvelopeQueues::Id;

  /// The earliest queued message that fits; without one the receive is queued. The source and tag of the envelope may
  /// be any_source and any_tag.
  std::optional<Id> post_receive(const Envelope& wanted, Id receive);

  /// The earliest queued receive that fits; without one the message is queued.
  std::optional<Id> announce(const Envelope& message, Id id);

  /// Messages nobody has received, in the order in which they were sent.
  std::vector<Id> unreceived() const { return messages_.ids(); }

 private:
  EnvelopeQueues messages_, receives_;
  std::size_t wildcards_ = 0;  ///< how many of the receives have any
  std::uint64_t order_ = 0;
};

}  // namespace toroid::netsim

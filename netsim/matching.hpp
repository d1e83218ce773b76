#pragma once
// MPI message matching: envelopes (source, tag, context) against posted receives, wildcards included, in the order that
// MPI prescribes: among messages that fit a receive the one sent first, among receives that fit a message the one
// posted first. A message becomes visible to its receiver when it is sent.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/flat_map.hpp"
#include "workloads/operation.hpp"

namespace toroid::netsim {

using workloads::Rank;

struct Envelope {
  Rank source;
  std::int32_t tag;
  std::uint32_t context;  ///< keeps communicators, and collectives from user messages, apart
  bool operator==(const Envelope&) const = default;
};

/// First-in-first-out queues, one per envelope without wildcards; an empty queue takes no memory.
class EnvelopeQueues {
 public:
  using Id = std::uint32_t;
  struct Entry {
    Envelope envelope;
    Id id;
    std::uint64_t order;  ///< grows with every push
    std::uint32_t next;
  };

  void push(const Envelope& envelope, Id id, std::uint64_t order);
  /// The oldest entry of that envelope, or null.
  const Entry* front(const Envelope& envelope) const;
  Id pop(const Envelope& envelope);
  /// The oldest entry of all that fit an envelope with wildcards, or null.
  const Entry* front_fitting(const Envelope& wanted) const;

  std::vector<Id> ids() const;  ///< oldest first

 private:
  struct Queue {
    std::uint32_t head, tail;
  };
  struct Hash {
    std::uint64_t operator()(const Envelope& e) const;
  };
  core::FlatMap<Envelope, Queue, Hash> queues_;
  std::vector<Entry> pool_;
  std::vector<std::uint32_t> free_;
};

/// What one receiving rank has queued: receives nobody has sent to yet, messages nobody has received yet. O(1) a
/// message; a wildcard looks at every queue.
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
  std::vector<EnvelopeQueues::Entry> wildcard_receives_;  ///< in order of posting
  std::uint64_t order_ = 0;
};

}  // namespace toroid::netsim

#pragma once
// Carries messages between the managers and counts them.

#include <array>
#include <cstdint>
#include <deque>
#include <functional>

#include "alloc/allocator.hpp"
#include "alloc/leak/messages.hpp"
#include "core/pool.hpp"
#include "netsim/network.hpp"

namespace toroid::alloc::leak {

/// How many messages nodes have sent each other. What a manager tells itself, or the host tells it, is no message and
/// takes no time.
struct MessageCounts {
  std::array<std::int64_t, message_kinds.size()> by_kind{};
  std::int64_t total = 0;
  std::uint64_t bytes = 0;
};

/// Delivers messages. A message takes the time that the network needs, if there is one; then, as a manager handles one
/// message at a time, it waits for those before it and takes its own handling time. Where neither takes time, messages
/// are delivered before anything else happens, in the order of sending.
class Post final : netsim::FlowClient, netsim::TimerClient {
 public:
  using Deliver = std::function<void(Message)>;

  /// `handling` is the time, in seconds, that a manager takes for each message. The site needs a clock if anything
  /// takes time.
  Post(const Site& site, double handling, Deliver deliver);
  ~Post() override;

  void send(Message message);
  const MessageCounts& counts() const { return counts_; }

 private:
  enum class Stage { delivered, on_network, handled };
  struct Letter {
    Message message;
    Stage stage = Stage::delivered;
    std::uint32_t waits_for = 0;  ///< number of the flow or timer
  };

  void flow_ended(std::uint32_t letter, const netsim::FlowEnd&) override { arrive(letter); }
  void timer_ended(std::uint32_t letter) override;
  void count(const Message& message);
  void arrive(std::uint32_t letter);
  void deliver_all();

  netsim::Clock* clock_;
  netsim::Network* network_;
  netsim::Time handling_;
  Deliver deliver_;
  core::Pool<Letter> letters_;  ///< messages under way, where they take time
  std::deque<Message> queue_;   ///< messages under way, where they take none
  bool delivering_ = false;
  core::IdVector<NodeId, netsim::Time> idle_from_;  ///< when a node's manager has handled its messages
  MessageCounts counts_;
};

}  // namespace toroid::alloc::leak

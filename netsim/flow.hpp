#pragma once
// A flow, which is a message on the network, as those see it who start it, watch it and are told of its end.

#include <cstdint>
#include <span>

#include "netsim/time.hpp"
#include "platforms/machine.hpp"

namespace toroid::netsim {

class StateWalk;

/// Names a flow until it has ended or was cancelled.
using FlowId = std::uint32_t;

/// What a flow lost to each of several jobs, in seconds, where somebody watches the network (fluid/contention.hpp);
/// both are empty of a flow of which nothing was seen that could cost it anything.
struct Losses {
  std::span<const double> sharing = {};  ///< while its bytes flowed
  std::span<const double> in_line = {};  ///< and before that, as those before it in its line were held up
};

/// How a flow came to its end.
struct FlowEnd {
  Time in_line = {};   ///< how long it waited for its turn, behind earlier flows (Order) and at its node's card
  Losses losses = {};  ///< valid until the call that tells of them starts or cancels a flow
};

/// What starts flows and is told when they end. The payload is what the client gave at the start of the flow.
class FlowClient {
 public:
  virtual ~FlowClient() = default;
  virtual void flow_ended(std::uint32_t payload, const FlowEnd& end) = 0;
  /// A link has failed under the bytes of the flow (OnLinkFailure::fail), which the client has to cancel now.
  virtual void flow_lost(std::uint32_t /*payload*/, platforms::LinkId /*link*/) {}
  /// Shows what the client knows of a flow to a walk (Network::walk()). A client that does not know how refuses it.
  virtual void walk_flow(StateWalk& walk, std::uint32_t payload);
};

}  // namespace toroid::netsim

#include "netsim/flow.hpp"

#include "netsim/repeats/state_walk.hpp"

namespace toroid::netsim {

void FlowClient::walk_flow(StateWalk& walk, std::uint32_t /*payload*/) {
  walk.refuse();
}

}  // namespace toroid::netsim

#include "netsim/flow.hpp"

#include "netsim/network.hpp"
#include "netsim/repeats/state_walk.hpp"

namespace toroid::netsim {

void FlowClient::walk_flow(StateWalk& walk, std::uint32_t /*payload*/) {
  walk.refuse();
}

Order parse_order(std::string_view text) {
  for (const auto& [word, order] : platforms::words<Order>())
    if (word == text) return order;
  core::fail_input("found '{}', expected pair, node or shared", core::excerpt(text));
}

}  // namespace toroid::netsim

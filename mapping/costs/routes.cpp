#include "mapping/costs/routes.hpp"

#include <algorithm>

namespace toroid::mapping {

const core::OptionalParameter<Routing> routing_parameter{"routing", "the routes that messages take",
                                                         core::one_of<Routing>(platforms::words<Routing>()),
                                                         "the machine's router.routing"};

Routes::Routes(const platforms::Machine& machine, Routing routing) : machine_(machine) {
  if (routing == Routing::dimension_order) return;
  auto description = machine.description();
  const auto& order = machine.grid().order();
  description.routing.assign(order.rbegin(), order.rend());
  reversed_.emplace_back(std::move(description));
}

}  // namespace toroid::mapping

#include "mapping/costs/routes.hpp"

#include <algorithm>

namespace toroid::mapping {

Routes::Routes(const platforms::Machine& machine, Routing routing) : machine_(machine) {
  if (routing == Routing::dimension_order) return;
  auto description = machine.description();
  const auto& order = machine.grid().order();
  description.routing.assign(order.rbegin(), order.rend());
  reversed_.emplace_back(std::move(description));
}

}  // namespace toroid::mapping

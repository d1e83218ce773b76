#include "netsim/lines.hpp"

#include "core/error.hpp"

namespace toroid::netsim {

Order parse_order(std::string_view text) {
  for (const auto& [word, order] : platforms::words<Order>())
    if (word == text) return order;
  core::fail_input("found '{}', expected pair, node or shared", core::excerpt(text));
}

}  // namespace toroid::netsim

#pragma once
// What tables of links say of each.

#include <string>
#include <string_view>

#include "platforms/machine.hpp"

namespace toroid::platforms {

struct LinkFacts {
  LinkId link = 0;
  std::string name = {};
  std::string_view kind = {};       ///< `link` between two routers, `line` that is shared, `injection`, `ejection`
  std::string dimension = {};       ///< `x`; empty for injection and ejection
  std::string_view direction = {};  ///< `+`, `-`; empty where there is none
  std::string from = {}, to = {};   ///< names of its ends; the first and last router of a line
  RouterId from_router = 0, to_router = 0;
  double bandwidth = 0;  ///< bytes/s of all parallel links together
  double latency = 0;    ///< seconds; for a line, per hop
  bool works = true;
};

/// The facts of a link that the machine has, failed or not.
LinkFacts link_facts(const Machine& machine, LinkId link);

}  // namespace toroid::platforms

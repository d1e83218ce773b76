#include "mapping/metrics_json.hpp"

#include "core/json_object.hpp"
#include "netsim/result_json.hpp"

namespace toroid::mapping {

core::Json metrics_json(const MappingMetrics& m) {
  core::Json costs = core::Json::object();
  for (const auto& [name, cost] : m.costs) costs[std::string(name)] = cost;
  auto json = netsim::traffic_json(m);
  core::append(json, netsim::loads_json(m.loads));
  json["costs"] = costs;
  return json;
}

}  // namespace toroid::mapping

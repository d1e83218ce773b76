#include "mapping/metrics_json.hpp"

#include "core/json_object.hpp"
#include "netsim/result_json.hpp"

namespace toroid::mapping {

core::Json metrics_json(const MappingMetrics& m) {
  core::Json costs = core::Json::object();
  for (const auto& [name, cost] : m.costs) costs[std::string(name)] = cost;
  core::Json json{{"messages", m.messages},
                  {"bytes", m.bytes},
                  {"network_messages", m.network_messages},
                  {"network_bytes", m.network_bytes},
                  {"hop_bytes", m.hop_bytes},
                  {"hops_per_byte", m.hops_per_byte},
                  {"dilation_mean", m.dilation_mean},
                  {"dilation_max", m.dilation_max}};
  core::append(json, netsim::loads_json(m.loads));
  json["costs"] = costs;
  return json;
}

}  // namespace toroid::mapping

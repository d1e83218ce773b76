#include "toroid/mapping/metrics.hpp"

#include "mapping/costs/slot_costs.hpp"
#include "toroid/netsim/result_json.hpp"

namespace toroid::mapping {

MappingMetrics measure(const Machine& machine, const Mapping& mapping, const CommunicationMatrix& matrix) {
  MappingMetrics m;
  for (const auto& entry : distances().entries()) m.costs.emplace_back(entry.name, 0);
  core::IdVector<platforms::LinkId, std::uint64_t> load(machine.link_count());
  for (const workloads::Rank from : matrix.rows.ids())
    for (const auto& [to, bytes, messages] : matrix.rows[from]) {
      const NodeId source = mapping[from], target = mapping[to];
      m.messages += messages;
      m.bytes += bytes;
      if (source == target) continue;
      const auto hops = static_cast<std::uint64_t>(machine.hops(source, target));
      m.network_messages += messages;
      m.network_bytes += bytes;
      m.hop_bytes += hops * bytes;
      m.hops += hops * messages;
      m.dilation_max = std::max(m.dilation_max, static_cast<std::int32_t>(hops));
      const auto steps = machine.hops_per_dimension(source, target);
      for (std::size_t i = 0; i < m.costs.size(); ++i)
        m.costs[i].second += static_cast<double>(bytes) * distances().entries()[i].make(machine, steps);
      machine.for_each_link(source, target, [&load, sent = bytes](platforms::LinkId link) { load[link] += sent; });
    }
  for (const auto link : load.ids()) m.loads.add(machine, link, load[link]);
  return m;
}

MappingMetrics measure(const Machine& machine, const Mapping& mapping, const Traffic& traffic) {
  const auto placed = traffic.placed_matrix(machine, mapping);
  return measure(machine, mapping, placed ? *placed : traffic.matrix());
}

core::Json metrics_json(const MappingMetrics& m) {
  core::Json costs = core::Json::object();
  for (const auto& [name, cost] : m.costs) costs[std::string(name)] = cost;
  auto json = netsim::traffic_json(m);
  core::append(json, netsim::loads_json(m.loads));
  json["costs"] = costs;
  return json;
}

}  // namespace toroid::mapping

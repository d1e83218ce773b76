#include "study/trials.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"

namespace toroid::study {

std::string PropertyChange::text() const {
  std::vector<std::string> texts;
  for (const auto& [name, value] : properties) texts.push_back(name + "=" + value);
  return core::join(texts, " --set ");
}

platforms::Machine PropertyChange::apply(const platforms::Machine& machine) const {
  auto description = machine.description();
  for (const auto& [name, value] : properties) platforms::set_property(description, name, value);
  return platforms::Machine(std::move(description));
}

std::vector<PropertyChange> usual_changes(const platforms::Machine& machine) {
  constexpr std::int32_t least_ring = 3;  // a ring of two has no wrap of its own
  std::vector<PropertyChange> changes;
  const auto& grid = machine.grid();
  const auto name_of = [&](std::size_t d) { return grid.name(d); };
  const auto has_links = [&](std::size_t d) { return grid.dimension(d).extent > 1; };
  bool any_latency = false;
  std::size_t with_links = 0;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) with_links += has_links(d) ? 1U : 0U;
  if (with_links > 0) changes.push_back({{{"bandwidth", "x2"}}});
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    if (!has_links(d)) continue;
    if (with_links > 1) changes.push_back({{{name_of(d) + ".bandwidth", "x2"}}});
    any_latency |= grid.dimension(d).latency > 0;
  }
  PropertyChange ports;
  if (machine.limits_injection()) ports.properties.emplace_back("injection-bandwidth", "x2");
  if (machine.limits_ejection()) ports.properties.emplace_back("ejection-bandwidth", "x2");
  if (!ports.properties.empty()) changes.push_back(std::move(ports));
  if (any_latency) changes.push_back({{{"latency", "x0.5"}}});
  const auto& node = machine.parameters();
  for (const auto& [property, seconds] : {std::pair{"base-latency", node.base_latency},
                                          {"overhead", node.overhead},
                                          {"gap", node.gap},
                                          {"handshake", node.handshake}})
    if (seconds > 0) changes.push_back({{{property, "x0.5"}}});
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    if (grid.dimension(d).wrap == platforms::Wrap::mesh && grid.dimension(d).extent >= least_ring)
      changes.push_back({{{name_of(d) + ".wrap", "torus"}}});
  return changes;
}

std::vector<PropertyChange> changes_by_dimension(const platforms::Machine& machine) {
  std::vector<PropertyChange> changes;
  const auto& grid = machine.grid();
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    if (grid.dimension(d).extent == 1) continue;
    changes.push_back({{{grid.name(d) + ".bandwidth", "x2"}}});
    if (grid.dimension(d).latency > 0) changes.push_back({{{grid.name(d) + ".latency", "x0.5"}}});
  }
  return changes;
}

std::shared_ptr<const platforms::Machine> changed(const platforms::Machine& machine, const PropertyChange& change) {
  try {
    return std::make_shared<const platforms::Machine>(change.apply(machine));
  } catch (const core::InputError&) {
    return nullptr;
  }
}

netsim::RunRequest plain(netsim::RunRequest request) {
  request.profile = false;
  request.windows = 0;
  request.keep_windows = false;
  request.options.log_causes = false;
  request.options.activity_windows = 0;
  request.options.keep_timeline = false;
  request.options.progress = {};
  if (request.options.repeats == netsim::Repeats::sample) request.options.repeats = netsim::Repeats::exact;
  return request;
}

}  // namespace toroid::study

#include "cli/manifest.hpp"

#include <map>

#include "platforms/description.hpp"
#include "platforms/load.hpp"

namespace toroid::cli {

namespace {

std::string name_of(const platforms::SourcedProperty& property) {
  if (property.source) return std::string(platforms::to_word(*property.source));
  return property.is_default ? "default" : "unstated";
}

core::Json provenance_of(const std::string& platform) {
  std::map<std::string, platforms::PropertyInterval> intervals;
  const auto machine = platforms::describe(platform, [&](const auto& interval) {
    intervals[interval.property] = interval;
    return interval.middle();
  });
  core::Json json{{"platform", platform}};
  for (const auto* source : {"measured", "published", "estimate", "chosen", "unstated", "default"})
    json[source] = core::Json::object();
  for (const auto& property : platforms::sourced_properties(machine)) {
    const auto found = intervals.find(property.property);
    const bool is_drawn = found != intervals.end() && found->second.text(found->second.middle()) == property.value;
    json[name_of(property)][property.property] = is_drawn ? found->second.text() : property.value;
  }
  return json;
}

}  // namespace

core::Json provenance_json(const std::vector<std::string>& platforms) {
  auto all = core::Json::array();
  for (const auto& platform : platforms) all.push_back(provenance_of(platform));
  return all;
}

}  // namespace toroid::cli

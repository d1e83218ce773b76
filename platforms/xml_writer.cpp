#include <algorithm>

#include "platforms/xml.hpp"
#include "platforms/xml_frame.hpp"

namespace toroid::platforms {

std::string xml_text(const Description& description, const std::vector<PropertyInterval>& intervals) {
  pugi::xml_document document;
  auto zone = add_platform(document).append_child("zone");
  zone.append_attribute("id") = description.name.c_str();
  zone.append_attribute("routing") = "Full";
  const auto add = [&](const std::string& name, const std::string& value) {
    auto prop = zone.append_child("prop");
    prop.append_attribute("id") = name.c_str();
    prop.append_attribute("value") = value.c_str();
  };
  const auto is_interval = [&](const std::string& name) {
    return std::any_of(intervals.begin(), intervals.end(),
                       [&](const PropertyInterval& i) { return i.property == name; });
  };
  for (const auto& [name, value] : properties(description))
    if (!is_interval(name)) add(name, value);
  for (const auto& interval : intervals) add(interval.property, interval.text());  // after what they may set again
  return text_of(document);
}

}  // namespace toroid::platforms

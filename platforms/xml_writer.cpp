#include <algorithm>
#include <pugixml.hpp>
#include <sstream>

#include "platforms/xml.hpp"

namespace toroid::platforms {

std::string xml_text(const Description& description, const std::vector<PropertyInterval>& intervals) {
  pugi::xml_document document;
  document.append_child(pugi::node_declaration).append_attribute("version") = "1.0";
  document.append_child(pugi::node_doctype).set_value("platform SYSTEM \"https://simgrid.org/simgrid.dtd\"");
  auto platform = document.append_child("platform");
  platform.append_attribute("version") = "4.1";
  auto zone = platform.append_child("zone");
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
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

}  // namespace toroid::platforms

#include <pugixml.hpp>
#include <sstream>

#include "platforms/xml.hpp"

namespace toroid::platforms {

std::string xml_text(const Description& description) {
  pugi::xml_document document;
  auto declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  document.append_child(pugi::node_doctype).set_value("platform SYSTEM \"https://simgrid.org/simgrid.dtd\"");
  auto platform = document.append_child("platform");
  platform.append_attribute("version") = "4.1";
  auto zone = platform.append_child("zone");
  zone.append_attribute("id") = description.name.c_str();
  zone.append_attribute("routing") = "Full";
  for (const auto& [name, value] : properties(description)) {
    auto prop = zone.append_child("prop");
    prop.append_attribute("id") = name.c_str();
    prop.append_attribute("value") = value.c_str();
  }
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

}  // namespace toroid::platforms

#include "platforms/xml_frame.hpp"

#include <sstream>

namespace toroid::platforms {

pugi::xml_node add_platform(pugi::xml_document& document) {
  document.append_child(pugi::node_declaration).append_attribute("version") = "1.0";
  document.append_child(pugi::node_doctype).set_value("platform SYSTEM \"https://simgrid.org/simgrid.dtd\"");
  auto platform = document.append_child("platform");
  platform.append_attribute("version") = "4.1";
  return platform;
}

std::string text_of(const pugi::xml_document& document) {
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

}  // namespace toroid::platforms

#include "platforms/xml.hpp"
#include "platforms/xml_frame.hpp"

namespace toroid::platforms {

std::string xml_text(const Description& description) {
  pugi::xml_document document;
  auto zone = add_platform(document).append_child("zone");
  zone.append_attribute("id") = description.name.c_str();
  zone.append_attribute("routing") = "Full";
  for (const auto& [name, value] : properties(description)) {
    auto prop = zone.append_child("prop");
    prop.append_attribute("id") = name.c_str();
    prop.append_attribute("value") = value.c_str();
  }
  return text_of(document);
}

}  // namespace toroid::platforms

#pragma once
// Looking into pictures.

#include <catch2/catch.hpp>
#include <pugixml.hpp>
#include <string>
#include <vector>

namespace toroid::test {

/// Parses text that must be well-formed XML.
inline pugi::xml_document parsed(const std::string& text) {
  pugi::xml_document document;
  const auto result = document.load_string(text.c_str(), pugi::parse_full);
  INFO(result.description() << " at " << text.substr(static_cast<std::size_t>(result.offset), 80));
  REQUIRE(result);
  return document;
}

/// The elements of that name whose class has the word `style` in it (all if it is empty), in their order.
inline std::vector<pugi::xml_node> elements(const pugi::xml_node& root, const std::string& name,
                                            const std::string& style = {}) {
  std::vector<pugi::xml_node> found;
  const auto nodes = root.select_nodes(("//" + name).c_str());
  for (const auto& node : nodes) {
    const auto classes = " " + std::string(node.node().attribute("class").value()) + " ";
    if (style.empty() || classes.find(" " + style + " ") != std::string::npos) found.push_back(node.node());
  }
  return found;
}

/// Elements live as long as their document: none of one that nobody keeps.
std::vector<pugi::xml_node> elements(pugi::xml_document&& root, const std::string& name,
                                     const std::string& style = {}) = delete;

inline double attribute(const pugi::xml_node& node, const char* name) {
  return node.attribute(name).as_double();
}

}  // namespace toroid::test

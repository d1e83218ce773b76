#pragma once
// What every platform file of SimGrid's (DTD 4.1) begins with.

#include <pugixml.hpp>
#include <string>

namespace toroid::platforms {

/// Adds to an empty document its root, <platform>, and what stands before it. Returns the root.
pugi::xml_node add_platform(pugi::xml_document& document);

/// The document as the text of a file.
std::string text_of(const pugi::xml_document& document);

}  // namespace toroid::platforms

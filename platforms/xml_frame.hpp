#pragma once
// What every platform file of SimGrid's (DTD 4.1) begins with.

#include <pugixml.hpp>
#include <string>

namespace toroid::platforms {

/// The root of an empty document, <platform>, with all that stands before it.
pugi::xml_node add_platform(pugi::xml_document& document);

/// The document as a file.
std::string text_of(const pugi::xml_document& document);

}  // namespace toroid::platforms

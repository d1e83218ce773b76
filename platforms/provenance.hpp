#pragma once
// Where the values of a machine's properties are from: whoever reads a result is to know what of it was guessed.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platforms/description.hpp"

namespace toroid::platforms {

/// Reads `published: shape x.bandwidth; estimate: latency router.*`. Throws InputError that names `what` on another
/// text, an unknown source or property, and a property with two sources.
Provenance parse_provenance(const Description& description, std::string_view text, std::string_view what);
/// The sources as a text that parse_provenance() reads; empty if there are none.
std::string provenance_text(const Provenance& provenance);

/// Sets properties as set_properties() does, and notes that whoever runs toroid chose them.
void choose_properties(Description& description, const std::vector<std::pair<std::string, std::string>>& properties);

struct PropertyValue {
  std::string property, value;
  bool is_default = false;  ///< as if nobody had set it
};
/// All properties that have a value, defaults included, in the order of the table.
std::vector<PropertyValue> all_properties(const Description& description);

struct SourcedProperty {
  std::string property, value;
  std::optional<Source> source = {};  ///< if anybody says
  bool is_default = false;            ///< it is what toroid assumes
};
/// The properties that times can depend on, with their sources.
std::vector<SourcedProperty> sourced_properties(const Description& description);

}  // namespace toroid::platforms

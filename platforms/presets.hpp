#pragma once
// The machines that come with toroid: platforms/presets/*.xml, built into the program.

#include <string_view>
#include <vector>

namespace toroid::platforms {

struct Preset {
  std::string_view name;  ///< the name of its file, without .xml
  std::string_view xml;
};

/// All presets, sorted by name.
const std::vector<Preset>& presets();

}  // namespace toroid::platforms

#pragma once
// Boxes of the grid as people name them: `(0-5,0,*)` by ranges of coordinates, `z=0` and `x=0-3` by one dimension.

#include <string_view>
#include <vector>

#include "platforms/description.hpp"

namespace toroid::platforms {

/// All places from the lowest coordinates to the highest, both included.
struct Box {
  Coordinates low{}, high{};
};

/// Whether a text looks like the name of a box, or of one router by its coordinates in parentheses.
bool is_box_name(std::string_view text);

/// Reads the name of a box. Throws InputError, which begins with `what`, unless the text is one and the machine has
/// these coordinates.
Box parse_box(const Description& description, std::string_view text, std::string_view what);

/// The coordinates of the routers in a box, the first dimension fastest.
std::vector<Coordinates> places_in(const Description& description, const Box& box);

/// The nodes on the routers in a box, by their numbers. Throws InputError where the description has no grid or no
/// numbering yet.
std::vector<NodeRange> nodes_in(const Description& description, const Box& box);

}  // namespace toroid::platforms

#pragma once
// A communication matrix as a picture.

#include <string>
#include <string_view>

#include "workloads/summary.hpp"

namespace toroid::views {

/// A heat map as SVG: senders from top to bottom, receivers from left to right; the more bytes (or messages), the
/// darker, on a logarithmic scale. With many ranks a cell is a block of ranks. Tooltips have the numbers.
std::string heat_map_svg(const workloads::CommunicationMatrix& matrix, bool messages, std::string_view title);

}  // namespace toroid::views

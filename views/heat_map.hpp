#pragma once
// A communication matrix as a picture.

#include <string>
#include <string_view>

#include "workloads/summary.hpp"

namespace toroid::views {

/// Senders from top to bottom, receivers from left to right; the more bytes (or messages), the darker, by the
/// logarithm. Of many ranks, cells are blocks of them. What a cell has is in its tooltip.
std::string heat_map_svg(const workloads::CommunicationMatrix& matrix, bool messages, std::string_view title);

}  // namespace toroid::views

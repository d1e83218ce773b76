#pragma once
// A mapper that is told one thing more.

#include <string_view>

#include "mapping/mapper.hpp"

namespace toroid::mapping {

/// The mapper with that key set, which it must take and not have yet.
MapperChoice with_key(const MapperChoice& map, std::string_view key, std::string_view value);

}  // namespace toroid::mapping

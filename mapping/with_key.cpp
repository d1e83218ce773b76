#include "mapping/with_key.hpp"

#include <fmt/format.h>

namespace toroid::mapping {

MapperChoice with_key(const MapperChoice& map, std::string_view key, std::string_view value) {
  const bool is_first = map.arguments().spec().parameters().empty();
  return fmt::format("{}{}{}={}", map.text(), is_first ? ':' : ',', key, value);
}

}  // namespace toroid::mapping

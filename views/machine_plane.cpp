#include "views/machine_plane.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace toroid::views {

using platforms::Grid;
using platforms::Machine;

Slice first_slice(const Grid& grid) {
  Slice slice;
  slice.down = grid.dimension_count() > 1 ? 1 : 0;
  return slice;
}

Slice parse_slice(const Machine& machine, const std::string& at) {
  const auto& grid = machine.grid();
  auto slice = first_slice(grid);
  if (at.empty()) return slice;
  for (const auto part : core::split(at, ',')) {
    const auto equals = part.find('=');
    const auto name = core::trim(part.substr(0, equals));
    std::size_t d = 0;
    while (d < grid.dimension_count() && grid.name(d) != name) ++d;
    const auto value =
        equals == std::string_view::npos ? -1 : core::parse_number<std::int32_t>(part.substr(equals + 1)).value_or(-1);
    if (grid.dimension_count() <= 2) core::fail_input("found '{}', but the machine is a single plane", part);
    if (d == grid.dimension_count())
      core::fail_input("found '{}', expected a coordinate such as {}=0", part, grid.name(grid.dimension_count() - 1));
    if (d == slice.across || d == slice.down)
      core::fail_input("the drawing runs along {}; expected a coordinate of another dimension", name);
    if (value < 0 || value >= grid.dimension(d).extent)
      core::fail_input("found '{}', expected {}=0 to {}={}", part, name, name, grid.dimension(d).extent - 1);
    slice.at[d] = value;
  }
  return slice;
}

std::string where(const Machine& machine, const Slice& slice) {
  std::vector<std::string> fixed;
  for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d)
    if (d != slice.across && d != slice.down)
      fixed.push_back(fmt::format("{}={}", machine.grid().name(d), slice.at[d]));
  return core::join(fixed);
}

}  // namespace toroid::views

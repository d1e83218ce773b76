#include "platforms/boxes.hpp"

#include <algorithm>
#include <optional>

#include "core/error.hpp"
#include "core/text.hpp"
#include "platforms/numbering.hpp"

namespace toroid::platforms {
namespace {

using Text = std::string_view;

/// `3`, `0-5`, or `*` for all.
void read_range(const Description& m, std::size_t d, Text range, Text what, Box& box) {
  const auto& dimension = m.dimensions[d];
  range = core::trim(range);
  const auto dash = range.find('-');
  const auto low = range == "*" ? 0 : core::parse_number<std::int32_t>(core::trim(range.substr(0, dash)));
  const auto high = range == "*"         ? dimension.extent - 1
                    : dash == Text::npos ? low
                                         : core::parse_number<std::int32_t>(core::trim(range.substr(dash + 1)));
  if (!low || !high || *low < 0 || *high < *low)
    core::fail_input("{}: found '{}' for {}, expected a coordinate, a range such as 0-5, or *", what,
                     core::excerpt(range), dimension.name);
  if (*high >= dimension.extent)
    core::fail_input("{}: found '{}' for {}, which has the coordinates 0 to {}", what, core::excerpt(range),
                     dimension.name, dimension.extent - 1);
  box.low[d] = *low;
  box.high[d] = *high;
}

}  // namespace

bool is_box_name(Text text) {
  return text.starts_with('(') || text.find('=') != Text::npos;
}

Box parse_box(const Description& m, Text text, Text what) {
  text = core::trim(text);
  Box box;
  for (std::size_t d = 0; d < m.dimensions.size(); ++d) box.high[d] = m.dimensions[d].extent - 1;
  if (const auto equals = text.find('='); equals != Text::npos) {
    const auto name = core::trim(text.substr(0, equals));
    const auto found = std::find_if(m.dimensions.begin(), m.dimensions.end(),
                                    [&](const Dimension& dimension) { return dimension.name == name; });
    if (found == m.dimensions.end())
      core::fail_input("{}: found '{}', expected a dimension and its coordinates, such as {}=0", what,
                       core::excerpt(text), m.dimensions.empty() ? "x" : m.dimensions.back().name);
    read_range(m, static_cast<std::size_t>(found - m.dimensions.begin()), text.substr(equals + 1), what, box);
    return box;
  }
  auto inside = text;
  if (inside.starts_with('(') && inside.ends_with(')')) inside = inside.substr(1, inside.size() - 2);
  const auto parts = core::split(inside, ',');
  if (parts.size() != m.dimensions.size())
    core::fail_input("{}: found '{}', expected a router's {} coordinates, ranges such as 0-5, or *", what,
                     core::excerpt(text), m.dimensions.size());
  for (std::size_t d = 0; d < parts.size(); ++d) read_range(m, d, parts[d], what, box);
  return box;
}

std::vector<Coordinates> places_in(const Description& m, const Box& box) {
  std::vector<Coordinates> all{box.low};
  for (std::size_t d = m.dimensions.size(); d-- > 0;) {
    std::vector<Coordinates> longer;
    for (const auto& place : all)
      for (auto next = place; next[d] <= box.high[d]; ++next[d]) longer.push_back(next);
    all = std::move(longer);
  }
  return all;
}

std::vector<NodeRange> nodes_in(const Description& m, const Box& box) {
  const auto fail = [](const std::string&, const std::string& message) { core::fail_input("{}", message); };
  check_numbering(m, fail);
  const Grid grid(m.dimensions);
  const auto is_in = [&](RouterId router) {
    for (std::size_t d = 0; d < grid.dimension_count(); ++d)
      if (const auto c = grid.coordinate(router, d); c < box.low[d] || c > box.high[d]) return false;
    return true;
  };
  std::vector<NodeRange> nodes;
  NodeId first(0);
  for (const auto router : numbered_routers(m, grid)) {
    const NodeId end(first.value() + m.nodes_per_router);
    if (is_in(router)) {
      if (!nodes.empty() && nodes.back().second.value() + 1 == first.value())
        nodes.back().second = NodeId(end.value() - 1);
      else
        nodes.emplace_back(first, NodeId(end.value() - 1));
    }
    first = end;
  }
  return nodes;
}

}  // namespace toroid::platforms

#include "cosim/symmetry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

namespace toroid::cosim {

using platforms::Coordinates;
using platforms::NodeId;

Symmetry::Symmetry(const platforms::Machine& machine, bool at_all) : machine_(machine) {
  const auto& grid = machine.grid();
  if (!at_all || !machine.separable() || grid.has_exceptions()) return;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    if (grid.dimension(d).wrap == platforms::Wrap::mesh && !grid.dimension(d).shared) movable_.push_back(d);
}

/// The least of all images.
Symmetry::Form Symmetry::form(std::span<const Placed> programs) const {
  auto least = image(programs, 0);
  for (std::size_t mirrored = 1; mirrored < std::size_t{1} << movable_.size(); ++mirrored)
    if (auto other = image(programs, mirrored); other.key < least.key) least = std::move(other);
  return least;
}

/// As near to the origin as it can be, after those of the movable dimensions are mirrored whose bits are set.
Symmetry::Form Symmetry::image(std::span<const Placed> programs, std::size_t mirrored) const {
  const auto& grid = machine_.grid();
  const auto place = [&](NodeId node) {
    auto at = grid.coordinates(machine_.router(node));
    for (std::size_t i = 0; i < movable_.size(); ++i)
      if ((mirrored >> i & 1U) != 0) at[movable_[i]] = grid.dimension(movable_[i]).extent - 1 - at[movable_[i]];
    return at;
  };
  Coordinates least{};
  for (const auto d : movable_) least[d] = std::numeric_limits<std::int32_t>::max();
  for (const auto& program : programs)
    for (const auto node : program.nodes) {
      const auto at = place(node);
      for (const auto d : movable_) least[d] = std::min(least[d], at[d]);
    }
  std::vector<std::string> parts;
  for (const auto& program : programs) {
    auto part = fmt::format("{} {} {}:", program.what.size(), program.what, program.nodes.size());
    for (const auto node : program.nodes) {
      auto at = place(node);
      for (const auto d : movable_) at[d] -= least[d];
      const auto router = grid.router_at(at);
      const auto moved =
          machine_.first_node(router).value() + node.value() - machine_.first_node(machine_.router(node)).value();
      char bytes[sizeof(moved)];
      std::memcpy(bytes, &moved, sizeof(moved));
      part.append(bytes, sizeof(moved));
    }
    parts.push_back(std::move(part));
  }
  Form form{{}, std::vector<std::size_t>(programs.size())};
  std::iota(form.order.begin(), form.order.end(), std::size_t{0});
  std::stable_sort(form.order.begin(), form.order.end(),
                   [&](std::size_t a, std::size_t b) { return parts[a] < parts[b]; });
  for (const auto i : form.order) form.key += parts[i];
  return form;
}

}  // namespace toroid::cosim

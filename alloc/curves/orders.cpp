#include "alloc/curves/curve.hpp"

#include <numeric>

namespace toroid::alloc {
namespace {

using Place = std::vector<std::int32_t>;  ///< a coordinate per dimension

std::int32_t volume(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), 1, std::multiplies<>());
}

/// Whether an order names each place of a box once, as each curve through the box must.
bool has_each_place_once(const Order& order, const Extents& extents) {
  std::vector<bool> named(static_cast<std::size_t>(volume(extents)));
  for (const std::int32_t place : order) named[static_cast<std::size_t>(place)] = true;
  return order.size() == named.size() && std::ranges::find(named, false) == named.end();
}

std::int32_t number_of(const Place& place, const Extents& extents) {
  std::int32_t number = 0;
  for (std::size_t d = extents.size(); d-- > 0;) number = number * extents[d] + place[d];
  return number;
}

Place place_in(std::int32_t number, const Extents& extents) {
  Place place;
  for (const auto extent : extents) {
    place.push_back(number % extent);
    number /= extent;
  }
  return place;
}

/// Lines along the axes; where `turns`, each way back is the way there reversed.
Order lines(const Extents& extents, const Axes& axes, bool turns) {
  Order order;
  Place place(extents.size());
  for (std::int32_t i = 0; i < volume(extents); ++i) {
    std::int32_t rest = i;
    for (const auto axis : axes) {
      const std::int32_t c = rest % extents[axis];
      rest /= extents[axis];
      place[axis] = turns && rest % 2 == 1 ? extents[axis] - 1 - c : c;
    }
    order.push_back(number_of(place, extents));
  }
  TOROID_ASSERT_HEAVY(has_each_place_once(order, extents));
  return order;
}

/// The places of a box sorted by where they are on Hilbert's curve, which runs along the axes in their order through a
/// cube of side 2^bits. There `point(place, axis)` is the coordinate of a place along an axis.
template <class Point>
Order along_hilbert_curve(const Extents& extents, const Axes& axes, int bits, const Point& point) {
  std::vector<std::pair<std::vector<std::uint32_t>, std::int32_t>> places;
  for (std::int32_t number = 0; number < volume(extents); ++number) {
    const Place place = place_in(number, extents);
    std::vector<std::uint32_t> at;
    for (const auto axis : axes) at.push_back(static_cast<std::uint32_t>(point(place, axis)));
    places.emplace_back(core::place_on_hilbert_curve(std::move(at), bits), number);
  }
  std::ranges::sort(places);
  Order order;
  for (const auto& [key, number] : places) order.push_back(number);
  return order;
}

std::int32_t coordinate_along(const Place& place, std::size_t axis) {
  return place[axis];
}

/// The axes along which there is a way to go, that of the curve as a whole first.
Axes curve_axes(const Extents& extents, const Axes& axes) {
  Axes those;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis)
    if (extents[*axis] > 1) those.push_back(*axis);
  return those;
}

/// Hilbert's curve through a square, of which a plane at its low corner is cut out. Where a square on its way lies with
/// its far half beyond an end of the plane, its near half is two squares side by side instead of two ends of a U.
class CutCurve {
 public:
  CutCurve(const Extents& extents, std::size_t along, std::size_t across)
      : extents_(extents), along_(along), across_(across) {
    const auto longest = static_cast<std::uint32_t>(std::max(extents[along], extents[across]));
    go({0, 0}, {1, 0}, {0, 1}, static_cast<std::int32_t>(std::bit_ceil(longest)));
  }
  const Order& order() const { return order_; }

 private:
  struct Vector {
    std::int32_t along, across;
    Vector operator+(const Vector& other) const { return {along + other.along, across + other.across}; }
    Vector operator*(std::int32_t factor) const { return {along * factor, across * factor}; }
  };

  /// Visits a square from a corner to the next corner towards `on`; `aside` is the way to the other two corners.
  void go(Vector at, Vector on, Vector aside, std::int32_t side) {
    if (side == 1) return visit(at);
    const std::int32_t half = side / 2;
    if (is_end(at + aside * half, aside)) {
      go(at, on, aside, half);
      return go(at + on * half, on, aside, half);
    }
    go(at, aside, on, half);
    go(at + aside * half, on, aside, half);
    go(at + aside * half + on * half, on, aside, half);
    go(at + on * (side - 1) + aside * (half - 1), aside * -1, on * -1, half);
  }
  /// Whether the plane ends before that place, upwards in a direction.
  bool is_end(const Vector& at, const Vector& direction) const {
    return (direction.along == 1 && at.along == extents_[along_]) ||
           (direction.across == 1 && at.across == extents_[across_]);
  }
  void visit(const Vector& at) {
    if (at.along >= extents_[along_] || at.across >= extents_[across_]) return;
    Place place(extents_.size());
    place[along_] = at.along;
    place[across_] = at.across;
    order_.push_back(number_of(place, extents_));
  }

  const Extents& extents_;
  std::size_t along_, across_;
  Order order_;
};

/// Cubes one after the other, along the first axis of the curve first, back and forth. The curve of a cube ends at the
/// side at which the next one begins. Rows of cubes come in pairs, which meet where one ends and the other begins;
/// from pair to pair there is one step over almost two cubes.
Order spliced(const Extents& extents, const Axes& axes, std::int32_t side) {
  Extents cubes, cube;
  for (const auto extent : extents) {
    cubes.push_back(extent == 1 ? 1 : extent / side);
    cube.push_back(extent == 1 ? 1 : side);
  }
  const Order within = along_hilbert_curve(cube, axes, core::bits_for(side), coordinate_along);
  Axes cube_axes = axes;
  for (std::size_t d = 0; d < extents.size(); ++d)
    if (extents[d] == 1) cube_axes.push_back(d);
  Order order;
  std::int32_t row = 0;
  for (std::int32_t next = 0; const std::int32_t number : snake_order(cubes, cube_axes)) {
    const Place at = place_in(number, cubes);
    row = next++ / cubes[axes[0]];
    for (const std::int32_t inner : within) {
      Place place = place_in(inner, cube);
      for (const auto axis : axes) {
        const bool mirrored = axis == axes[0] ? row % 2 == 1 : cubes[axis] > 1 && at[axis] % 2 == 0;
        place[axis] = side * at[axis] + (mirrored ? side - 1 - place[axis] : place[axis]);
      }
      order.push_back(number_of(place, extents));
    }
  }
  TOROID_ASSERT_HEAVY(has_each_place_once(order, extents));
  return order;
}

}  // namespace

Order row_order(const Extents& extents, const Axes& axes) {
  return lines(extents, axes, false);
}

Order snake_order(const Extents& extents, const Axes& axes) {
  return lines(extents, axes, true);
}

Order hilbert_order(const Extents& extents, const Axes& axes) {
  const Axes curve = curve_axes(extents, axes);
  if (curve.empty()) return {0};
  const auto shorter = [&](std::size_t a, std::size_t b) { return extents[a] < extents[b]; };
  const std::int32_t shortest = extents[*std::ranges::min_element(curve, shorter)];
  const std::int32_t longest = extents[*std::ranges::max_element(curve, shorter)];
  if (std::has_single_bit(static_cast<std::uint32_t>(shortest)) &&
      std::ranges::all_of(curve, [&](std::size_t axis) { return extents[axis] % shortest == 0; }))
    return spliced(extents, curve, shortest);
  if (curve.size() == 2) return CutCurve(extents, curve[0], curve[1]).order();
  return along_hilbert_curve(extents, curve, core::bits_for(longest), coordinate_along);
}

Order zoltan_order(const Extents& extents, const Axes& axes) {
  // The middle of each place, in a cube so fine that no two are at one point of it.
  constexpr int bits = 30;
  return along_hilbert_curve(extents, curve_axes(extents, axes), bits, [&](const Place& place, std::size_t axis) {
    return ((2 * std::int64_t{place[axis]} + 1) << (bits - 1)) / extents[axis];
  });
}

}  // namespace toroid::alloc

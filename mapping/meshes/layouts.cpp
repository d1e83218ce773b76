#include "mapping/meshes/layouts.hpp"

#include <fmt/ranges.h>
#include <numeric>

namespace toroid::mapping {
namespace {

using jax::Shape;

/// How many places of physical axis p lie between neighbours along logical axis l.
std::int32_t step_of(const Layout& layout, std::size_t p, std::size_t l) {
  std::int32_t step = 1;
  for (auto inner = layout.in_order[p].rbegin(); inner != layout.in_order[p].rend() && *inner != l; ++inner)
    step *= layout.parts[p][*inner];
  return step;
}

/// All of step_of() along physical axis p, which tell how it is walked to and fro.
Shape steps_of(const Layout& layout, std::size_t p) {
  Shape steps;
  for (const auto l : layout.in_order[p]) steps.push_back(step_of(layout, p, l));
  return steps;
}

/// A walk to and fro: successive places are neighbours.
std::vector<Shape> snake(const Shape& box) {
  std::vector<Shape> walk;
  for (std::int32_t i = 0; i < jax::product(box); ++i) {
    auto at = jax::coordinates(box, i);
    // Where the number that the digits before make is odd, an axis is walked backwards.
    std::int32_t before = 0;
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      const auto digit = at[axis];
      if (before % 2 == 1) at[axis] = box[axis] - 1 - digit;
      before = before * box[axis] + digit;
    }
    walk.push_back(std::move(at));
  }
  return walk;
}

class Enumeration {
 public:
  Enumeration(const Shape& physical, const std::vector<bool>& rings, const Shape& logical, std::size_t most,
              const std::function<void(const Layout&)>& visit)
      : physical_(physical), rings_(rings), logical_(logical), left_(most), visit_(visit) {
    layout_.parts.assign(physical.size(), Shape(logical.size(), 1));
    layout_.in_order.resize(physical.size());
    layout_.to_and_fro.resize(physical.size());
  }

  void assign(std::size_t axis = 0) {
    if (left_ == 0) return;
    if (axis == logical_.size()) return put_in_order(0);
    const auto taken = jax::taken_of(layout_.parts);
    for (const auto& parts : jax::candidates(physical_, taken, logical_[axis])) {
      for (std::size_t p = 0; p < physical_.size(); ++p) layout_.parts[p][axis] = parts[p];
      assign(axis + 1);
    }
    for (std::size_t p = 0; p < physical_.size(); ++p) layout_.parts[p][axis] = 1;
  }

 private:
  void put_in_order(std::size_t p) {
    if (left_ == 0) return;
    if (p == physical_.size()) {
      --left_;
      return visit_(layout_);
    }
    std::vector<std::size_t> axes;
    for (std::size_t l = 0; l < logical_.size(); ++l)
      if (layout_.parts[p][l] > 1) axes.push_back(l);
    do {
      layout_.in_order[p] = axes;
      for (const bool to_and_fro : {false, true}) {
        if (to_and_fro && (!rings_[p] || axes.size() < 2)) continue;
        layout_.to_and_fro[p] = to_and_fro;
        put_in_order(p + 1);
      }
    } while (std::next_permutation(axes.begin(), axes.end()));
  }

  const Shape& physical_;
  const std::vector<bool>& rings_;
  const Shape& logical_;
  std::size_t left_;
  const std::function<void(const Layout&)>& visit_;
  Layout layout_;
};

}  // namespace

const core::OptionalParameter<std::vector<std::int32_t>> mesh_parameter{
    "mesh", "extents of the program's mesh, ranks numbered along the last axis first", core::extents(8, 1 << 22),
    "one axis of all ranks"};

std::vector<std::int32_t> mesh_of(const std::optional<std::vector<std::int32_t>>& mesh, const MappingProblem& problem) {
  if (!mesh) return {problem.ranks()};
  const auto places = std::accumulate(mesh->begin(), mesh->end(), std::int64_t{1}, std::multiplies<>());
  if (places != problem.ranks())
    core::fail_input("mesh={}: found {} places, expected one for each of {} ranks", fmt::join(*mesh, "x"), places,
                     problem.ranks());
  return *mesh;
}

platforms::Block block_of_job(const MappingProblem& problem) {
  if (problem.slots.size() != static_cast<std::size_t>(problem.ranks()))
    core::fail_input("{} ranks on {} slots of {}: expected as many ranks as slots, for a mesh over all of them",
                     problem.ranks(), problem.slots.size(), problem.machine.name());
  auto block = platforms::block_of(problem.machine, problem.slots);
  if (!block)
    core::fail_input("the {} slots on {} fill no box of it, one on each router; expected one, for a mesh over them",
                     problem.slots.size(), problem.machine.name());
  return *std::move(block);
}

std::vector<Shape> round_trip(const Shape& box) {
  std::size_t even = box.size(), long_ones = 0;
  for (std::size_t axis = 0; axis < box.size(); ++axis) {
    long_ones += box[axis] > 1 ? 1 : 0;
    if (box[axis] % 2 == 0) even = axis;
  }
  std::vector<Shape> ring;
  if (long_ones < 2 || even == box.size()) {
    for (std::int32_t i = 0; i < jax::product(box); ++i) ring.push_back(jax::coordinates(box, i));
    return ring;
  }
  // There along the even axis at the beginning of a walk through the others, and back by the rest of that walk, to and
  // fro.
  auto others = box;
  others[even] = 1;
  const auto walk = snake(others);
  const auto add = [&](std::int32_t row, std::size_t step) {
    ring.push_back(walk[step]);
    ring.back()[even] = row;
  };
  for (std::int32_t row = 0; row < box[even]; ++row) add(row, 0);
  for (std::int32_t row = box[even]; row-- > 0;) {
    const bool forward = (box[even] - 1 - row) % 2 == 0;
    for (std::size_t step = 1; step < walk.size(); ++step) add(row, forward ? step : walk.size() - step);
  }
  return ring;
}

void for_each_layout(const Shape& physical, const std::vector<bool>& rings, const Shape& logical, std::size_t most,
                     const std::function<void(const Layout&)>& visit) {
  Enumeration(physical, rings, logical, most, visit).assign();
}

std::vector<std::int32_t> places_of(const Layout& layout, const Shape& physical) {
  TOROID_ASSERT(jax::taken_of(layout.parts) == physical);
  const auto axes = layout.parts.size(), logical = layout.parts[0].size();
  // For each step along a logical axis, its digit in each physical axis.
  std::vector<std::vector<Shape>> of_axis(logical);
  for (std::size_t l = 0; l < logical; ++l) {
    Shape box;
    for (std::size_t p = 0; p < axes; ++p) box.push_back(layout.parts[p][l]);
    of_axis[l] = round_trip(box);
  }
  Shape mesh;
  for (const auto& steps : of_axis) mesh.push_back(static_cast<std::int32_t>(steps.size()));
  std::vector<std::int32_t> places;
  for (std::int32_t rank = 0; rank < jax::product(mesh); ++rank) {
    const auto at = jax::coordinates(mesh, rank);
    std::int32_t place = 0, stride = 1;
    for (std::size_t p = 0; p < axes; stride *= physical[p++]) {
      std::int32_t along = 0;
      for (const auto l : layout.in_order[p]) {
        const auto part = layout.parts[p][l], digit = of_axis[l][static_cast<std::size_t>(at[l])][p];
        along = along * part + (layout.to_and_fro[p] && along % 2 == 1 ? part - 1 - digit : digit);
      }
      place += along * stride;
    }
    places.push_back(place);
  }
  return places;
}

std::string form_of(const Layout& layout, const std::vector<std::size_t>& axes) {
  std::string form;
  for (const auto l : axes)
    for (std::size_t p = 0; p < layout.parts.size(); ++p) {
      if (layout.parts[p][l] > 1) form += fmt::format("{}:{}", layout.parts[p][l], step_of(layout, p, l));
      if (layout.parts[p][l] > 1 && layout.to_and_fro[p])
        form += fmt::format(" of {}", fmt::join(steps_of(layout, p), ","));
      form += ' ';
    }
  return form;
}

}  // namespace toroid::mapping

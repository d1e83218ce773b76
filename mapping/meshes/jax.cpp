// The order of devices that JAX takes for a mesh on a TPU slice, where the user gives none.

#include <fmt/ranges.h>
#include <numeric>
#include <tuple>

#include "mapping/meshes/layouts.hpp"

namespace toroid::mapping::jax {
namespace {

/// The first of the sets of `count` free axes, in lexicographic order, whose extents multiply to `size`.
std::optional<std::vector<std::size_t>> first_set(const Shape& physical, const std::vector<bool>& is_free,
                                                  std::size_t count, std::int32_t size, std::size_t from = 0) {
  if (count == 0) return size == 1 ? std::optional(std::vector<std::size_t>{}) : std::nullopt;
  for (std::size_t axis = from; axis + count <= physical.size(); ++axis) {
    if (!is_free[axis] || size % physical[axis] != 0) continue;
    if (auto rest = first_set(physical, is_free, count - 1, size / physical[axis], axis + 1)) {
      rest->insert(rest->begin(), axis);
      return rest;
    }
  }
  return std::nullopt;
}

/// Devices in the order of JAX's list: host by host, which have 2 x 2 chips.
std::vector<std::int32_t> by_hosts(const Shape& chips, std::int32_t cores) {
  std::vector<std::int32_t> devices;
  const auto z_end = chips.size() > 2 ? chips[2] : 1;
  for (std::int32_t z = 0; z < z_end; ++z)
    for (std::int32_t host_y = 0; host_y < chips[1]; host_y += 2)
      for (std::int32_t host_x = 0; host_x < chips[0]; host_x += 2)
        for (std::int32_t y = host_y; y < std::min(host_y + 2, chips[1]); ++y)
          for (std::int32_t x = host_x; x < std::min(host_x + 2, chips[0]); ++x)
            for (std::int32_t core = 0; core < cores; ++core)
              devices.push_back(core + cores * (x + chips[0] * (y + chips[1] * z)));
  return devices;
}

constexpr std::array tray_ring{0, 1, 2, 3, 6, 7, 4, 5};

/// Each eight of the devices become a ring.
std::vector<std::int32_t> in_rings_of_eight(const std::vector<std::int32_t>& devices) {
  std::vector<std::int32_t> ring;
  for (std::size_t first = 0; first < devices.size(); first += tray_ring.size())
    for (const auto at : tray_ring) ring.push_back(devices[first + static_cast<std::size_t>(at)]);
  return ring;
}

/// `(4, 4, 8)`; `(8,)` of one, as Python prints tuples.
std::string tuple_text(const Shape& shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({})", fmt::join(shape, ", "));
}

}  // namespace

std::int32_t product(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>());
}

Shape taken_of(const Assignment& assignment) {
  Shape taken;
  for (const auto& row : assignment) taken.push_back(product(row));
  return taken;
}

Shape coordinates(const Shape& shape, std::int32_t number) {
  Shape at(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; number /= shape[axis]) at[axis] = number % shape[axis];
  return at;
}

std::optional<Assignment> whole_axes(const Shape& physical, const Shape& logical, std::size_t* stuck) {
  Assignment assignment(physical.size(), Shape(logical.size(), 1));
  std::vector<bool> is_free(physical.size(), true);
  for (std::size_t l = logical.size(); l-- > 0;) {
    std::optional<std::vector<std::size_t>> set;
    for (std::size_t count = physical.size(); count > 0 && !set; --count)
      set = first_set(physical, is_free, count, logical[l]);
    if (!set && logical[l] > 1) {
      if (stuck != nullptr) *stuck = l;
      return std::nullopt;
    }
    for (const auto axis : set.value_or(std::vector<std::size_t>{})) {
      assignment[axis][l] = physical[axis];
      is_free[axis] = false;
    }
  }
  return assignment;
}

std::vector<Shape> candidates(const Shape& physical, const Shape& taken, std::int32_t size) {
  std::vector<Shape> all;
  Shape some;
  const std::function<void(std::int32_t)> go_on = [&](std::int32_t rest) {
    const auto axis = some.size();
    if (axis == physical.size()) {
      if (rest == 1) all.push_back(some);
      return;
    }
    const auto left = physical[axis] / taken[axis];
    for (std::int32_t part = 1; part <= std::min(left, rest); ++part) {
      if (left % part != 0 || rest % part != 0) continue;
      some.push_back(part);
      go_on(rest / part);
      some.pop_back();
    }
  };
  go_on(size);
  return all;
}

bool prefers(const Shape& first, const Shape& second, const Shape& physical, const Shape& taken) {
  const auto rank = [&](const Shape& parts) {
    std::int64_t whole = 1, count = 0, reused = 1;
    for (std::size_t axis = 0; axis < parts.size(); ++axis) {
      if (parts[axis] == physical[axis]) {
        whole *= parts[axis];
        count += parts[axis] > 1 ? 1 : 0;
      }
      if (taken[axis] > 1) reused *= parts[axis];
    }
    return std::tuple(whole, count, reused, parts);
  };
  return rank(first) > rank(second);
}

std::optional<Assignment> split_axes(const Shape& physical, const Shape& logical, std::size_t* stuck) {
  Assignment assignment(physical.size(), Shape(logical.size(), 1));
  for (std::size_t l = logical.size(); l-- > 0;) {
    const auto taken = taken_of(assignment);
    const auto all = candidates(physical, taken, logical[l]);
    if (all.empty()) {
      if (stuck != nullptr) *stuck = l;
      return std::nullopt;
    }
    const auto best =
        std::ranges::max_element(all, [&](const Shape& a, const Shape& b) { return prefers(b, a, physical, taken); });
    for (std::size_t axis = 0; axis < physical.size(); ++axis) assignment[axis][l] = (*best)[axis];
  }
  return assignment;
}

std::vector<std::int32_t> order(const Shape& physical, const Assignment& assignment) {
  TOROID_ASSERT(taken_of(assignment) == physical);
  const auto axes = physical.size(), logical = assignment[0].size();
  Shape extents(logical, 1);
  for (const auto& row : assignment)
    for (std::size_t l = 0; l < logical; ++l) extents[l] *= row[l];
  std::vector<std::int32_t> places;
  for (std::int32_t number = 0; number < product(extents); ++number) {
    Assignment digits(axes, Shape(logical));
    auto rest = number;
    for (std::size_t l = logical; l-- > 0;)
      for (std::size_t axis = axes; axis-- > 0; rest /= assignment[axis][l])
        digits[axis][l] = rest % assignment[axis][l];
    std::int32_t place = 0, stride = 1;
    for (std::size_t axis = 0; axis < axes; stride *= physical[axis++]) {
      std::int32_t at = 0;
      for (std::size_t l = 0; l < logical; ++l) at = at * assignment[axis][l] + digits[axis][l];
      place += at * stride;
    }
    places.push_back(place);
  }
  return places;
}

std::vector<std::size_t> contiguous_axes(const Shape& physical, const Shape& logical) {
  struct Known {
    std::vector<Shape> meshes;
    std::vector<std::size_t> axes;
  };
  static const std::map<Shape, Known> all{
      {{2, 2, 1}, {{{2, 2}}, {0, 1, 2}}},  {{2, 2, 4}, {{{4, 4}}, {0, 1, 2}}},
      {{4, 4, 4}, {{{16, 4}}, {0, 2, 1}}}, {{4, 8, 8}, {{{64, 4}, {4, 64}}, {0, 2, 1}}},
      {{8, 8, 8}, {{{64, 8}}, {0, 2, 1}}}, {{8, 16, 16}, {{{256, 8}, {8, 256}}, {0, 2, 1}}}};
  const auto known = all.find(physical);
  if (known == all.end())
    core::fail_input("create_device_mesh cannot create contiguous submeshes for physical mesh topology {}",
                     tuple_text(physical));
  auto without_ones = logical;
  std::erase(without_ones, 1);
  const auto& [meshes, axes] = known->second;
  if (std::ranges::find(meshes, without_ones) != meshes.end()) return axes;
  std::vector<std::string> valid;
  for (const auto& mesh : meshes) valid.push_back(tuple_text(mesh));
  core::fail_input(
      "create_device_mesh cannot create contiguous submeshes for mesh_shape {} and physical mesh topology {}. "
      "Available mesh_shapes: [{}]",
      tuple_text(logical), tuple_text(physical), fmt::join(valid, ", "));
}

std::optional<std::vector<std::int32_t>> fixed_ring(const std::string& generation, const Shape& chips,
                                                    std::int32_t cores, const Shape& logical) {
  const auto devices = product(chips) * cores;
  const auto is_box = [&](std::int32_t x, std::int32_t y, std::int32_t z) {
    return chips[0] == x && chips[1] == y && (chips.size() > 2 ? chips[2] : 1) == z;
  };
  if (generation == "v2" || generation == "v3") {
    const auto list = by_hosts(chips, cores);
    return devices == 8 || logical.back() == 8 ? in_rings_of_eight(list) : list;
  }
  if (generation == "v5e" || generation == "v6e") {
    if (is_box(2, 2, 1)) return {{0, 1, 3, 2}};
    if (is_box(2, 2, 2)) return {{0, 4, 2, 6, 1, 5, 3, 7}};
    if (devices == 8) return {{0, 1, 2, 3, 7, 6, 5, 4}};
    if (is_box(4, 4, 1) && std::ranges::max(logical) == devices)
      return {{0, 1, 2, 3, 7, 6, 5, 9, 10, 11, 15, 14, 13, 12, 8, 4}};
  }
  if (generation == "v5p" && is_box(2, 2, 2)) return {{0, 1, 3, 2, 6, 7, 5, 4}};
  if (generation == "v7" && chips[0] <= 2 && chips[1] <= 2 && devices <= 32 && devices % 8 == 0)
    return in_rings_of_eight(by_hosts(chips, cores));
  return std::nullopt;
}

std::vector<std::int32_t> device_mesh(const std::string& generation, const Shape& chips, std::int32_t cores,
                                      const Shape& logical, const Options& options) {
  const auto devices = product(chips) * cores;
  if (product(logical) != devices)
    core::fail_input("a mesh of {} has {} places, expected {}, one for each device", fmt::join(logical, "x"),
                     product(logical), devices);
  if (auto ring = fixed_ring(generation, chips, cores, logical)) return *ring;
  auto physical = chips;
  if (cores > 1) physical.push_back(cores);
  std::vector<std::size_t> axes(physical.size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  if (options.contiguous) axes = contiguous_axes(physical, logical);
  Shape permuted;
  for (const auto axis : axes) permuted.push_back(physical[axis]);
  std::size_t stuck = 0;
  auto assignment = whole_axes(permuted, logical, &stuck);
  if (!assignment && !options.split)
    core::fail_input(
        "mesh {}: no whole axes of {} are left for its axis {} of {}; expected another mesh, or split=yes, which may "
        "divide axes of the machine (allow_split_physical_axes of JAX)",
        fmt::join(logical, "x"), fmt::join(physical, "x"), stuck + 1, logical[stuck]);
  if (!assignment) assignment = split_axes(permuted, logical, &stuck);
  if (!assignment)
    core::fail_input("mesh {}: its axis {} of {} cannot be made of parts of the axes of {}", fmt::join(logical, "x"),
                     stuck + 1, logical[stuck], fmt::join(physical, "x"));
  std::vector<std::int32_t> steps(physical.size(), 1);  // between devices, by axis: cores, x, y, z
  if (cores > 1) steps[0] = cores;
  for (std::size_t axis = 1; axis < chips.size(); ++axis) steps[axis] = steps[axis - 1] * chips[axis - 1];
  std::vector<std::int32_t> ids;
  for (auto place : order(permuted, *assignment)) {
    std::int32_t id = 0;
    for (const auto axis : axes) {
      id += place % physical[axis] * steps[axis];
      place /= physical[axis];
    }
    ids.push_back(id);
  }
  return ids;
}

}  // namespace toroid::mapping::jax

namespace toroid::mapping {
namespace {

const core::Parameter<bool> split{"split", "whether axes of the machine may be divided (allow_split_physical_axes)",
                                  core::yes_or_no(), "no"};
const core::Parameter<bool> contiguous{"contiguous", "whether hosts get boxes of the mesh (contiguous_submeshes)",
                                       core::yes_or_no(), "no"};
const core::OptionalParameter<std::string> chip{
    "chip", "the chips, for JAX's rings of small slices",
    core::one_of<std::string>(
        {{"v2", "v2"}, {"v3", "v3"}, {"v4", "v4"}, {"v5e", "v5e"}, {"v5p", "v5p"}, {"v6e", "v6e"}, {"v7", "v7"}}),
    "those of the slice, tpu-CHIP"};

/// `v5p` of `tpu-v5p:4x4x8` and `tpu-v5p-4x4x8`; empty for other machines.
std::string generation_of(const Machine& machine) {
  constexpr std::string_view prefix = "tpu-";
  const auto& name = machine.name();
  if (!name.starts_with(prefix)) return {};
  return name.substr(prefix.size(), name.find_first_of(":-,", prefix.size()) - prefix.size());
}

class Jax final : public KeyedMapper {
 public:
  using KeyedMapper::KeyedMapper;

  bool uses_traffic() const override { return false; }
  bool uses_seed() const override { return false; }
  void check(const MappingProblem& problem) const override { map(problem); }

  Mapping map(const MappingProblem& problem) const override {
    const auto mesh = mesh_of(value(mesh_parameter), problem);
    const auto block = block_of_job(problem);
    auto chips = block.extents;
    const auto& grid = problem.machine.grid();
    std::int32_t cores = 1;
    if (chips.size() > 1 && grid.name(chips.size() - 1) == "core") {
      cores = chips.back();
      chips.pop_back();
    }
    if (chips.size() < 2 || chips.size() > 3)
      core::fail_input("mapper 'jax': {} has {} dimensions, expected the two or three of a TPU slice",
                       problem.machine.name(), chips.size());
    const auto ids = jax::device_mesh(value(chip).value_or(generation_of(problem.machine)), chips, cores, mesh,
                                      {value(split), value(contiguous)});
    Mapping mapping;
    for (const auto id : ids) {
      const auto place = id / cores + id % cores * static_cast<std::int32_t>(block.node_at.size()) / cores;
      mapping.add(problem.slots[block.node_at[static_cast<std::size_t>(place)]]);
    }
    return mapping;
  }
};

}  // namespace

core::Entry<MakeMapper> jax_mapper() {
  return {"jax",
          "the devices of a mesh as JAX orders them on a TPU slice (jax.experimental.mesh_utils)",
          make<Jax>,
          {mesh_parameter, split, contiguous, chip}};
}

}  // namespace toroid::mapping

// JAX's order of devices: against all cases of its tests and others that it computed, where they are there, and against
// some by hand.

#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "mapping/meshes/jax.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::mapping::jax {
namespace {

using core::Json;

Json cases(const std::string& file) {
  const auto path = test::shared_data("tori/" + file);
  if (path.empty()) return Json::array();
  return Json::parse(std::ifstream(path))["cases"];
}

/// Numbers of a nested array in order.
std::vector<std::int32_t> flat(const Json& nested) {
  if (!nested.is_array()) return {nested.get<std::int32_t>()};
  std::vector<std::int32_t> all;
  for (const auto& part : nested)
    for (const auto number : flat(part)) all.push_back(number);
  return all;
}

std::string generation(const std::string& kind) {
  static const std::map<std::string, std::string> all{{"TPU v3", "v3"},       {"TPU v4", "v4"}, {"TPU v5 lite", "v5e"},
                                                      {"TPU v6 lite", "v6e"}, {"TPU7x", "v7"},  {"TPU7", "v7"}};
  return all.at(kind);
}

/// Checks a case of JAX's tests; returns whether it is of a kind that is known.
bool check_case(const Json& c) {
  const std::string function = c["function"];
  const auto& expect = c["expect"];
  const std::string expected = expect["kind"];
  if (function == "preference")
    return prefers(expect["first"], expect["second"], c["physical_shape"], c["already_assigned"]) &&
           !prefers(expect["second"], expect["first"], c["physical_shape"], c["already_assigned"]);
  if (function == "candidates of one logical axis") {
    const auto found = candidates(c["physical_shape"], c["already_assigned"], c["logical_axis_size"]);
    const std::vector<Shape> wanted = expect["candidates"];
    return std::set(found.begin(), found.end()) == std::set(wanted.begin(), wanted.end());
  }
  if (function == "mesh from matrix") {  // its devices are numbered along the last axis first
    const Assignment matrix = c["matrix"];
    Shape physical;  // of one of these the case gives the axes in another order
    for (const auto& row : matrix) physical.push_back(std::accumulate(row.begin(), row.end(), 1, std::multiplies<>()));
    auto places = order(physical, matrix);
    for (auto& place : places) {
      std::int32_t number = 0;
      for (const auto extent : physical) {
        number = number * extent + place % extent;
        place /= extent;
      }
      place = number;
    }
    return places == flat(c["computed_ids"]);
  }
  if (function != "create_device_mesh") {
    auto assignment = function == "splitting" ? split_axes(c["physical_shape"], c["logical_shape"])
                                              : whole_axes(c["physical_shape"], c["logical_shape"]);
    if (!assignment && function == "whole-axes, then splitting")
      assignment = split_axes(c["physical_shape"], c["logical_shape"]);
    return assignment && *assignment == expect["matrix"].get<Assignment>() &&
           (!c.contains("computed_ids") || order(c["physical_shape"], *assignment) == flat(c["computed_ids"]));
  }
  Shape chips = c["chips"];
  const std::string name = c["name"];
  std::int32_t first = 0;
  if (name.find(" 32 of the list") != std::string::npos) {  // half of the slice along z
    chips[2] /= 2;
    if (name.find("last") != std::string::npos) first = 32;
  }
  const auto cores = c.value("cores_per_chip", 1);
  const Options options{.contiguous = c.value("options", Json::object()).value("contiguous_submeshes", false)};
  const auto make = [&] {
    auto ids = device_mesh(generation(c["device_kind"]), chips, cores, c["logical_shape"], options);
    for (auto& id : ids) id += first;
    return ids;
  };
  if (expected == "error") return test::error_of(make) == expect["text"].get<std::string>();
  const auto ids = make();
  if (expected == "device ids") return ids == flat(expect["ids"]);
  if (options.contiguous &&
      contiguous_axes(chips, c["logical_shape"]) != expect["axes_permuted_first"].get<std::vector<std::size_t>>())
    return false;
  return !c.contains("computed_ids") || ids == flat(c["computed_ids"]);
}

TEST_CASE("JAX's own tests hold") {
  for (const auto& c : cases("jax_mesh_cases.json")) {
    INFO(c.dump());
    CHECK(check_case(c));
  }
}

TEST_CASE("Axes are assigned as JAX computes it, and refused where it refuses") {
  int refused = 0, compared = 0;
  for (const auto& c : cases("jax_mesh_generated.json")) {
    INFO(c.dump());
    const Shape physical = c["physical_shape"], logical = c["logical_shape"];
    const auto whole = whole_axes(physical, logical);
    REQUIRE(whole.has_value() == !c["whole_axes"].is_null());
    if (whole) CHECK(*whole == c["whole_axes"].get<Assignment>());
    auto split = whole ? whole : split_axes(physical, logical);
    REQUIRE(split.has_value());
    CHECK(*split == c["split_allowed"].get<Assignment>());
    refused += whole ? 0 : 1;
    ++compared;
  }
  if (compared > 0) CHECK(refused == 174);
}

std::vector<std::int32_t> mapped(const std::string& slice, const std::string& mapper, std::int32_t ranks,
                                 std::vector<NodeId> slots = {}) {
  const auto machine = platforms::make_machine(slice);
  CommunicationMatrix none;
  none.rows.resize(ranks);
  const Traffic traffic(none);
  if (slots.empty()) slots = all_nodes(machine);
  std::vector<std::int32_t> ids;
  for (const auto node : make_mapping(MapperChoice(mapper), {machine, slots, traffic})) ids.push_back(node.value());
  return ids;
}

TEST_CASE("An axis of a mesh gets whole axes of the slice, the last axis of the mesh choosing first") {
  // The last axis takes x and y, x in large steps; the first one has z left.
  CHECK(mapped("tpu-v4:2x2x4", "jax:mesh=4x4", 16) ==
        std::vector<std::int32_t>{0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15});
  CHECK(mapped("tpu-v4:2x2x1", "jax", 4) == std::vector<std::int32_t>{0, 2, 1, 3});
}

TEST_CASE("Small slices have rings of their own") {
  CHECK(mapped("tpu-v6e:2x2", "jax", 4) == std::vector<std::int32_t>{0, 1, 3, 2});
  CHECK(mapped("tpu-v5e:4x2", "jax:mesh=2x4", 8) == std::vector<std::int32_t>{0, 1, 2, 3, 7, 6, 5, 4});
  CHECK(mapped("tpu-v5p:2x2x2", "jax", 8) == std::vector<std::int32_t>{0, 1, 3, 2, 6, 7, 5, 4});
  CHECK(mapped("tpu-v3:2x2", "jax", 8) == std::vector<std::int32_t>{0, 1, 2, 3, 6, 7, 4, 5});
  CHECK(mapped("tpu-v7:2x2x1", "jax:mesh=2x4", 8) == std::vector<std::int32_t>{0, 1, 2, 3, 6, 7, 4, 5});
  const auto ring = mapped("tpu-v5e:4x4", "jax", 16);
  const auto machine = platforms::make_machine("tpu-v5e:4x4");
  for (std::size_t i = 0; i < ring.size(); ++i)
    CHECK(machine.hops(NodeId(ring[i]), NodeId(ring[(i + 1) % ring.size()])) == 1);
  CHECK(mapped("torus:2x2", "jax:chip=v5e", 4) == std::vector<std::int32_t>{0, 1, 3, 2});
}

TEST_CASE("A mesh on a part of a slice goes by that part") {
  std::vector<NodeId> half;
  for (std::int32_t node = 32; node < 64; ++node) half.emplace_back(node);
  const auto ids = mapped("tpu-v7:2x4x4", "jax", 32, half);
  CHECK(std::vector(ids.begin(), ids.begin() + 6) == std::vector<std::int32_t>{32, 33, 48, 49, 36, 37});
}

TEST_CASE("Meshes that do not fit are refused as JAX refuses them") {
  const auto error_of = [](const std::string& mapper) {
    return test::error_of([&] { mapped("tpu-v4:4x4x4", mapper, 64); });
  };
  CHECK(error_of("jax:mesh=2x32") ==
        "mesh 2x32: no whole axes of 4x4x4 are left for its axis 2 of 32; expected another mesh, or split=yes, which "
        "may divide axes of the machine (allow_split_physical_axes of JAX)");
  CHECK(error_of("jax:mesh=2x32,split=yes").empty());
  CHECK(error_of("jax:mesh=4x4") == "mesh=4x4: found 16 places, expected one for each of 64 ranks");
  CHECK(error_of("jax:mesh=8x8,contiguous=yes") ==
        "create_device_mesh cannot create contiguous submeshes for mesh_shape (8, 8) and physical mesh topology (4, 4, "
        "4). Available mesh_shapes: [(16, 4)]");
  CHECK(test::error_of([&] { mapped("tpu-v4:4x4x4", "jax", 5); }) ==
        "5 ranks on 64 slots of tpu-v4:4x4x4: expected as many ranks as slots, for a mesh over all of them");
}

}  // namespace
}  // namespace toroid::mapping::jax

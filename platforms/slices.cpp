// Sources: docs.cloud.google.com/tpu/docs (v4, v5e, v5p, v6e, tpu7x) for shapes, bandwidths of chips and peaks; N.
// Jouppi and others, TPU v4 (ISCA 2023), for cubes and twists; J. Austin and others, How to Scale Your Model, for wraps
// of v5e and v6e, and for bandwidths as measured, a tenth lower; PR 39340 of JAX for the link between the cores of v7.
// The links of v2 and v3 are the 496 and 656 Gbit/s of N. Jouppi and others (CACM 63, 2020). Latencies are estimates,
// and so are the links between the cores of v2 and v3, which have a memory each.

#include "platforms/load.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/units.hpp"
#include "platforms/values.hpp"

namespace toroid::platforms {
namespace {

constexpr std::int32_t cube = 4;
constexpr std::string_view twisted_suffix = "_twisted";

[[noreturn]] void fail(const SliceFamily& family, std::string_view shape, const std::string& expected) {
  core::fail_input("'{}:{}': expected {}", family.name, core::excerpt(shape), expected);
}

bool is_of_cubes(const Description& m) {
  return std::ranges::all_of(m.dimensions, [](const Dimension& d) { return d.extent % cube == 0; });
}

void check_shape(const SliceFamily& family, std::string_view shape, const Description& m) {
  if (m.dimensions.size() != family.axes)
    fail(family, shape, fmt::format("{} extents, such as {}", family.axes, family.example));
  std::int64_t chips = 1;
  for (const auto& d : m.dimensions) {
    if (d.extent > family.longest) fail(family, shape, fmt::format("at most {} chips along an axis", family.longest));
    chips *= d.extent;
  }
  if (chips > family.most_chips)
    fail(family, shape, fmt::format("at most {} chips, found {}", family.most_chips, chips));
}

void wrap(const SliceFamily& family, Description& m) {
  for (auto& d : m.dimensions) {
    const bool wraps = family.axes == 3 ? is_of_cubes(m) : d.extent == family.longest;
    d.wrap = wraps ? Wrap::torus : Wrap::mesh;
  }
}

void twist(const SliceFamily& family, std::string_view shape, Description& m) {
  std::vector<std::int32_t> sides;
  for (const auto& d : m.dimensions) sides.push_back(d.extent);
  const auto [low, high] = std::ranges::minmax(sides);
  const bool fits = family.axes == 3 && is_of_cubes(m) && high == 2 * low &&
                    std::ranges::all_of(sides, [&, l = low, h = high](auto side) { return side == l || side == h; });
  if (!fits) fail(family, shape, "n x n x 2n or n x 2n x 2n chips for a twist, n a multiple of 4");
  for (std::size_t d = 0; d < sides.size(); ++d)
    for (std::size_t along = 0; along < sides.size() && sides[d] == low; ++along)
      if (sides[along] == high) m.dimensions[d].twist[along] = low;
}

void add_cores(const SliceFamily& family, Description& m) {
  for (auto& d : m.dimensions) d.bandwidth /= 2;
  Dimension core;
  core.extent = 2;
  core.bandwidth = family.between_cores;
  core.latency = m.dimensions[0].latency;
  core.name = "core";
  m.dimensions.push_back(core);
  m.cabling.emplace_back();
  m.numbering.push_back({m.dimensions.size() - 1, 2});
  for (std::size_t d = 0; d + 1 < m.dimensions.size(); ++d) m.numbering.push_back({d, m.dimensions[d].extent});
  m.node.speed /= 2;
}

/// `TPU v5p`.
std::string generation(const SliceFamily& family) {
  return fmt::format("TPU {}", family.name.substr(family.name.find('-') + 1));
}

std::string help_of(const SliceFamily& family) {
  const auto pod = family.axes == 2 ? fmt::format("{0}x{0}", family.longest) : fmt::format("{}", family.most_chips);
  const auto cores = family.between_cores == 0 ? std::string()
                                               : fmt::format("; two cores a chip, {} between them",
                                                             core::format_bandwidth(family.between_cores));
  return fmt::format("slice of {}, such as {}: up to {} chips of {:g} Tflop/s (bf16), nominal {} a link each way{}",
                     generation(family), family.example, pod, family.speed / 1e12,
                     core::format_bandwidth(family.link_bandwidth), cores);
}

}  // namespace

const std::vector<SliceFamily>& slice_families() {
  static const auto all = [] {
    std::vector<SliceFamily> families{
        {"tpu-v2", "4x4", 2, 16, 256, 62e9, 45e12, 350e9},      {"tpu-v3", "8x8", 2, 32, 1024, 82e9, 123e12, 450e9},
        {"tpu-v4", "4x4x8", 3, 64, 4096, 50e9, 275e12},         {"tpu-v5e", "4x8", 2, 16, 256, 50e9, 197e12},
        {"tpu-v5p", "4x4x8", 3, 64, 8960, 100e9, 459e12},       {"tpu-v6e", "8x16", 2, 16, 256, 100e9, 918e12},
        {"tpu-v7", "4x4x4", 3, 64, 9216, 100e9, 2307e12, 600e9}};
    for (auto& family : families) family.help = help_of(family);
    return families;
  }();
  return all;
}

Description slice(const SliceFamily& family, std::string_view shape) {
  const bool is_twisted = shape.ends_with(twisted_suffix);
  auto sides = shape;
  if (is_twisted) sides.remove_suffix(twisted_suffix.size());
  if (sides.empty()) fail(family, shape, fmt::format("a shape such as {}:{}", family.name, family.example));
  Description m;
  set_shape(m, sides, fmt::format("'{}:{}'", family.name, core::excerpt(shape)));
  check_shape(family, shape, m);
  double links = 0;
  for (auto& d : m.dimensions) {
    d.bandwidth = family.link_bandwidth;
    d.latency = 200e-9;
    links += 2 * d.bandwidth;
  }
  wrap(family, m);
  if (is_twisted) twist(family, shape, m);
  m.node.base_latency = 1e-6;
  m.node.speed = family.speed;
  if (family.between_cores > 0) {
    add_cores(family, m);
    links = links / 2 + family.between_cores;
  }
  m.node.injection_bandwidth = m.node.ejection_bandwidth = links;
  m.provenance = parse_provenance(
      m,
      "published: wrap twist bandwidth injection-bandwidth ejection-bandwidth speed; estimate: numbering latency "
      "base-latency sending overhead gap handshake router.*; chosen: shape",
      family.name);
  m.text = fmt::format("slice of {}: {} chips", generation(family), shape);
  return m;
}

}  // namespace toroid::platforms

// Sources: docs.cloud.google.com/tpu/docs (v4, v5e, v5p, v6e, tpu7x) for shapes, bandwidths of chips and peaks; N.
// Jouppi and others, TPU v4 (ISCA 2023), for cubes and twists; J. Austin and others, How to Scale Your Model, for wraps
// of v5e and v6e, and for bandwidths as measured, a tenth lower; PR 39340 of JAX for the link between the cores of v7.
// The longest axes of v5p and v7 are those of the slices that Google's launcher lists (AI-Hypercomputer/xpk,
// system_characteristics.py: 4x4x244). The links of v2 and v3 are the 496 and 656 Gbit/s of N. Jouppi and others (CACM
// 63, 2020). Latencies are estimates, and so are the links between the cores of v2 and v3, which have a memory each,
// and the bandwidth between slices but for v5e and v5p. Efficiencies are those of docs/validation/training.md.

#include "toroid/platforms/load.hpp"

#include <algorithm>
#include <cmath>

#include "core/units.hpp"
#include "platforms/values.hpp"

namespace toroid::platforms {
namespace {

constexpr std::int32_t cube = 4;
constexpr std::string_view twisted_suffix = "_twisted", slices_suffix = "slices";
constexpr std::int32_t most_slices = 1024;

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
  m.dimensions.push_back(
      {.extent = 2, .bandwidth = family.between_cores, .latency = m.dimensions[0].latency, .name = "core"});
  m.cabling.emplace_back();
  m.numbering.push_back({m.dimensions.size() - 1, 2});
  for (std::size_t d = 0; d + 1 < m.dimensions.size(); ++d) m.numbering.push_back({d, m.dimensions[d].extent});
  m.node.speed /= 2;
  m.node.memory /= 2;
}

/// How many slices `4x4x8_2slices` are; takes that from the shape.
std::int32_t take_slices(const SliceFamily& family, std::string_view& shape) {
  if (!shape.ends_with(slices_suffix)) return 1;
  const auto given = shape;
  const auto before = shape.rfind('_');
  if (before == std::string_view::npos) fail(family, shape, fmt::format("a shape such as {}_2slices", family.example));
  auto count = shape.substr(before + 1);
  count.remove_suffix(slices_suffix.size());
  shape = shape.substr(0, before);
  return parse_count(count, fmt::format("'{}:{}': slices", family.name, core::excerpt(given)), 2, most_slices);
}

/// Slices in a ring of which each chip has one: half of its bandwidth goes either way. Two have a link of all of it.
void add_slices(const SliceFamily& family, std::int32_t slices, Description& m) {
  if (!m.numbering.empty()) m.numbering.push_back({m.dimensions.size(), slices});
  m.dimensions.push_back(
      {.extent = slices,
       .wrap = slices > 2 ? Wrap::torus : Wrap::mesh,
       .bandwidth = family.between_slices / (slices > 2 ? 2 : 1) / (family.between_cores > 0 ? 2 : 1),
       .latency = 10e-6,
       .name = "slice"});
  m.cabling.emplace_back();
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

PropertyInterval Efficiency::interval() const {
  const auto in_hundredths = [](double share) { return std::round(100 * std::min(share, 1.0)) / 100; };
  return {"efficiency", Quantity::share, in_hundredths(hidden * std::exp(-deviation)),
          in_hundredths(exposed * std::exp(deviation)), best};
}

const std::vector<SliceFamily>& slice_families() {
  static const auto all = [] {
    std::vector<SliceFamily> families{
        {"tpu-v2", "4x4", 2, 16, 256, 62e9, 45e12, 16e9, 3.125e9, {}, 350e9},
        {"tpu-v3", "8x8", 2, 32, 1024, 82e9, 123e12, 32e9, 3.125e9, {}, 450e9},
        {"tpu-v4", "4x4x8", 3, 64, 4096, 50e9, 275e12, 32e9, 6.25e9},
        {"tpu-v5e", "4x8", 2, 16, 256, 50e9, 197e12, 16e9, 3.125e9},
        {"tpu-v5p", "4x4x8", 3, 244, 8960, 100e9, 459e12, 95e9, 6.25e9, {0.53, 0.62, 0.91, 0.09, 2}},
        {"tpu-v6e", "8x16", 2, 16, 256, 100e9, 918e12, 32e9, 12.5e9, {0.53, 0.53, 0.57, 0.13, 1.22}},
        {"tpu-v7", "4x4x4", 3, 244, 9216, 100e9, 2307e12, 192e9, 12.5e9, {0.58, 0.58, 0.62, 0.12, 1.76}, 600e9}};
    for (auto& family : families) family.help = help_of(family);
    return families;
  }();
  return all;
}

Description slice(const SliceFamily& family, std::string_view shape, const Choose& choose) {
  const auto slices = take_slices(family, shape);
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
  m.node.memory = family.memory;
  if (family.efficiency.is_measured()) m.node.efficiency = choose(family.efficiency.interval());
  if (family.between_cores > 0) {
    add_cores(family, m);
    links = links / 2 + family.between_cores;
  }
  m.node.peak = m.node.speed;
  if (slices > 1) {
    add_slices(family, slices, m);
    links += (slices > 2 ? 2 : 1) * m.dimensions.back().bandwidth;
  }
  m.node.injection_bandwidth = m.node.ejection_bandwidth = links;
  constexpr std::string_view sources =
      "published: wrap twist bandwidth injection-bandwidth ejection-bandwidth speed peak memory; estimate: numbering "
      "latency base-latency sending overhead gap handshake router.*; chosen: shape";
  const auto of_slices = slices > 1 ? "; estimate: slice.bandwidth slice.wrap" : "";
  const auto of_rows = family.efficiency.is_measured() ? "; measured: efficiency" : "";
  m.provenance = parse_provenance(m, fmt::format("{}{}{}", sources, of_slices, of_rows), family.name);
  TOROID_ASSERT(links > 0 && m.cabling.size() == m.dimensions.size());
  m.text = slices > 1 ? fmt::format("{} slices of {}: {} chips each", slices, generation(family), shape)
                      : fmt::format("slice of {}: {} chips", generation(family), shape);
  return m;
}

}  // namespace toroid::platforms

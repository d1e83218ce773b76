// Machines written inline: mesh:8x8,bw=1GBps,lat=100ns. The spec's name is the wrap of every dimension; `wrap`, `bw`
// and `lat` take one value for all dimensions or one for each, separated by slashes.

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "platforms/machine.hpp"

namespace toroid::platforms {
namespace {

Wrap parse_wrap(std::string_view text) {
  for (const Wrap wrap : {Wrap::mesh, Wrap::torus, Wrap::ring})
    if (text == to_string(wrap)) return wrap;
  core::fail_input("unknown wrap '{}'; valid: mesh, torus, ring", text);
}

std::vector<Dimension> parse_extents(const core::Spec& spec) {
  std::vector<Dimension> dimensions;
  for (const auto part : core::split(spec.argument(), 'x')) {
    const auto extent = core::parse_number<std::int32_t>(part);
    if (!extent || *extent < 1)
      core::fail_input("'{}': found the shape '{}', expected extents such as {}:8x8 or {}:4x4x4", spec.text(),
                       spec.argument(), spec.name(), spec.name());
    dimensions.push_back({.extent = *extent});
  }
  return dimensions;
}

/// Gives each dimension its part of `a/b/c`, or the one value that is there to all of them.
template <class Set>
void for_each_dimension(const core::Spec& spec, std::string_view key, std::vector<Dimension>& dimensions, Set set) {
  const auto text = spec.find(key);
  if (!text) return;
  const auto parts = core::split(*text, '/');
  if (parts.size() != 1 && parts.size() != dimensions.size())
    core::fail_input("'{}': {}={}: {} values for {} dimensions; expected 1 or {}", spec.text(), key, *text,
                     parts.size(), dimensions.size(), dimensions.size());
  for (std::size_t d = 0; d < dimensions.size(); ++d) set(dimensions[d], parts[parts.size() == 1 ? 0 : d]);
}

template <class Parse>
double get(const core::Spec& spec, std::string_view key, double fallback, Parse parse) {
  const auto text = spec.find(key);
  return text ? parse(*text, key) : fallback;
}

Machine make_inline(const core::Spec& spec) {
  auto dimensions = parse_extents(spec);
  for (auto& dimension : dimensions) dimension.wrap = parse_wrap(spec.name());
  for_each_dimension(spec, "wrap", dimensions, [](Dimension& d, std::string_view v) { d.wrap = parse_wrap(v); });
  for_each_dimension(spec, "bw", dimensions,
                     [](Dimension& d, std::string_view v) { d.bandwidth = core::parse_bandwidth(v, "bw"); });
  for_each_dimension(spec, "lat", dimensions,
                     [](Dimension& d, std::string_view v) { d.latency = core::parse_duration(v, "lat"); });
  NodeParameters p;
  p.base_latency = get(spec, "base", p.base_latency, core::parse_duration);
  p.injection_bandwidth = get(spec, "injection", p.injection_bandwidth, core::parse_bandwidth);
  p.ejection_bandwidth = get(spec, "ejection", p.ejection_bandwidth, core::parse_bandwidth);
  p.loopback_bandwidth = get(spec, "loopback_bw", p.loopback_bandwidth, core::parse_bandwidth);
  p.loopback_latency = get(spec, "loopback_lat", p.loopback_latency, core::parse_duration);
  p.speed = get(spec, "speed", p.speed, core::parse_speed);
  p.cores = static_cast<std::int32_t>(spec.get_integer("cores", p.cores, 1, 1 << 20U));
  return Machine(spec.text(), Grid(std::move(dimensions)), p);
}

}  // namespace

const core::Registry<MakeMachine>& machines() {
  static const std::vector<core::Parameter> parameters{
      {"bw", "bandwidth of each directed link (1GBps); one value, or one per dimension: 4GBps/2GBps"},
      {"lat", "latency per hop (100ns); one value, or one per dimension"},
      {"wrap", "mesh, torus or ring (one-way) per dimension: mesh/mesh/torus"},
      {"base", "latency paid once per message, besides the hops (0s)"},
      {"injection", "bandwidth from a node into the network (no limit)"},
      {"ejection", "bandwidth from the network into a node (no limit)"},
      {"loopback_bw", "bandwidth between ranks of one node (10GBps)"},
      {"loopback_lat", "latency between ranks of one node (100ns)"},
      {"speed", "speed of one core (1Gf): a recorded flop takes 1/speed seconds"},
      {"cores", "ranks that a node can run at once (1)"}};
  static const core::Registry<MakeMachine> registry(
      "platform",
      {{"mesh", "grid without wrap-around links", make_inline, parameters, "EXTENTS"},
       {"torus", "grid with wrap-around links, the shorter way round", make_inline, parameters, "EXTENTS"},
       {"ring", "grid of one-way rings (SCI): routes only go forward", make_inline, parameters, "EXTENTS"}});
  return registry;
}

}  // namespace toroid::platforms

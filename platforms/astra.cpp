#include <limits>

#include "platforms/slurm/topology.hpp"
#include "toroid/core/error.hpp"

namespace toroid::platforms {
namespace {

/// The list under a key, with an item for each dimension.
const Yaml& list_of(const std::string& path, const Yaml& root, std::string_view key, std::size_t dimensions) {
  const auto* found = root.find(key);
  if (found == nullptr) core::fail_input_at(path, root.line, "found no {}, expected one", key);
  const bool has_items = found->kind == Yaml::Kind::list && !found->items.empty();
  if (!has_items) core::fail_input_at(path, found->line, "found no list in {}, expected an item a dimension", key);
  if (dimensions > 0 && found->items.size() != dimensions)
    core::fail_input_at(path, found->line, "found {} items in {}, expected {}", found->items.size(), key, dimensions);
  return *found;
}

template <class Number>
Number number_of(const std::string& path, const Yaml& item, Number least, std::string_view what) {
  const auto number = core::parse_number<Number>(item.text);
  if (!number || !(*number >= least))
    core::fail_input_at(path, item.line, "found '{}', expected {}", core::excerpt(item.text), what);
  return *number;
}

}  // namespace

bool is_astra_network(const std::string& path) {
  return read_yaml(path).find("npus_count") != nullptr;
}

Description read_astra_network(const std::string& path) {
  const auto root = read_yaml(path);
  const auto& extents = list_of(path, root, "npus_count", 0);
  const auto count = extents.items.size();
  const auto &kinds = list_of(path, root, "topology", count), &bandwidths = list_of(path, root, "bandwidth", count),
             &latencies = list_of(path, root, "latency", count);
  Description m;
  m.text = "a network of ASTRA-sim";
  m.name = path;
  for (std::size_t d = 0; d < count; ++d) {
    const auto& kind = kinds.items[d];
    const auto extent = number_of<std::int32_t>(path, extents.items[d], 1, "a number of nodes");
    if (kind.text != "Ring" && extent > 1)
      core::fail_input_at(path, kind.line,
                          "found the dimension '{}', expected Ring: dimensions of the machines here are rings, not "
                          "crossbars or switches",
                          core::excerpt(kind.text));
    constexpr double above_zero = std::numeric_limits<double>::min();
    constexpr double gigabyte = 1 << 30U, nanosecond = 1e-9;
    Dimension dimension{.extent = extent, .wrap = Wrap::torus};
    dimension.bandwidth = gigabyte * number_of<double>(path, bandwidths.items[d], above_zero, "GB/s, more than 0");
    dimension.latency = nanosecond * number_of<double>(path, latencies.items[d], 0, "nanoseconds");
    m.dimensions.push_back(dimension);
  }
  return m;
}

}  // namespace toroid::platforms

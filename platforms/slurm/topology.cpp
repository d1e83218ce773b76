#include "platforms/slurm/topology.hpp"

#include <algorithm>
#include <unordered_set>

#include "platforms/names.hpp"
#include "platforms/values.hpp"
#include "toroid/core/error.hpp"

namespace toroid::platforms {
namespace {

using Extents = Placement::Extents;
using YamlKind = Yaml::Kind;

constexpr std::int32_t longest_ring = 16;  ///< what Slurm takes

std::string_view word(YamlKind kind) {
  return kind == YamlKind::text ? "string" : kind == YamlKind::list ? "list" : "dictionary";
}

/// A torus or ring as it stands in the file: its cells, x fastest, which have no name where they are empty.
struct Part {
  std::string name;
  std::uint64_t line = 1;
  Extents dims{};
  std::vector<std::string> cells;
  std::vector<Placement> placements;
};

std::int64_t volume(const Extents& dims) {
  return std::int64_t{dims[0]} * dims[1] * dims[2];
}

/// A value of the file, with the path by which Slurm's messages name it: `#/torus3d/toruses/`.
class Value {
 public:
  Value(const std::string& file, const Yaml& yaml, std::string path)
      : file_(file), yaml_(yaml), path_(std::move(path)) {}

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    core::fail_input_at(file_, yaml_.line, "{}", fmt::format(format, std::forward<Args>(args)...));
  }

  std::uint64_t line() const { return yaml_.line; }

  /// As Slurm reads it: a dictionary alone may stand for a list of one.
  std::vector<Value> list() const {
    if (yaml_.kind == YamlKind::map) return {*this};
    if (yaml_.kind != YamlKind::list)
      fail("source: {}, description: Unexpected type {} when expecting a list", path_, word(yaml_.kind));
    std::vector<Value> all;
    for (const auto& item : yaml_.items) all.push_back(Value(file_, item, path_));
    return all;
  }

  /// Throws InputError unless it is a dictionary with no keys but these.
  const Value& dictionary(const std::vector<std::string>& keys) const {
    if (yaml_.kind != YamlKind::map)
      fail("source: {}, description: Rejecting {} when dictionary expected", path_, word(yaml_.kind));
    for (const auto& [key, value] : yaml_.fields)
      if (std::ranges::find(keys, key) == keys.end())
        core::fail_input_at(file_, value.line, "source: {}, description: unknown key '{}'{}", path_, core::excerpt(key),
                            core::valid_instead(key, keys));
    return *this;
  }

  std::optional<Value> find(std::string_view key) const {
    const auto* value = yaml_.find(key);
    return value == nullptr ? std::nullopt
                            : std::optional<Value>(std::in_place, file_, *value, fmt::format("{}{}/", path_, key));
  }
  Value get(std::string_view key) const {
    if (auto value = find(key)) return *std::move(value);
    fail("source: {}, description: '{}' is missing", path_, key);
  }

  std::string text() const {
    if (yaml_.kind != YamlKind::text)
      fail("source: {}, description: found a {}, expected a text", path_, word(yaml_.kind));
    return yaml_.text;
  }

  /// Numbers x, y and z; those that are missing are 0.
  Extents triple() const {
    dictionary({"x", "y", "z"});
    Extents all{};
    constexpr std::array names{"x", "y", "z"};
    for (std::size_t d = 0; d < all.size(); ++d)
      if (const auto value = find(names[d])) {
        const auto number = core::parse_number<std::int32_t>(value->text());
        if (!number || *number < 0 || *number > 65535)
          value->fail("source: {}, description: found '{}', expected a whole number up to 65535", value->path_,
                      core::excerpt(value->text()));
        all[d] = *number;
      }
    return all;
  }

  /// A list of hosts, or a YAML list of them.
  std::vector<std::string> hosts() const {
    const bool is_list = yaml_.kind == YamlKind::list;
    const auto text = is_list ? joined(list(), ",", [](const Value& item) { return item.text(); }) : this->text();
    return expand_host_list(text, fmt::format("{}:{}: source: {}", file_, yaml_.line, path_), most_routers);
  }

 private:
  const std::string& file_;
  const Yaml& yaml_;
  std::string path_;
};

// torus3d

class TorusReader {
 public:
  explicit TorusReader(const Value& value) : value_(value) {
    value.dictionary({"name", "dims", "nodes", "regions", "placements"});
    part_.line = value.line();
    part_.name = value.get("name").text();
  }

  Part read() {
    part_.dims = value_.get("dims").triple();
    if (volume(part_.dims) == 0) fail("requires non-zero x,y,z");
    if (volume(part_.dims) > most_routers) fail(fmt::format("has more than {} cells", most_routers));
    if (const auto placements = value_.find("placements"))
      for (const auto& placement : placements->list()) read_placement(placement);
    const auto nodes = value_.find("nodes"), regions = value_.find("regions");
    if (nodes && regions) fail("cannot specify both nodes and regions");
    if (!nodes && !regions) fail("has neither nodes nor regions");
    part_.cells.resize(static_cast<std::size_t>(volume(part_.dims)));
    if (regions)
      for (const auto& region : regions->list()) read_region(region);
    else
      fill(nodes->hosts(), {}, part_.dims);
    return std::move(part_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    value_.fail("Torus3d ({}) has invalid configuration: {}", part_.name, what);
  }

  static std::string text_of(const Extents& e) { return fmt::format("{}x{}x{}", e[0], e[1], e[2]); }

  void read_placement(const Value& value) {
    value.dictionary({"dims", "anchor_spacing", "anchor_seed"});
    Placement placement{.dims = value.get("dims").triple()};
    if (const auto spacing = value.find("anchor_spacing")) placement.spacing = spacing->triple();
    if (const auto seed = value.find("anchor_seed")) placement.seed = seed->triple();
    for (std::size_t d = 0; d < part_.dims.size(); ++d) {
      if (placement.dims[d] < 1) fail("placement dims must be non-zero");
      if (placement.dims[d] > part_.dims[d])
        fail(fmt::format("placement dims {} exceed torus dimensions {}", text_of(placement.dims), text_of(part_.dims)));
      if (placement.spacing[d] > part_.dims[d])
        fail(fmt::format("placement anchor_spacing {} must be within torus dimensions {}", text_of(placement.spacing),
                         text_of(part_.dims)));
      if (placement.seed[d] >= part_.dims[d])
        fail(fmt::format("placement anchor_seed {} must be within torus dimensions {}", text_of(placement.seed),
                         text_of(part_.dims)));
    }
    part_.placements.push_back(placement);
  }

  void read_region(const Value& value) {
    value.dictionary({"anchor", "dims", "nodes"});
    const auto anchor = value.get("anchor").triple(), dims = value.get("dims").triple();
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (anchor[d] + dims[d] > part_.dims[d])
        fail(fmt::format("region dims {} from {},{},{} on exceed torus dimensions {}", text_of(dims), anchor[0],
                         anchor[1], anchor[2], text_of(part_.dims)));
    fill(value.get("nodes").hosts(), anchor, dims);
  }

  /// Puts names into a box of cells, x fastest.
  void fill(std::vector<std::string> names, const Extents& anchor, const Extents& dims) {
    if (static_cast<std::int64_t>(names.size()) != volume(dims))
      fail(fmt::format("dims {}={} do not match node count {}", text_of(dims), volume(dims), names.size()));
    std::size_t next = 0;
    for (std::int32_t z = anchor[2]; z < anchor[2] + dims[2]; ++z)
      for (std::int32_t y = anchor[1]; y < anchor[1] + dims[1]; ++y)
        for (std::int32_t x = anchor[0]; x < anchor[0] + dims[0]; ++x) {
          auto& cell = part_.cells[static_cast<std::size_t>(x + part_.dims[0] * (y + part_.dims[1] * z))];
          if (!cell.empty()) fail(fmt::format("a region overlaps existing nodes at {},{},{}", x, y, z));
          cell = std::move(names[next++]);
        }
  }

  const Value& value_;
  Part part_;
};

// ring

Part read_ring(const Value& value) {
  value.dictionary({"ring", "nodes"});
  Part part{.name = value.get("ring").text(), .line = value.line(), .dims = {}, .cells = {}, .placements = {}};
  part.cells = value.get("nodes").hosts();
  if (part.cells.size() > longest_ring)
    value.fail("Ring ({}) is bigger than {}: {} nodes", part.name, longest_ring, part.cells.size());
  part.dims = {static_cast<std::int32_t>(part.cells.size()), 1, 1};
  return part;
}

// The file

/// The kinds of topologies in the order in which Slurm reads them, and what it says of one that comes after another.
struct Plugin {
  std::string_view key, others;
};
constexpr std::array plugins{Plugin{"block", ""}, Plugin{"flat", "other plugins"},
                             Plugin{"tree", "fields block and flat"}, Plugin{"ring", "fields block, tree and flat"},
                             Plugin{"torus3d", "fields block, tree, flat and ring"}};

bool is_given(const Value& topology, std::string_view key) {
  const auto value = topology.find(key);
  return value && !(key == "flat" && value->text() == "false");
}

/// The key of the one kind that a topology is of.
std::string_view plugin_of(const Value& topology) {
  std::string_view found;
  for (const auto& [key, others] : plugins) {
    if (!is_given(topology, key)) continue;
    if (!found.empty())
      topology.get(key).fail("source: #/{}/, description: Field {} is mutually exclusive with {}", key, key, others);
    found = key;
  }
  if (found.empty()) topology.fail("source: #/, description: expected one of tree, block, ring, flat and torus3d");
  return found;
}

/// The name of a topology, its kind, and its value.
struct Topology {
  std::string name;
  std::string_view plugin;
  Value value;
};

/// The text of a key; empty where there is none.
std::string text_at(const Value& topology, std::string_view key) {
  const auto value = topology.find(key);
  return value ? value->text() : "";
}

/// The topology that is asked for, of which alone all must be right; without a name the one that Slurm takes for the
/// cluster's.
Topology chosen(const Value& root, const std::string& name) {
  const auto all = root.list();
  if (all.empty()) root.fail("source: #/, description: found no topology");
  auto found = std::ranges::find_if(all, [&](const Value& topology) {
    return name.empty() ? text_at(topology, "cluster_default") == "true" : text_at(topology, "topology") == name;
  });
  if (found == all.end() && !name.empty()) {
    std::vector<std::string> names;
    for (const auto& topology : all) names.push_back(text_at(topology, "topology"));
    root.fail("no topology '{}'{}", core::excerpt(name), core::valid_instead(name, names));
  }
  if (found == all.end()) found = all.begin();
  found->dictionary({"topology", "cluster_default", "tree", "block", "ring", "flat", "torus3d"});
  return {found->get("topology").text(), plugin_of(*found), *found};
}

std::vector<Part> parts_of(const Topology& topology) {
  std::vector<Part> parts;
  if (topology.plugin == "torus3d") {
    for (const auto& torus : topology.value.get("torus3d").dictionary({"toruses"}).get("toruses").list())
      parts.push_back(TorusReader(torus).read());
  } else if (topology.plugin == "ring") {
    for (const auto& ring : topology.value.get("ring").dictionary({"rings"}).get("rings").list())
      parts.push_back(read_ring(ring));
  } else {
    topology.value.fail("topology {} is of the kind {}, expected torus3d or ring", topology.name, topology.plugin);
  }
  if (parts.empty()) topology.value.fail("topology {} has no torus and no ring", topology.name);
  return parts;
}

/// Throws InputError where two parts have the same name, or two cells the same node.
void check_names(const std::vector<Part>& parts, const std::string& file) {
  std::unordered_set<std::string> names, nodes;
  for (const auto& part : parts) {
    if (!names.insert(part.name).second) core::fail_input_at(file, part.line, "'{}' is there twice", part.name);
    for (const auto& node : part.cells)
      if (!node.empty() && !nodes.insert(node).second)
        core::fail_input_at(file, part.line, "node {} is in two cells, of which no box could ever be free", node);
  }
}

/// Leaves the part of that name alone.
void select(std::vector<Part>& parts, const std::string& name, const std::string& file) {
  const auto found = std::ranges::find_if(parts, [&](const Part& part) { return part.name == name; });
  if (found == parts.end()) {
    std::vector<std::string> names;
    for (const auto& part : parts) names.push_back(part.name);
    core::fail_input("{}: no torus '{}'{}", file, core::excerpt(name), core::valid_instead(name, names));
  }
  parts = {*found};
}

/// The extents of all parts. Rings may be shorter than the longest: their last routers have no node then.
Extents common_dims(const std::vector<Part>& parts, bool are_rings, const std::string& file) {
  Extents dims = parts[0].dims;
  for (const auto& part : parts) {
    if (!are_rings && part.dims != dims)
      core::fail_input_at(file, part.line,
                          "torus {} has other dims than {}, which are no one machine; expected torus=NAME: {}:torus={}",
                          part.name, parts[0].name, file, parts[0].name);
    dims[0] = std::max(dims[0], part.dims[0]);
  }
  return dims;
}

Description describe_parts(const std::vector<Part>& parts, bool are_rings, const Extents& dims) {
  Description m;
  const bool has_several = parts.size() > 1;
  std::string shape = are_rings ? std::to_string(dims[0]) : fmt::format("{}x{}x{}", dims[0], dims[1], dims[2]);
  std::string names = are_rings ? "x" : "x y z";
  if (has_several) {
    shape += fmt::format("x{}", parts.size());
    names += are_rings ? " ring" : " torus";
  }
  set_property(m, "shape", shape);
  set_property(m, "dimensions", names);
  set_property(m, "wrap", "torus");
  if (has_several) m.dimensions.back().wrap = Wrap::mesh;
  for (const auto& part : parts) {
    for (std::int64_t cell = 0; cell < volume(dims); ++cell) {
      const auto i = static_cast<std::size_t>(cell);
      const NodeId node(m.node_names.size());
      m.node_names.push_back(i < part.cells.size() ? part.cells[i] : std::string());
      if (!m.node_names.back().empty()) continue;
      auto* last = m.absent.empty() ? nullptr : std::get_if<NodeRange>(&m.absent.back());
      if (last != nullptr && last->second.value() + 1 == node.value())
        last->second = node;
      else
        m.absent.emplace_back(NodeRange(node, node));
    }
    m.placements.push_back(part.placements);
  }
  const bool are_alike =
      std::ranges::all_of(m.placements, [&](const auto& placements) { return placements == m.placements[0]; });
  if (are_alike) m.placements.resize(m.placements[0].empty() ? 0 : 1);
  return m;
}

}  // namespace

Description read_topology(const std::string& path, const TopologyPart& part) {
  const auto yaml = read_yaml(path);
  const Value root(path, yaml, "#/");
  const auto topology = chosen(root, part.topology);
  auto parts = parts_of(topology);
  check_names(parts, path);
  if (!part.torus.empty()) select(parts, part.torus, path);
  const bool are_rings = topology.plugin == "ring";
  auto m = describe_parts(parts, are_rings, common_dims(parts, are_rings, path));
  m.name = part.torus.empty() ? topology.name : part.torus;
  m.text = fmt::format("topology/{} of Slurm", topology.plugin);
  return m;
}

}  // namespace toroid::platforms

// Mappers that put ranks on the nodes of the job in some order of these, whatever the traffic.

#include "core/bits.hpp"
#include "core/file.hpp"
#include "core/random.hpp"
#include "mapping/given.hpp"

namespace toroid::mapping {
namespace {

/// Rank r on the r-th of the slots in an order that hangs on these and the machine alone.
template <std::vector<NodeId> (*order)(const MappingProblem& problem)>
class InOrder final : public Mapper {
 public:
  bool uses_traffic() const override { return false; }
  bool uses_seed() const override { return false; }
  Mapping map(const MappingProblem& problem) const override {
    auto nodes = order(problem);
    nodes.resize(static_cast<std::size_t>(problem.ranks()));
    return Mapping(std::move(nodes));
  }
};

/// The slots as the job has them: what launchers do unless told otherwise.
std::vector<NodeId> as_given(const MappingProblem& problem) {
  return problem.slots;
}

/// The nodes of the first ranks by their numbers, whatever the order in which an allocator found these.
std::vector<NodeId> by_number(const MappingProblem& problem) {
  std::vector nodes(problem.slots.begin(), problem.slots.begin() + problem.ranks());
  std::ranges::sort(nodes);
  return nodes;
}

/// The nodes by their places on a curve: `place(node)` tells them.
template <class Place>
std::vector<NodeId> by_place(const std::vector<NodeId>& slots, Place place) {
  std::vector<std::pair<decltype(place(slots[0])), NodeId>> places;
  for (const NodeId node : slots) places.emplace_back(place(node), node);
  std::ranges::stable_sort(places, [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<NodeId> nodes;
  for (const auto& [at, node] : places) nodes.push_back(node);
  return nodes;
}

/// Along a snake through the machine: back and forth along x, row by row, plane by plane. Of every second row, seen
/// from the last dimension on, it takes the other end first. Each router is beside the next, where a Hilbert curve
/// needs sides that are powers of two for that.
std::vector<NodeId> along_snake(const MappingProblem& problem) {
  const auto& grid = problem.machine.grid();
  return by_place(problem.slots, [&](NodeId node) {
    std::int64_t place = 0;
    for (std::size_t d = grid.dimension_count(); d-- > 0;) {
      const std::int64_t extent = grid.dimension(d).extent, c = grid.coordinate(problem.machine.router(node), d);
      place = place * extent + (place % 2 == 0 ? c : extent - 1 - c);
    }
    return std::pair(place, node);
  });
}

/// Along a Hilbert curve through the machine (Slurm orders the nodes of a 3-D torus so): ranks close in number come
/// close in the network, whatever the program.
std::vector<NodeId> along_hilbert_curve(const MappingProblem& problem) {
  const auto& grid = problem.machine.grid();
  std::vector<std::size_t> dimensions;
  std::int32_t longest = 1;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    if (grid.dimension(d).extent > 1) dimensions.push_back(d);
    longest = std::max(longest, grid.dimension(d).extent);
  }
  return by_place(problem.slots, [&](NodeId node) {
    std::vector<std::uint32_t> x;
    for (const auto d : dimensions)
      x.push_back(static_cast<std::uint32_t>(grid.coordinate(problem.machine.router(node), d)));
    return core::place_on_hilbert_curve(std::move(x), core::bits_for(longest));
  });
}

/// A Morton curve (Z-order) through the job's part of a torus, as Slurm's topology/torus3d orders tasks: where a greedy
/// program does not say better, ranks close in number come close in the network.
class MortonCurve {
 public:
  MortonCurve(const Machine& machine, std::size_t dimensions, std::span<const NodeId> nodes)
      : machine_(machine), axes_(dimensions) {
    int bits = 0;
    for (std::size_t d = 0; d < dimensions; ++d) {
      std::vector<std::int32_t> coordinates;
      for (const NodeId node : nodes) coordinates.push_back(machine.grid().coordinate(machine.router(node), d));
      std::ranges::sort(coordinates);
      const auto& dimension = machine.grid().dimension(d);
      const auto arc = arc_of(coordinates, dimension);
      axes_[d] = {arc.first, dimension.extent, core::bits_for(arc.span), 0};
      bits += axes_[d].bits;
    }
    for (; bits > most_bits; --bits) {  // the longest axis loses its lowest bit
      auto& longest = *std::ranges::max_element(axes_, {}, &Axis::bits);
      --longest.bits;
      ++longest.dropped;
    }
  }

  /// The bits of the coordinates in turn, from the lowest on, until each axis has run out of them.
  std::uint32_t operator()(NodeId node) const {
    std::uint32_t place = 0;
    int next = 0;
    for (int bit = 0; bit < most_bits; ++bit)
      for (std::size_t d = 0; d < axes_.size(); ++d) {
        const auto& axis = axes_[d];
        if (bit >= axis.bits) continue;
        const auto from_first = machine_.grid().coordinate(machine_.router(node), d) - axis.first + axis.extent;
        const auto at = static_cast<std::uint32_t>(from_first % axis.extent) >> axis.dropped;
        place |= (at >> bit & 1U) << next++;
      }
    return place;
  }

 private:
  static constexpr int most_bits = 16;  ///< bits of a rank's place, in Slurm

  /// The shortest stretch of a dimension that holds a job.
  struct Arc {
    std::int32_t first = 0, span = 1;
  };
  /// A place along an axis, and how many bits the axis has.
  struct Axis {
    std::int32_t first = 0, extent = 1;
    int bits = 0, dropped = 0;
  };

  /// The arc of the coordinates, which are sorted: what the widest gap between neighbours leaves, the first of several.
  /// A job that takes the whole of a dimension keeps its coordinates; so does all on one that does not wrap.
  static Arc arc_of(const std::vector<std::int32_t>& coordinates, const platforms::Dimension& dimension) {
    Arc arc{coordinates.front(), coordinates.back() - coordinates.front() + 1};
    if (dimension.wrap == platforms::Wrap::mesh) return arc;
    for (std::size_t i = 1; i < coordinates.size(); ++i) {
      const auto span = coordinates[i - 1] + dimension.extent - coordinates[i] + 1;
      if (span < arc.span) arc = {coordinates[i], span};
    }
    return arc.span == dimension.extent ? Arc{0, arc.span} : arc;
  }

  const Machine& machine_;
  std::vector<Axis> axes_;
};

/// Torus by torus along Morton curves.
std::vector<NodeId> along_morton_curves(const MappingProblem& problem) {
  const auto& machine = problem.machine;
  const auto& grid = machine.grid();
  const bool has_tori = torus_count(machine.description()) > 1;
  const auto dimensions = grid.dimension_count() - (has_tori ? 1U : 0U);
  const auto torus_of = [&](NodeId node) { return has_tori ? grid.coordinate(machine.router(node), dimensions) : 0; };
  const auto slots = by_place(problem.slots, [&](NodeId node) { return std::pair(torus_of(node), node); });
  std::vector<NodeId> nodes;
  for (auto begin = slots.begin(); begin != slots.end();) {
    const auto end = std::find_if(begin, slots.end(), [&](NodeId node) { return torus_of(node) != torus_of(*begin); });
    const MortonCurve curve(machine, dimensions, {begin, end});
    const auto part = by_place({begin, end}, curve);
    nodes.insert(nodes.end(), part.begin(), part.end());
    begin = end;
  }
  return nodes;
}

/// Every injection of ranks into slots equally likely.
class RandomMapper final : public KeyedMapper {
 public:
  using KeyedMapper::KeyedMapper;

  bool uses_traffic() const override { return false; }
  Mapping map(const MappingProblem& problem) const override {
    auto slots = problem.slots;
    core::Random(seed(problem), "mapping/random").shuffle(slots);
    slots.resize(static_cast<std::size_t>(problem.ranks()));
    return Mapping(std::move(slots));
  }
};

class FromFile final : public Mapper {
 public:
  explicit FromFile(const core::Arguments& arguments) : name_(arguments.spec().argument()) {
    const auto* given = GivenMapping::find(name_);
    is_file_ = given == nullptr;
    mapping_ = is_file_ ? read_mapping(name_) : given->mapping();
    if (!is_file_) name_ = given->name();
  }
  bool uses_traffic() const override { return false; }
  bool uses_seed() const override { return false; }
  std::string file() const override { return is_file_ ? name_ : std::string(); }
  Mapping map(const MappingProblem&) const override { return mapping_; }
  void check(const MappingProblem& problem) const override { check_mapping(mapping_, problem, name_); }

 private:
  std::string name_;
  bool is_file_;
  Mapping mapping_;
};

thread_local std::vector<const GivenMapping*> given_mappings;

}  // namespace

GivenMapping::GivenMapping(std::string path, std::string name, Mapping mapping)
    : path_(std::move(path)), name_(std::move(name)), mapping_(std::move(mapping)) {
  given_mappings.push_back(this);
}

GivenMapping::~GivenMapping() {
  std::erase(given_mappings, this);
}

const GivenMapping* GivenMapping::find(const std::string& path) {
  const auto found = std::ranges::find(given_mappings, path, [](const auto* one) { return one->path_; });
  return found == given_mappings.end() ? nullptr : *found;
}

Mapping read_mapping(const std::string& path) {
  Mapping mapping;
  core::LineReader reader(path);
  while (const auto line = reader.next()) {
    const auto text = core::trim(line->substr(0, line->find('#')));
    if (text.empty()) continue;
    const auto node = core::parse_number<NodeId::Value>(text);
    if (!node) core::fail_input_at(path, reader.line(), "found '{}', expected one node number", core::excerpt(text));
    mapping.add(NodeId(*node));
  }
  return mapping;
}

std::string mapping_text(const Mapping& mapping) {
  std::string text;
  for (const NodeId node : mapping) text += fmt::format("{}\n", node);
  return text;
}

core::Entry<MakeMapper> consecutive_mapper() {
  return {"consecutive", "rank r on the r-th node of the job", make<InOrder<as_given>>};
}

core::Entry<MakeMapper> node_mapper() {
  return {"node", "rank r on the node with the r-th lowest number, in whatever order an allocator found the nodes",
          make<InOrder<by_number>>};
}

core::Entry<MakeMapper> snake_mapper() {
  return {"snake", "rank r on the r-th node along a snake through the machine, back and forth along x",
          make<InOrder<along_snake>>};
}

core::Entry<MakeMapper> hilbert_mapper() {
  return {"hilbert", "rank r on the r-th node along a Hilbert curve through the machine",
          make<InOrder<along_hilbert_curve>>};
}

core::Entry<MakeMapper> morton_mapper() {
  return {"morton", "rank r on the r-th node in Morton order, as Slurm orders tasks on a torus",
          make<InOrder<along_morton_curves>>};
}

core::Entry<MakeMapper> random_mapper() {
  return {"random", "every mapping equally likely", make<RandomMapper>, {seed_parameter}};
}

core::Entry<MakeMapper> file_mapper() {
  return {"file", "a mapping file: one node per line, in rank order", make<FromFile>, {}, "PATH"};
}

}  // namespace toroid::mapping

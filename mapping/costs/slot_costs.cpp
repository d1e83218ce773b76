#include "mapping/costs/slot_costs.hpp"

#include <set>

namespace toroid::mapping {

double classic_distance(const Machine& machine, const platforms::Coordinates& hops) {
  std::int32_t sum = 0;
  for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d) sum += hops[d];
  return sum;
}

double td_distance(const Machine& machine, const platforms::Coordinates& hops) {
  const auto& grid = machine.grid();
  std::int32_t sum = 0;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    if (grid.dimension(d).extent == 1) continue;
    sum += hops[d];
    for (std::size_t e = d + 1; e < grid.dimension_count(); ++e)
      if (grid.dimension(e).extent > 1) sum += std::abs(hops[d] - hops[e]);
  }
  return sum;
}

double td_eq7_distance(const Machine& machine, const platforms::Coordinates& hops) {
  const auto& grid = machine.grid();
  std::int32_t missing = 3;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) missing -= grid.dimension(d).extent > 1 ? 1 : 0;
  return td_distance(machine, hops) + std::max(0, missing) * classic_distance(machine, hops);
}

double weighted_distance(const Machine& machine, const platforms::Coordinates& hops) {
  const auto& grid = machine.grid();
  double fastest = 0;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    if (grid.dimension(d).extent > 1) fastest = std::max(fastest, grid.dimension(d).bandwidth);
  double sum = 0;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) sum += hops[d] * (fastest / grid.dimension(d).bandwidth);
  return sum;
}

const core::Registry<Distance>& distances() {
  static const core::Registry<Distance> registry(
      "cost", {{"classic", "bytes times hops", classic_distance},
               {"td", "bytes times hops plus the differences of hops per dimension", td_distance},
               {"td-eq7", "the same as it is printed, with the dimensions that a grid has less than three as 0 hops",
                td_eq7_distance},
               {"weighted", "bytes times hops, each as much longer as its dimension is slower", weighted_distance}});
  return registry;
}

using platforms::RouterId;

/// Breadth first over the routers, from each that has slots.
NearSlots::NearSlots(const platforms::Machine& machine, std::span<const platforms::NodeId> slots) {
  const auto& grid = machine.grid();
  const auto router_of = [&](Slot slot) { return machine.router(slots[slot.index()]); };
  core::IdVector<RouterId, std::vector<Slot>> slots_on(grid.size());
  for (const Slot slot : core::ids<Slot>(slots.size())) slots_on[router_of(slot)].push_back(slot);

  constexpr auto none = static_cast<std::size_t>(-1);
  core::IdVector<RouterId, std::size_t> list_of_router(grid.size(), none), seen_for(grid.size(), none);
  for (const Slot slot : core::ids<Slot>(slots.size())) {
    auto& list = list_of_router[router_of(slot)];
    if (list == none) {
      list = near_.size();
      std::vector<Slot> near;
      std::vector<RouterId> level{router_of(slot)}, next;
      seen_for[router_of(slot)] = list;
      std::size_t found = 0;
      for (; !level.empty() && found <= 2 * grid.dimension_count(); std::swap(level, next)) {
        next.clear();
        for (const auto router : level) {
          const auto& here = slots_on[router];
          near.insert(near.end(), here.begin(), here.end());
          found += here.empty() ? 0 : 1;
          for (std::size_t d = 0; d < grid.dimension_count(); ++d)
            for (const bool forward : {true, false}) {
              const auto beside = grid.neighbour(router, d, forward);
              const bool linked =
                  grid.link_exists(grid.link(router, d, forward)) || grid.link_exists(grid.link(beside, d, !forward));
              if (linked && std::exchange(seen_for[beside], list) != list) next.push_back(beside);
            }
        }
      }
      near_.push_back(std::move(near));
    }
    list_of_.add(list);
  }
}

namespace {

/// Whether hops follow from the coordinates, and the tables of all pairs of coordinates are small.
bool has_small_hop_tables(const Machine& machine) {
  constexpr std::int64_t most_entries = 1 << 22;
  std::int64_t entries = 0;
  for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d)
    entries += std::int64_t{machine.grid().dimension(d).extent} * machine.grid().dimension(d).extent;
  return machine.separable() && entries <= most_entries;
}

/// Whether it does not matter along which dimensions hops are.
bool counts_hops_alone(const Machine& machine, Distance distance) {
  const auto& grid = machine.grid();
  std::set<double> bandwidths;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    if (grid.dimension(d).extent > 1) bandwidths.insert(grid.dimension(d).bandwidth);
  return distance == classic_distance || (distance == weighted_distance && bandwidths.size() <= 1);
}

/// On twisted tori both ways have as many hops, but perhaps along other dimensions.
bool is_symmetric(const Machine& machine, Distance distance) {
  return machine.symmetric() && (machine.separable() || counts_hops_alone(machine, distance));
}

}  // namespace

SlotCosts::SlotCosts(const Machine& machine, std::span<const NodeId> slots, Distance distance)
    : machine_(machine), distance_(distance), symmetric_(is_symmetric(machine, distance)), near_(machine, slots) {
  std::map<NodeId, std::uint32_t> places;
  for (const NodeId node : slots) {
    const auto [place, is_new] = places.try_emplace(node, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back(node);
    place_of_.add(place->second);
  }
  const bool small = has_small_hop_tables(machine);
  if (nodes_.size() <= (small ? table_limit : table_limit_without_hops))
    make_table();
  else if (small)
    make_hops();
}

void SlotCosts::make_table() {
  const std::size_t n = nodes_.size();
  table_.reserve(n * n);
  for (std::size_t from = 0; from < n; ++from)
    for (std::size_t to = 0; to < n; ++to) table_.push_back(compute(from, to));
}

/// The hops along a dimension, from each coordinate to each, are multiples of its stride in by_hops_, as of a number
/// with the hops as its digits.
void SlotCosts::make_hops() {
  const auto& grid = machine_.grid();
  std::vector<std::size_t> used;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    if (grid.dimension(d).extent > 1) used.push_back(d);
  dimensions_ = used.size();
  std::vector<std::uint32_t> begin;
  std::uint32_t stride = 1;
  for (const std::size_t d : used) {
    const std::int32_t extent = grid.dimension(d).extent;
    begin.push_back(static_cast<std::uint32_t>(hops_.size()));
    for (std::int32_t from = 0; from < extent; ++from)
      for (std::int32_t to = 0; to < extent; ++to)
        hops_.push_back(stride * static_cast<std::uint32_t>(std::abs(grid.steps(d, from, to))));
    stride *= static_cast<std::uint32_t>(extent);
  }
  by_hops_.reserve(stride);
  for (std::uint32_t index = 0; index < stride; ++index) {
    platforms::Coordinates hops{};
    auto rest = static_cast<std::int32_t>(index);
    for (const std::size_t d : used) {
      hops[d] = rest % grid.dimension(d).extent;
      rest /= grid.dimension(d).extent;
    }
    by_hops_.push_back(static_cast<float>(distance_(machine_, hops)));
  }
  for (const NodeId node : nodes_)
    for (std::size_t i = 0; i < used.size(); ++i) {
      const auto c = static_cast<std::uint32_t>(grid.coordinate(machine_.router(node), used[i]));
      rows_.push_back(begin[i] + c * static_cast<std::uint32_t>(grid.dimension(used[i]).extent));
      columns_.push_back(c);
    }
}

double SlotCosts::least() const {
  std::set<platforms::RouterId> routers;
  for (const NodeId node : nodes_) routers.insert(machine_.router(node));
  if (routers.size() < size()) return 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t d = 0; d < machine_.grid().dimension_count(); ++d) {
    if (machine_.grid().dimension(d).extent < 2) continue;
    platforms::Coordinates hop{};
    hop[d] = 1;
    least = std::min(least, distance_(machine_, hop));
  }
  return least;
}

void SlotCosts::add_row(Slot from, double factor, core::IdVector<Slot, double>& costs) const {
  if (table_.empty()) {
    for (const Slot to : slots()) costs[to] += factor * (*this)(from, to);
    return;
  }
  const float* row = table_.data() + place_of_[from] * nodes_.size();
  if (nodes_.size() == size())  // each slot is a node of its own, so its place is its index
    for (const Slot to : slots()) costs[to] += factor * static_cast<double>(row[to.index()]);
  else
    for (const Slot to : slots()) costs[to] += factor * static_cast<double>(row[place_of_[to]]);
}

float SlotCosts::compute(std::size_t from, std::size_t to) const {
  return static_cast<float>(distance_(machine_, machine_.hops_per_dimension(nodes_[from], nodes_[to])));
}

}  // namespace toroid::mapping

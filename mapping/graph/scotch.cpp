// Scotch's own mapping onto meshes and tori: dual recursive bipartitioning (Pellegrini 1994), as the library does it.

#include <scotch.h>

#include <cmath>
#include <cstdarg>
#include <numeric>

#include "core/random.hpp"
#include "mapping/problem/traffic_graph.hpp"
#include "toroid/mapping/mapper.hpp"

static thread_local std::string last_message;

// The library calls these instead of those of its error library, which print.
extern "C" void SCOTCH_errorPrint(const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  last_message = text;
}

extern "C" void SCOTCH_errorPrintW(const char*, ...) {}

namespace toroid::mapping {
namespace {

using platforms::Wrap;

void check(int result) {
  if (result != 0) core::fail_input("scotch: {}", last_message.empty() ? "the library failed" : last_message);
}

/// One of the library's objects, ended with this one.
template <class T, int (*Begin)(T*), void (*End)(T*)>
class Handle {
 public:
  Handle() { check(Begin(&object_)); }
  ~Handle() { End(&object_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  T* get() { return &object_; }

 private:
  T object_;
};

using Architecture = Handle<SCOTCH_Arch, SCOTCH_archInit, SCOTCH_archExit>;
using Strategy = Handle<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;
using Context = Handle<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;
using ScotchGraph = Handle<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;
using Numbers = std::vector<SCOTCH_Num>;

/// Compressed adjacency lists with weights.
struct Adjacency {
  Numbers begin{0}, neighbours, weights;

  void build(ScotchGraph& graph) const {
    check(SCOTCH_graphBuild(graph.get(), 0, static_cast<SCOTCH_Num>(begin.size() - 1), begin.data(), nullptr, nullptr,
                            nullptr, static_cast<SCOTCH_Num>(neighbours.size()), neighbours.data(), weights.data()));
  }
};

/// The traffic with weights of 32 bits: bytes, scaled down where sums of bytes times hops would not fit.
Adjacency weighted(const TrafficGraph& graph, std::int32_t longest_route) {
  double all = 0;
  for (const Rank rank : graph.ranks()) all += graph.bytes(rank);
  const double room = 0x1p30 / longest_route - static_cast<double>(graph.edge_count());
  const double scale = std::min(1.0, std::max(1.0, room) / all);
  Adjacency lists;
  for (const Rank rank : graph.ranks()) {
    for (const auto& edge : graph.neighbours(rank)) {
      lists.neighbours.push_back(edge.rank.value());
      lists.weights.push_back(static_cast<SCOTCH_Num>(std::max(1.0, std::floor(edge.bytes() * scale))));
    }
    lists.begin.push_back(static_cast<SCOTCH_Num>(lists.neighbours.size()));
  }
  return lists;
}

/// The slots of each router that has some, by the router's index in a grid of these extents. Scotch knows routers only.
using Places = std::map<SCOTCH_Num, std::vector<Slot>>;

Places places_of(const SlotHops& hops, const std::vector<Slot>& slots, const Numbers& extents) {
  Places places;
  for (const Slot slot : slots) {
    SCOTCH_Num index = 0;
    for (std::size_t d = hops.dimensions(); d-- > 0;) index = index * extents[d] + hops.coordinate(slot, d);
    places[index].push_back(slot);
  }
  return places;
}

/// The machine as Scotch may know it.
struct Target {
  enum class Kind : std::uint8_t { mesh, torus, graph } kind;
  Numbers extents;
};

/// Scotch has meshes and tori of up to 5 dimensions, all of one kind. A mesh among tori is half of a ring that is twice
/// as long: distances are the same. One-way rings are taken for tori. What does not fit is given as a graph.
Target target_of(const SlotHops& hops) {
  constexpr std::size_t most_dimensions = 5;
  constexpr std::int64_t most_routers = 1 << 28U;
  bool all_mesh = true;
  Numbers extents, doubled;
  std::int64_t routers = 1;
  for (std::size_t d = 0; d < hops.dimensions(); ++d) {
    const auto& dimension = hops.dimension(d);
    const bool mesh = dimension.wrap == Wrap::mesh;
    all_mesh = all_mesh && mesh;
    extents.push_back(dimension.extent);
    doubled.push_back(mesh ? 2 * dimension.extent : dimension.extent);
    routers = std::min(routers * doubled.back(), most_routers);
  }
  if (hops.dimensions() > most_dimensions) return {Target::Kind::graph, extents};
  if (all_mesh) return {Target::Kind::mesh, extents};
  return routers < most_routers ? Target{Target::Kind::torus, doubled} : Target{Target::Kind::graph, extents};
}

Adjacency router_graph(const SlotHops& hops, const Numbers& extents) {
  const SCOTCH_Num routers = std::accumulate(extents.begin(), extents.end(), SCOTCH_Num{1}, std::multiplies<>());
  Adjacency lists;
  for (SCOTCH_Num router = 0; router < routers; ++router) {
    SCOTCH_Num stride = 1;
    for (std::size_t d = 0; d < extents.size(); stride *= extents[d++]) {
      const SCOTCH_Num c = router / stride % extents[d];
      const bool wraps = hops.dimension(d).wrap != Wrap::mesh && extents[d] > 2;
      if (c > 0) lists.neighbours.push_back(router - stride);
      if (c == 0 && wraps) lists.neighbours.push_back(router + (extents[d] - 1) * stride);
      if (c + 1 < extents[d]) lists.neighbours.push_back(router + stride);
      if (c + 1 == extents[d] && wraps) lists.neighbours.push_back(router - (extents[d] - 1) * stride);
    }
    lists.begin.push_back(static_cast<SCOTCH_Num>(lists.neighbours.size()));
  }
  lists.weights.assign(lists.neighbours.size(), 1);
  return lists;
}

/// The place of each rank, as its position in `places`. Several ranks may have one place, whatever room it has.
core::IdVector<Rank, SCOTCH_Num> scotch_map(const TrafficGraph& traffic, const SlotHops& hops, const Target& target,
                                            const Places& places, SCOTCH_Num flags, std::uint64_t seed) {
  last_message.clear();
  const auto number = static_cast<SCOTCH_Num>(core::Random(seed, "mapping/scotch").below(1U << 30U));
  Context context;
  check(SCOTCH_contextOptionSetNum(context.get(), SCOTCH_OPTIONNUMDETERMINISTIC, 1));
  check(SCOTCH_contextRandomClone(context.get()));
  SCOTCH_contextRandomSeed(context.get(), number);
  SCOTCH_contextRandomReset(context.get());
  check(SCOTCH_contextThreadSpawn(context.get(), 1, nullptr));

  std::int32_t longest_route = 1;
  for (std::size_t d = 0; d < hops.dimensions(); ++d) longest_route += hops.dimension(d).extent;
  const auto lists = weighted(traffic, longest_route);
  ScotchGraph own_graph, graph;
  lists.build(own_graph);
  check(SCOTCH_contextBindGraph(context.get(), own_graph.get(), graph.get()));

  Numbers nodes;
  for (const auto& [index, slots] : places) nodes.push_back(index);
  Strategy strategy;
  const auto parts = static_cast<SCOTCH_Num>(nodes.size());
  check(SCOTCH_stratGraphMapBuild(strategy.get(), flags, parts, 0.01));

  const auto dimensions = static_cast<SCOTCH_Num>(target.extents.size());
  Architecture machine, part;
  SCOTCH_Arch* architecture = part.get();
  ScotchGraph own_routers, routers;
  if (target.kind == Target::Kind::graph) {
    const auto adjacency = router_graph(hops, target.extents);
    adjacency.build(own_routers);
    check(SCOTCH_contextBindGraph(context.get(), own_routers.get(), routers.get()));
    check(SCOTCH_archBuild2(architecture, routers.get(), parts, nodes.data()));
  } else {
    check((target.kind == Target::Kind::mesh ? SCOTCH_archMeshX : SCOTCH_archTorusX)(machine.get(), dimensions,
                                                                                     target.extents.data()));
    if (parts == SCOTCH_archSize(machine.get()))
      architecture = machine.get();
    else
      check(SCOTCH_archSub(architecture, machine.get(), parts, nodes.data()));
  }
  core::IdVector<Rank, SCOTCH_Num> place_of(traffic.rank_count());
  check(SCOTCH_graphMap(graph.get(), architecture, strategy.get(), place_of.elements().data()));
  return place_of;
}

/// Gives every rank a slot of its own. Ranks keep their place while there is room, in rank order; each of the others
/// then goes to the free slot that costs least with all ranks where they are.
Assignment one_rank_per_slot(const TrafficGraph& traffic, const SlotHops& hops, const Places& places,
                             const core::IdVector<Rank, SCOTCH_Num>& place_of) {
  std::vector<std::vector<Slot>> room;
  for (const auto& [index, slots] : places) room.emplace_back(slots.rbegin(), slots.rend());
  Assignment slot_of;
  std::vector<Rank> homeless;
  for (const Rank rank : place_of.ids()) {
    auto& free = room[static_cast<std::size_t>(place_of[rank])];
    if (free.empty()) {
      homeless.push_back(rank);
      slot_of.add(std::next(places.begin(), place_of[rank])->second.front());
    } else {
      slot_of.add(free.back());
      free.pop_back();
    }
  }
  for (const Rank rank : homeless) {
    std::vector<Slot>* best = nullptr;
    double least = 0;
    for (auto& free : room) {
      if (free.empty()) continue;
      double cost = 0;
      for (const auto& edge : traffic.neighbours(rank)) {
        const Slot here = free.back(), there = slot_of[edge.rank];
        cost += edge.sent * hops(here, there) + edge.received * hops(there, here);
      }
      if (best != nullptr && cost >= least) continue;
      best = &free;
      least = cost;
    }
    TOROID_ASSERT(best != nullptr);
    slot_of[rank] = best->back();
    best->pop_back();
  }
  return slot_of;
}

const core::Parameter<SCOTCH_Num> strategy{
    "strategy", "what the library aims at",
    core::one_of<SCOTCH_Num>(
        {{"default", SCOTCH_STRATDEFAULT}, {"quality", SCOTCH_STRATQUALITY}, {"speed", SCOTCH_STRATSPEED}}),
    "default"};

class Scotch final : public KeyedMapper {
 public:
  using KeyedMapper::KeyedMapper;

  Mapping map(const MappingProblem& problem) const override {
    const SlotHops hops(problem.machine, problem.slots);
    const TrafficGraph traffic(problem.traffic.matrix());
    auto slots = compact_slots(hops, problem.ranks());
    const auto target = target_of(hops);
    const auto places = places_of(hops, slots, target.extents);
    if (places.size() == 1 || traffic.edge_count() == 0)
      return mapping_of(Assignment(slots), problem.slots, problem.ranks());
    const auto place_of = scotch_map(traffic, hops, target, places, value(strategy), seed(problem));
    return mapping_of(one_rank_per_slot(traffic, hops, places, place_of), problem.slots, problem.ranks());
  }
};

}  // namespace

core::Entry<MakeMapper> scotch_mapper() {
  return {"scotch", "the mapping of the library Scotch", make<Scotch>, {strategy, seed_parameter}};
}

}  // namespace toroid::mapping

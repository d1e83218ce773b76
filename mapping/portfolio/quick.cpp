// A mapping in milliseconds that needs no choice, no seed and no simulation: for the many jobs of a stream, whose
// allocators give nodes in orders that are good for some programs and bad for others.

#include "mapping/geometric/geometric_mapper.hpp"

namespace toroid::mapping {
namespace {

/// Up to so many slots times pairs of ranks that communicate, greedyallc takes some ten milliseconds at most.
constexpr std::size_t most_for_greedy = 4'000'000;

/// The seconds that the most loaded link needs for its bytes.
double peak_seconds(const Machine& machine, const Mapping& mapping, const TrafficGraph& graph) {
  core::IdVector<platforms::LinkId, double> bytes(machine.link_count(), 0.0);
  for (const Rank from : graph.ranks())
    for (const auto& edge : graph.neighbours(from))
      if (edge.sent > 0)
        machine.for_each_link(mapping[from], mapping[edge.rank],
                              [&](platforms::LinkId link) { bytes[link] += edge.sent; });
  double most = 0;
  for (const auto link : bytes.ids())
    if (bytes[link] > most * machine.link_bandwidth(link)) most = bytes[link] / machine.link_bandwidth(link);
  return most;
}

/// Whether each rank sends the same to each other one, and all slots are taken.
bool all_talk_alike(const MappingProblem& problem, const TrafficGraph& graph) {
  const auto ranks = static_cast<std::size_t>(problem.traffic.ranks());
  if (ranks < 2 || ranks != problem.slots.size() || graph.edge_count() != ranks * (ranks - 1)) return false;
  const double sent = graph.neighbours(Rank(0))[0].sent;
  for (const Rank from : graph.ranks())
    for (const auto& edge : graph.neighbours(from))
      if (edge.sent != sent) return false;
  return true;
}

class Quick final : public Mapper {
 public:
  bool uses_seed() const override { return false; }

  Mapping map(const MappingProblem& given) const override {
    auto problem = given;
    problem.notes = nullptr;  // what the mappers note is not what was chosen
    const TrafficGraph graph(problem.traffic.matrix());
    if (all_talk_alike(problem, graph)) {  // all orders are as good
      given.note(note_of("consecutive"));
      return make_mapping("consecutive", problem);
    }
    auto all = tried(problem, graph);
    const auto [near, far] =
        std::ranges::minmax_element(all, [](const auto& a, const auto& b) { return a.hops < b.hops; });
    // Where all talk to all, all orders are as good: that of the allocator stays.
    auto best = all.begin();
    if (far->hops > 1.01 * near->hops) {
      for (auto& one : all) one.cost = one.hops * peak_seconds(problem.machine, one.mapping, graph);
      best = std::ranges::min_element(
          all, [](const auto& a, const auto& b) { return std::pair(a.cost, a.hops) < std::pair(b.cost, b.hops); });
    }
    given.note(note_of(best->name));
    return std::move(best->mapping);
  }

 private:
  static std::string note_of(std::string_view name) {
    return fmt::format("quick takes {}: the least product of load and hops", name);
  }
  struct Tried {
    std::string name;
    Mapping mapping;
    double hops = 0;  ///< times bytes
    double cost = 0;
  };

  static std::vector<Tried> tried(const MappingProblem& problem, const TrafficGraph& graph) {
    const SlotHops hops(problem.machine, problem.slots);
    std::vector<Tried> all;
    for (const auto& name : mappers_for(problem, graph)) {
      auto mapping = make_mapping(MapperChoice(name), problem);
      const double distance = hop_bytes(graph, hops, assignment_of(mapping, problem.slots));
      all.push_back({name, std::move(mapping), distance});
    }
    return all;
  }

  /// The order of the allocator is the first: where nothing is better, a job keeps it.
  static std::vector<std::string> mappers_for(const MappingProblem& problem, const TrafficGraph& graph) {
    std::vector<std::string> names{"consecutive", "hilbert", "snake", "morton"};
    if (suits_geometric_mappers(find_grid(problem.traffic.matrix()))) names.emplace_back("mj");
    if (graph.edge_count() * problem.slots.size() <= most_for_greedy) names.emplace_back("greedyallc");
    return names;
  }
};

}  // namespace

core::Entry<MakeMapper> quick_mapper() {
  return {"quick", "the best of a few fast mappers: the orders of the nodes, mj, greedyallc; no search, no seed",
          make<Quick>};
}

}  // namespace toroid::mapping

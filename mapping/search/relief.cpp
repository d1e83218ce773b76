// Load taken off the most loaded links of another mapping.

#include "mapping/search/relief.hpp"

#include <bit>
#include <cmath>

#include "core/interrupt.hpp"
#include "core/progress.hpp"
#include "mapping/search/searches.hpp"

namespace toroid::mapping {
namespace {

/// What all load on all links weighs against the soft maximum, both in peaks.
constexpr double price_of_load = 0.3;
/// The exponents of the soft maximum are 2^these.
constexpr int first_doublings = 2, last_doublings = 5;
/// How many failures at a link halve the chance that it is drawn, until something changes there: some peaks cannot be
/// helped, and others are worth a look then.
constexpr int patience = 64;
/// A draw takes about as long as so many links or partners.
constexpr std::uint64_t visits_of_a_draw = 10;
/// How many draws in vain for each rank show that the present exponent has done what it can.
constexpr std::size_t draws_in_vain = 100;

/// Links by how loaded they are, as loads change: a binary tree whose leaves are links, each node with the largest load
/// and the sum of the weights below it. A change of one link and a draw take log(links) steps.
class LoadTree {
 public:
  explicit LoadTree(std::size_t links) : leaves_(std::bit_ceil(std::max<std::size_t>(links, 1))), nodes_(2 * leaves_) {}

  void set(platforms::LinkId link, double load, double weight) {
    TOROID_ASSERT_HEAVY(link.index() < leaves_ && load >= 0 && weight >= 0);
    std::size_t i = leaves_ + link.index();
    nodes_[i] = {load, weight};
    while ((i /= 2) > 0) join(i);
  }

  /// Sets all links: `node(link)` returns the load and the weight of one.
  template <class Node>
  void set_all(std::size_t links, Node&& node) {
    TOROID_ASSERT(links <= leaves_);
    for (std::size_t i = 0; i < links; ++i) {
      const auto [load, weight] = node(platforms::LinkId(i));
      nodes_[leaves_ + i] = {load, weight};
    }
    for (std::size_t i = leaves_ - 1; i > 0; --i) join(i);
  }

  double largest_load() const { return nodes_[1].load; }
  double sum_of_weights() const { return nodes_[1].weight; }

  /// Draws a link with a probability proportional to its weight. There must be one with a weight above 0.
  platforms::LinkId draw(core::Random& random) const {
    TOROID_ASSERT(nodes_[1].weight > 0);
    double left = random.unit() * nodes_[1].weight;
    std::size_t i = 1;
    while (i < leaves_) {
      i *= 2;
      // Sums are rounded: one must not run into a branch without any weight.
      if (left >= nodes_[i].weight && nodes_[i + 1].weight > 0) left -= nodes_[i++].weight;
    }
    TOROID_ASSERT_HEAVY(nodes_[i].weight > 0);
    return platforms::LinkId(i - leaves_);
  }

 private:
  struct Node {
    double load = 0, weight = 0;
  };

  void join(std::size_t i) {
    const Node &a = nodes_[2 * i], &b = nodes_[2 * i + 1];
    nodes_[i] = {std::max(a.load, b.load), a.weight + b.weight};
  }

  std::size_t leaves_;
  std::vector<Node> nodes_;
};

class Relief {
 public:
  /// `counts`: of each link, whether what it carries depends on where ranks are.
  Relief(SwappedLoads& loads, const QuadraticCost& cost, std::span<const NodeId> slots,
         core::IdVector<LinkId, char> counts, double most_cost, core::Random& random)
      : loads_(loads),
        cost_(cost),
        slots_(slots),
        random_(random),
        counts_(std::move(counts)),
        failures_(loads.link_count()),
        tree_(loads.link_count()),
        most_cost_(most_cost),
        cost_now_(cost.total(loads.placement().slot_of())) {
    double load = 0;
    for (const LinkId link : loads.links()) load += seconds(link);
    seconds_per_cost_ = cost_now_ > 0 ? load / cost_now_ : 0;
  }

  /// Ends with the least peak that it met.
  void run(std::uint64_t budget) {
    doublings_ = first_doublings;
    weigh();
    least_peak_ = tree_.largest_load();
    core::Progress bar("taking load off links", budget);
    constexpr std::uint64_t steps_of_a_report = 1024;
    std::uint64_t steps = 0;
    for (; doublings_ <= last_doublings; ++doublings_) {
      weigh();
      const auto exponents_left = static_cast<std::uint64_t>(last_doublings + 1 - doublings_);
      const std::uint64_t end = visits() + (budget - std::min(budget, visits())) / exponents_left;
      std::size_t in_vain = 0;
      while (tree_.sum_of_weights() > 0 && visits() < end && in_vain < draws_in_vain * slots_.size() &&
             !core::is_interrupted()) {
        in_vain = step() ? 0 : in_vain + 1;
        if (tree_.largest_load() < 0.97 * peak_) weigh();
        if (++steps % steps_of_a_report == 0) bar.update(visits());
      }
    }
    for (; !since_least_.empty(); since_least_.pop_back())
      loads_.swap(since_least_.back().first, since_least_.back().second);
    TOROID_ASSERT_HEAVY(loads_.are_as_recounted());
  }

 private:
  std::uint64_t visits() const { return own_visits_ + loads_.visits(); }
  double seconds(LinkId link) const { return counts_[link] != 0 ? loads_.seconds(link) : 0; }
  NodeId node(Rank rank) const { return slots_[loads_.placement().slot(rank).index()]; }

  double power(double peaks) const {
    for (int i = 0; i < doublings_; ++i) peaks *= peaks;
    return peaks;
  }
  double in_peaks(double seconds) const { return seconds * per_peak_; }
  double weight(LinkId link) const { return std::ldexp(power(in_peaks(seconds(link))), -(failures_[link] / patience)); }

  /// All links anew, by the peak as it is now.
  void weigh() {
    peak_ = 0;
    for (const LinkId link : loads_.links()) peak_ = std::max(peak_, seconds(link));
    per_peak_ = peak_ > 0 ? 1 / peak_ : 0;
    failures_.assign(failures_.size(), 0);
    tree_.set_all(loads_.link_count(), [&](LinkId link) { return std::pair(seconds(link), weight(link)); });
  }

  bool step() {
    own_visits_ += visits_of_a_draw;
    const LinkId link = tree_.draw(random_);
    if (relieve(link)) return true;
    if (++failures_[link] % patience == 0) tree_.set(link, seconds(link), weight(link));
    return false;
  }

  /// Proposes a swap that takes a message off the link, and makes it if it is worth it.
  bool relieve(LinkId link) {
    const auto& on_link = loads_.messages_on(link);
    const auto& message = loads_.message(on_link[random_.below(on_link.size())]);
    const Rank rank = random_.below(2) == 0 ? message.from : message.to;
    const Rank other = loads_.placement().rank_on(draw_slot(rank));
    if (node(rank) == node(other) || !takes_off(link, message, rank, other)) return false;

    own_visits_ += cost_.partner_count(rank) + cost_.partner_count(other);
    const double costs = cost_.swap_delta(loads_.placement().slot_of(), rank, other);
    if (costs > 0 && cost_now_ + costs > most_cost_) return false;
    const double price = price_of_load * in_peaks(costs * seconds_per_cost_);
    if (price > power(in_peaks(seconds(link)))) return false;

    if (price + change_of_soft_maximum(rank, other) >= 0) return false;
    swap(rank, other, costs);
    return true;
  }

  /// Whether the message crosses the link on fewer of its ways when `rank`, one of its ends, has swapped with `other`.
  bool takes_off(LinkId link, const SwappedLoads::Message& message, Rank rank, Rank other) {
    const auto then = [&](Rank end) { return node(end == rank ? other : end == other ? rank : end); };
    return loads_.crossings(then(message.from), then(message.to), link) <
           loads_.crossings(node(message.from), node(message.to), link);
  }

  double change_of_soft_maximum(Rank a, Rank b) {
    double sum = 0;
    for (const auto& [link, bytes] : loads_.changes(a, b)) {
      if (counts_[link] == 0) continue;
      const double before = in_peaks(loads_.seconds(link)), change = in_peaks(bytes * loads_.seconds_per_byte(link));
      sum += power(before + change) - power(before);
    }
    return sum;
  }

  Slot draw_slot(Rank rank) {
    const std::uint64_t way = random_.below(16);
    if (way == 0) return Slot(random_.below(slots_.size()));
    const auto near = cost_.distances().near(loads_.placement().slot(way <= 5 ? rank : draw_partner(rank)));
    return near[random_.below(near.size())];
  }

  /// The heavier of two.
  Rank draw_partner(Rank rank) {
    const auto messages = loads_.messages_of(rank);
    const auto drawn = [&]() -> const SwappedLoads::Message& {
      return loads_.message(messages[random_.below(messages.size())]);
    };
    const auto &first = drawn(), &second = drawn();
    return (first.bytes >= second.bytes ? first : second).other(rank);
  }

  void swap(Rank a, Rank b, double costs) {
    for (const auto& change : loads_.swap(a, b)) {
      failures_[change.link] = 0;
      tree_.set(change.link, seconds(change.link), weight(change.link));
    }
    cost_now_ += costs;
    since_least_.emplace_back(a, b);
    if (tree_.largest_load() > least_peak_) return;
    least_peak_ = tree_.largest_load();
    since_least_.clear();
  }

  SwappedLoads& loads_;
  const QuadraticCost& cost_;
  std::span<const NodeId> slots_;
  core::Random& random_;
  core::IdVector<LinkId, char> counts_;
  core::IdVector<LinkId, int> failures_;  ///< since something last changed there
  LoadTree tree_;
  double most_cost_, cost_now_, seconds_per_cost_ = 0;
  int doublings_ = first_doublings;
  double peak_ = 0, per_peak_ = 0;  ///< when the links were last weighed
  double least_peak_ = 0;
  std::vector<std::pair<Rank, Rank>> since_least_;  ///< swaps since the peak was least
  std::uint64_t own_visits_ = 0;
};

/// The cells that hold nine tenths of what one of their ranks exchanges: what is searched first.
workloads::CommunicationMatrix heavy_part(const TrafficGraph& traffic) {
  constexpr double part = 0.9;
  core::IdVector<Rank, double> least_heavy;  // of each rank, the lightest edge within that part
  for (const Rank rank : traffic.ranks()) {
    std::vector<double> bytes;
    for (const auto& edge : traffic.neighbours(rank)) bytes.push_back(edge.bytes());
    std::sort(bytes.rbegin(), bytes.rend());
    double left = part * traffic.bytes(rank), lightest = 0;
    for (auto edge = bytes.begin(); edge != bytes.end() && left > 0; ++edge) left -= lightest = *edge;
    least_heavy.add(lightest);
  }
  workloads::CommunicationMatrix heavy;
  heavy.rows.resize(traffic.rank_count());
  for (const Rank from : traffic.ranks())
    for (const auto& edge : traffic.neighbours(from))
      if (edge.sent > 0 && edge.bytes() >= std::min(least_heavy[from], least_heavy[edge.rank]))
        heavy.rows[from].push_back({edge.rank, static_cast<std::uint64_t>(edge.sent), 1});
  return heavy;
}

core::IdVector<LinkId, char> links_that_count(const MappingProblem& problem) {
  const auto& machine = problem.machine;
  core::IdVector<LinkId, char> counts(machine.link_count(), 1);
  core::IdVector<NodeId, int> slots_on(machine.node_count());
  for (const NodeId node : problem.slots) ++slots_on[node];
  if (std::ranges::any_of(slots_on, [](int slots) { return slots > 1; })) return counts;
  for (const LinkId link : counts.ids()) counts[link] = machine.is_of_grid(link) ? 1 : 0;
  return counts;
}

const auto load_base = base_parameter("multilevel:cost=weighted");
const core::Parameter<std::int64_t> more_hops{"more-hops", "percent of hops that the result may have more, at most",
                                              core::whole<std::int64_t>(0, 1'000'000), "3"};
const core::OptionalParameter<std::uint64_t> visits{"visits", "links and partners to look at, in all",
                                                    core::whole<std::uint64_t>(0, 1'000'000'000'000),
                                                    "400,000 times the root of the ranks"};

class MinMaxLoad final : public KeyedMapper {
 public:
  using KeyedMapper::KeyedMapper;

  std::string file() const override { return value(load_base)->file(); }
  void check(const MappingProblem& problem) const override { value(load_base)->check(problem); }
  Mapping map(const MappingProblem& problem) const override {
    auto base_problem = problem;
    base_problem.seed = seed(problem);
    core::Random random(base_problem.seed, "mapping/minmaxload");
    const auto start = make_mapping(*value(load_base), base_problem);
    const ReliefOptions options{value(routing_parameter).value_or(usual_routing(problem.machine)),
                                1 + static_cast<double>(value(more_hops)) / 100, value(visits)};
    return mapping_of(relieve(problem, assignment_of(start, problem.slots), options, random), problem.slots,
                      problem.ranks());
  }
};

}  // namespace

std::uint64_t usual_visits(std::int32_t ranks) {
  return static_cast<std::uint64_t>(400'000 * std::sqrt(ranks));
}

Assignment relieve(const MappingProblem& problem, const Assignment& start, const ReliefOptions& options,
                   core::Random& random) {
  const TrafficGraph all(problem.traffic.matrix());
  const Routes routes(problem.machine, options.routing);
  const SlotCosts distances(problem.machine, problem.slots, weighted_distance);
  const auto counts = links_that_count(problem);
  const QuadraticCost cost(all, distances);
  const double most_cost = options.most_hops * cost.total(start);
  const auto search = [&](const TrafficGraph& traffic, const QuadraticCost& its_cost, const Assignment& from,
                          double its_most, std::uint64_t visits) {
    SwappedLoads loads(traffic, routes, problem.slots, from);
    Relief(loads, its_cost, problem.slots, counts, its_most, random).run(visits);
    return loads.placement().slot_of();
  };

  const auto visits = options.visits.value_or(usual_visits(problem.ranks()));
  const TrafficGraph heavy(heavy_part(all));
  if (4 * heavy.edge_count() > 3 * all.edge_count()) return search(all, cost, start, most_cost, visits);
  const QuadraticCost heavy_cost(heavy, distances);
  const auto by_heavy =
      search(heavy, heavy_cost, start, options.most_hops * heavy_cost.total(start), visits - visits / 5);
  // What suits the heavy part may not suit the whole.
  const bool suits = cost.total(by_heavy) <= most_cost &&
                     peak_seconds(problem, by_heavy, options.routing) <= peak_seconds(problem, start, options.routing);
  return search(all, cost, suits ? by_heavy : start, most_cost, visits / 5);
}

double peak_seconds(const MappingProblem& problem, const Assignment& slot_of, Routing routing) {
  return SwappedLoads(TrafficGraph(problem.traffic.matrix()), Routes(problem.machine, routing), problem.slots, slot_of)
      .peak();
}

core::Entry<MakeMapper> minmaxload_mapper() {
  return {"minmaxload",
          "another mapping, with less load on its most loaded links",
          make<MinMaxLoad>,
          {load_base, routing_parameter, more_hops, visits, seed_parameter}};
}

}  // namespace toroid::mapping

#include "alloc/centres/greedy.hpp"

#include "alloc/metrics.hpp"

namespace toroid::alloc {

using platforms::Coordinates;

namespace {

/// Goes through the routers in reach in the order of their offsets, the last dimension the fastest.
class Search {
 public:
  Search(const FreeNodes& free, const Box& box, std::int32_t radius)
      : free_(free), grid_(free.machine().grid()), last_(grid_.dimension_count() - 1) {
    std::int32_t stride = 1;
    for (std::size_t d = 0; d <= last_; ++d) {
      for (std::int32_t c = 0; c < grid_.dimension(d).extent; ++c) {
        const std::int32_t offset = offset_from_range(grid_.dimension(d), box.first[d], box.length[d], c);
        if (std::abs(offset) <= radius) reach_[d].push_back({offset, c * stride});
      }
      std::ranges::sort(reach_[d]);
      stride *= grid_.dimension(d).extent;
    }
    search(0, RouterId(0), 0);
    std::ranges::stable_sort(found_, [](const Found& a, const Found& b) { return a.key < b.key; });
  }

  std::vector<NodeId> nodes() const {
    std::vector<NodeId> all;
    all.reserve(found_.size());
    for (const auto& found : found_) all.push_back(found.node);
    return all;
  }

 private:
  static constexpr int shell_bit = 32;
  struct Reached {
    std::int32_t offset;
    std::int32_t step;  ///< what the coordinate adds to the router's number
    auto operator<=>(const Reached&) const = default;
  };
  struct Found {
    std::uint64_t key;  ///< shell, dimensions along which it is at the shell's distance, those one by one
    NodeId node;
  };

  void search(std::size_t d, RouterId router, std::int32_t shell) {
    for (const auto& [offset, step] : reach_[d]) {
      offsets_[d] = offset;
      const std::int32_t farthest = std::max(shell, std::abs(offset));
      if (d < last_)
        search(d + 1, router + step, farthest);
      else if (free_.free_on(router + step) > 0)
        add(router + step, farthest);
    }
  }

  void add(RouterId router, std::int32_t shell) {
    std::uint64_t ends = 0, extremes = 0;  // per dimension 0 below the shell's inside, 1 inside, 2 above it
    for (std::size_t d = 0; d <= last_; ++d) {
      const bool is_extreme = shell > 0 && std::abs(offsets_[d]) == shell;
      extremes += is_extreme ? 1 : 0;
      ends = 3 * ends + (!is_extreme ? 1 : offsets_[d] < 0 ? 0 : 2);
    }
    const std::uint64_t key = static_cast<std::uint64_t>(shell) << shell_bit | extremes << 16 | ends;
    for (const NodeId node : free_.machine().nodes_on(router))
      if (free_.is_free(node)) found_.push_back({key, node});
  }

  const FreeNodes& free_;
  const platforms::Grid& grid_;
  std::size_t last_;
  std::array<std::vector<Reached>, platforms::max_dimensions> reach_;
  Coordinates offsets_{};
  std::vector<Found> found_;
};

constexpr std::int32_t margin = 1;  ///< shells beyond the task's into which nearly all choices look at most

}  // namespace

std::int32_t offset_from_range(const platforms::Dimension& dimension, std::int32_t first, std::int32_t length,
                               std::int32_t coordinate) {
  std::int32_t ahead = coordinate - first;
  if (dimension.wrap == Wrap::mesh) return ahead < 0 ? ahead : std::max(0, ahead - length + 1);
  if (ahead < 0) ahead += dimension.extent;
  if (ahead < length) return 0;
  const std::int32_t up = ahead - length + 1, down = dimension.extent - ahead;
  return up <= down ? up : -down;
}

std::vector<NodeId> free_in_shells(const FreeNodes& free, const Box& box, std::int32_t radius) {
  return Search(free, box, radius).nodes();
}

Greedy::Greedy(const FreeNodes& free, FreeSums& sums)
    : free_(free), sums_(sums), grid_(free.machine().grid()), dimensions_(grid_.dimension_count()) {
  std::int32_t stride = 1;
  for (std::size_t d = 0; d < dimensions_; ++d) {
    strides_[d] = stride;
    stride *= grid_.dimension(d).extent;
    hops_[d].resize(static_cast<std::size_t>(grid_.dimension(d).extent));
    offsets_[d].resize(hops_[d].size());
    for (std::int32_t c = 0; c < grid_.dimension(d).extent; ++c)
      apart_[d].push_back(hops_both_ways(grid_.dimension(d), 0, c));
  }
}

std::int64_t Greedy::beyond(const Task& task, std::int64_t most) {
  if (known_.length != task.box.length || known_.radius != task.radius || known_.count != task.count)
    known_ = {task.box.length, task.radius, task.count, {}};
  const auto around = surroundings(task);
  if (around) {
    const auto known = known_.by_surroundings.find(*around);
    if (known != known_.by_surroundings.end() && (known->second.is_complete || known->second.beyond > most))
      return known->second.beyond;
  }
  const auto beyond = run(task, most);
  const bool looked_at_these_alone = next_shell_ - 1 <= task.radius + margin;
  if (!around || !looked_at_these_alone) return beyond;
  constexpr std::size_t most_bytes = 1U << 25U;
  if (known_.by_surroundings.size() * around->size() > most_bytes) known_.by_surroundings.clear();
  known_.by_surroundings[*around] = {beyond, beyond <= most};
  return beyond;
}

const std::vector<NodeId>& Greedy::choose(const Task& task) {
  if (chosen_for_ != Chosen{task, sums_.changes()}) run(task, std::numeric_limits<std::int64_t>::max());
  return chosen_;
}

/// The free nodes up to some shells more than the task's, and how far beyond them the machine ends, as a text; nothing
/// where that is too much to compare. How far an end is does not matter beyond the next shell, as hops only grow on the
/// way there. That is not so on a dimension that wraps; there and over its end, where places as near come in another
/// order, nothing is known.
std::optional<std::string> Greedy::surroundings(const Task& task) {
  constexpr std::int64_t most_routers = 4096;
  const std::int32_t reach = task.radius + margin;
  Box box{};
  std::string text;
  std::int64_t routers = 1;
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const auto& dimension = grid_.dimension(d);
    const std::int32_t below = task.box.first[d], above = dimension.extent - below - task.box.length[d];
    const bool wraps = dimension.extent > 1 && dimension.wrap != Wrap::mesh;
    if (above < 0 || (wraps && std::min(below, above) <= reach)) return std::nullopt;
    box.first[d] = below - std::min(below, reach);
    box.length[d] = task.box.length[d] + std::min(below, reach) + std::min(above, reach);
    for (const auto end : {below, above}) text += fmt::format("{},", std::min(end, reach + 1));
    routers *= box.length[d];
  }
  if (sums_.count(box) == routers * free_.machine().description().nodes_per_router) return text;
  if (routers > most_routers || free_.machine().description().nodes_per_router > 255) return std::nullopt;
  const auto ends = text.size();
  text.resize(ends + static_cast<std::size_t>(routers));
  copy_free(text.data() + ends, box, dimensions_, RouterId(0));
  return text;
}

/// How many nodes are free on each router of a box, a byte each, whose coordinates from d on are those of `router`.
char* Greedy::copy_free(char* to, const Box& box, std::size_t d, RouterId router) const {
  const auto first = box.first[d - 1], end = first + box.length[d - 1];
  for (auto c = first; c < end && d > 1; ++c) to = copy_free(to, box, d - 1, router + c * strides_[d - 1]);
  for (auto c = first; c < end && d == 1; ++c) *to++ = static_cast<char>(free_.free_on(router + c));
  return to;
}

std::int64_t Greedy::run(const Task& task, std::int64_t most) {
  begin(task.box, task.centre, task.radius);
  std::int64_t beyond = 0;
  for (auto count = task.count; count > 0 && beyond <= most; --count) {
    auto& next = candidates_[nearest()];
    beyond += next.shell - task.radius;
    for (std::size_t d = 0; d < dimensions_; ++d) add_hops(d, next.at[d], 1);
    chosen_.push_back(take_from(next));
  }
  chosen_for_.reset();
  if (beyond <= most) chosen_for_ = {task, sums_.changes()};
  return beyond;
}

void Greedy::begin(const Box& box, RouterId centre, std::int32_t radius) {
  centre_ = grid_.coordinates(centre);
  candidates_.clear();
  chosen_.clear();
  next_shell_ = radius;
  last_shell_ = 0;
  least_beyond_ = 0;
  for (std::size_t d = 0; d < dimensions_; ++d) {
    inside_[d].clear();
    for (std::int32_t c = 0; c < grid_.dimension(d).extent; ++c) {
      const auto offset = std::abs(offset_from_range(grid_.dimension(d), box.first[d], box.length[d], c));
      offsets_[d][static_cast<std::size_t>(c)] = offset;
      last_shell_ = std::max(last_shell_, offset);
      if (offset < radius) inside_[d].push_back(c);
    }
    std::ranges::fill(hops_[d], 0);
    if (radius > 0) count_inner(d, box, radius - 1);
  }
  if (radius == 0) last_shell_ = 0;
}

/// The nodes that are chosen from the beginning, those of a box widened by `radius`, by coordinate.
void Greedy::count_inner(std::size_t d, Box box, std::int32_t radius) {
  widen(box, dimensions_, radius);
  box.length[d] = 1;
  const bool is_mesh = grid_.dimension(d).wrap == Wrap::mesh;
  for (const auto c : inside_[d]) {
    box.first[d] = c;
    const auto there = sums_.count(box);
    if (is_mesh)
      hops_[d][static_cast<std::size_t>(c)] = there;
    else if (there > 0)
      add_hops(d, c, there);
  }
  if (is_mesh) sum_up_hops(d);
}

/// On a mesh: from how many nodes are at each coordinate to the hops to all of them, those below and those above.
void Greedy::sum_up_hops(std::size_t d) {
  auto& hops = hops_[d];
  const std::int64_t step = hops.size() > 1 ? apart_[d][1] : 0;
  std::int64_t above = 0, sum = 0, below = 0, sum_below = 0;
  for (std::size_t c = 0; c < hops.size(); ++c) {
    above += hops[c];
    sum += static_cast<std::int64_t>(c) * step * hops[c];
  }
  for (auto& here : hops) {
    const auto nodes = here;
    here = sum + sum_below;
    above -= nodes;
    below += nodes;
    sum -= step * above;
    sum_below += step * below;
  }
}

void Greedy::add_hops(std::size_t d, std::int32_t coordinate, std::int32_t nodes) {
  const auto extent = static_cast<std::ptrdiff_t>(hops_[d].size());
  std::int64_t* here = hops_[d].data() + coordinate;
  const std::int64_t* apart = apart_[d].data();
  for (std::ptrdiff_t below = 1; below <= coordinate; ++below) here[-below] += nodes * apart[below];
  for (std::ptrdiff_t above = 1; above < extent - coordinate; ++above) here[above] += nodes * apart[above];
}

void Greedy::open_shell() {
  for (std::size_t d = 0; d < dimensions_; ++d) {
    edge_[d].clear();
    for (std::int32_t c = 0; c < grid_.dimension(d).extent; ++c)
      if (offsets_[d][static_cast<std::size_t>(c)] == next_shell_) edge_[d].push_back(c);
  }
  open_places(0, RouterId(0), false);
  for (std::size_t d = 0; d < dimensions_; ++d) inside_[d].insert(inside_[d].end(), edge_[d].begin(), edge_[d].end());
  ++next_shell_;
  least_beyond_ = least_hops_beyond();
}

/// Goes through the coordinates along d and all later dimensions: at least one is of the shell, none is beyond it.
void Greedy::open_places(std::size_t d, RouterId router, bool is_in_shell) {
  if (d == dimensions_) {
    const auto left = free_.free_on(router);
    std::int64_t to_centre = 0;
    for (std::size_t e = 0; e < dimensions_; ++e)
      to_centre += apart_[e][static_cast<std::size_t>(std::abs(at_[e] - centre_[e]))];
    if (left > 0) candidates_.push_back({at_, router, next_shell_, left, to_centre});
    return;
  }
  const auto open = [&](const std::vector<std::int32_t>& coordinates, bool is_edge) {
    for (const auto c : coordinates) {
      at_[d] = c;
      open_places(d + 1, router + c * strides_[d], is_in_shell || is_edge);
    }
  };
  if (is_in_shell || d + 1 < dimensions_) open(inside_[d], false);
  open(edge_[d], true);
}

std::int64_t Greedy::least_hops_beyond() const {
  constexpr auto none = std::numeric_limits<std::int64_t>::max() / 2;
  if (next_shell_ > last_shell_) return none;
  std::int64_t sum = 0, least_more = none;  // what the nearest place has, and what more one that is far along one
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const auto least = *std::ranges::min_element(hops_[d]);
    sum += least;
    for (std::size_t c = 0; c < hops_[d].size(); ++c)
      if (offsets_[d][c] >= next_shell_) least_more = std::min(least_more, hops_[d][c] - least);
  }
  return sum + least_more;
}

std::size_t Greedy::nearest() {
  std::size_t best = 0;
  std::int64_t best_hops = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0;; open_shell()) {
    for (; i < candidates_.size(); ++i) {
      const auto there = hops(candidates_[i].at);
      if (best_hops < there || (best_hops == there && candidates_[best].comes_before(candidates_[i]))) continue;
      best = i;
      best_hops = there;
    }
    if (best_hops < least_beyond_) return best;
    least_beyond_ = least_hops_beyond();  // the more are chosen, the more it is
    if (best_hops < least_beyond_) return best;
  }
}

/// The first of the router's free nodes that is not chosen.
NodeId Greedy::take_from(Candidate& candidate) {
  const auto first = free_.machine().first_node(candidate.router);
  std::int32_t before = free_.free_on(candidate.router) - candidate.left, i = 0;
  for (;; ++i)
    if (free_.is_free(first + i) && before-- == 0) break;
  if (--candidate.left == 0) {
    candidate = candidates_.back();
    candidates_.pop_back();
  }
  return first + i;
}

}  // namespace toroid::alloc

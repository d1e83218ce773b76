#pragma once
// The free nodes around a box, shell by shell, and the greedy choice of them: the inner shells whole, then node by node
// what is nearest to those chosen before.

#include "alloc/geometry/boxes.hpp"

namespace toroid::alloc {

/// The distance of a coordinate from a range of coordinates: 0 within it, negative below it, positive above it. On a
/// dimension that wraps it is the shorter one, or the positive one if both are as short.
std::int32_t offset_from_range(const platforms::Dimension& dimension, std::int32_t first, std::int32_t length,
                               std::int32_t coordinate);

/// The free nodes up to `radius` routers from a box, shell by shell. A shell has first its faces, then its edges, then
/// its corners (by the number of dimensions along which a router is at the shell's distance), each from the low end of
/// dimension 0 on.
std::vector<NodeId> free_in_shells(const FreeNodes& free, const Box& box, std::int32_t radius);

/// Chooses nodes. The free nodes in the shells below some radius are chosen at once. Then, from that shell outwards, it
/// chooses one node at a time, the one with the fewest hops to all chosen nodes; of several the one nearest to a centre
/// by hops, then the one with the lowest coordinate along dimension 0, then 1 and so on. So a node of the next shell
/// may come before the corners of this one; but if the box itself has enough nodes, all come from it.
///
/// The hops from a place to all chosen nodes are a sum of one number for each of its coordinates. A shell is searched
/// only when its nearest place might be as near as the nearest node so far.
class Greedy {
 public:
  Greedy(const FreeNodes& free, FreeSums& sums);

  /// A choice to make: `count` nodes around a box. The shells below `radius` have too few free nodes, with shell
  /// `radius` there are enough.
  struct Task {
    Box box;
    RouterId centre;
    std::int32_t radius, count;
    bool operator==(const Task&) const = default;
  };

  /// How far the sum of the chosen nodes' shell numbers is above count * radius; any number above `most` if it is above
  /// that.
  std::int64_t beyond(const Task& task, std::int64_t most);
  /// The chosen nodes, in the order of their choice; valid until the next call.
  const std::vector<NodeId>& choose(const Task& task);

 private:
  struct Candidate {
    platforms::Coordinates at;
    RouterId router;
    std::int32_t shell, left;  ///< shell: its shell; left: its free nodes that are not chosen
    std::int64_t to_centre;    ///< hops to the centre and back; all hops here are both ways
    /// Whether this candidate comes before another that has as many hops to all chosen nodes.
    bool comes_before(const Candidate& other) const {
      return to_centre != other.to_centre ? to_centre < other.to_centre : at < other.at;
    }
  };

  /// What a choice depends on.
  struct Chosen {
    Task task;
    std::uint64_t changes;  ///< FreeSums::changes() at the time of the choice
    bool operator==(const Chosen&) const = default;
  };

  struct Known {
    std::int64_t beyond;  ///< the result of beyond(), or, if it is not complete, a lower bound
    bool is_complete;     ///< whether the choice was made to its end
  };
  /// The results of tasks that differ only in their places, by what is free around them: tasks with equal surroundings
  /// have equal results.
  struct KnownTasks {
    platforms::Coordinates length{};
    std::int32_t radius = -1, count = 0;
    std::unordered_map<std::string, Known> by_surroundings;
  };

  /// Computes beyond() and puts the choice into chosen_; stops once the result is above `most`.
  std::int64_t run(const Task& task, std::int64_t most);
  std::optional<std::string> surroundings(const Task& task);
  char* copy_free(char* to, const Box& box, std::size_t d, RouterId router) const;
  void begin(const Box& box, RouterId centre, std::int32_t radius);
  void count_inner(std::size_t d, Box box, std::int32_t radius);
  void sum_up_hops(std::size_t d);
  /// Adds the hops to `nodes` more chosen nodes at a coordinate along dimension d.
  void add_hops(std::size_t d, std::int32_t coordinate, std::int32_t nodes);
  /// Makes the nodes of the next shell candidates.
  void open_shell();
  void open_places(std::size_t d, RouterId router, bool is_in_shell);
  std::int64_t hops(const platforms::Coordinates& at) const {
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < dimensions_; ++d) sum += hops_[d][static_cast<std::size_t>(at[d])];
    return sum;
  }
  /// A lower bound of the hops from any place beyond the open shells to all chosen nodes.
  std::int64_t least_hops_beyond() const;
  /// The index of the next candidate to choose; opens as many shells as it needs to know that.
  std::size_t nearest();
  NodeId take_from(Candidate& candidate);

  const FreeNodes& free_;
  FreeSums& sums_;
  const platforms::Grid& grid_;
  std::size_t dimensions_;
  // For each dimension:
  std::array<std::vector<std::int64_t>, platforms::max_dimensions> apart_;  ///< hops by difference of coordinates
  /// Hops from each coordinate to all chosen nodes.
  std::array<std::vector<std::int64_t>, platforms::max_dimensions> hops_;
  /// Offsets of each coordinate from the box.
  std::array<std::vector<std::int32_t>, platforms::max_dimensions> offsets_;
  std::array<std::vector<std::int32_t>, platforms::max_dimensions> inside_;  ///< coordinates within the open shells
  std::array<std::vector<std::int32_t>, platforms::max_dimensions> edge_;  ///< coordinates of the shell that is opened
  platforms::Coordinates strides_{}, centre_{}, at_{};
  std::int32_t next_shell_ = 0, last_shell_ = 0;
  std::int64_t least_beyond_ = 0;  ///< a value of least_hops_beyond() since the last shell was opened
  std::vector<Candidate> candidates_;
  std::vector<NodeId> chosen_;
  std::optional<Chosen> chosen_for_;  ///< if chosen_ is a whole choice
  KnownTasks known_;
};

}  // namespace toroid::alloc

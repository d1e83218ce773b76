#pragma once
// The greedy choice around a box: the inner shells whole, then node by node what is nearest to those chosen before.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "alloc/free_nodes.hpp"
#include "alloc/geometry/free_sums.hpp"

namespace toroid::alloc {

/// The free nodes in the shells below some radius are chosen from the beginning. Then, from that shell on outwards, one
/// at a time the node with the fewest hops to all that are chosen; of several the one nearest to a centre by hops, then
/// the one with the lowest coordinate along dimension 0, then 1 and so on. So a node of the next shell may come before
/// the corners of this one; but a box that has them all itself is not left.
///
/// The hops from a place to all that are chosen add up from one number for each of its coordinates. Shells are looked
/// into only once their nearest place might be as near as the nearest node so far.
class Greedy {
 public:
  Greedy(const FreeNodes& free, FreeSums& sums);

  /// What is to be chosen: `count` nodes from shell `radius` around a box on. Below that are too few, with it enough.
  struct Task {
    Box box;
    RouterId centre;
    std::int32_t radius, count;
    bool operator==(const Task&) const = default;
  };

  /// By how much the sum of the shells' numbers of the nodes is above count * radius, or any number above `most` if it
  /// is above that.
  std::int64_t beyond(const Task& task, std::int64_t most);
  /// The nodes, one after the other; valid until the next call.
  const std::vector<NodeId>& choose(const Task& task);

 private:
  struct Candidate {
    platforms::Coordinates at;
    RouterId router;
    std::int32_t shell, left;  ///< free nodes that are not chosen
    std::int64_t to_centre;    ///< hops, there and back as everywhere here
    /// Where both have as many hops to all that are chosen.
    bool comes_before(const Candidate& other) const {
      return to_centre != other.to_centre ? to_centre < other.to_centre : at < other.at;
    }
  };

  /// What a choice follows from.
  struct Chosen {
    Task task;
    std::uint64_t changes;  ///< of what is free, before
    bool operator==(const Chosen&) const = default;
  };

  struct Known {
    std::int64_t beyond;  ///< as much, or
    bool is_complete;     ///< more
  };
  /// Where the same is free around it, the same comes of a task, wherever that is: tasks that differ in their places
  /// alone, by what surrounds them.
  struct KnownTasks {
    platforms::Coordinates length{};
    std::int32_t radius = -1, count = 0;
    std::unordered_map<std::string, Known> by_surroundings;
  };

  /// Puts the choice into chosen_, as far as it takes to know that it is above `most`.
  std::int64_t run(const Task& task, std::int64_t most);
  std::optional<std::string> surroundings(const Task& task);
  void append_free(std::string& text, const Box& box, std::size_t d, RouterId router) const;
  void remember(const std::string& surroundings, const Known& known);
  void begin(const Box& box, RouterId centre, std::int32_t radius);
  void count_inner(std::size_t d, Box box, std::int32_t radius);
  void sum_up_hops(std::size_t d);
  /// There are `nodes` more that are chosen, at a coordinate.
  void add_hops(std::size_t d, std::int32_t coordinate, std::int32_t nodes);
  /// The nodes of the next shell become candidates.
  void open_shell();
  void open_places(std::size_t d, RouterId router, bool is_in_shell);
  std::int64_t hops(const platforms::Coordinates& at) const {
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < dimensions_; ++d) sum += hops_[d][static_cast<std::size_t>(at[d])];
    return sum;
  }
  /// No place beyond the shells that are open has fewer hops to all that are chosen.
  std::int64_t least_hops_beyond() const;
  /// The candidate that comes next; opens as many shells as that takes.
  std::size_t nearest();
  NodeId take_from(Candidate& candidate);

  const FreeNodes& free_;
  FreeSums& sums_;
  const platforms::Grid& grid_;
  std::size_t dimensions_;
  // For each dimension:
  std::array<std::vector<std::int64_t>, platforms::max_dimensions> apart_;    ///< hops by difference of coordinates
  std::array<std::vector<std::int64_t>, platforms::max_dimensions> hops_;     ///< by coordinate, to all that are chosen
  std::array<std::vector<std::int32_t>, platforms::max_dimensions> offsets_;  ///< by coordinate, from the box
  std::array<std::vector<std::int32_t>, platforms::max_dimensions> inside_;   ///< coordinates within the open shells
  std::array<std::vector<std::int32_t>, platforms::max_dimensions> edge_;     ///< those of the shell that is opened
  platforms::Coordinates strides_{}, centre_{}, at_{};
  std::int32_t next_shell_ = 0, last_shell_ = 0;
  std::int64_t least_beyond_ = 0;  ///< least_hops_beyond() as it was at some time since the last shell was opened
  std::vector<Candidate> candidates_;
  std::vector<NodeId> chosen_;
  std::optional<Chosen> chosen_for_;  ///< if chosen_ is a whole choice
  KnownTasks known_;
};

}  // namespace toroid::alloc

#pragma once
// What mappers have in common that know where ranks stand in a grid: the grid, and how ranks and slots are halved
// together (Leung et al., PPoPP'14; Deveci et al., IPDPS'14).

#include "mapping/problem/traffic_graph.hpp"
#include "mapping/traffic_grid.hpp"
#include "toroid/mapping/mapper.hpp"

namespace toroid::mapping {

constexpr std::size_t most_axes = 8;

/// The extents of up to 8 axes. The place with the coordinates (x, y, z, ...) has the number x + X*(y + Y*(z + ...)).
using JobGrid = std::vector<std::int32_t>;

/// A job's grid, and the place of each rank there.
struct RankGrid {
  JobGrid extents;
  core::IdVector<Rank, std::int32_t> place;

  /// The slot of each rank, given the slot of each place.
  Assignment ranks_on(const Assignment& slot_of_place) const;
};

/// The key `grid` of a mapper; its values are extents such as 4x8x2.
extern const core::OptionalParameter<JobGrid> grid_parameter;

/// Whether mappers of grids can take this one: it has 1 to most_axes axes.
bool suits_geometric_mappers(const FoundGrid& found);

/// What mappers have in common that know where ranks stand in a grid: the one that they are given, in which ranks are
/// numbered as places are, or else that of the traffic (find_grid).
class GeometricMapper : public KeyedMapper {
 public:
  using KeyedMapper::KeyedMapper;

  bool uses_seed() const override { return false; }
  void check(const MappingProblem& problem) const override;

 protected:
  /// Throws InputError unless the grid that was given has one place for each rank, or the traffic has a grid. Notes
  /// which grid the traffic has.
  RankGrid grid(const MappingProblem& problem) const;
  bool is_given() const { return value(grid_parameter).has_value(); }
};

/// How cuts are made. Ranks are cut at the middle of the longest axis of their box; if several are equally long, of the
/// first in `axes`. Slots are cut into parts of the same sizes.
struct Cuts {
  std::vector<std::size_t> axes;  ///< all axes of the grid, each once
  /// For each axis along which ranks are cut, the dimension of the machine along which slots are cut. If it is empty,
  /// slots are cut along the dimension in which they spread most.
  std::vector<std::size_t> dimension_of_axis;
  /// Whether the upper half of a cut is turned round: its ranks along the axis, its slots along the dimension that was
  /// cut. If both are cut along the same direction again and again nothing changes. If not, ranks on both sides of the
  /// cut come to mirrored places, as in a folded sheet.
  bool fold = false;
};

/// The slot of each place of the grid; a place has the number of a rank.
Assignment match_halves(const JobGrid& grid, const Points& points, const Cuts& cuts);

/// The dimension of each axis, for Cuts: the first of `axes` goes with the dimension in which the points spread most, and
/// so on; from the start again when there are more axes.
std::vector<std::size_t> dimensions_for(const std::vector<std::size_t>& axes, const Points& points);

/// GEOM, the geometric mapper (Leung et al., PPoPP'14; as Balzuweit et al. 2014, section II, describe it).
/// Ranks and slots are halved together, along the longest axis of the job. The longest axis of the job goes with the
/// longest side of the box that bounds the slots, the next with the next, and so on; when the machine has fewer
/// dimensions than the job has axes, from the first side again. Of axes or sides that are equally long, the first comes
/// first. Wraps do not matter. There are as many `slots` as the grid has places. Returns the slot of each place, which
/// has the number of a rank.
Assignment geometric_mapping(const JobGrid& grid, const SlotHops& hops, std::vector<Slot> slots);

/// Which swap is made next among those that lower the cost.
enum class SwapChoice : std::uint8_t {
  first,          ///< each swap as soon as it is found: ranks i in turn, with the ranks j > i in turn
  best_per_rank,  ///< ranks in turn, the best swap of each with any other
  best            ///< the best swap of all
};

constexpr auto no_swap_limit = std::numeric_limits<std::int64_t>::max();

/// Swaps ranks while that lowers hop_bytes, at most `limit` times. Without a limit the result is a local optimum: no
/// swap lowers it. Of equal swaps it makes that of the lower rank, with the lower rank. Slots without a rank stay
/// empty. Returns the number of swaps.
///
/// The search is that of GSEARCH (Balzuweit et al. 2014, figure 2 and section IV-C), swap by swap, but it leaves out
/// tests that cannot succeed: of two ranks around which nothing has moved since they were last tested, and of ranks
/// that are too far apart. Where distances are the same both ways, both of the latter would be worse off by the
/// triangle inequality.
std::int64_t swap_search(const TrafficGraph& graph, const SlotHops& hops, Assignment& slot_of, SwapChoice choice,
                         std::int64_t limit = no_swap_limit);

}  // namespace toroid::mapping

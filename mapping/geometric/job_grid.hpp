#pragma once
// The logical grid of a job: where each rank stands in a stencil.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/parameter.hpp"
#include "mapping/mapper.hpp"
#include "mapping/problem/traffic_graph.hpp"
#include "mapping/traffic_grid.hpp"

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

/// Whether mappers of grids can take this one: it has 1 to most_axes axes.
bool suits_geometric_mappers(const FoundGrid& found);

/// What mappers have in common that know where ranks stand in a grid: the one that they are given, in which ranks are
/// numbered as places are, or else that of the traffic (find_grid).
class GeometricMapper : public Mapper {
 public:
  explicit GeometricMapper(const core::Arguments& arguments);

  bool uses_seed() const override { return false; }
  void check(const MappingProblem& problem) const override;

 protected:
  /// Throws InputError unless the grid that was given has one place for each rank, or the traffic has a grid. Notes
  /// which grid the traffic has.
  RankGrid grid(const MappingProblem& problem) const;
  bool is_given() const { return grid_.has_value(); }

 private:
  std::string spec_;
  std::optional<JobGrid> grid_;
};

/// The key `grid` of a mapper; its values are extents such as 4x8x2.
extern const core::OptionalParameter<JobGrid> grid_parameter;

}  // namespace toroid::mapping

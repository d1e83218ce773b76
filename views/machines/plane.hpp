#pragma once
// A plane of a machine's grid, and its drawing for print: what links and routers look like is said by whoever draws it.

#include "toroid/platforms/machine.hpp"
#include "views/charts/svg.hpp"

namespace toroid::views {

/// The plane that a picture shows: the dimensions along it, and the coordinates `at` of the others.
struct Slice {
  std::size_t across = 0, down = 0;  ///< equal on machines of one dimension
  platforms::Coordinates at{};
};

/// The plane along the first two dimensions at the coordinates in `at`, such as `z=2` or `z=2,d3=1`; the others are 0.
/// Throws InputError.
Slice parse_slice(const platforms::Machine& machine, const std::string& at);

/// The plane along the first two dimensions at the first router.
Slice first_slice(const platforms::Grid& grid);

/// Where the plane lies: `z=2`; empty where the machine is a single plane.
std::string where(const platforms::Machine& machine, const Slice& slice);

/// The plane of a slice, and what lies in it. The machine and the slice must outlive it.
class Plane {
 public:
  Plane(const platforms::Machine& machine, const Slice& slice)
      : machine_(machine), grid_(machine.grid()), slice_(slice) {
    TOROID_ASSERT(slice.across < grid_.dimension_count() && slice.down < grid_.dimension_count());
  }

  std::int32_t columns() const { return grid_.dimension(slice_.across).extent; }
  std::int32_t rows() const { return slice_.across == slice_.down ? 1 : grid_.dimension(slice_.down).extent; }
  std::size_t across() const { return slice_.across; }
  std::size_t down() const { return slice_.down; }

  platforms::RouterId router(std::int32_t column, std::int32_t row) const {
    TOROID_ASSERT(0 <= column && column < columns() && 0 <= row && row < rows());
    auto at = slice_.at;
    at[slice_.across] = column;
    if (slice_.down != slice_.across) at[slice_.down] = row;
    return grid_.router_at(at);
  }

  /// The link that a hop would take, and whether there is one that works.
  platforms::LinkId link(platforms::RouterId from, std::size_t d, bool forward) const {
    return grid_.dimension(d).shared ? grid_.shared_link(from, d) : grid_.link(from, d, forward);
  }
  bool works(platforms::RouterId from, std::size_t d, bool forward) const {
    return grid_.has_neighbour(from, d, forward) && machine_.link_exists(link(from, d, forward));
  }

  /// The sign between a router and the next one along d: both ways, forward only, backward only, shared, none.
  std::string sign(platforms::RouterId from, std::size_t d, const std::array<const char*, 5>& signs) const {
    const bool there = works(from, d, true);
    const bool back = grid_.has_neighbour(from, d, true) && works(grid_.neighbour(from, d, true), d, false);
    if (grid_.dimension(d).shared && (there || back)) return signs[3];
    return signs[there && back ? 0 : there ? 1 : back ? 2 : 4];
  }

  const platforms::Machine& machine() const { return machine_; }
  const platforms::Grid& grid() const { return grid_; }

 private:
  const platforms::Machine& machine_;
  const platforms::Grid& grid_;
  const Slice& slice_;
};

struct LinkLook {
  std::string colour;
  double width = 2;
  std::string says;  ///< the text of the tooltip
};

/// What a colour of routers means whose nodes compute.
struct RouterLook {
  std::string colour, name;
};

/// What a drawing shows of the links and routers of a plane.
class Looks {
 public:
  virtual ~Looks() = default;
  /// How a link looks that works.
  virtual LinkLook of_link(platforms::LinkId link) = 0;
  /// The looks of routers whose nodes compute, in the order of the legend.
  virtual const std::vector<RouterLook>& router_looks() const = 0;
  /// The positions there of the looks that a router has, which share it evenly; at least one.
  virtual std::vector<std::size_t> of_router(platforms::RouterId router) const = 0;
  /// Draws what the colours of links mean, from a place on, and beside each other.
  virtual void add_legend(Svg& svg, double x, double y) const = 0;

  static constexpr double legend_step = 130;
};

/// The plane as SVG. Links that failed are dashed, one-way ones have arrowheads, service nodes and what is missing have
/// marks of their own; everything stands in the legend, and tooltips have names.
std::string plane_svg(const Plane& plane, Looks& looks, const std::string& title, const std::string& subtitle = {});

}  // namespace toroid::views

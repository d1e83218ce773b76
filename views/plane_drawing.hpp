#pragma once
// The drawing of a plane of a machine for print: what its links and routers look like is said by whoever draws it.

#include <string>
#include <vector>

#include "views/machine_plane.hpp"
#include "views/svg.hpp"

namespace toroid::views {

struct LinkLook {
  std::string colour;
  double width = 2;
  std::string says;  ///< in the tooltip
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

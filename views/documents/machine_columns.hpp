#pragma once
// The machine as columns of a document, which all pages draw it from (docs/reference/run-columns.md); and all that can
// be drawn of a machine alone, with its page.

#include <cmath>

#include "platforms/survey.hpp"
#include "views/documents/columns.hpp"

namespace toroid::views {

constexpr u4 no_number = ~u4{0};

/// A share from 0 to 1 as 0 to 255; a share above 0 never becomes 0.
inline std::uint8_t byte_of(double share) {
  if (!(share > 0)) return 0;
  return static_cast<std::uint8_t>(std::clamp(std::lround(255 * share), 1L, 255L));
}

/// The links that a document has: all of the grid, failed ones included, and the ports that are asked for.
class MachineColumns {
 public:
  using IsWanted = std::function<bool(platforms::LinkId port)>;

  /// The machine must outlive this.
  explicit MachineColumns(const platforms::Machine& machine, const IsWanted& port = {});

  /// Adds dimensions and routers, nodes and links.
  void add_to(Columns& columns) const;

  /// All links, by their number in the document.
  const std::vector<platforms::LinkId>& links() const { return links_; }
  /// The number of a link in the document; no_number if the document does not have the link.
  std::uint32_t number(platforms::LinkId link) const { return numbers_[link.index()]; }

 private:
  void add_dimensions(Columns& columns) const;
  void add_segments(Columns& columns) const;

  const platforms::Machine& machine_;
  std::vector<platforms::LinkId> links_;
  std::vector<std::uint32_t> numbers_;  ///< numbers in the document by link id
};

/// The nodes at the two ends of a route, the first one first.
using RouteEnds = std::pair<platforms::NodeId, platforms::NodeId>;

/// The columns of a machine, which its user calls `platform`: those that docs/reference/run-columns.md has of the
/// machine, with `link_latency` (s) of each link, 0 of ports, and `route_link`, the links of the route, first to last.
Columns platform_columns(const platforms::Machine& machine, const platforms::Survey& survey,
                         const std::string& platform, const std::optional<RouteEnds>& route = {});

/// The page that draws a machine: one file that needs no other and fetches nothing.
std::string platform_page(const Columns& platform);

}  // namespace toroid::views

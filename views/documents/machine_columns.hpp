#pragma once
// The machine as columns of a document: what all pages draw it from (docs/reference/run-columns.md).

#include <cmath>

#include "toroid/platforms/machine.hpp"
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

}  // namespace toroid::views

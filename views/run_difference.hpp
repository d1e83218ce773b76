#pragma once
// Two runs beside each other: what the second one does otherwise, as a whole and link by link.

#include <string>
#include <vector>

#include "views/columns.hpp"
#include "views/columns_file.hpp"

namespace toroid::views {

/// A link in both runs. A link that only one of the machines has carries nothing in the other run.
struct LinkChange {
  std::string name;              ///< as the command prints it
  double before = 0, after = 0;  ///< the share of its capacity that was used over the run
  double bytes_before = 0, bytes_after = 0;
};

class RunDifference {
 public:
  /// The documents of two runs on machines of the same extents and nodes per router; wraps, bandwidths and what failed
  /// may differ. The documents must outlive this. Throws InputError where the machines differ, or a document is not
  /// that of a run.
  RunDifference(const ColumnsFile& before, const ColumnsFile& after);

  /// The links of the grid whose use changed most, at most `most` of them; the largest change first.
  std::vector<LinkChange> changes(std::size_t most) const;
  /// The columns of the page: those of the machine, and for each link and node what both runs have of it
  /// (docs/reference/run-columns.md).
  Columns columns() const;

 private:
  /// What one run has of each link, by the numbers of links here.
  struct Side {
    std::vector<float> use;
    std::vector<double> bytes, lost_s;
    std::vector<float> wait;  ///< by node: the share of the run time that its ranks wait, on average
  };

  void add_links(const ColumnsFile& file);
  Side side(const ColumnsFile& file) const;
  std::string name_of(std::size_t link) const;

  const ColumnsFile& before_;
  const ColumnsFile& after_;
  std::vector<std::uint32_t> from_, to_;
  std::vector<std::uint8_t> kind_, failed_;
  std::vector<float> bandwidth_;
  std::vector<std::vector<std::uint32_t>> numbers_;  ///< by file: the number here of each of its links
  Side sides_[2];
};

/// The page that draws the difference of two runs.
std::string difference_page(const Columns& difference);

}  // namespace toroid::views

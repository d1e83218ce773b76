#pragma once
// Two runs beside each other: what the second one does otherwise, as a whole and link by link.

#include <array>

#include "views/documents/columns.hpp"

namespace toroid::views {

/// What the document of a run says of the run as a whole, and of the machine that both runs must have.
struct RunSummary {
  struct Part {
    std::string name;  ///< a part of the critical path: `compute`, `latency`, `bandwidth`, `sharing`
    double seconds = 0;
  };
  struct Dimension {
    std::string name;
    std::int64_t extent = 0;
    bool is_shared = false;  ///< whether its links are shared lines
  };
  std::string platform, trace, map, engine;
  double runtime = 0;                   ///< seconds
  bool is_of_communication = false;     ///< whether the run time leaves computation out
  std::vector<Part> parts;              ///< what the run time is made of
  double bytes = 0, hops_per_byte = 0;  ///< what messages between nodes have
  std::int64_t nodes_per_router = 0;
  std::vector<Dimension> dimensions;
};

/// A link in both runs. A link that only one of the machines has carries nothing in the other run.
struct LinkChange {
  std::string name;              ///< the name that the command prints
  double before = 0, after = 0;  ///< the share of its capacity that was used over the run
  double bytes_before = 0, bytes_after = 0;
};

class RunDifference {
 public:
  /// The documents of two runs on machines of the same extents and nodes per router; wraps, bandwidths and what failed
  /// may differ. The documents must outlive this. Throws InputError where the machines differ, or a document is not
  /// that of a run.
  RunDifference(const ColumnsFile& before, const ColumnsFile& after);

  const RunSummary& before() const { return summaries_[0]; }
  const RunSummary& after() const { return summaries_[1]; }
  /// The links of the grid whose use changed most, at most `most` of them; the largest change first.
  std::vector<LinkChange> changes(std::size_t most) const;
  /// The columns of the page: those of the machine, and for each link and node what both runs have of it
  /// (docs/reference/run-columns.md).
  Columns columns() const;

 private:
  /// A link that one of the machines has, and what both runs have of it, before and after.
  struct Link {
    u4 from, to;
    u1 kind, failed;
    f4 bandwidth;
    std::array<f4, 2> use{};
    std::array<f8, 2> bytes{}, lost_s{};
  };

  void add_links(std::size_t side);
  void add_loads(std::size_t side);
  void add_waits(std::size_t side);
  void add_segments(Columns& columns) const;
  std::string name_of(const Link& link) const;

  std::array<const ColumnsFile*, 2> files_;
  std::array<RunSummary, 2> summaries_;
  std::vector<Link> links_;
  std::array<std::vector<u4>, 2> numbers_;  ///< positions in links_, by side and number in its document
  std::array<std::vector<f4>, 2> wait_;     ///< shares of the run time that ranks wait, by side and node
};

/// The page that draws the difference of two runs.
std::string difference_page(const Columns& difference);

}  // namespace toroid::views

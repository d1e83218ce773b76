#pragma once
// Pictures of a machine: a plane of its grid, in the terminal or as SVG, alone or with what a run did on it.

#include "toroid/netsim/run.hpp"
#include "views/machines/plane.hpp"

namespace toroid::views {

/// The plane as text: routers as letters (platforms::symbol), links as lines and arrows, and a legend. Links are left
/// out where the text would be wider than 120 characters or taller than 60 lines.
std::string machine_text(const platforms::Machine& machine, const Slice& slice);

/// The plane as SVG: links are coloured by bandwidth, failed ones dashed; one-way ones have arrowheads; tooltips have
/// the numbers of nodes.
std::string machine_svg(const platforms::Machine& machine, const Slice& slice);

/// The plane along the first two dimensions that has the link with the highest mean use, of the links of a run.
Slice busiest_slice(const platforms::Machine& machine, const std::vector<netsim::LinkResult>& links);

/// Ranks that a picture shows alike, on the routers of their nodes.
struct DrawnRanks {
  std::string name, colour;                   ///< the name is that of the legend, the colour `#rrggbb`
  std::vector<platforms::NodeId> nodes = {};  ///< nodes of the ranks, in any order and number
};

/// All ranks of a run of one program, and nodes that others hold.
std::vector<DrawnRanks> drawn_ranks(const netsim::Result& result, const std::vector<platforms::NodeId>& busy = {});
/// The ranks of each job of a run, in colours of which no two that touch are alike as long as seven are enough; and
/// nodes that others hold.
std::vector<DrawnRanks> drawn_ranks(const netsim::Run& request, const std::vector<platforms::NodeId>& busy = {});

/// The plane as SVG with what a run did on it: links are coloured, and as wide, by their mean use, on a scale from 0 to
/// the least multiple of 10 % that no link of the machine exceeds. Routers have the colours of the ranks on them, in
/// equal sectors where several kinds share one. `title` says what ran, `subtitle` how.
std::string used_machine_svg(const platforms::Machine& machine, const Slice& slice,
                             const std::vector<netsim::LinkResult>& links, const std::vector<DrawnRanks>& ranks,
                             const std::string& title, const std::string& subtitle);

}  // namespace toroid::views

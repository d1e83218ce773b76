#include "views/machines/machine_drawing.hpp"

#include "core/units.hpp"
#include "platforms/names.hpp"
#include "platforms/survey.hpp"
#include "platforms/values.hpp"
#include "views/charts/frame.hpp"
#include "views/machines/holds.hpp"

namespace toroid::views {
namespace {

using platforms::LinkId;

std::string legend_lines(const Plane& plane, const Slice& slice, const std::string& drawn) {
  std::vector<std::string> parts{plane.machine().grid().name(slice.across) + " to the right"};
  if (slice.down != slice.across) parts.push_back(plane.machine().grid().name(slice.down) + " down");
  if (const auto at = where(plane.machine(), slice); !at.empty()) parts.push_back("at " + at);
  for (const auto& [letter, meaning] :
       {std::pair{'o', "o computes"}, {'s', "s service"}, {'.', ". no node"}, {'x', "x failed"}, {'~', "~ wraps"}})
    if (drawn.find(letter) != std::string::npos) parts.emplace_back(meaning);
  if (drawn.find('=') != std::string::npos) parts.emplace_back("= shared by the line");
  for (const auto& [letter, meaning] :
       {std::pair{'>', "> one way"}, {'<', "< one way"}, {'v', "v one way"}, {'^', "^ one way"}})
    if (drawn.find(letter) != std::string::npos) parts.emplace_back(meaning);
  return core::join(parts, ", ") + "\n";
}

/// A line of signs between rows, or over the first and under the last one.
std::string between_rows(const Plane& plane, std::int32_t row) {
  std::string line = "  ";
  for (std::int32_t column = 0; column < plane.columns(); ++column) {
    const bool is_wrap = row < 0 || row + 1 >= plane.rows();
    const auto from = plane.router(column, row < 0 ? plane.rows() - 1 : row);
    auto sign = plane.sign(from, plane.down(), {"|", "v", "^", "=", " "});
    if (is_wrap && sign == "|") sign = "~";
    line += sign + "  ";
  }
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string with_links(const Plane& plane) {
  std::string text;
  const bool wraps_down = plane.rows() > 1;
  if (wraps_down) text += between_rows(plane, -1);
  for (std::int32_t row = 0; row < plane.rows(); ++row) {
    const auto last = plane.router(plane.columns() - 1, row);
    const auto wrap = plane.sign(last, plane.across(), {"~", ">", "<", "=", " "});
    std::string line = wrap + " ";
    for (std::int32_t column = 0; column < plane.columns(); ++column) {
      const auto router = plane.router(column, row);
      line += platforms::symbol(plane.machine(), router);
      if (column + 1 < plane.columns()) line += plane.sign(router, plane.across(), {"--", "->", "<-", "==", "  "});
    }
    line += wrap == " " ? "" : " " + wrap;
    text += line + "\n";
    if (plane.rows() > 1) text += between_rows(plane, row);
  }
  return text;
}

std::string without_links(const Plane& plane) {
  std::string text;
  for (std::int32_t row = 0; row < plane.rows(); ++row) {
    for (std::int32_t column = 0; column < plane.columns(); ++column)
      text += platforms::symbol(plane.machine(), plane.router(column, row));
    text += "\n";
  }
  return text;
}

class Bandwidths final : public Looks {
 public:
  explicit Bandwidths(const Machine& machine) : machine_(machine) {}

  LinkLook of_link(LinkId link) override {
    const double bandwidth = machine_.link_bandwidth(link);
    colours_.try_emplace(bandwidth, colours_.size());
    return {colour(bandwidth), 2, core::format_bandwidth(bandwidth)};
  }
  const std::vector<RouterLook>& router_looks() const override {
    static const std::vector<RouterLook> looks{{"#dde6f0", "computes"}};
    return looks;
  }
  std::vector<std::size_t> of_router(RouterId) const override { return {0}; }
  void add_legend(Svg& svg, double x, double y) const override {
    for (const auto& [bandwidth, index] : colours_) {
      svg.line(x, y, x + 20, y, {{"stroke", colour(bandwidth)}, {"stroke-width", 3.0}});
      svg.text(x + 25, y + 4, core::format_bandwidth(bandwidth), {{"class", "label"}});
      x += legend_step;
    }
  }

 private:
  /// A colour for each bandwidth, in the order in which they came.
  std::string colour(double bandwidth) const {
    static constexpr std::array colours{"#4477aa", "#228833", "#aa7733", "#aa3377", "#66a0b0", "#777777"};
    return colours[std::min(colours_.at(bandwidth), colours.size() - 1)];
  }

  const Machine& machine_;
  std::map<double, std::size_t> colours_;
};

/// What a plane does not show of links along its axes: `wraps of x also move z+4`, `a line of y is one link`.
std::string notes_of_axes(const Machine& machine, const Slice& slice) {
  const auto& description = machine.description();
  std::vector<std::string> notes;
  for (const auto d : slice.across == slice.down ? std::vector{slice.across} : std::vector{slice.across, slice.down}) {
    const auto& dimension = description.dimensions[d];
    const auto& name = machine.grid().name(d);
    if (dimension.is_twisted())
      notes.push_back(
          fmt::format("wraps of {} also move {}", name, platforms::twist_text(description, dimension.twist)));
    if (dimension.shared) notes.push_back(fmt::format("a line of {} is one link", name));
  }
  return core::join(notes);
}

/// Links by their use in a run, routers by whose ranks are on their nodes.
class Uses final : public Looks {
 public:
  Uses(const Machine& machine, const std::vector<netsim::LinkResult>& links, const std::vector<DrawnRanks>& ranks) {
    double most = 0;
    for (const auto& link : links) {
      uses_[link.link] = link.mean_utilization;
      if (machine.is_of_grid(link.link)) most = std::max(most, link.mean_utilization);
    }
    scale_ = std::max(0.1, std::ceil(most * 10 - 1e-9) / 10);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      looks_.push_back({ranks[i].colour, ranks[i].name});
      for (const auto node : ranks[i].nodes) on_router_[machine.router(node)].insert(i);
    }
    looks_.push_back({"#ffffff", "without ranks"});
  }

  LinkLook of_link(LinkId link) override {
    const auto found = uses_.find(link);
    const double use = found == uses_.end() ? 0 : found->second, share = use / scale_;
    return {use > 0 ? colour(share) : unused, 0.8 + 3.2 * share, fmt::format("{:.1f} % used", 100 * use)};
  }
  const std::vector<RouterLook>& router_looks() const override { return looks_; }
  std::vector<std::size_t> of_router(RouterId router) const override {
    const auto found = on_router_.find(router);
    if (found == on_router_.end()) return {looks_.size() - 1};
    return {found->second.begin(), found->second.end()};
  }
  void add_legend(Svg& svg, double x, double y) const override {
    constexpr double length = 140;
    svg.text(x, y + 4, "mean use of links: 0 %", {{"class", "label"}});
    x += 120;
    draw_ramp(svg, x, y - 4, length, 8, 35, [](double share) { return Attributes{{"fill", colour(share)}}; });
    svg.text(x + length + 6, y + 4, fmt::format("{:.0f} %", 100 * scale_), {{"class", "label"}});
    svg.line(x + length + 40, y, x + length + 60, y, {{"stroke", unused}, {"stroke-width", 2.0}});
    svg.text(x + length + 65, y + 4, "unused", {{"class", "label"}});
  }

 private:
  static constexpr const char* unused = "#dddddd";

  /// Viridis, as on the pages, from light to dark.
  static std::string colour(double share) {
    static constexpr std::array<std::array<double, 3>, 9> stops{{{253, 231, 37},
                                                                 {170, 220, 50},
                                                                 {92, 200, 99},
                                                                 {39, 173, 129},
                                                                 {33, 144, 141},
                                                                 {44, 113, 142},
                                                                 {59, 81, 139},
                                                                 {71, 44, 122},
                                                                 {68, 1, 84}}};
    const double at = std::clamp(share, 0.0, 1.0) * (stops.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(at), stops.size() - 2);
    const auto part = [&](std::size_t i) {
      const double between = at - static_cast<double>(below);
      return static_cast<int>(std::lround(stops[below][i] * (1 - between) + stops[below + 1][i] * between));
    };
    return fmt::format("#{:02x}{:02x}{:02x}", part(0), part(1), part(2));
  }

  std::map<LinkId, double> uses_;
  std::vector<RouterLook> looks_;                        ///< what ranks look like, last routers without any
  std::map<RouterId, std::set<std::size_t>> on_router_;  ///< positions in looks_
  double scale_ = 1;                                     ///< the use that has the darkest colour
};

std::vector<DrawnRanks> with_busy(std::vector<DrawnRanks> all, const std::vector<platforms::NodeId>& busy) {
  if (!busy.empty()) all.push_back({"busy: held by others", "#8d8d8d", busy});
  return all;
}

}  // namespace

std::string machine_text(const Machine& machine, const Slice& slice) {
  constexpr std::int32_t widest = 120, tallest = 60, most_rows = 200;
  const Plane plane(machine, slice);
  if (plane.columns() > widest || plane.rows() > most_rows)
    return fmt::format("{} x {} routers are too many to draw here; a picture (SVG) has room for them\n",
                       plane.columns(), plane.rows());
  const bool small = 3 * plane.columns() + 2 <= widest && 2 * plane.rows() + 1 <= tallest;
  const auto drawn = small ? with_links(plane) : without_links(plane);
  return drawn + "\n" + legend_lines(plane, slice, drawn);
}

std::string machine_svg(const Machine& machine, const Slice& slice) {
  const Plane plane(machine, slice);
  Bandwidths bandwidths(machine);
  return plane_svg(plane, bandwidths, fmt::format("{} {}", machine.name(), where(machine, slice)),
                   notes_of_axes(machine, slice));
}

Slice busiest_slice(const Machine& machine, const std::vector<netsim::LinkResult>& links) {
  const auto& grid = machine.grid();
  auto slice = first_slice(grid);
  double most = 0;
  for (const auto& link : links) {
    if (!machine.is_of_grid(link.link) || !(link.mean_utilization > most)) continue;
    const auto d = grid.link_dimension(link.link);
    if (d != slice.across && d != slice.down) continue;
    most = link.mean_utilization;
    slice.at = grid.coordinates(grid.link_source(link.link));
  }
  slice.at[slice.across] = slice.at[slice.down] = 0;
  return slice;
}

std::vector<DrawnRanks> drawn_ranks(const netsim::Result& result, const std::vector<platforms::NodeId>& busy) {
  DrawnRanks all{"with ranks", "#dde6f0"};
  for (const auto& rank : result.ranks) all.nodes.push_back(rank.node);
  return with_busy({all}, busy);
}

std::vector<DrawnRanks> drawn_ranks(const netsim::Run& request, const std::vector<platforms::NodeId>& busy) {
  const auto colours = colours_of(request);
  std::vector<DrawnRanks> all;
  for (std::size_t i = 0; i < request.jobs.size(); ++i) {
    const auto& job = request.jobs[i];
    all.push_back({job.name, job_colour_text(colours[i]), {job.mapping.begin(), job.mapping.end()}});
  }
  return with_busy(std::move(all), busy);
}

std::string used_machine_svg(const Machine& machine, const Slice& slice, const std::vector<netsim::LinkResult>& links,
                             const std::vector<DrawnRanks>& ranks, const std::string& title,
                             const std::string& subtitle) {
  const Plane plane(machine, slice);
  Uses uses(machine, links, ranks);
  const auto at = where(machine, slice);
  return plane_svg(plane, uses, at.empty() ? title : fmt::format("{}, {}", title, at), subtitle);
}

}  // namespace toroid::views

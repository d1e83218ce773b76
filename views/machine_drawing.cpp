#include "views/machine_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "platforms/names.hpp"
#include "platforms/survey.hpp"
#include "views/labels.hpp"
#include "views/pages/job_colours.hpp"
#include "views/svg.hpp"

namespace toroid::views {
namespace {

using platforms::Grid;
using platforms::LinkId;
using platforms::Machine;
using platforms::RouterId;

/// The plane of a slice, and what lies in it.
class Plane {
 public:
  Plane(const Machine& machine, const Slice& slice) : machine_(machine), grid_(machine.grid()), slice_(slice) {}

  std::int32_t columns() const { return grid_.dimension(slice_.across).extent; }
  std::int32_t rows() const { return slice_.across == slice_.down ? 1 : grid_.dimension(slice_.down).extent; }
  std::size_t across() const { return slice_.across; }
  std::size_t down() const { return slice_.down; }

  RouterId router(std::int32_t column, std::int32_t row) const {
    auto at = slice_.at;
    at[slice_.across] = column;
    if (slice_.down != slice_.across) at[slice_.down] = row;
    return grid_.router_at(at);
  }

  /// The link that a hop would take, and whether there is one that works.
  LinkId link(RouterId from, std::size_t d, bool forward) const {
    return grid_.dimension(d).shared ? grid_.shared_link(from, d) : grid_.link(from, d, forward);
  }
  bool works(RouterId from, std::size_t d, bool forward) const {
    return grid_.has_neighbour(from, d, forward) && machine_.link_exists(link(from, d, forward));
  }

  /// The sign between a router and the next one along d: both ways, forward only, backward only, shared, none.
  std::string sign(RouterId from, std::size_t d, const std::array<const char*, 5>& signs) const {
    const bool there = works(from, d, true);
    const bool back = grid_.has_neighbour(from, d, true) && works(grid_.neighbour(from, d, true), d, false);
    if (grid_.dimension(d).shared && (there || back)) return signs[3];
    return signs[there && back ? 0 : there ? 1 : back ? 2 : 4];
  }

  const Machine& machine() const { return machine_; }
  const Grid& grid() const { return grid_; }

 private:
  const Machine& machine_;
  const Grid& grid_;
  const Slice& slice_;
};

std::string where(const Machine& machine, const Slice& slice) {
  std::vector<std::string> fixed;
  for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d)
    if (d != slice.across && d != slice.down)
      fixed.push_back(fmt::format("{}={}", machine.grid().name(d), slice.at[d]));
  return core::join(fixed);
}

std::string legend(const Plane& plane, const Slice& slice, const std::string& drawn) {
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
  virtual LinkLook of_link(LinkId link) = 0;
  /// The looks of routers whose nodes compute, in the order of the legend.
  virtual const std::vector<RouterLook>& router_looks() const = 0;
  /// The positions there of the looks that a router has, which share it evenly; at least one.
  virtual std::vector<std::size_t> of_router(RouterId router) const = 0;
  /// Draws what the colours of links mean, from a place on, and beside each other.
  virtual void add_legend(Svg& svg, double x, double y) const = 0;

  static constexpr double legend_step = 130;
};

/// Entries of a legend from left to right, in as many lines as they need.
class LegendLines {
 public:
  LegendLines(double left, double right, double top) : left_(left), right_(right), x_(left), y_(top) {}

  /// Where an entry of this width begins.
  double place(double width) {
    if (x_ > left_ && x_ + width > right_) {
      x_ = left_;
      y_ += step;
    }
    return std::exchange(x_, x_ + width);
  }
  /// Where the line of the last entry is.
  double y() const { return y_; }

  static constexpr double step = 18;

 private:
  double left_, right_, x_, y_;
};

/// The SVG of a plane.
class Drawing {
 public:
  Drawing(const Plane& plane, Looks& looks, const std::string& title, const std::string& subtitle = {})
      : plane_(plane),
        looks_(looks),
        title_(title),
        subtitle_(subtitle),
        routers_(routers_of(plane, looks)),
        width_(std::max({2 * margin + step * (plane.columns() - 1), margin + 10 * static_cast<double>(title.size()),
                         margin + 7 * static_cast<double>(subtitle.size()), margin + 4 * Looks::legend_step})),
        svg_(width_, top() + margin + step * (plane.rows() - 1) + 48 + more_lines() * LegendLines::step, title) {}

  std::string run() {
    svg_.shape("rect", {{"class", "background"}, {"width", "100%"}, {"height", "100%"}});
    svg_.text(margin / 2, 24, title_, {{"class", "title"}});
    if (!subtitle_.empty()) svg_.text(margin / 2, 42, subtitle_, {{"class", "muted"}});
    for_each_router([&](auto column, auto row) {
      add_links(column, row, plane_.across(), 1, 0);
      if (plane_.rows() > 1) add_links(column, row, plane_.down(), 0, 1);
    });
    for_each_router([&](auto column, auto row) { add_router(column, row); });
    svg_.open_group({{"class", "legend"}});
    looks_.add_legend(svg_, margin, y(plane_.rows() - 1) + 60);
    add_marks(y(plane_.rows() - 1) + 78);
    svg_.close_group();
    return svg_.finish();
  }

 private:
  static constexpr double margin = 60, step = 40, radius = 9, label_font = 11;
  static constexpr double one_way_width = 90, failed_width = 110;  ///< of these entries of the legend

  double top() const { return margin + (subtitle_.empty() ? 0 : 18); }
  double x(std::int32_t column) const { return margin + step * column; }
  double y(std::int32_t row) const { return top() + step * row; }

  template <class Visit>
  void for_each_router(Visit visit) const {
    for (std::int32_t row = 0; row < plane_.rows(); ++row)
      for (std::int32_t column = 0; column < plane_.columns(); ++column) visit(column, row);
  }

  /// The links forward and backward from a router to the next along d, side by side, each at the right of its way; a
  /// wrap as two stubs.
  void add_links(std::int32_t column, std::int32_t row, std::size_t d, double dx, double dy) {
    const auto& grid = plane_.grid();
    const auto from = plane_.router(column, row);
    if (!grid.has_neighbour(from, d, true)) return;
    const bool is_wrap = (dx > 0 ? column + 1 == plane_.columns() : row + 1 == plane_.rows());
    for (const bool forward : {true, false}) {
      const auto source = forward ? from : grid.neighbour(from, d, true);
      if (!grid.has_neighbour(source, d, forward)) continue;
      const bool is_pair = grid.dimension(d).wrap != platforms::Wrap::ring && !grid.dimension(d).shared;
      has_pairs_ = has_pairs_ || is_pair;
      const double shift = !is_pair ? 0 : forward ? 3 : -3;
      const double x1 = x(column) - shift * dy, y1 = y(row) + shift * dx;
      const double length = is_wrap ? 0.6 * step : step;
      const double beside = is_wrap ? (radius + length) / 2 / length : 0.5;  // in the middle of what routers leave free
      add_link(source, d, forward, {x1, y1, x1 + length * dx, y1 + length * dy}, beside);
      if (is_wrap) {  // the other end, before the first router
        const double x0 = dx > 0 ? x(0) : x1, y0 = dy > 0 ? y(0) : y1;
        add_link(source, d, forward, {x0 - length * dx, y0 - length * dy, x0, y0}, 1 - beside);
      }
    }
  }

  struct Line {
    double x1, y1, x2, y2;
  };

  /// A link as a line; with an arrowhead at that part of it if it goes one way.
  void add_link(RouterId source, std::size_t d, bool forward, const Line& line, double head_at) {
    const auto link = plane_.link(source, d, forward);
    const bool works = plane_.works(source, d, forward);
    const auto look = works ? looks_.of_link(link) : LinkLook{failed_colour, 2, "failed"};
    has_failed_link_ = has_failed_link_ || !works;
    const double width = look.width + (plane_.grid().dimension(d).shared ? 3 : 0);
    const auto says = fmt::format("{}: {}", plane_.machine().link_name(link), look.says);
    Attributes attributes{{"x1", line.x1}, {"y1", line.y1},         {"x2", line.x2},
                          {"y2", line.y2}, {"stroke", look.colour}, {"stroke-width", width}};
    if (!works) attributes.emplace_back("stroke-dasharray", "2 3");
    svg_.shape("line", attributes, says);
    if (plane_.grid().dimension(d).wrap == platforms::Wrap::ring) add_head(line, head_at, look.colour, width, says);
  }

  /// A triangle whose tip shows where a line leads that is drawn along an axis.
  void add_head(const Line& line, double at, const std::string& colour, double width, const std::string& says) {
    has_one_way_ = true;
    const double half = 5, side = width / 2 + 3;
    const double dx = line.x2 == line.x1 ? 0 : std::copysign(1, line.x2 - line.x1);
    const double dy = line.y2 == line.y1 ? 0 : std::copysign(1, line.y2 - line.y1);
    const double x = line.x1 + at * (line.x2 - line.x1), y = line.y1 + at * (line.y2 - line.y1);
    const auto point = [&](double along, double beside) {
      return number(x + along * dx + beside * dy) + "," + number(y + along * dy + beside * dx);
    };
    svg_.shape("polygon",
               {{"points", point(half, 0) + " " + point(-half, side) + " " + point(-half, -side)}, {"fill", colour}},
               says);
  }

  void add_router(std::int32_t column, std::int32_t row) {
    const auto router = plane_.router(column, row);
    const auto& m = plane_.machine();
    const char kind = platforms::symbol(m, router);
    const auto first = m.first_node(router);
    const auto count = m.description().nodes_per_router;
    const auto last = first.value() + count - 1;
    const auto name = m.router_name(router);
    const auto nodes = count == 1 ? name : fmt::format("{} with n{} to n{}", name, first, last);
    std::vector<RouterLook> parts;
    if (const auto* mark = mark_of(kind))
      parts.push_back(mark->look);
    else
      for (const auto look : looks_.of_router(router)) parts.push_back(looks_.router_looks()[look]);
    std::vector<std::string> names;
    for (const auto& part : parts) names.push_back(part.name);
    const auto says =
        fmt::format("{} at {}: {}", nodes, platforms::coordinates_text(plane_.grid(), router), core::join(names, ", "));
    for (std::size_t i = 0; i < parts.size(); ++i)
      add_sector(x(column), y(row), parts[i].colour, i, parts.size(), says);
    if (first < 10000)
      svg_.text(x(column), y(row) + 2.5, fmt::format("{}", first),
                {{"text-anchor", "middle"},
                 {"font-size", "7"},
                 {"style", std::string("fill:") + (is_dark(parts[0].colour) ? "#fff" : "#333")},
                 {"pointer-events", "none"}});
  }

  /// A part of a circle that is divided evenly, from the top on; the whole circle where there is one part.
  void add_sector(double cx, double cy, const std::string& colour, std::size_t part, std::size_t parts,
                  const std::string& says) {
    if (parts == 1) {
      svg_.shape("circle", {{"cx", cx}, {"cy", cy}, {"r", radius}, {"fill", colour}, {"stroke", "#556"}}, says);
      return;
    }
    const auto at = [&](std::size_t edge) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(edge) / static_cast<double>(parts);
      return fmt::format("{} {}", number(cx + radius * std::sin(angle)), number(cy - radius * std::cos(angle)));
    };
    const auto path = fmt::format("M{} {}L{}A{} {} 0 0 1 {}z", number(cx), number(cy), at(part), number(radius),
                                  number(radius), at(part + 1));
    svg_.shape("path", {{"d", path}, {"fill", colour}, {"stroke", "#556"}}, says);
  }

  /// Whether white is easier to read than black on a colour `#rrggbb`, by its luma (ITU-R BT.601).
  static bool is_dark(const std::string& colour) {
    const auto part = [&](std::size_t i) { return std::stoi(colour.substr(1 + 2 * i, 2), nullptr, 16); };
    return 0.299 * part(0) + 0.587 * part(1) + 0.114 * part(2) < 128;
  }

  /// Routers that do not compute, and what the legend calls them.
  struct Mark {
    char kind;
    RouterLook look;
  };
  static const Mark* mark_of(char kind) {
    static const std::array<Mark, 3> all{
        {{'s', {"#f0d060", "service"}}, {'x', {"#dd6655", "failed"}}, {'.', {"#c8c8c8", "no node"}}}};
    const auto* found = std::ranges::find(all, kind, &Mark::kind);
    return found == all.end() ? nullptr : found;
  }

  /// What routers of the plane look like: first those that compute.
  static std::vector<RouterLook> routers_of(const Plane& plane, const Looks& looks) {
    std::set<std::size_t> computing;
    std::set<char> marks;
    for (std::int32_t row = 0; row < plane.rows(); ++row)
      for (std::int32_t column = 0; column < plane.columns(); ++column) {
        const auto router = plane.router(column, row);
        const char kind = platforms::symbol(plane.machine(), router);
        if (mark_of(kind) != nullptr) {
          marks.insert(kind);
        } else {
          const auto parts = looks.of_router(router);
          computing.insert(parts.begin(), parts.end());
        }
      }
    std::vector<RouterLook> all;
    for (const auto look : computing) all.push_back(looks.router_looks()[look]);
    for (const char kind : marks) all.push_back(mark_of(kind)->look);
    return all;
  }

  static std::string legend_name(const RouterLook& look) { return fitted(look.name, label_font, 200); }
  static double legend_width(const RouterLook& look) { return 30 + text_width(legend_name(look), label_font); }

  /// How many lines the legend of routers and links has besides its first one. One-way and failed links take a place
  /// whether there are some or not.
  double more_lines() const {
    LegendLines lines(margin, width_, 0);
    for (const auto& look : routers_) lines.place(legend_width(look));
    for (const auto width : {one_way_width, failed_width}) lines.place(width);
    return lines.y() / LegendLines::step;
  }

  /// Draws what the marks mean that the picture has.
  void add_marks(double top) {
    LegendLines lines(margin, width_, top);
    for (const auto& look : routers_) {
      const double x = lines.place(legend_width(look)), y = lines.y();
      svg_.shape("circle", {{"cx", x + 5}, {"cy", y}, {"r", 5.0}, {"fill", look.colour}, {"stroke", "#556"}});
      svg_.text(x + 15, y + 4, legend_name(look), {{"class", "label"}}, look.name);
    }
    if (has_one_way_) {
      const double x = lines.place(one_way_width), y = lines.y();
      add_head({x, y, x + 20, y}, 0.5, "#556", 2, "");
      svg_.text(x + 25, y + 4, "one way", {{"class", "label"}});
    }
    if (has_failed_link_) add_failed_link(lines.place(failed_width), lines.y());
    if (has_pairs_)
      svg_.text(margin - 5, lines.y() + 22, "of two links side by side, each is at the right of its way",
                {{"class", "label"}});
  }

  void add_failed_link(double x, double y) {
    svg_.shape("line", {{"x1", x},
                        {"y1", y},
                        {"x2", x + 20},
                        {"y2", y},
                        {"stroke", failed_colour},
                        {"stroke-width", 2.0},
                        {"stroke-dasharray", "2 3"}});
    svg_.text(x + 25, y + 4, "failed link", {{"class", "label"}});
  }

  static constexpr const char* failed_colour = "#cc3333";

  const Plane& plane_;
  Looks& looks_;
  std::string title_, subtitle_;
  std::vector<RouterLook> routers_;  ///< in the legend
  double width_;
  Svg svg_;
  bool has_failed_link_ = false, has_one_way_ = false, has_pairs_ = false;
};

/// Links by their bandwidths.
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
      svg.shape(
          "line",
          {{"x1", x}, {"y1", y}, {"x2", x + 20}, {"y2", y}, {"stroke", colour(bandwidth)}, {"stroke-width", 3.0}});
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
    constexpr double length = 140, cells = 35, height = 8;
    svg.text(x, y + 4, "mean use of links: 0 %", {{"class", "label"}});
    x += 120;
    for (double cell = 0; cell < cells; ++cell)
      svg.shape("rect", {{"x", x + cell * length / cells},
                         {"y", y - 4},
                         {"width", length / cells},
                         {"height", height},
                         {"fill", colour((cell + 0.5) / cells)}});
    svg.text(x + length + 6, y + 4, fmt::format("{:.0f} %", 100 * scale_), {{"class", "label"}});
    svg.shape("line", {{"x1", x + length + 40},
                       {"y1", y},
                       {"x2", x + length + 60},
                       {"y2", y},
                       {"stroke", unused},
                       {"stroke-width", 2.0}});
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
  std::vector<RouterLook> looks_;                        ///< of the ranks, and of routers without any
  std::map<RouterId, std::set<std::size_t>> on_router_;  ///< positions in looks_
  double scale_ = 1;                                     ///< the use that has the darkest colour
};

/// The slice along the first two dimensions in the plane of the first router.
Slice first_slice(const Grid& grid) {
  Slice slice;
  slice.down = grid.dimension_count() > 1 ? 1 : 0;
  return slice;
}

}  // namespace

Slice parse_slice(const Machine& machine, const std::string& at) {
  const auto& grid = machine.grid();
  auto slice = first_slice(grid);
  if (at.empty()) return slice;
  for (const auto part : core::split(at, ',')) {
    const auto equals = part.find('=');
    const auto name = core::trim(part.substr(0, equals));
    std::size_t d = 0;
    while (d < grid.dimension_count() && grid.name(d) != name) ++d;
    const auto value =
        equals == std::string_view::npos ? -1 : core::parse_number<std::int32_t>(part.substr(equals + 1)).value_or(-1);
    if (grid.dimension_count() <= 2) core::fail_input("found '{}', but the machine is a single plane", part);
    if (d == grid.dimension_count())
      core::fail_input("found '{}', expected a coordinate such as {}=0", part, grid.name(grid.dimension_count() - 1));
    if (d == slice.across || d == slice.down)
      core::fail_input("the drawing runs along {}; expected a coordinate of another dimension", name);
    if (value < 0 || value >= grid.dimension(d).extent)
      core::fail_input("found '{}', expected {}=0 to {}={}", part, name, name, grid.dimension(d).extent - 1);
    slice.at[d] = value;
  }
  return slice;
}

std::string machine_text(const Machine& machine, const Slice& slice) {
  constexpr std::int32_t widest = 120, tallest = 60, most_rows = 200;
  const Plane plane(machine, slice);
  if (plane.columns() > widest || plane.rows() > most_rows)
    return fmt::format("{} x {} routers are too many to draw here; a picture (SVG) has room for them\n",
                       plane.columns(), plane.rows());
  const bool small = 3 * plane.columns() + 2 <= widest && 2 * plane.rows() + 1 <= tallest;
  const auto drawn = small ? with_links(plane) : without_links(plane);
  return drawn + "\n" + legend(plane, slice, drawn);
}

std::string machine_svg(const Machine& machine, const Slice& slice) {
  const Plane plane(machine, slice);
  Bandwidths bandwidths(machine);
  return Drawing(plane, bandwidths, fmt::format("{} {}", machine.name(), where(machine, slice))).run();
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

std::vector<DrawnRanks> drawn_ranks(const netsim::Result& result) {
  DrawnRanks all{"with ranks", "#dde6f0"};
  for (const auto& rank : result.ranks) all.nodes.push_back(rank.node);
  return {all};
}

std::vector<DrawnRanks> drawn_ranks(const netsim::JobsRequest& request) {
  const auto colours = colours_of(request);
  std::vector<DrawnRanks> all;
  for (std::size_t i = 0; i < request.jobs.size(); ++i) {
    const auto& job = request.jobs[i];
    all.push_back({job.name, job_colour_text(colours[i]), {job.mapping.begin(), job.mapping.end()}});
  }
  return all;
}

std::string used_machine_svg(const Machine& machine, const Slice& slice, const std::vector<netsim::LinkResult>& links,
                             const std::vector<DrawnRanks>& ranks, const std::string& title,
                             const std::string& subtitle) {
  const Plane plane(machine, slice);
  Uses uses(machine, links, ranks);
  const auto at = where(machine, slice);
  return Drawing(plane, uses, at.empty() ? title : fmt::format("{}, {}", title, at), subtitle).run();
}

}  // namespace toroid::views

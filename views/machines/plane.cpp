#include "views/machines/plane.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "platforms/names.hpp"
#include "platforms/survey.hpp"
#include "toroid/core/error.hpp"
#include "views/charts/labels.hpp"

namespace toroid::views {

using platforms::Grid;
using platforms::Machine;

Slice first_slice(const Grid& grid) {
  Slice slice;
  slice.down = grid.dimension_count() > 1 ? 1 : 0;
  return slice;
}

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

std::string where(const Machine& machine, const Slice& slice) {
  std::vector<std::string> fixed;
  for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d)
    if (d != slice.across && d != slice.down)
      fixed.push_back(fmt::format("{}={}", machine.grid().name(d), slice.at[d]));
  return core::join(fixed);
}

namespace {

using platforms::RouterId;

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
  double y() const { return y_; }

  static constexpr double step = 18;

 private:
  double left_, right_, x_, y_;
};

class Drawing {
 public:
  Drawing(const Plane& plane, Looks& looks, const std::string& title, const std::string& subtitle)
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
  static constexpr double one_way_width = 90, failed_width = 110;  ///< widths of these entries of the legend

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
      const double beside = is_wrap ? (radius + length) / 2 / length : 0.5;  // the middle of what routers leave free
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
    Attributes attributes{{"stroke", look.colour}, {"stroke-width", width}};
    if (!works) attributes.emplace_back("stroke-dasharray", "2 3");
    svg_.line(line.x1, line.y1, line.x2, line.y2, attributes, says);
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
      for (const auto look : looks_.of_router(router)) {
        TOROID_ASSERT(look < looks_.router_looks().size());
        parts.push_back(looks_.router_looks()[look]);
      }
    TOROID_ASSERT(!parts.empty());
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
    svg_.line(x, y, x + 20, y, {{"stroke", failed_colour}, {"stroke-width", 2.0}, {"stroke-dasharray", "2 3"}});
    svg_.text(x + 25, y + 4, "failed link", {{"class", "label"}});
  }

  static constexpr const char* failed_colour = "#cc3333";

  const Plane& plane_;
  Looks& looks_;
  std::string title_, subtitle_;
  std::vector<RouterLook> routers_;  ///< what the legend tells of routers
  double width_;
  Svg svg_;
  bool has_failed_link_ = false, has_one_way_ = false, has_pairs_ = false;
};

}  // namespace

std::string plane_svg(const Plane& plane, Looks& looks, const std::string& title, const std::string& subtitle) {
  return Drawing(plane, looks, title, subtitle).run();
}

}  // namespace toroid::views

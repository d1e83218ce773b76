#include "views/charts/charts.hpp"

#include <numeric>

#include "core/distributions.hpp"
#include "views/charts/frame.hpp"
#include "views/charts/labels.hpp"

namespace toroid::views {
namespace {

// Pixels.
constexpr double row_height = 18, box_height = 13, spine = 5;

void set_ranges(RunsPlot& plot) {
  Range all;
  for (auto& line : plot.lines) {
    for (const auto& panel : line.panels)
      for (const auto& one : panel.contenders)
        for (const double value : one.values) line.range.add(value);
    all.add(line.range);
  }
  if (plot.has_one_axis)
    for (auto& line : plot.lines) line.range = all;
}

struct PanelColumns {
  double left = 0, panel = 0, brackets = 0, gap = 12;

  explicit PanelColumns(const RunsPlot& plot) {
    constexpr double most_of_width = 0.3;
    std::size_t panels = 1;
    double half_label = 0;
    for (const auto& name : plot.names)
      left = std::max(left, std::min(text_width(name, print_style.font), most_of_width * plot.width));
    for (const auto& line : plot.lines) {
      panels = std::max(panels, line.panels.size());
      half_label = std::max(half_label, line.range.axis(plot.spacing).label_width(print_style.font) / 2);
      for (const auto& one : line.panels)
        for (const auto& contender : one.contenders)
          if (!contender.mark.empty())
            brackets = std::max(brackets, 2 * spine + 4 + text_width(contender.mark, print_style.font));
    }
    left += print_style.margin + 17;
    gap = std::max(gap, 2 * half_label + 6 - brackets);
    const double room = plot.width - left - print_style.margin - half_label;
    panel = (room + gap) / static_cast<double>(panels) - gap - brackets;
  }
  /// Whether each panel has room for its title, and for some points.
  bool have_room(const RunsPlot& plot) const {
    constexpr double least = 40;
    return std::ranges::all_of(plot.lines, [&](const RunsLine& line) {
      return line.panels.size() == 1 || std::ranges::all_of(line.panels, [&](const RunsPanel& one) {
               return panel >= std::max(least, text_width(one.title, print_style.font));
             });
    });
  }
  double begin(std::size_t number) const { return left + static_cast<double>(number) * (panel + brackets + gap); }
};

class RunsPainter {
 public:
  RunsPainter(Frame& frame, const RunsPlot& plot, const PanelColumns& columns)
      : frame_(frame),
        svg_(frame.svg()),
        plot_(plot),
        columns_(columns),
        names_(fitted_apart(plot.names, print_style.font, columns.left - 16 - print_style.margin)) {}

  void line(const RunsLine& line) {
    if (!line.heading.empty()) frame_.heading(line.heading);
    auto axis = line.range.axis(plot_.spacing);
    const bool has_titles = line.panels.size() > 1 || !line.panels[0].title.empty();
    if (has_titles) frame_.go_down(print_style.line_height);
    const double top = frame_.y() + 3, base = top + row_height * static_cast<double>(plot_.names.size());
    for (std::size_t p = 0; p < line.panels.size(); ++p) {
      const Panel place{columns_.begin(p), columns_.begin(p) + columns_.panel, top, base};
      frame_.panel_title(line.panels[p].title, place);
      axis.lay(place.left, place.right);
      frame_.x_axis(axis, place);
      for (std::size_t c = 0; c < plot_.names.size(); ++c)
        contender(line.panels[p].contenders[c], c, axis, middle(top, c));
      bracket(line.panels[p], place.right, top);
    }
    frame_.x_name(line.axis, columns_.begin(0), columns_.begin(line.panels.size() - 1) + columns_.panel, base);
    for (std::size_t c = 0; c < plot_.names.size(); ++c) name(c, middle(top, c));
    frame_.go_down(base - frame_.y() + 2 * print_style.line_height + 6);
  }

 private:
  static double middle(double top, std::size_t contender) {
    return top + row_height * (static_cast<double>(contender) + 0.5);
  }

  void name(std::size_t contender, double y) {
    const double key = columns_.left - 8;
    svg_.open_group({{"class", "legend"}});
    draw_point(svg_, contender, key, y);
    svg_.close_group();
    svg_.text(key - 8, y + 3.5, names_[contender], {{"text-anchor", "end"}}, plot_.names[contender]);
  }

  void contender(const RunsOfOne& runs, std::size_t series, const Axis& axis, double y) {
    if (runs.values.empty())
      return svg_.text(columns_.begin(0) + 4, y + 3.5, "\u00d7", {{"class", "gap muted"}}, runs.tooltip);
    auto sorted = runs.values;
    std::ranges::sort(sorted);
    if (sorted.size() >= plot_.least_of_box)
      box(sorted, series, axis, y, runs.tooltip);
    else if (sorted.size() > 1)
      mean(sorted, axis, y, runs.tooltip);
    for (std::size_t i = 0; i < runs.values.size(); ++i) {
      // Runs of equal times stand beside each other: each in one of five tracks, by its number.
      const double track = runs.values.size() == 1 ? 0 : 1.7 * (static_cast<double>(i * 3 % 5) - 2);
      draw_point(svg_, series, axis.place(runs.values[i]), y + track, runs.tooltip, 0.45);
    }
  }

  void box(const std::vector<double>& sorted, std::size_t series, const Axis& axis, double y,
           const std::string& tooltip) {
    const auto at = [&](double share) { return axis.place(core::quantile(sorted, share)); };
    const double top = y - box_height / 2, bottom = y + box_height / 2;
    svg_.shape("path", {{"class", "error " + series_class(series)},
                        {"d", fmt::format("M{} {}H{}M{} {}H{}", number(at(0)), number(y), number(at(0.25)),
                                          number(at(0.75)), number(y), number(at(1)))}});
    svg_.shape("path",
               {{"class", "box " + series_class(series)},
                {"d", fmt::format("M{} {}H{}V{}H{}z", number(at(0.25)), number(top), number(at(0.75)), number(bottom),
                                  number(at(0.25)))}},
               tooltip);
    svg_.line(at(0.5), top, at(0.5), bottom, "axis");
  }

  void mean(const std::vector<double>& values, const Axis& axis, double y, const std::string& tooltip) {
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    const double x = axis.place(sum / static_cast<double>(values.size()));
    svg_.shape("path",
               {{"class", "axis"}, {"d", fmt::format("M{} {}v{}", number(x), number(y - box_height / 2), box_height)}},
               tooltip);
  }

  /// A spine from the reference, with a tooth at each contender that has a mark.
  void bracket(const RunsPanel& panel, double end, double top) {
    if (!panel.reference) return;
    const double x = end + spine + 3, from = middle(top, *panel.reference);
    double first = from, last = from;
    std::string teeth;
    for (std::size_t c = 0; c < panel.contenders.size(); ++c) {
      const auto& mark = panel.contenders[c].mark;
      if (mark.empty()) continue;
      const double y = middle(top, c);
      first = std::min(first, y);
      last = std::max(last, y);
      teeth += fmt::format("M{} {}h{}", number(x), number(y), number(-spine));
      svg_.text(x + 3, y + 3.5, mark, {{"class", "mark"}}, panel.contenders[c].tooltip);
    }
    if (teeth.empty()) return;
    svg_.shape("path", {{"class", "axis bracket"},
                        {"d", fmt::format("M{0} {1}V{2}M{0} {3}h{4}{5}", number(x), number(first), number(last),
                                          number(from), number(-spine), teeth)}});
    svg_.shape("circle", {{"class", "reference"}, {"cx", x}, {"cy", from}, {"r", 2.0}});
  }

  Frame& frame_;
  Svg& svg_;
  const RunsPlot& plot_;
  const PanelColumns& columns_;
  std::vector<std::string> names_;  ///< shortened names of the contenders
};

RunsPlot one_below_the_other(RunsPlot plot) {
  for (auto& line : std::exchange(plot.lines, {}))
    for (auto& panel : line.panels) {
      const auto heading = line.heading + (line.heading.empty() ? "" : ", ") + std::exchange(panel.title, {});
      plot.lines.push_back({heading, line.axis, {std::move(panel)}, line.range});
    }
  return plot;
}

}  // namespace

std::string runs_plot_svg(RunsPlot plot) {
  for (const auto& line : plot.lines)
    for (const auto& panel : line.panels) {
      TOROID_ASSERT(panel.contenders.size() == plot.names.size());
      TOROID_ASSERT(!panel.reference || *panel.reference < plot.names.size());
    }
  set_ranges(plot);
  if (!PanelColumns(plot).have_room(plot)) plot = one_below_the_other(std::move(plot));
  const PanelColumns columns(plot);
  return framed(plot.width, plot.title, print_style, [&](Frame& frame) {
    RunsPainter painter(frame, plot, columns);
    for (const auto& line : plot.lines) painter.line(line);
    for (const auto& note : plot.notes) frame.note(note);
  });
}

}  // namespace toroid::views

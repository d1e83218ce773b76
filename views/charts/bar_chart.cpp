#include "views/charts/bar_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "views/charts/axes.hpp"
#include "views/charts/labels.hpp"
#include "views/charts/svg.hpp"

namespace toroid::views {
namespace {

// Pixels.
constexpr double least_left = 64, right = 20, plot_height = 220;
constexpr double bold_font = 15;  // as wide as the text is: bold is wider than its size
constexpr double least_bar = 6, widest_bar = 44, least_plot = 600, usual_plot = 860;
constexpr std::size_t longest_label = 28;
constexpr double slant = 0.6;  ///< radians, of labels that do not fit side by side

struct BarLayout {
  double left;  ///< of the plot: room for the name of the axis and for the labels of its ticks
  double plot_width, group_width, bar_width;
  std::vector<std::string> labels;  ///< of groups
  bool slanted;                     ///< these labels
  double labels_height;             ///< below the axis
  double label_overhang;            ///< of slanted labels, to the left of the plot
};

/// The value at which bars of a panel are cut; infinity if none is.
double limit_of(const BarPanel& panel, double cut) {
  double shortest = std::numeric_limits<double>::infinity();
  for (const auto& group : panel.groups)
    for (const auto& bar : group)
      if (bar.value && *bar.value > 0) shortest = std::min(shortest, *bar.value);
  return cut > 0 ? cut * shortest : std::numeric_limits<double>::infinity();
}

double highest_value(const BarPanel& panel, double cut) {
  double highest = 0;
  for (const auto& group : panel.groups)
    for (const auto& bar : group)
      if (bar.value) highest = std::max({highest, *bar.value, bar.high});
  return highest > 0 ? std::min(highest, limit_of(panel, cut)) : 1;
}

/// The ticks of a panel, from 0 on.
struct Ticks {
  double step = 1;
  std::size_t count = 1;  ///< besides that at 0

  Ticks(const BarChart& chart, const BarPanel& panel) {
    double highest = highest_value(panel, chart.cut);
    if (chart.has_one_axis && !(chart.cut > 0))
      for (const auto& other : chart.panels) highest = std::max(highest, highest_value(other, 0));
    step = tick_step(highest);
    count = static_cast<std::size_t>(std::ceil(highest / step - 1e-9));
  }
  double end() const { return static_cast<double>(count) * step; }
  std::string label(std::size_t tick) const { return tick_label(static_cast<double>(tick) * step, step); }
};

double left_of_plot(const BarChart& chart) {
  double widest = 0;
  for (const auto& panel : chart.panels) {
    const Ticks ticks(chart, panel);
    widest = std::max(widest, text_width(ticks.label(ticks.count), ChartStyle::font));
  }
  return std::max(least_left, 18 + ChartStyle::font + widest + 8);
}

BarLayout layout_of(const BarChart& chart) {
  const auto groups = static_cast<double>(std::max<std::size_t>(chart.groups.size(), 1));
  const auto slots = static_cast<double>(chart.series.size()) + 1;  // one as a gap between groups
  BarLayout layout{};
  layout.left = left_of_plot(chart);
  layout.plot_width = std::clamp(groups * slots * widest_bar, least_plot, usual_plot);
  layout.plot_width = std::max(layout.plot_width, groups * slots * least_bar);
  layout.group_width = layout.plot_width / groups;
  layout.bar_width = std::min(widest_bar, layout.group_width / slots);
  double widest = 0;
  layout.labels = shortened_apart(chart.groups, longest_label);
  for (const auto& label : layout.labels) widest = std::max(widest, text_width(label, ChartStyle::font));
  layout.slanted = widest > layout.group_width - 8;
  layout.labels_height = layout.slanted ? widest * std::sin(slant) + 20 : 24;
  const double reach = widest * std::cos(slant) - layout.group_width / 2;
  layout.label_overhang = layout.slanted ? std::max(0.0, reach - layout.left) : 0;
  return layout;
}

/// Draws from the top down; `y_` is where it has come to.
class BarPainter {
 public:
  BarPainter(const BarChart& chart, const BarLayout& layout, double height)
      : chart_(chart),
        layout_(layout),
        plot_left_(layout.left + layout.label_overhang),
        svg_(plot_left_ + layout.plot_width + right, height, chart.title) {}

  void title();
  void legend();
  void panel(const BarPanel& panel);
  void remarks();
  double y() const { return y_; }
  std::string finish() const { return svg_.finish(); }

 private:
  void line(double x, const std::string& text, double size, const char* style_class);
  void axis(double base, const Ticks& ticks);
  void bar(const Bar& bar, std::size_t series, double x, double base, double scale);
  void cut_mark(double value, double x, double y);
  void group_label(std::size_t group, double middle, double base);

  const BarChart& chart_;
  const BarLayout& layout_;
  double plot_left_, y_ = ChartStyle::margin;
  double end_ = 0;        ///< the value at which the axis of the present panel ends
  bool gaps_ = false;     ///< whether a bar has no value
  std::size_t cuts_ = 0;  ///< bars that go on beyond the end of their axis
  double longest_ = 0;    ///< of these
  Svg svg_;
};

/// A line of text from x to the right margin.
void BarPainter::line(double x, const std::string& text, double size, const char* style_class) {
  svg_.text(x, y_, fitted(text, size, plot_left_ + layout_.plot_width + right - x), {{"class", style_class}}, text);
}

void BarPainter::title() {
  y_ += ChartStyle::margin;
  line(ChartStyle::margin, chart_.title, ChartStyle::title_font, "title");
  y_ += ChartStyle::line_height;
  line(ChartStyle::margin, chart_.subtitle, ChartStyle::font, "muted");
  y_ += ChartStyle::line_height;
}

void BarPainter::legend() {
  y_ = draw_legend(svg_, chart_.series, ChartStyle::margin, plot_left_ + layout_.plot_width, y_ + 4);
}

void BarPainter::axis(double base, const Ticks& ticks) {
  const double end = plot_left_ + layout_.plot_width;
  svg_.open_group({{"class", "ticks"}});
  for (std::size_t t = 0; t <= ticks.count; ++t) {
    const double y = base - plot_height * static_cast<double>(t) / static_cast<double>(ticks.count);
    svg_.line(plot_left_, y, end, y, t == 0 ? "axis" : "grid");
    svg_.text(plot_left_ - 8, y + 4, ticks.label(t), {{"text-anchor", "end"}});
  }
  svg_.close_group();
  const double x = 18, middle = base - plot_height / 2;
  svg_.text(x, middle, chart_.axis,
            {{"class", "muted axis-name"},
             {"text-anchor", "middle"},
             {"transform", fmt::format("rotate(-90 {} {})", number(x), number(middle))}});
}

void BarPainter::bar(const Bar& bar, std::size_t series, double x, double base, double scale) {
  const double width = layout_.bar_width, middle = x + width / 2;
  if (!bar.value) {
    gaps_ = true;
    svg_.text(middle, base - 4, "\u00d7", {{"class", "gap muted"}, {"text-anchor", "middle"}}, bar.tooltip);
    return;
  }
  const bool is_cut = *bar.value > end_ * (1 + 1e-9);
  const double height = std::min(*bar.value, end_) * scale;
  svg_.shape("rect",
             {{"class", "bar " + series_class(series)},
              {"x", x + 0.06 * width},
              {"y", base - height},
              {"width", 0.88 * width},
              {"height", height}},
             bar.tooltip);
  if (is_cut) cut_mark(*bar.value, x, base - 0.9 * plot_height);
  const bool whisker = bar.high > bar.low && bar.high <= end_ * (1 + 1e-9);
  if (whisker) {
    const double low = base - bar.low * scale, high = base - bar.high * scale, cap = std::min(4.0, width / 4);
    svg_.shape("path", {{"class", "whisker"},
                        {"d", fmt::format("M{0} {2}H{1}M{0} {3}H{1}M{4} {2}V{3}", number(middle - cap),
                                          number(middle + cap), number(low), number(high), number(middle))}});
  }
  constexpr double label_size = 10;
  const auto label = fmt::format("{:.2f}", *bar.value);
  if (text_width(label, label_size) <= width)
    svg_.text(middle, base - std::min(whisker ? std::max(bar.high, *bar.value) : *bar.value, end_) * scale - 4, label,
              {{"class", "label"}, {"text-anchor", "middle"}});
}

/// A slanted gap in a bar that goes on beyond its axis.
void BarPainter::cut_mark(double value, double x, double y) {
  ++cuts_;
  longest_ = std::max(longest_, value);
  const auto n = [](double place) { return number(place); };
  svg_.shape("path", {{"class", "background cut"},
                      {"d", fmt::format("M{0} {1}L{2} {3}v5L{0} {4}z", n(x), n(y + 4), n(x + layout_.bar_width),
                                        n(y - 4), n(y + 9))}});
}

void BarPainter::group_label(std::size_t group, double middle, double base) {
  const auto &shown = layout_.labels[group], &label = chart_.groups[group];
  if (!layout_.slanted) return svg_.text(middle, base + 16, shown, {{"text-anchor", "middle"}}, label);
  const double y = base + 14, degrees = slant * 180 / std::acos(-1.0);
  svg_.text(middle + 4, y, shown,
            {{"text-anchor", "end"},
             {"transform", fmt::format("rotate({} {} {})", number(-degrees), number(middle + 4), number(y))}},
            label);
}

void BarPainter::panel(const BarPanel& panel) {
  y_ += 14;
  line(plot_left_, panel.title, bold_font, "heading");
  const double base = y_ + 22 + plot_height;
  const Ticks ticks(chart_, panel);
  end_ = ticks.end();
  const double scale = plot_height / end_;
  axis(base, ticks);
  for (std::size_t g = 0; g < panel.groups.size(); ++g) {
    const auto& group = panel.groups[g];
    const double middle = plot_left_ + (static_cast<double>(g) + 0.5) * layout_.group_width;
    const double first = middle - layout_.bar_width * static_cast<double>(group.size()) / 2;
    for (std::size_t s = 0; s < group.size(); ++s)
      bar(group[s], s, first + layout_.bar_width * static_cast<double>(s), base, scale);
    group_label(g, middle, base);
  }
  y_ = base + layout_.labels_height + 12;
}

void BarPainter::remarks() {
  const auto remark = [&](const std::string& text) {
    y_ += ChartStyle::line_height;
    line(ChartStyle::margin, text, ChartStyle::font, "muted");
  };
  if (gaps_) remark("\u00d7 " + chart_.gap);
  if (cuts_ > 0)
    remark(fmt::format("{} bar{} with a gap {} on beyond the axis, up to {:.3g}; {} without whiskers", cuts_,
                       cuts_ == 1 ? "" : "s", cuts_ == 1 ? "goes" : "go", longest_, cuts_ == 1 ? "it is" : "they are"));
  if (!chart_.remark.empty()) remark(chart_.remark);
  y_ += ChartStyle::margin;
}

}  // namespace

std::string bar_chart_svg(const BarChart& chart) {
  const auto layout = layout_of(chart);
  const auto paint = [&](double height) {
    BarPainter painter(chart, layout, height);
    painter.title();
    painter.legend();
    for (const auto& panel : chart.panels) painter.panel(panel);
    painter.remarks();
    return painter;
  };
  return paint(paint(0).y()).finish();  // the height is known once all is painted
}

}  // namespace toroid::views

#include "views/charts/charts.hpp"

#include "views/charts/frame.hpp"
#include "views/charts/labels.hpp"

namespace toroid::views {
namespace {

/// From 0 to the highest value of a panel.
Axis axis_of(const BarPanel& panel) {
  double highest = 0;
  for (const auto& group : panel.groups)
    for (const auto& bar : group)
      if (bar.value) highest = std::max({highest, *bar.value, bar.high});
  return {0, highest > 0 ? highest : 1};
}

struct BarLayout {
  static constexpr double plot_height = 220, least_bar = 6, widest_bar = 44, least_plot = 600, usual_plot = 860;
  static constexpr double label_slant = 0.6;  ///< the angle, in radians, of labels that do not fit side by side

  double left = 0, plot_width = 0, group_width = 0, bar_width = 0;
  std::vector<std::string> labels;  ///< shortened names of the groups
  bool slanted = false;             ///< whether labels are slanted
  double labels_height = 0;         ///< the height of the labels below the axis

  explicit BarLayout(const BarChart& chart) {
    constexpr std::size_t longest_label = 28;
    const auto groups = static_cast<double>(std::max<std::size_t>(chart.groups.size(), 1));
    const auto slots = static_cast<double>(chart.series.size()) + 1;  // one as a gap between groups
    for (const auto& panel : chart.panels) left = std::max(left, left_of_panel(axis_of(panel), page_style));
    plot_width = std::max(std::clamp(groups * slots * widest_bar, least_plot, usual_plot), groups * slots * least_bar);
    group_width = plot_width / groups;
    bar_width = std::min(widest_bar, group_width / slots);
    TOROID_ASSERT(bar_width > 0);
    labels = shortened_apart(chart.groups, longest_label);
    double widest = 0;
    for (const auto& label : labels) widest = std::max(widest, text_width(label, page_style.font));
    slanted = widest > group_width - 8;
    labels_height = slanted ? widest * std::sin(label_slant) + 20 : 24;
    // Slanted labels reach out to the left of the plot.
    if (slanted) left = std::max(left, widest * std::cos(label_slant) - group_width / 2);
  }
};

class BarPainter {
 public:
  BarPainter(Frame& frame, const BarChart& chart, const BarLayout& layout)
      : frame_(frame), svg_(frame.svg()), chart_(chart), layout_(layout) {}

  void panel(const BarPanel& panel) {
    TOROID_ASSERT(panel.groups.size() <= chart_.groups.size());
    frame_.go_down(8);
    frame_.heading(panel.title, layout_.left);
    const double top = frame_.y() + 18;
    const Panel place{layout_.left, layout_.left + layout_.plot_width, top, top + layout_.plot_height};
    auto axis = axis_of(panel);
    axis.lay(place.base, place.top);
    frame_.y_axis(axis, place);
    frame_.y_name(chart_.axis, place);
    svg_.line(place.left, place.base, place.right, place.base, "axis");
    for (std::size_t g = 0; g < panel.groups.size(); ++g) {
      const auto& group = panel.groups[g];
      TOROID_ASSERT(group.size() <= chart_.series.size());
      const double middle = place.left + (static_cast<double>(g) + 0.5) * layout_.group_width;
      const double first = middle - layout_.bar_width * static_cast<double>(group.size()) / 2;
      for (std::size_t s = 0; s < group.size(); ++s)
        bar(group[s], s, first + layout_.bar_width * static_cast<double>(s), axis, place);
      group_label(g, middle, place.base);
    }
    frame_.go_down(place.base + layout_.labels_height - frame_.y());
  }

  void remarks() {
    if (gaps_) frame_.note("\u00d7 " + chart_.gap);
    frame_.note(chart_.remark);
  }

 private:
  void bar(const Bar& bar, std::size_t series, double x, const Axis& axis, const Panel& place) {
    const double width = layout_.bar_width, middle = x + width / 2;
    if (!bar.value) {
      gaps_ = true;
      return svg_.text(middle, place.base - 4, "\u00d7", {{"class", "gap muted"}, {"text-anchor", "middle"}},
                       bar.tooltip);
    }
    TOROID_ASSERT(bar.low <= bar.high);
    const double y = axis.place(*bar.value);
    svg_.shape("rect",
               {{"class", "bar " + series_class(series)},
                {"x", x + 0.06 * width},
                {"y", y},
                {"width", 0.88 * width},
                {"height", place.base - y}},
               bar.tooltip);
    const double end =
        bar.high > bar.low ? std::min(y, axis.place(bar.high)) : y;  // the top of the bar and its whisker
    draw_span(svg_, "whisker", middle, axis.place(bar.low), axis.place(bar.high), std::min(4.0, width / 4));
    constexpr double label_size = 10;
    const auto label = fmt::format("{:.2f}", *bar.value);
    if (text_width(label, label_size) <= width)
      svg_.text(middle, end - 4, label, {{"class", "label"}, {"text-anchor", "middle"}});
  }

  void group_label(std::size_t group, double middle, double base) {
    const auto &shown = layout_.labels[group], &label = chart_.groups[group];
    if (layout_.slanted) return draw_slanted(svg_, middle + 4, base + 14, layout_.label_slant, "end", shown, label);
    svg_.text(middle, base + 16, shown, {{"text-anchor", "middle"}}, label);
  }

  Frame& frame_;
  Svg& svg_;
  const BarChart& chart_;
  const BarLayout& layout_;
  bool gaps_ = false;  ///< whether a bar has no value
};

}  // namespace

std::string bar_chart_svg(const BarChart& chart) {
  const BarLayout layout(chart);
  return framed(layout.left + layout.plot_width + 20, chart.title, page_style, [&](Frame& frame) {
    frame.title(chart.title, chart.subtitle);
    frame.legend(chart.series, Key::colour);
    BarPainter painter(frame, chart, layout);
    for (const auto& panel : chart.panels) painter.panel(panel);
    painter.remarks();
  });
}

}  // namespace toroid::views

#include "views/charts/frame.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "views/charts/labels.hpp"

namespace toroid::views {

PlotFrame::PlotFrame(double width, double height, std::string_view title) : width_(width), svg_(width, height, title) {
  svg_.open_group({{"font-size", font}});
}

void PlotFrame::heading(const std::string& text) {
  constexpr double bold = 1.1;  // bold letters are wider
  y_ += line_height;
  svg_.text(margin, y_, fitted(text, bold * font, width_ - 2 * margin), {{"font-weight", "600"}}, text);
  y_ += 4;
}

void PlotFrame::note(const std::string& text) {
  std::istringstream words(text);
  std::string line, word;
  const auto draw = [&] {
    y_ += line_height;
    svg_.text(margin, y_, fitted(line, font, width_ - 2 * margin), {{"class", "muted"}}, line);
  };
  while (words >> word) {
    const auto longer = line.empty() ? word : line + " " + word;
    if (!line.empty() && text_width(longer, font) > width_ - 2 * margin) {
      draw();
      line = word;
    } else {
      line = longer;
    }
  }
  if (!line.empty()) draw();
}

void PlotFrame::legend(const std::vector<std::string>& names) {
  constexpr double key = 12, gap = 10;
  const auto shown = fitted_apart(names, font, width_ - 2 * margin - key);
  double x = margin;
  y_ += line_height;
  svg_.open_group({{"class", "legend"}});
  for (std::size_t series = 0; series < names.size(); ++series) {
    const auto& name = shown[series];
    const double needed = key + text_width(name, font);
    if (x > margin && x + needed > width_ - margin) {
      x = margin;
      y_ += line_height;
    }
    draw_point(svg_, series, x + 4, y_ - 3.5);
    svg_.text(x + key, y_, name, {}, names[series]);
    x += needed + gap;
  }
  svg_.close_group();
  y_ += 4;
}

void PlotFrame::x_axis(const Axis& axis, double left, double right, double top, double base) {
  const double width = axis.label_width(font);
  double end = -std::numeric_limits<double>::infinity();  // of the last label
  svg_.open_group({{"class", "ticks"}});
  axis.for_each_tick([&](double at, const std::string& label) {
    svg_.line(at, top, at, base, "grid");
    if (at - width / 2 < end + 4) return;
    svg_.text(at, base + line_height, label, {{"text-anchor", "middle"}});
    end = at + width / 2;
  });
  svg_.close_group();
  svg_.line(left, base, right, base, "axis");
}

void PlotFrame::x_name(const std::string& name, double left, double right, double base) {
  svg_.text((left + right) / 2, base + 2 * line_height, fitted(name, font, right - left + 2 * margin),
            {{"class", "muted axis-name"}, {"text-anchor", "middle"}}, name);
}

void PlotFrame::y_axis(const Axis& axis, double left, double right) {
  double end = std::numeric_limits<double>::infinity();  // of the last label
  svg_.open_group({{"class", "ticks"}});
  axis.for_each_tick([&](double at, const std::string& label) {
    svg_.line(left, at, right, at, "grid");
    if (at + font > end) return;
    end = at;
    svg_.text(left - 4, at + 3.5, label, {{"text-anchor", "end"}});
  });
  svg_.close_group();
}

std::string PlotFrame::finish() {
  svg_.close_group();
  return svg_.finish();
}

}  // namespace toroid::views

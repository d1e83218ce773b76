#include "views/charts/frame.hpp"

#include <fmt/format.h>

#include <array>
#include <sstream>

#include "views/charts/labels.hpp"

namespace toroid::views {

double left_of_panel(const Axis& y, const Style& style) {
  return style.name_of_y + 6 + y.label_width(style.font) + style.tick_gap;
}

Frame::Frame(double width, double height, std::string_view title, const Style& style)
    : style_(style), width_(width), y_(style.margin), svg_(width, height, title) {
  TOROID_ASSERT(width > 0 && height >= 0 && style.font > 0);
  svg_.open_group({{"font-size", style.font}});
}

std::string Frame::fit(const std::string& text, double width) const {
  return fitted(text, style_.font, width);
}

void Frame::title(const std::string& title, const std::string& subtitle) {
  constexpr double size = 18;  // bold text is as wide as text of this size
  y_ += style_.margin;
  svg_.text(style_.margin, y_, fitted(title, size, width_ - 2 * style_.margin), {{"class", "title"}}, title);
  note(subtitle);
  y_ += 6;
}

void Frame::heading(const std::string& text, std::optional<double> left) {
  constexpr double bold = 1.1;  // bold letters are wider
  const double x = left.value_or(style_.margin);
  y_ += style_.line_height;
  svg_.text(x, y_, fitted(text, bold * style_.font, width_ - style_.margin - x), {{"font-weight", "600"}}, text);
  y_ += 4;
}

void Frame::note(const std::string& text) {
  std::istringstream words(text);
  std::string line, word;
  const double room = width_ - 2 * style_.margin;
  const auto draw = [&] {
    y_ += style_.line_height;
    svg_.text(style_.margin, y_, fit(line, room), {{"class", "muted"}}, line);
  };
  while (words >> word) {
    const auto longer = line.empty() ? word : line + " " + word;
    if (!line.empty() && text_width(longer, style_.font) > room) {
      draw();
      line = word;
    } else {
      line = longer;
    }
  }
  if (!line.empty()) draw();
}

void Frame::legend(const std::vector<std::string>& names, Key key) {
  const auto shown = fitted_apart(names, style_.font, width_ - 2 * style_.margin - style_.key);
  TOROID_ASSERT(shown.size() == names.size());
  double x = style_.margin;
  y_ += style_.line_height;
  svg_.open_group({{"class", "legend"}});
  for (std::size_t series = 0; series < names.size(); ++series) {
    const double needed = style_.key + text_width(shown[series], style_.font);
    if (x > style_.margin && x + needed > width_ - style_.margin) {
      x = style_.margin;
      y_ += style_.line_height;
    }
    draw_key(key, series, x);
    svg_.text(x + style_.key, y_, shown[series], {}, names[series]);
    x += needed + style_.gap;
  }
  svg_.close_group();
  y_ += 4;
}

void Frame::draw_key(Key key, std::size_t series, double x) {
  const double middle = y_ - style_.half_letter;
  switch (key) {
    case Key::colour:
      return svg_.shape(
          "rect", {{"class", series_class(series)}, {"x", x}, {"y", middle - 6}, {"width", 12.0}, {"height", 12.0}});
    case Key::line:
      svg_.shape("path", {{"class", "key line " + series_class(series)},
                          {"d", fmt::format("M{} {}h14", number(x - 1), number(middle))}});
      return draw_point(svg_, series, x + 6, middle);
    case Key::point:
      return draw_point(svg_, series, x + 4, middle);
  }
}

void Frame::panel_title(const std::string& text, const Panel& panel) {
  svg_.text((panel.left + panel.right) / 2, panel.top - 5, fit(text, panel.right - panel.left),
            {{"text-anchor", "middle"}}, text);
}

void Frame::x_axis(const Axis& axis, const Panel& panel) {
  TOROID_ASSERT(panel.left <= panel.right && panel.top <= panel.base);
  const double width = axis.label_width(style_.font);
  double end = -std::numeric_limits<double>::infinity();  // where the last label ends
  svg_.open_group({{"class", "ticks"}});
  axis.for_each_tick([&](double at, const std::string& label) {
    svg_.line(at, panel.top, at, panel.base, "grid");
    if (at - width / 2 < end + 4) return;
    svg_.text(at, panel.base + style_.line_height, label, {{"text-anchor", "middle"}});
    end = at + width / 2;
  });
  svg_.close_group();
  svg_.line(panel.left, panel.base, panel.right, panel.base, "axis");
}

void Frame::x_name(const std::string& name, double left, double right, double base) {
  TOROID_ASSERT(left <= right);
  svg_.text((left + right) / 2, base + 2 * style_.line_height, fit(name, right - left + 2 * style_.margin),
            {{"class", "muted axis-name"}, {"text-anchor", "middle"}}, name);
}

void Frame::y_axis(const Axis& axis, const Panel& panel, bool has_labels) {
  TOROID_ASSERT(panel.left <= panel.right && panel.top <= panel.base);
  double end = std::numeric_limits<double>::infinity();  // where the last label ends
  if (has_labels) svg_.open_group({{"class", "ticks"}});
  axis.for_each_tick([&](double at, const std::string& label) {
    svg_.line(panel.left, at, panel.right, at, "grid");
    if (!has_labels || at + style_.font > end) return;
    end = at;
    svg_.text(panel.left - style_.tick_gap, at + style_.half_letter, label, {{"text-anchor", "end"}});
  });
  if (has_labels) svg_.close_group();
}

void Frame::y_name(const std::string& name, const Panel& panel) {
  const double x = style_.name_of_y, middle = (panel.top + panel.base) / 2;
  svg_.text(x, middle, fit(name, panel.base - panel.top + 55),
            {{"class", "muted axis-name"},
             {"text-anchor", "middle"},
             {"transform", fmt::format("rotate(-90 {} {})", number(x), number(middle))}},
            name);
}

std::string Frame::finish() {
  TOROID_ASSERT(y_ >= style_.margin);
  svg_.close_group();
  return svg_.finish();
}

void draw_point(Svg& svg, std::size_t series, double x, double y, std::string_view tooltip, double scale) {
  static constexpr std::array<std::string_view, 5> shapes{"M-3.7 0a3.7 3.7 0 1 0 7.4 0a3.7 3.7 0 1 0 -7.4 0z",
                                                          "M-3.3 -3.3h6.6v6.6h-6.6z", "M0 -4.8L4.8 0L0 4.8L-4.8 0z",
                                                          "M0 -4.6L4.3 3.2H-4.3z", "M0 4.6L4.3 -3.2H-4.3z"};
  svg.shape("path",
            {{"class", "point " + series_class(series)},
             {"d", shapes[(series + series / series_colors) % shapes.size()]},
             {"transform", fmt::format("translate({} {}){}", number(x), number(y),
                                       scale == 1 ? "" : fmt::format(" scale({})", number(scale)))}},
            tooltip);
}

void draw_span(Svg& svg, std::string_view style_class, double x, double low, double high, double cap) {
  if (low == high) return;
  svg.shape("path", {{"class", style_class},
                     {"d", fmt::format("M{0} {2}H{1}M{0} {3}H{1}M{4} {2}V{3}", number(x - cap), number(x + cap),
                                       number(low), number(high), number(x))}});
}

void draw_span_across(Svg& svg, std::string_view style_class, double y, double low, double high, double cap) {
  TOROID_ASSERT(low <= high && cap >= 0);
  if (low == high) return;
  svg.shape("path", {{"class", style_class},
                     {"d", fmt::format("M{2} {0}V{1}M{3} {0}V{1}M{2} {4}H{3}", number(y - cap), number(y + cap),
                                       number(low), number(high), number(y))}});
}

void draw_slanted(Svg& svg, double x, double y, double radians, std::string_view anchor, const std::string& text,
                  const std::string& tooltip) {
  const double degrees = radians * 180 / std::acos(-1.0);
  svg.text(
      x, y, text,
      {{"text-anchor", anchor}, {"transform", fmt::format("rotate({} {} {})", number(-degrees), number(x), number(y))}},
      tooltip);
}

}  // namespace toroid::views

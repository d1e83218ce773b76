#include "views/charts/svg.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "toroid/core/assert.hpp"
#include "toroid/core/text.hpp"

namespace toroid::views {
namespace {

/// The colours of Okabe and Ito (2008), which colour-blind readers tell apart, with a grey in place of black.
constexpr std::array<std::string_view, series_colors> colors = {"#0072b2", "#e69f00", "#009e73", "#d55e00",
                                                                "#56b4e9", "#cc79a7", "#f0e442", "#999999"};

std::string style_sheet() {
  std::string css = R"(
svg { font: 12px system-ui, "Segoe UI", Helvetica, Arial, "DejaVu Sans", sans-serif; }
.background { fill: #ffffff; }
text { fill: #222222; }
.title { font-size: 16px; font-weight: 600; }
.heading { font-size: 13px; font-weight: 600; }
.label { font-size: 10px; stroke: #ffffff; stroke-width: 3px; paint-order: stroke; }
.muted { fill: #666666; }
.axis, .whisker { stroke: #444444; stroke-width: 1; fill: none; }
.grid { stroke: #dddddd; stroke-width: 1; }
.again { fill-opacity: 0.5; }
)";
  for (std::size_t i = 0; i < colors.size(); ++i)
    css += fmt::format(".s{} {{ color: {}; fill: currentColor; }}\n", i, colors[i]);
  return css + R"(.line { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round; }
.box { fill-opacity: 0.25; stroke: currentColor; stroke-width: 0.8; }
.error { fill: none; stroke: currentColor; stroke-width: 1.2; }
.line.again, .error.again { stroke-opacity: 0.5; }
@media (prefers-color-scheme: dark) {
.background { fill: #17191c; }
text { fill: #e6e6e6; }
.label { stroke: #17191c; }
.muted { fill: #a0a0a0; }
.axis, .whisker { stroke: #c8c8c8; }
.grid { stroke: #3a3d42; }
}
)";
}

std::string title_element(std::string_view title) {
  return title.empty() ? "" : fmt::format("<title>{}</title>", core::escape_markup(title));
}

}  // namespace

std::string number(double value) {
  auto text = fmt::format("{:.2f}", std::round(value * 100) / 100 + 0.0);  // + 0.0: no negative zero
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string series_class(std::size_t series) {
  const auto color = fmt::format("s{}", series % series_colors);
  return series < series_colors ? color : color + " again";
}

Svg::Svg(double width, double height, std::string_view title) {
  TOROID_ASSERT(width > 0 && height >= 0);
  open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
               {"viewBox", "0 0 " + number(width) + " " + number(height)},
               {"width", width},
               {"height", height},
               {"role", "img"}});
  text_ += fmt::format(">{}\n<style>{}</style>\n", title_element(title), style_sheet());
  shape("rect", {{"class", "background"}, {"width", width}, {"height", height}});
}

void Svg::open(std::string_view name, const Attributes& attributes) {
  text_ += fmt::format("<{}", name);
  for (const auto& attribute : attributes)
    text_ += fmt::format(" {}=\"{}\"", attribute.name, core::escape_markup(attribute.value));
}

void Svg::shape(std::string_view name, const Attributes& attributes, std::string_view tooltip) {
  open(name, attributes);
  text_ += tooltip.empty() ? "/>\n" : fmt::format(">{}</{}>\n", title_element(tooltip), name);
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view style_class) {
  shape("line", {{"class", style_class}, {"x1", x1}, {"y1", y1}, {"x2", x2}, {"y2", y2}});
}

void Svg::line(double x1, double y1, double x2, double y2, const Attributes& attributes, std::string_view tooltip) {
  Attributes all{{"x1", x1}, {"y1", y1}, {"x2", x2}, {"y2", y2}};
  all.insert(all.end(), attributes.begin(), attributes.end());
  shape("line", all, tooltip);
}

void Svg::text(double x, double y, std::string_view text, Attributes attributes, std::string_view tooltip) {
  attributes.insert(attributes.end(), {{"x", x}, {"y", y}});
  open("text", attributes);
  text_ += fmt::format(">{}{}</text>\n", title_element(tooltip), core::escape_markup(text));
}

void Svg::open_group(const Attributes& attributes, std::string_view tooltip) {
  open("g", attributes);
  text_ += fmt::format(">{}\n", title_element(tooltip));
  ++open_groups_;
}

void Svg::close_group() {
  TOROID_ASSERT(open_groups_ > 0);
  --open_groups_;
  text_ += "</g>\n";
}

std::string Svg::finish() const {
  TOROID_ASSERT(open_groups_ == 0);
  return text_ + "</svg>\n";
}

}  // namespace toroid::views

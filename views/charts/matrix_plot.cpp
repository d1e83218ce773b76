#include "views/charts/matrix_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "views/charts/labels.hpp"

namespace toroid::views {
namespace {

/// From blue over white to red, by the logarithm.
std::string colour_of(double ratio) {
  constexpr std::array blue{67.0, 147.0, 195.0}, red{214.0, 96.0, 77.0};
  const double at = std::clamp(std::log2(ratio), -1.0, 1.0);
  std::array<int, 3> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i] = static_cast<int>(255 + std::abs(at) * ((at < 0 ? blue[i] : red[i]) - 255));
  return fmt::format("#{:02x}{:02x}{:02x}", parts[0], parts[1], parts[2]);
}

double widest(const std::vector<std::string>& texts) {
  double width = 0;
  for (const auto& text : texts) width = std::max(width, text_width(text, PlotFrame::font));
  return width;
}

}  // namespace

void draw_matrix(PlotFrame& frame, const MatrixPlot& matrix) {
  constexpr double row_height = 18, least_cell = 34, most_cell = 90, slant = 1.3, most_of_width = 0.45,
                   most_header = 190;
  auto& svg = frame.svg();
  const auto rows = fitted_apart(matrix.rows, PlotFrame::font, most_of_width * frame.width());
  const auto headers = fitted_apart(matrix.columns, PlotFrame::font, most_header);
  const double left = PlotFrame::margin + widest(rows) + 6;
  // The last header leans out to the right.
  const double room = frame.width() - left - PlotFrame::margin - std::cos(slant) * widest(headers);
  const double width = std::clamp(room / (static_cast<double>(headers.size()) - 0.5), least_cell, most_cell);
  const auto per_line = static_cast<std::size_t>(std::max(1.0, room / width + 0.5 + 1e-9));
  for (std::size_t first = 0; first < headers.size(); first += per_line) {
    const double top = frame.y() + std::sin(slant) * widest(headers) + PlotFrame::line_height;
    const auto middle_of = [&](std::size_t row) { return top + row_height * (static_cast<double>(row) + 0.5); };
    for (std::size_t c = first; c < std::min(first + per_line, headers.size()); ++c) {
      const double x = left + static_cast<double>(c - first) * width, middle = x + width / 2;
      svg.text(middle, top - 4, headers[c],
               {{"transform", fmt::format("rotate({} {} {})", number(-slant * 180 / std::acos(-1.0)), number(middle),
                                          number(top - 4))}},
               matrix.columns[c]);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto& [text, ratio] = matrix.cells[c][r];
        svg.shape(
            "rect",
            {{"x", x},
             {"y", middle_of(r) - row_height / 2},
             {"width", width - 1},
             {"height", row_height - 1},
             {"fill", ratio ? colour_of(*ratio) : "#eeeeee"}},
            fmt::format("{}, {}: {}", matrix.rows[r], matrix.columns[c], text.empty() ? "no run succeeded" : text));
        svg.text(middle, middle_of(r) + 3, text.empty() ? "\u00d7" : text,
                 {{"text-anchor", "middle"}, {"style", "fill:#222222"}});
      }
    }
    for (std::size_t r = 0; r < rows.size(); ++r)
      svg.text(left - 6, middle_of(r) + 3, rows[r], {{"text-anchor", "end"}}, matrix.rows[r]);
    frame.go_down(top - frame.y() + row_height * static_cast<double>(rows.size()) + PlotFrame::line_height);
  }
}

}  // namespace toroid::views

#pragma once
// Tables whose cells have colours: a communication matrix, and what is compared by what it runs.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "views/charts/frame.hpp"
#include "workloads/summary.hpp"

namespace toroid::views {

/// A heat map as SVG: senders from top to bottom, receivers from left to right; the more bytes (or messages), the
/// darker, on a logarithmic scale. With many ranks a cell is a block of ranks. Tooltips have the numbers.
std::string heat_map_svg(const workloads::CommunicationMatrix& matrix, bool messages, std::string_view title);

struct MatrixCell {
  std::string text = {};             ///< empty where there is no value
  std::optional<double> ratio = {};  ///< 1 is white, half is the darkest blue and twice the darkest red
};

struct MatrixPlot {
  std::vector<std::string> rows, columns;
  std::vector<std::vector<MatrixCell>> cells;  ///< cells by column, then row
};

void draw_matrix(Frame& frame, const MatrixPlot& matrix);

}  // namespace toroid::views

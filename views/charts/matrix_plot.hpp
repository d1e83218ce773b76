#pragma once
// A table of numbers whose cells have colours: what is compared, by what it runs.

#include <optional>
#include <string>
#include <vector>

#include "views/charts/frame.hpp"

namespace toroid::views {

struct MatrixCell {
  std::string text = {};             ///< empty where there is no value
  std::optional<double> ratio = {};  ///< 1 is white, half is the darkest blue and twice the darkest red
};

struct MatrixPlot {
  std::vector<std::string> rows, columns;
  std::vector<std::vector<MatrixCell>> cells;  ///< by column, then row
};

void draw_matrix(PlotFrame& frame, const MatrixPlot& matrix);

}  // namespace toroid::views

#pragma once
// Pictures of a comparison for a paper: its single runs, or its run times over what mappings are usually judged by.

#include "views/studies/study_runs.hpp"

namespace toroid::views {

struct StudyPlotOptions {
  bool absolute = false;                  ///< times in seconds, in place of times over the best mean of their panel
  bool log_scale = false;                 ///< whether times stand on a logarithmic axis
  bool boxes = true;                      ///< whether five runs or more are drawn as a box, too
  std::vector<std::string> against = {};  ///< metrics of rows; if there are any, run times are drawn over each of them
  double width_mm = 85;
};

/// The plot that `compare` draws by itself, for a page.
inline const StudyPlotOptions page_plot{.width_mm = 200};

/// The plot as SVG: a line of panels for each thing with its own best mean, an engine beside the other; or, against
/// metrics, a line for each engine, a metric beside the other. Throws InputError on a metric that the runs do not have,
/// and on a run that takes no time where the axis is logarithmic.
std::string study_plot_svg(const StudyRuns& study, const StudyPlotOptions& options);

}  // namespace toroid::views

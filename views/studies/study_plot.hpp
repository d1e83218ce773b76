#pragma once
// The runs of a comparison, from the JSON that `toroid compare` writes, and their pictures for a paper: single runs, or
// run times over what mappings are usually judged by.

#include <array>
#include <functional>
#include <map>

#include "toroid/core/json.hpp"

namespace toroid::views {

struct StudyRuns {
  /// What varies in a study.
  enum Kind : std::size_t { platform, trace, collectives, alloc, map, engine };
  static constexpr std::size_t kinds = 6;

  /// Positions in `labels`, by Kind.
  using Place = std::array<std::size_t, kinds>;

  struct Run {
    Place of;
    double runtime = 0;  ///< seconds, for StudyRuns::equal_work if that is told
    /// The other numbers of its row, by their names there.
    std::map<std::string, core::Json, std::less<>> metrics = {};
  };
  /// What a test says of two contenders of one panel.
  struct Pair {
    std::size_t panel = 0, engine = 0, one = 0, other = 0;
    std::optional<double> p;  ///< corrected for the number of comparisons; none without a test
    std::string conclusion;   ///< what is said of `one`: `faster`, `not distinguishable`, ...
  };
  /// The rank correlation of a metric with the run time.
  struct Correlation {
    std::size_t panel = 0, engine = 0;
    std::string metric;
    double spearman = 0;
  };

  /// Short names, in the order of the study; a single empty one for allocators where none chooses nodes, and for
  /// algorithms of collectives where they are not compared.
  std::vector<std::string> labels[kinds];
  Kind subject = map;                ///< what is compared on equal terms: all that a panel has
  bool is_of_communication = false;  ///< whether times leave computation out
  /// ` for 4096 tokens on 64 chips`: what all times are for, where programs train on different numbers of them.
  std::string equal_work;
  double alpha = 0.05;  ///< level of significance
  std::vector<Run> runs;
  std::vector<Place> failed;  ///< where the runs without a time are
  std::vector<Pair> pairs;
  std::vector<Correlation> correlations;

  std::size_t contenders() const { return labels[subject].size(); }
  /// Panels: those that are compared there have machine, trace, algorithms of collectives and allocator in common, but
  /// for what is compared itself.
  std::size_t panels() const;
  std::size_t panel_of(const Run& run) const;
  std::string name_of_panel(std::size_t panel) const;

  /// What the times are: `communication time` or `run time`; and what they are for.
  std::string time_in_words() const;
  /// `2 runs failed and are left out`; nothing where no run failed.
  std::string failures() const;

 private:
  /// The number of things of a kind that panels differ in; 1 of what is compared.
  std::size_t varying(Kind kind) const { return kind == subject ? 1 : labels[kind].size(); }
};

/// Reads a comparison from its JSON. Throws what core::read_document() explains where it is none.
StudyRuns study_of(const core::Json& comparison);

/// Reads the file of a comparison, a compressed one too. `check` judges the JSON of a comparison before it is read.
/// Throws InputError where the file is none.
StudyRuns read_study(const std::string& path, const std::function<void(const core::Json&)>& check = {});

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

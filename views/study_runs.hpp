#pragma once
// The runs of a comparison of mappings, as a plot needs them: from the JSON or the CSV that `toroid compare` writes.

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/json.hpp"

namespace toroid::views {

struct StudyRuns {
  /// What varies in a study.
  enum Kind : std::size_t { platform, trace, alloc, map, engine };
  static constexpr std::size_t kinds = 5;

  /// A run that succeeded.
  struct Run {
    std::size_t of[kinds];                  ///< by Kind, a position in `labels`
    double runtime = 0;                     ///< seconds, for StudyRuns::tokens if these are told
    std::map<std::string, double> metrics;  ///< the other numbers of its row, by their names there
  };
  /// What a test says of two contenders of one panel.
  struct Pair {
    std::size_t panel = 0, engine = 0, one = 0, other = 0;
    std::optional<double> p;  ///< corrected for the number of comparisons; none without a test
    std::string conclusion;   ///< of `one`: `faster`, `not distinguishable`, ...
  };
  /// The rank correlation of a metric with the run time.
  struct Correlation {
    std::size_t panel = 0, engine = 0;
    std::string metric;
    double spearman = 0;
  };

  /// Short names, in the order of the study; a single empty one for allocators where none chooses nodes.
  std::vector<std::string> labels[kinds];
  Kind subject = map;                       ///< what is compared on equal terms: all that a panel has
  std::optional<bool> is_of_communication;  ///< whether times leave computation out; a CSV file does not tell
  /// The tokens that all times are for, where programs train on different numbers of them; a CSV file does not tell.
  std::optional<double> tokens;
  double alpha = 0.05;       ///< level of significance
  std::size_t baseline = 0;  ///< the contender of --baseline, or else the first
  std::vector<Run> runs;
  std::size_t failed = 0;                 ///< runs without a time
  std::vector<Pair> pairs;                ///< of a CSV file none
  std::vector<Correlation> correlations;  ///< of a CSV file none
  bool has_tests = false;                 ///< whether the file tells tests

  std::size_t contenders() const { return labels[subject].size(); }
  /// Panels: a machine with a trace and an allocator if mappers are compared, a machine with a trace if allocators are,
  /// a trace if machines are, all if programs are.
  std::size_t panels() const;
  std::size_t panel_of(const Run& run) const;
  std::string name_of_panel(std::size_t panel) const;

 private:
  /// The number of things of a kind that panels differ in; 1 of what is compared.
  std::size_t varying(Kind kind) const { return kind == subject ? 1 : labels[kind].size(); }
};

/// Reads a study, compressed ones too. `check` judges the JSON of a comparison before it is read. Throws InputError
/// where the file is none.
StudyRuns read_study(const std::string& path, const std::function<void(const core::Json&)>& check = {});

}  // namespace toroid::views

#pragma once
// The times of a comparison, as its pictures take them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "netsim/metrics.hpp"

namespace toroid::views {

/// Each machine with each trace, allocator and mapper.
struct ComparedTimes {
  enum class Subject : std::uint8_t { maps, allocs, platforms, traces };
  struct Named {
    std::string name, label;  ///< the name as it was given, and the one that people read
  };
  /// A run that succeeded.
  struct Run {
    std::optional<std::uint64_t> seed;  ///< none if nothing was drawn
    double runtime_s;
    /// Its metrics for tooltips (netsim::Metric::Use), by their names.
    std::vector<std::pair<std::string_view, netsim::MetricValue>> metrics;
  };
  /// The runs of a mapper on a machine with a trace and an allocator.
  struct Group {
    std::vector<Run> runs;
    std::optional<double> mean_s;  ///< none if no run succeeded
    std::size_t failed = 0;        ///< number of runs that failed

    double best_s() const;   ///< of at least one run
    double worst_s() const;  ///< likewise
  };
  struct Engine {
    std::string name;
    std::vector<Group> groups;  ///< by number()
  };
  /// What a group is of, by the positions in the lists below.
  struct Place {
    std::size_t platform, trace, alloc, map;
  };

  Subject subject;  ///< what is compared
  std::vector<Named> platforms = {}, traces = {}, allocs = {}, maps = {};
  bool has_allocs = false;           ///< whether an allocator chooses nodes; if not, `allocs` has one without a name
  bool of_communication = false;     ///< whether all times leave the computation out
  std::vector<Engine> engines = {};  ///< the one of the comparison first
  /// Where programs that train on different numbers of tokens are compared: the tokens for which times are judged.
  std::optional<double> tokens = {};
  std::vector<double> time_factors = {};  ///< by trace: what its times are multiplied by to be judged

  std::size_t number(const Place& of) const {
    return ((of.platform * traces.size() + of.trace) * allocs.size() + of.alloc) * maps.size() + of.map;
  }
  Place place(std::size_t number) const;
};

/// What the times are: `communication time` or `run time`.
std::string_view time_in_words(const ComparedTimes& times);

std::vector<std::string> labels_of(const std::vector<ComparedTimes::Named>& named);

}  // namespace toroid::views

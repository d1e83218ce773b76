#pragma once
// The rows of a study in groups: those of one mapper on one machine with one trace on the nodes of one placement.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "study/row.hpp"
#include "study/statistics.hpp"

namespace toroid::study {

struct Group {
  std::size_t platform, trace, alloc, map;
  std::span<const Row> rows;
  Sample times = {};                          ///< run times of the runs that succeeded, in seconds
  std::vector<std::size_t> repetitions = {};  ///< repetitions of these runs
  double half_width = 0;                      ///< of the interval of their mean that samples of iterations leave
  std::size_t failed = 0;                     ///< number of runs that failed
  std::optional<std::size_t> best = {};       ///< the row with the shortest time, by its number in the study
  std::optional<std::size_t> typical = {};    ///< the row with the median time, the lower one of two
  std::optional<double> off_reference = {};   ///< the best run's time divided by that of the reference engine, minus 1
  std::optional<double> with_computation = {};  ///< seconds of the typical run with the computation that is left out
  // Beside the groups that this one is compared with; see Report.
  std::optional<double> normalized = {};        ///< the mean divided by the best mean, both for as many tokens
  std::optional<double> whole_normalized = {};  ///< `with_computation` divided by the least
  std::optional<std::size_t> place = {};        ///< by the mean, from 1; see places()

  Run first() const { return {platform, trace, alloc, map, 0}; }
};

/// Seconds that a rank waits, on average over ranks and over the runs that succeeded, by what for (Measures::exposed).
std::map<std::string, double> exposed_of(const Group& group);

/// The groups in the order of the rows; the rows of a group follow each other. The rows must outlive the groups.
std::vector<Group> groups_of(std::span<const Row> rows);

}  // namespace toroid::study

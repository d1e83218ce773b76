#include "views/studies/compared_times.hpp"

#include <algorithm>

namespace toroid::views {

double ComparedTimes::Group::best_s() const {
  return std::ranges::min_element(runs, {}, &Run::runtime_s)->runtime_s;
}

double ComparedTimes::Group::worst_s() const {
  return std::ranges::max_element(runs, {}, &Run::runtime_s)->runtime_s;
}

ComparedTimes::Place ComparedTimes::place(std::size_t number) const {
  const auto without_map = number / maps.size(), without_alloc = without_map / allocs.size();
  return {without_alloc / traces.size(), without_alloc % traces.size(), without_map % allocs.size(),
          number % maps.size()};
}

std::string_view time_in_words(const ComparedTimes& times) {
  return times.of_communication ? "communication time" : "run time";
}

std::vector<std::string> labels_of(const std::vector<ComparedTimes::Named>& named) {
  std::vector<std::string> labels;
  for (const auto& one : named) labels.push_back(one.label);
  return labels;
}

}  // namespace toroid::views

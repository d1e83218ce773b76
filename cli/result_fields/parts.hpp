#pragma once
// The parts of the table of fields (cli/result_fields.hpp), by the commands that write the objects, and the fields that
// documents of several commands have.

#include <string>
#include <vector>

#include "cli/result_fields.hpp"

namespace toroid::cli {

inline constexpr ResultField version{
    "schema_version", "count",
    "2, in all JSON that toroid writes: grows when a field changes its meaning or goes; new fields do not count"};
inline constexpr ResultField manifest{"manifest", "manifest",
                                      "what the result was made from; the same manifest gives the same file"};
inline constexpr ResultField platform{"platform", "text", "the machine, as it was given"};
inline constexpr ResultField trace{"trace", "text", "the program"};
inline constexpr ResultField alloc{"alloc", "text", "only with --alloc: the allocator"};
inline constexpr ResultField map{"map", "text", "the mapper"};

/// The types of fields that tell these metrics, or null where there are none.
template <class Metrics>
std::vector<std::string> types_or_null(const Metrics& metrics) {
  std::vector<std::string> types;
  for (const auto& metric : metrics) types.push_back(std::string(metric.type) + " or null");
  return types;
}

std::vector<ResultObject> fields_of_runs();
std::vector<ResultObject> fields_of_programs();
std::vector<ResultObject> fields_of_machines();
std::vector<ResultObject> fields_of_studies();
std::vector<ResultObject> fields_of_schedules();

}  // namespace toroid::cli

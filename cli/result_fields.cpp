#include "cli/result_fields.hpp"

#include "platforms/document.hpp"

namespace toroid::cli {

const std::vector<core::ObjectText>& result_objects() {
  static const auto objects = [] {
    std::vector<core::ObjectText> all;
    for (const auto& part : {fields_of_runs(),
                             {mapping_text()},
                             trace_objects(),
                             platforms::machine_objects(),
                             platform_objects(),
                             calibration_objects(),
                             fields_of_studies(),
                             fields_of_schedules(),
                             {log_text()}})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return objects;
}

}  // namespace toroid::cli

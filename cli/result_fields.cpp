#include "cli/result_fields.hpp"

#include "cli/result_fields/parts.hpp"

namespace toroid::cli {

const std::vector<ResultObject>& result_objects() {
  static const auto objects = [] {
    std::vector<ResultObject> all;
    for (const auto part :
         {fields_of_runs, fields_of_programs, fields_of_machines, fields_of_studies, fields_of_schedules})
      for (auto& object : part()) all.push_back(std::move(object));
    return all;
  }();
  return objects;
}

}  // namespace toroid::cli

#pragma once
// What the fields of all JSON that commands write are: the reference and `toroid list fields` are made from this. The
// tables (core/fields.hpp) stand where the objects are written. The tests hold them to real documents: each field of a
// document is in a table with values of its type, and each field of a table is in a document
// (tests/docs/fields_test.cpp).

#include "core/fields.hpp"

namespace toroid::cli {

/// Documents first, each with the objects that it has.
const std::vector<core::ObjectText>& result_objects();

// Its parts, by the commands that write the objects.

std::vector<core::ObjectText> fields_of_runs();
core::ObjectText verification_text();
core::ObjectText mapping_text();
std::vector<core::ObjectText> trace_objects();
std::vector<core::ObjectText> platform_objects();
std::vector<core::ObjectText> calibration_objects();
std::vector<core::ObjectText> fields_of_studies();
std::vector<core::ObjectText> fields_of_schedules();
core::ObjectText log_text();

// Fields that documents of several commands have.

using core::manifest_text, core::version_text;
inline constexpr core::FieldText platform_text{"platform", "text", "the machine, as it was given"};
inline constexpr core::FieldText trace_text{"trace", "text", "the program"};
inline constexpr core::FieldText alloc_text{"alloc", "text", "only with --alloc: the allocator"};
inline constexpr core::FieldText map_text{"map", "text", "the mapper"};

/// The types of fields that tell these metrics, or null where there are none.
template <class Metrics>
std::vector<std::string> types_or_null(const Metrics& metrics) {
  std::vector<std::string> types;
  for (const auto& metric : metrics) types.push_back(std::string(metric.type) + " or null");
  return types;
}

}  // namespace toroid::cli

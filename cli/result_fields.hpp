#pragma once
// What the fields of all JSON that commands write are: the reference and `toroid list fields` are made from this. The
// tables (core/fields.hpp) stand where the objects are written. The tests hold them to real documents: each field of a
// document is in a table with values of its type, and each field of a table is in a document
// (tests/docs/fields_test.cpp).

#include "toroid/core/fields.hpp"

namespace toroid::cli {

/// Documents first, each with the objects that it has.
const std::vector<core::ObjectText>& result_objects();

// The parts that commands write.

core::ObjectText verification_text();
core::ObjectText mapping_text();
std::vector<core::ObjectText> trace_objects();
std::vector<core::ObjectText> platform_objects();
std::vector<core::ObjectText> calibration_objects();
std::vector<core::ObjectText> collective_calibration_objects();
core::ObjectText log_text();

}  // namespace toroid::cli

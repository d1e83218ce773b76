#pragma once
// What the fields of all JSON that commands write are: the reference and `toroid list fields` are made from this. The
// tables (core/fields.hpp) stand where the objects are written. The tests hold them to real documents: each field of a
// document is in a table with values of its type, and each field of a table is in a document
// (tests/docs/fields_test.cpp).

#include "toroid/core/fields.hpp"

namespace toroid::cli {

/// Documents first, each with the objects that it has.
const std::vector<core::ObjectText>& result_objects();

/// Holds a document that is read back, and was made by this version of toroid, to its table: other versions may have
/// other fields. `manifest` is the document's, or the document. Throws InputError, also on a result of a command other
/// than `command`, and on a schema of a later version.
void check_result(const core::Json& document, const core::Json& manifest, std::string_view object,
                  std::string_view command);

// The parts that commands write.

core::ObjectText verification_text();
core::ObjectText mapping_text();
std::vector<core::ObjectText> trace_objects();
std::vector<core::ObjectText> platform_objects();
std::vector<core::ObjectText> calibration_objects();
std::vector<core::ObjectText> collective_calibration_objects();
core::ObjectText log_text();

}  // namespace toroid::cli

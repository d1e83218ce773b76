#pragma once
// The page of a comparison.

#include <string>

#include "cli/comparison_tables.hpp"
#include "core/json.hpp"

namespace toroid::cli {

/// The comparison as one HTML page without scripts or other files: pictures, verdicts, all other tables, and the
/// manifest, which says what it was made from. `whole` is what the command writes as JSON.
std::string comparison_page(const Compared& compared, const core::Json& whole);

}  // namespace toroid::cli

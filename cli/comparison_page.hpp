#pragma once
// A comparison for views/: the times that its pictures show, and its page.

#include <string>

#include "cli/comparison_tables.hpp"
#include "core/json.hpp"
#include "views/studies/compared_times.hpp"

namespace toroid::cli {

views::ComparedTimes compared_times(const Compared& compared);

/// The whole comparison as one HTML page without scripts or other files: pictures, verdicts, all other tables, and the
/// manifest, which says what it was made from.
std::string comparison_page(const Compared& compared, const core::Json& manifest);

}  // namespace toroid::cli

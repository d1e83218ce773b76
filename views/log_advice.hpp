#pragma once
// The page of advice on a job log.

#include <string>

#include "core/json.hpp"

namespace toroid::views {

/// A page of charts, from the JSON of `toroid advise` with a job log; `text` is what the command prints.
std::string log_advice_html(const core::Json& advice, const std::string& text);

}  // namespace toroid::views

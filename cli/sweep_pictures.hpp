#pragma once
// A sweep of schedules for views/, and the page of advice on a job log.

#include <string>
#include <vector>

#include "core/json.hpp"
#include "study/log_advice.hpp"
#include "study/sweep.hpp"
#include "views/studies/sweep_chart.hpp"

namespace toroid::cli {

/// The contenders of a sweep, by their labels.
views::SweptContenders swept_contenders(const study::Sweep& sweep, const std::vector<study::SweepGroup>& groups);

/// A page of charts of the advice; `shares` are those that were asked for, `text` is what the command prints, and the
/// manifest says what the page was made from.
std::string log_advice_page(const study::LogAdvice& advice, const std::vector<double>& shares, const std::string& text,
                            const core::Json& manifest);

}  // namespace toroid::cli

#pragma once
// What the screen, pictures and pages show of a sweep of schedules.

#include "study/advice/log_advice.hpp"
#include "views/studies/sweep_chart.hpp"

namespace toroid::cli {

/// What the run times of jobs leave out, of so many seconds on average; empty of none.
std::string left_out_line(double seconds);

/// The means of each contender, and what their run times leave out.
std::string sweep_table(const study::JudgedSweep& judged);

/// What speaks for which contender, for each machine with each log.
std::string sweep_verdicts(const study::JudgedSweep& judged);

/// The contenders of a sweep, by their labels.
views::SweptContenders swept_contenders(const study::JudgedSweep& judged);

/// A page of the sweep: verdicts, what was `without_effect`, bars and the table of contenders.
std::string sweep_page(const study::JudgedSweep& judged, const std::string& without_effect, const core::Json& manifest);

/// A page of the advice: the verdict, `when` the log was written, charts, and `text`, what the command prints. The
/// manifest says what the page was made from.
std::string log_advice_page(const study::LogAdvice& advice, const std::string& when, const std::string& text,
                            const core::Json& manifest);

}  // namespace toroid::cli

#pragma once
// The results of a sweep as JSON, which users' scripts read; docs/reference/results.md has the fields.

#include <vector>

#include "core/json.hpp"
#include "study/sweep.hpp"
#include "study/trade_offs.hpp"

namespace toroid::study {

/// A tidy row for each run, all with the same keys, as a table needs them.
core::Json sweep_rows_json(const Sweep& sweep, const std::vector<SweepRow>& rows);

/// For each field of a row that names something, all `name`s, each with its `label`: what people read in its place.
core::Json sweep_labels_json(const Sweep& sweep);

/// For each contender the means of its runs, and what the trade-offs say of it.
core::Json sweep_summary_json(const Sweep& sweep, const std::vector<SweepGroup>& groups,
                              const std::vector<TradeOffs>& trade_offs);

/// All pairs of contenders, each contender by its number in the summary.
core::Json trade_offs_json(const Sweep& sweep, const std::vector<SweepGroup>& groups,
                           const std::vector<TradeOffs>& trade_offs);

}  // namespace toroid::study

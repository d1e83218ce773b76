// What comes of a sweep, as JSON.

#include "cosim/run_times/epochs.hpp"
#include "study/documents/fields.hpp"
#include "study/trade_offs.hpp"

namespace toroid::study {

namespace {

constexpr FactorField swept_machine{Factor::platform, "the machine, as it was given"},
    swept_jobs{Factor::workload, "the jobs"}, swept_scheduler{Factor::scheduler, "the scheduler"},
    swept_allocator{Factor::alloc, "the allocator"}, swept_mapper{Factor::map, "the mapper, if jobs have programs"},
    swept_events{Factor::events, "with or without events, where --and-without compares both"};
/// What tells runs, or groups of them, apart: the object "sweep names".
constexpr std::initializer_list<FactorField> swept_fields{swept_machine,   swept_jobs,   swept_scheduler,
                                                          swept_allocator, swept_mapper, swept_events};
constexpr std::string_view swept_type = "fields of sweep names";

struct ToldSweepRow {
  const Sweep& sweep;
  const SweepRow& row;

  const Names& names() const { return sweep.names(); }
  const Run& run() const { return row.run; }
};

const core::Object<ToldSweepRow> sweep_row_object{
    "sweep row",
    after_names_of<ToldSweepRow>(
        swept_type, swept_fields,
        {{"seed", "count", "of the run", [](auto& r) { return r.sweep.seed(r.row.run); }},
         {"repetition", "count", "from 0", [](auto& r) { return r.row.run.repetition; }},
         {"paired_by", "text", "what it shares with runs of other contenders: seed, job, or nothing",
          [](auto& r) { return r.sweep.paired_by(r.row.run); }},
         {"...", "fields of schedule totals or null", "null if the run failed",
          [](auto& r) {
            Json totals = r.row.result.is_null() ? Json::object() : r.row.result;
            totals.erase("allocator");
            if (!r.names().events.empty()) totals.erase("events");  // the name of these is there already
            return totals;
          }},
         core::field<ToldSweepRow>(cosim::epochs_field, {}),
         {"allocator", "number by name or null", "what the allocator counted",
          [](auto& r) { return r.row.result.is_null() ? Json() : r.row.result.value("allocator", Json()); }},
         {"error", "text or null", "why the run failed",
          [](auto& r) { return r.row.error.empty() ? Json() : Json(r.row.error); }}})};

/// Tidy rows: all have the fields of the first that succeeded.
Json sweep_rows_json(const JudgedSweep& judged) {
  auto rows = array_of(*judged.rows, [&](const SweepRow& row) { return sweep_row_object({*judged.sweep, row}); });
  const auto whole = std::ranges::find_if(*judged.rows, [](const SweepRow& row) { return !row.result.is_null(); });
  if (whole == judged.rows->end()) return rows;
  const auto fields = rows[static_cast<std::size_t>(whole - judged.rows->begin())];
  for (auto& row : rows) {
    Json tidy = Json::object();
    for (const auto& [key, value] : fields.items()) tidy[key] = row.value(key, Json());
    row = std::move(tidy);
  }
  return rows;
}

/// A contender: a group, and what the trade-offs say of it, if it has runs.
struct ToldContender {
  const JudgedSweep& in;
  std::size_t number;
  const SweepGroup& group = in.groups[number];
  const TradeOffs* found = in.trade_offs_of(number);

  const Names& names() const { return in.sweep->names(); }
  const Run& run() const { return group.run; }
  /// Null where nothing can be said.
  Json verdict() const {
    if (found == nullptr || found->contrasts.empty() || found->are_single_runs()) return {};
    return !found->dominators(number).empty() ? "dominated"
           : found->is_undecided(number)      ? "undecided"
                                              : "not dominated";
  }
};

const core::Object<ToldContender>& contender_object() {
  static const auto types = types_or_null(cosim::schedule_metrics());
  static const core::Object<ToldContender> object = [] {
    auto fields = after_names_of<ToldContender>(
        swept_type, swept_fields, {{"runs", "count", "that succeeded", [](auto& c) { return c.group.rows.size(); }}});
    for (std::size_t m = 0; m < types.size(); ++m) {
      const auto name = cosim::schedule_metrics()[m].name;
      fields.push_back({name, types[m], "mean over its runs", [name](const ToldContender& c) {
                          return c.group.rows.empty() ? Json() : Json(c.group.mean(name));
                        }});
    }
    fields.insert(fields.end(),
                  {{"intervals", "list of number or null by name",
                    "95 % confidence intervals of the means, by field; null for one run",
                    [](auto& c) {
                      Json by_field;
                      for (const auto& metric : cosim::schedule_metrics())
                        by_field[metric.name] = interval_json(interval_of_mean(c.group.values(metric.name)));
                      return by_field;
                    }},
                   {"verdict", "text or null", "dominated, not dominated or undecided; null for one run of each",
                    [](auto& c) { return c.verdict(); }},
                   {"dominated_by", "list of count", "lines of the summary, from 0",
                    [](auto& c) { return c.found == nullptr ? Json::array() : Json(c.found->dominators(c.number)); }}});
    return core::Object<ToldContender>("contender", std::move(fields));
  }();
  return object;
}

Json contenders_json(const JudgedSweep& judged) {
  return array_of(judged.groups.size(), [&](std::size_t g) { return contender_object()({judged, g}); });
}

const core::Object<Difference> sweep_difference_object{
    "sweep difference",
    {{"mean", "number", "what one has more than the other", &Difference::mean},
     {"interval", "list of number or null", "its confidence interval, by Student's t",
      [](auto& d) { return interval_json(d.interval); }},
     {"test", "text or null", "signed_rank, t_of_series, mann_whitney, sign",
      [](auto& d) { return if_tested(d, d.test); }},
     {"paired_by", "text or null", "seed, job or nothing", [](auto& d) { return if_paired(d, d.paired_by); }},
     {"pairs", "count or null", "of seeds or segments", [](auto& d) { return if_paired(d, d.pairs); }},
     {"effective_pairs", "number or null", "how many independent pairs these are worth",
      [](auto& d) { return if_paired(d, d.effective_pairs); }},
     {"p", "share or null", "two-sided, uncorrected", [](auto& d) { return if_tested(d, d.p); }},
     {"p_holm", "share or null", "corrected for the number of pairs of contenders",
      [](auto& d) { return if_tested(d, d.p_holm); }}}};

std::string_view name_of(Contrast::Relation relation) {
  static constexpr std::array names{"one run of each", "undecided",     "alike",
                                    "trade",           "one dominates", "other dominates"};
  return names.at(static_cast<std::size_t>(relation));
}

const core::Object<Contrast> trade_off_object{
    "trade-off",
    {{"one", "count", "a line of the summary, from 0", &Contrast::one},
     {"other", "count", "another line", &Contrast::other},
     {"relation", "text", "one dominates, other dominates, trade, alike, undecided, one run of each",
      [](auto& contrast) { return name_of(contrast.relation); }},
     {"differences", "sweep difference or null by name", "by field; null where there is none", [](auto& contrast) {
        Json by_field;
        for (const auto& metric : cosim::schedule_metrics()) {
          const auto found = contrast.differences.find(metric.name);
          by_field[metric.name] = found == contrast.differences.end() ? Json() : sweep_difference_object(found->second);
        }
        return by_field;
      }}}};

struct ToldTradeOffs {
  const JudgedSweep& in;
  const TradeOffs& found;

  const Names& names() const { return in.sweep->names(); }
  const Run& run() const { return in.groups[found.groups[0]].run; }
};

const core::Object<ToldTradeOffs> trade_offs_object{
    "trade-offs",
    after_names<ToldTradeOffs>(
        {swept_machine, swept_jobs},
        {{"criteria", "list of text", "fields that the verdict weighs",
          [](auto& t) { return array_of(criteria(*t.in.sweep), [](const auto& one) { return one.name; }); }},
         {"margin", "share", "that counts as nothing: 0.01", [](auto&) { return Contrast::margin; }},
         {"confidence", "share", "of each interval", [](auto& t) { return t.found.confidence; }},
         {"pairs", "list of trade-off", "every two contenders",
          [](auto& t) { return trade_off_object.list(t.found.contrasts); }}})};

const core::Object<JudgedSweep> results_object{
    "sweep results",
    {{"rows", "list of sweep row", "for each run", sweep_rows_json},
     {"summary", "list of contender", "for each scheduler, allocator and mapper", contenders_json},
     {"trade_offs", "list of trade-offs", "for each machine with each log", [](auto& judged) {
        return array_of(judged.trade_offs, [&](const auto& one) { return trade_offs_object({judged, one}); });
      }}}};

/// A name as it was given, and what stands in its place.
using Labelled = std::pair<std::string_view, std::string_view>;

const core::Object<Labelled> label_object{
    "label",
    {{"name", "text", "as it was given", [](auto& one) { return one.first; }},
     {"label", "text", "what stands in its place", [](auto& one) { return one.second; }}}};

const core::Object<JudgedSweep> sweep_object{
    "sweep",
    {core::field<JudgedSweep>(core::version_text, {}),
     core::field<JudgedSweep>(core::manifest_text, {}),
     {"labels", "list of label by name", "by the field that has the names",
      [](auto& judged) { return labels_json(*judged.sweep); }},
     {"...", "fields of sweep results", "what came of the runs", results_object}}};

}  // namespace

Json labels_json(const Sweep& sweep) {
  Json labels = Json::object();
  for (const auto factor :
       {Factor::platform, Factor::workload, Factor::scheduler, Factor::alloc, Factor::map, Factor::events}) {
    const auto &names = sweep.names().of(factor), &told = sweep.spec().labels.of(factor);
    for (std::size_t i = 0; i < names.size(); ++i) labels[key_of(factor)].push_back(label_object({names[i], told[i]}));
  }
  return labels;
}

Json judged_json(const JudgedSweep& judged) {
  return results_object(judged);
}

Json sweep_json(const JudgedSweep& judged) {
  return sweep_object(judged);
}

std::vector<core::ObjectText> sweep_objects() {
  return {sweep_object,           label_object,       results_object,    names_text("sweep names", swept_fields),
          sweep_row_object,       contender_object(), trade_offs_object, trade_off_object,
          sweep_difference_object};
}

}  // namespace toroid::study

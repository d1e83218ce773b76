// The fields of a report, and how they are taken from it.

#include <tuple>

#include "study/documents/fields.hpp"
#include "toroid/netsim/result_json.hpp"

namespace toroid::study {

namespace {

template <class Part>
const Run& run_of(const Report& report, const Part& part) {
  if constexpr (std::is_same_v<Part, Run>)
    return part;
  else if constexpr (requires { part.run; })
    return part.run;
  else
    return report.groups[part.group].run;
}

/// A part of a report: a row, a group, a layout.
template <class Part>
struct ToldPart : Part {
  const ToldReport& in;

  const Names& names() const { return in.names; }
  const Run& run() const { return run_of<Part>(in.report, *this); }
};

template <class Part>
Json list_of(const Object<ToldPart<Part>>& object, const ToldReport& in, const std::vector<Part>& parts) {
  return array_of(parts, [&](const Part& part) { return object({part, in}); });
}

const Object<Names> labels_object{"labels",
                                  {{"platforms", "list of text", "of the machines", &Names::platforms},
                                   {"traces", "list of text", "of the programs", &Names::traces},
                                   {"maps", "list of text", "of the mappers", &Names::maps},
                                   {"allocs", "list of text", "only with --alloc: of the allocators",
                                    [](auto& labels) { return core::unless_empty(labels.allocs); }},
                                   {"collectives", "list of text", "only of several: of the algorithms of collectives",
                                    [](auto& labels) { return core::unless_empty(labels.collectives); }}}};

const Object<ToldPart<Run>> case_computation_object{
    "case computation",
    after_names<ToldPart<Run>>(
        {machine_field, program_field},
        {{"...", "fields of computation",
          "gain_at_most is over the first mapper or the baseline; of several allocators, over the slowest",
          [](auto& told) {
            const auto& [comparison, report] = std::tie(told.in.comparison, told.in.report);
            return netsim::computation_json(comparison.computation(told.platform, told.trace),
                                            mean_to_gain_over(comparison, report, told.platform, told.trace));
          }}})};

Json computations_json(const ToldReport& told) {
  Json all = Json::array();
  for (Run run; run.platform < told.names.platforms.size(); ++run.platform)
    for (run.trace = 0; run.trace < told.names.traces.size(); ++run.trace)
      all.push_back(case_computation_object({run, told}));
  return all;
}

/// How fast the group's mean run trains a model; null of other programs.
Json training_json(const Comparison& comparison, const Group& group) {
  const auto& trace = comparison.trace(group.run.trace);
  return netsim::training_json(trace.training(), comparison.computation(group.run.platform, group.run.trace),
                               trace.ranks(), group.times.empty() ? 0 : mean(group.times));
}

/// A figure of a group's times; null if all runs failed.
template <class Figure>
auto of_times(Figure figure) {
  return [figure](const ToldPart<Group>& told) { return told.times.empty() ? Json() : Json(figure(told.times)); };
}

const Object<ToldPart<Group>> group_object{
    "group",
    after_names_of<ToldPart<Group>>(
        names_type, run_fields,
        {{"runs", "count", "that succeeded", [](auto& g) { return g.times.size(); }},
         {"failed", "count", "runs that failed", &Group::failed},
         {"best_s", "seconds or null", "null if all runs failed",
          of_times([](const Sample& times) { return std::ranges::min(times); })},
         {"worst_s", "seconds or null", "the longest",
          of_times([](const Sample& times) { return std::ranges::max(times); })},
         {"mean_s", "seconds or null", "the mean", of_times(mean)},
         {"mean_interval_s", "list of seconds or null", "95 %, by Student's t; null for one run",
          [](auto& g) { return interval_json(interval_of_mean(g.times)); }},
         {"standard_deviation_s", "seconds or null", "of a sample (n-1); null for one run",
          [](auto& g) { return g.times.size() > 1 ? Json(standard_deviation(g.times)) : Json(); }},
         {"verification_deviation", "number or null", "of the best run: its time over that of simgrid, minus 1",
          &Group::off_reference},
         {"mean_normalized", "number or null",
          "over the best mean beside it: of mappers, with one mapper of machines, or else programs (for as many "
          "tokens)",
          &Group::normalized},
         {"place", "count or null", "by the mean among the same, from 1; ties share the better", &Group::place},
         {"with_computation_s", "seconds or null", "of the median run, with the computation left out elsewhere",
          &Group::with_computation},
         {"with_computation_normalized", "number or null", "over the least that it is judged beside",
          &Group::whole_normalized},
         {"training", "training or null", "at the mean time",
          [](auto& g) { return training_json(g.in.comparison, g); }},
         {"exposed_s", "seconds by name", "by purpose: mean transfer and wait of a rank",
          [](auto& g) { return exposed_of(g); }}})};

struct ToldSummary : CorrelationSummary {
  std::string_view metric;
};

const Object<ToldSummary> correlation_summary_object{
    "correlation summary",
    {{"metric", "text", "the proxy", &ToldSummary::metric},
     {"count", "count", "machines and traces with a correlation", &ToldSummary::count},
     {"spearman_median", "number or null", "over those; null if there are none", &ToldSummary::spearman_median},
     {"spearman_lowest", "number or null", "over those", &ToldSummary::spearman_lowest},
     {"spearman_highest", "number or null", "over those", &ToldSummary::spearman_highest},
     {"pearson_median", "number or null", "over those", &ToldSummary::pearson_median}}};

const Object<ToldPart<Layout>> layout_object{
    "layout", after_names_of<ToldPart<Layout>>(
                  names_type, run_fields,
                  {{"tokens", "number or null", "that all times are for; null if all train on as many",
                    [](auto& l) { return l.in.comparison.equal_tokens(); }},
                   {"mean_s", "seconds", "the mean, for these tokens", &Layout::seconds},
                   {"normalized", "number", "over the best layout's on the same machine", &Layout::normalized},
                   {"training", "training or null", "at the mean time",
                    [](auto& l) { return training_json(l.in.comparison, l.in.report.groups[l.group]); }}})};

const Object<ToldPart<Change>> what_if_object{
    "what-if",
    after_names_of<ToldPart<Change>>(
        names_type, run_fields,
        {{"baseline", "text", "the machine that it changes",
          [](auto& c) { return c.in.names.platforms[c.in.report.groups[c.baseline].run.platform]; }},
         {"relative_change", "number or null", "its mean over that of the baseline, minus 1", &Change::relative},
         {"with_computation_change", "number or null", "the same of the times with computation", &Change::whole}})};

const Object<ToldPart<Row>> row_object{
    "row",
    after_names_of<ToldPart<Row>>(
        names_type, run_fields,
        {{"repetition", "count", "from 0", [](auto& r) { return r.run().repetition; }},
         {"seed", "count or null", "null if nothing is drawn", [](auto& r) { return r.in.comparison.seed(r.run()); }},
         {"...", "fields of measures", "of the run", [](auto& r) { return measures_json(r.measures); }},
         {"verified_runtime_s", "seconds or null", "of the best run of each mapper: by simgrid",
          &Row::verified_runtime},
         {"with_computation_s", "seconds or null",
          "of the median run of each mapper, with the computation left out elsewhere", &Row::with_computation},
         {"error", "text", "why the time is missing; else empty", &Row::error},
         {"verification_error", "text", "why verified_runtime_s is missing; else empty", &Row::verification_error},
         {"with_computation_error", "text", "why with_computation_s is missing; else empty",
          &Row::with_computation_error}})};

const Object<ToldReport> report_object{
    "report",
    {{"labels", "labels", "names in tables and pictures, in the order of the manifest",
      [](auto& r) { return labels_object(r.spec().labels); }},
     {"subject", "text",
      "what is judged: map; with one mapper the first of alloc, collectives, platform and trace with several",
      [](auto& r) { return key_of(r.spec().subject()); }},
     {"computation", "list of case computation", "by machine and trace", computations_json},
     {"summary", "list of group", "for each machine, trace, allocator and mapper",
      [](auto& r) { return list_of(group_object, r, r.report.groups); }},
     {"statistics", "list of case", "how mappers differ, by machine, trace and allocator", cases_json},
     {"correlations", "list of correlation summary", "for each proxy",
      [](auto& r) { return by_proxy(correlation_summary_object, r.report.correlations); }},
     {"allocators", "list of contest of allocators",
      "only with --alloc: of several with one mapper, by machine and trace", allocators_json},
     {"collectives", "list of contest of collectives",
      "only of several with one mapper and allocator, by machine and trace", collectives_json},
     {"machines", "list of contest of machines", "of several with one mapper, by trace", machines_json},
     {"programs", "contest of programs or null", "of several with one mapper on one machine", programs_json},
     {"layouts", "list of layout", "only of several mappers and trainings: each with its best mapper",
      [](auto& r) { return core::unless_empty(list_of(layout_object, r, r.report.layouts)); }},
     {"gain_notes", "list of text", "what a reader of the gains must know",
      [](auto& r) { return notes_on_gains(r.comparison, r.report); }},
     {"what_ifs", "list of what-if", "for each machine of a --what-if, trace and mapper",
      [](auto& r) { return list_of(what_if_object, r, r.report.changes); }},
     {"rows", "list of row", "for each run", [](auto& r) { return rows_json(r.comparison, r.report); }}}};

}  // namespace

Json report_json(const Comparison& comparison, const Report& report, std::span<const Report> opinions) {
  return report_object({comparison, report, opinions});
}

Json rows_json(const Comparison& comparison, const Report& report) {
  return list_of(row_object, {comparison, report, {}}, *report.rows);
}

std::vector<core::ObjectText> report_objects() {
  std::vector<core::ObjectText> all{report_object,
                                    names_text("names", run_fields),
                                    labels_object,
                                    case_computation_object,
                                    group_object,
                                    layout_object,
                                    what_if_object,
                                    row_object,
                                    correlation_summary_object,
                                    measures_text()};
  std::ranges::move(contest_objects(), std::back_inserter(all));
  return all;
}

}  // namespace toroid::study

// The fields of what schedule and jobs info write.

#include "cli/result_fields.hpp"
#include "cosim/link_loads.hpp"
#include "cosim/schedule_metrics.hpp"

namespace toroid::cli {
namespace {

std::vector<core::FieldText> fields_of_contender() {
  std::vector<core::FieldText> fields{platform_text,
                                      {"workload", "text", "the jobs"},
                                      {"scheduler", "text", "the scheduler"},
                                      {"alloc", "text", "the allocator"},
                                      {"map", "text", "the mapper, if jobs have programs"},
                                      {"runs", "count", "that succeeded"}};
  static const auto types = types_or_null(cosim::schedule_metrics());
  for (std::size_t m = 0; m < types.size(); ++m)
    fields.push_back({cosim::schedule_metrics()[m].name, types[m], "mean over its runs"});
  fields.insert(fields.end(),
                {{"intervals", "list of number or null by name",
                  "by field the 95 % confidence interval of the mean; null for one run"},
                 {"verdict", "text or null", "dominated, not dominated or undecided; null for one run of each"},
                 {"dominated_by", "list of count", "lines of the summary, from 0"}});
  return fields;
}

}  // namespace

std::vector<core::ObjectText> fields_of_schedules() {
  std::vector<core::ObjectText> all{
      // toroid schedule
      {"schedule",
       {version_text,
        {"...", "fields of schedule totals", "what became of the jobs"},
        {"correlations", "slowdown correlations", "only of jobs that are programs: of proxies with their slowdowns"},
        {"allocator", "number by name", "only if the allocator counts: messages, for example"},
        {"link_loads", "link loads", "only with --windows"},
        {"events", "list of event", "only with --at"},
        {"left_out", "count", "jobs of the log that were left out"},
        {"remarks", "list of text", "only if there are some: what to know of the engine on that machine, a line each"},
        manifest_text}},
      cosim::totals_text(),
      {"epochs",
       {{"mixes", "number", "of jobs whose rates were asked for"},
        {"simulated", "number", "how many of them were simulated until their rates were steady"},
        {"replayed", "share", "of all rounds"}}},
      {"slowdown correlations",
       {{"jobs", "count", "that are programs"},
        {"all", "list of slowdown correlation", "over all of them"},
        {"programs", "list of program correlations", "over each of the programs with ten jobs or more"}}},
      {"program correlations",
       {{"program", "text", "its name"},
        {"jobs", "count", "that run it"},
        {"lines", "list of slowdown correlation", "over these jobs"}}},
      {"slowdown correlation",
       {{"metric", "text", "the proxy"},
        {"slowdown_pearson", "number or null", "of values, with the run time over that alone on the same nodes"},
        {"slowdown_spearman", "number or null", "of ranks, with the same"},
        {"stretch_pearson", "number or null",
         "of values, with the run time over the shortest run time of that program alone: the cost of nodes and "
         "neighbours"},
        {"stretch_spearman", "number or null", "of ranks, with the same"}}}};
  const auto add = [&](const std::vector<core::ObjectText>& more) { all.insert(all.end(), more.begin(), more.end()); };
  add(cosim::link_loads_objects());
  add({{"sweep",
        {version_text,
         manifest_text,
         {"labels", "list of label by name", "what tables and pictures call things, by the field that has their names"},
         {"...", "fields of sweep results", "what came of the runs"}}},
       {"label", {{"name", "text", "as it was given"}, {"label", "text", "what stands in its place"}}},
       {"sweep results",
        {{"rows", "list of sweep row", "a line for each run"},
         {"summary", "list of contender", "a line for each scheduler with an allocator and a mapper"},
         {"trade_offs", "list of trade-offs", "one for each machine with each log"}}},
       {"sweep row",
        {platform_text,
         {"workload", "text", "the jobs"},
         {"scheduler", "text", "the scheduler"},
         {"alloc", "text", "the allocator"},
         {"map", "text", "the mapper, if jobs have programs"},
         {"seed", "count", "of the run"},
         {"repetition", "count", "from 0"},
         {"paired_by", "text", "what it has in common with the runs of other contenders: seed, job, or nothing"},
         {"...", "fields of schedule totals or null", "what became of the jobs; null if the run failed"},
         {"allocator", "number by name or null", "what the allocator counted"},
         {"error", "text or null", "why the run failed"}}},
       {"contender", fields_of_contender()},
       {"trade-offs",
        {platform_text,
         {"workload", "text", "the jobs"},
         {"criteria", "list of text", "fields that the verdict weighs"},
         {"margin", "share", "that counts as nothing: 0.01"},
         {"confidence", "share", "of each interval"},
         {"pairs", "list of trade-off", "every two contenders"}}},
       {"trade-off",
        {{"one", "count", "a line of the summary, from 0"},
         {"other", "count", "another line"},
         {"relation", "text", "one dominates, other dominates, trade, alike, undecided, one run of each"},
         {"differences", "sweep difference or null by name", "by field; null where there is none"}}},
       {"sweep difference",
        {{"mean", "number", "what one has more than the other"},
         {"interval", "list of number or null", "its confidence interval, by Student's t"},
         {"test", "text or null", "signed_rank, t_of_series, mann_whitney, sign"},
         {"paired_by", "text or null", "seed, job or nothing"},
         {"pairs", "count or null", "of seeds or segments"},
         {"effective_pairs", "number or null", "how many independent pairs these are worth"},
         {"p", "share or null", "two-sided, uncorrected"},
         {"p_holm", "share or null", "corrected for the number of pairs of contenders"}}}});
  return all;
}

}  // namespace toroid::cli

// The fields of what simulate and batch write.

#include "cli/result_fields.hpp"
#include "cosim/outages.hpp"
#include "netsim/jobs_json.hpp"

namespace toroid::cli {
namespace {

/// What other folders than netsim tell of a run.
std::vector<core::ObjectText> told_objects() {
  return {
      cosim::event_text(),
      verification_text(),
      {"uncertainty",
       {{"draws", "count", "machines that are drawn"},
        {"share", "share", "of values that intervals of times and gains hold: between quantiles, 5 % and 95 %"},
        {"intervals", "list of interval", "what was drawn from"},
        {"median_s", "seconds", "median of the run times"},
        {"interval_s", "list of seconds", "its two ends, with the engine's deviation"},
        {"machines_interval_s", "list of seconds", "its two ends by the machines alone"},
        {"engine_deviation", "engine deviation or null",
         "how far the engine is from flits; null if nobody has measured it"},
        {"influences", "list of influence", "what the times follow, the strongest first"},
        {"correlation_by_chance", "number",
         "of a property that does not matter, one rank correlation in twenty is beyond this"},
        {"runs", "list of drawn run", "by machine"}}},
      {"engine deviation",
       {{"engine", "text", "the engine, with its keys"},
        {"programs", "list of number",
         "what flits take over what the engine says, where messages share links, as far as all placements of a program "
         "on a machine have it in common: equally likely values, ascending"},
        {"placements", "list of number", "what each placement has of its own; the product of both is the deviation"}}},
      {"interval",
       {{"property", "text", "as --set takes it"},
        {"unit", "text", "B/s, s, flop/s, B, factor (of what the machine has), or empty for plain numbers"},
        {"low", "number", "low end, in that unit"},
        {"high", "number", "high end"},
        {"best", "number or null", "the likeliest value, if it is given"}}},
      {"influence",
       {{"property", "text", "whose values were drawn"},
        {"rank_correlation", "number or null",
         "Spearman's with the times, -1 to 1; null if one of the two is constant"}}},
      {"drawn run",
       {{"draw", "count", "number of the machine, from 0"},
        {"runtime_s", "seconds", "predicted run time"},
        {"deviating_s", "seconds",
         "of these, what the deviation multiplies: time in the network, in full where a fifth of it or more is "
         "sharing, in proportion below"},
        {"values", "number by name", "of the properties, in the units of their intervals"}}},
      netsim::profile_object(),
      {"explanation",
       {{"main_cause", "text", "the largest of the causes, and what that means: a sentence"},
        {"causes", "list of cause", "the parts of the critical path; they add up to the run time"},
        {"ranks", "list of cause",
         "what ranks spend the run time with on average: computing, waiting for messages on their way, waiting for a "
         "partner, as which the wait for the last rank counts, too"},
        {"losses", "list of loss", "sharing of the critical path by dimension"},
        {"links", "list of loss at link", "up to ten links with the most of it"},
        {"chain", "list of chain part",
         "the critical path in the order of time: its five longest steps, and what lies between two of them as one "
         "part each"},
        {"trials", "list of trial",
         "the same run by the same engine with one change each: the bandwidth doubled and the latency halved of each "
         "dimension, the changes that advise tries, the mapper quick; of several jobs, the mapper quick for one at a "
         "time, and each of the others left out"},
        {"no_trials", "text", "only where nothing was tried: why"},
        {"what_to_change", "list of text",
         "up to three lines: the two changes that save most, and those that save less than 1 % of the run time; or "
         "three changes, if there are none of these"}}},
      {"cause",
       {{"cause", "text",
         "compute, latency, bandwidth, sharing within the job, sharing with other jobs; or with any job, "
         "where the engine cannot tell jobs apart; waiting for cores, which is a part of sharing elsewhere"},
        {"seconds", "seconds", "of the run time"},
        {"share", "share", "of the run time"}}},
      {"loss",
       {{"links", "text",
         "the name of a dimension, injection or ejection; cores for what waited for the cores of receivers"},
        {"seconds", "seconds", "lost there: a loss counts at the link of the route that was used most meanwhile"},
        {"share", "share", "of the run time"}}},
      {"loss at link",
       {{"link", "text", "its name"},
        {"lost_s", "seconds", "that the critical path lost there"},
        {"share", "share", "of the run time"},
        {"mean_utilization", "share", "of the link, over the whole run, as in links"},
        {"messages", "count", "of the critical path that lost time there"},
        {"in_the_way", "list of obstacle",
         "messages of other pairs of ranks that were in the way, up to four pairs, the largest first"}}},
      {"chain part",
       {{"steps", "count", "of the critical path in it"},
        {"messages", "count", "how many of the steps are messages"},
        {"begin_s", "seconds", "since the start of the run"},
        {"end_s", "seconds", "since the start of the run"},
        {"lost_s", "seconds", "to other messages"},
        {"rank", "count or null", "of a single step: the rank that computes, or the sender"},
        {"receiver", "count or null", "of a single message"},
        {"bytes", "bytes or null", "of a single message"},
        {"link", "text or null", "where most of that time was lost"},
        {"in_the_way", "list of obstacle",
         "messages of other pairs of ranks that were in the way, up to four pairs, the largest first"}}},
      {"obstacle",
       {{"from", "count", "the rank that sends"},
        {"to", "count", "the rank that receives"},
        {"bytes", "bytes", "of these messages that travelled over the link meanwhile, if all travelled evenly"},
        {"job", "text", "only with several jobs: whose messages these are"}}},
      {"trial",
       {{"change", "text", "as options take it; of several jobs also map=quick for one of them, or without one"},
        {"runtime_s", "seconds or null", "with the change; null for what the machine cannot have"},
        {"saves_s", "seconds or null", "how much less time the run takes with the change"},
        {"others", "list of other job",
         "only with several jobs: the others whose run times change by 1 % or more, the largest change first"}}},
      {"other job",
       {{"job", "text", "its name"},
        {"saves_share", "share", "of the job's run time that the change saves; below 0 where the job takes longer"}}},
      {"manifest",
       {{"toroid", "text", "version of the program"},
        {"version", "text", "of calibrate: version of the program"},
        {"command", "text", "simulate, compare, ..."},
        {"arguments", "any by name",
         "what the user gave, by the names of the options and arguments, without outputs: what --config reads"},
        {"inputs", "list of input", "every file that was read, in the order in which they were opened first"},
        {"...", "options",
         "the options as given or by default, by their names with _ for -: platform, trace, map, seed, ..."},
        {"compute_used", "any",
         "how computation was taken, where --compute is default: of --job a list by job, of compare by trace"},
        {"engine_settings", "text by name",
         "the engine's version and settings, and the order of messages unless --order names another"},
        {"provenance", "list of provenance",
         "of simulate, compare, map, advise and schedule: where the values of each machine are from"}}},
      {"provenance",
       {platform_text,
        {"measured", "text by name", "properties that were fitted to measurements, with their values"},
        {"published", "text by name", "those of which a document says so"},
        {"estimate", "text by name", "those that were guessed, remembered, or taken from a similar machine"},
        {"chosen", "text by name", "those that were set by whoever ran toroid"},
        {"unstated", "text by name", "those of a platform file that does not say"},
        {"default", "text by name", "those that nobody set: what toroid assumes"}}},
      {"input", {{"file", "text", "its path"}, {"sha256", "text", "of the bytes as they were read"}}}};
}

}  // namespace

std::vector<core::ObjectText> fields_of_runs() {
  auto all = netsim::run_objects();
  const auto add = [&](const std::vector<core::ObjectText>& more) { all.insert(all.end(), more.begin(), more.end()); };
  add(told_objects());
  add(netsim::jobs_objects());
  add({// toroid batch
       {"batch line",
        {{"line", "count", "the line of the run, from 1"},
         {"id", "any", "as the line has it"},
         {"...", "fields of run", "the result, or the fields of --fields"},
         {"error", "text", "only of a run that failed: what is wrong"},
         {"exit_code", "count", "only of a run that failed: what simulate would exit with"}}}});
  return all;
}

}  // namespace toroid::cli

#include "study/advice/log_advice.hpp"

#include <cmath>

#include "study/advice/log_sample.hpp"
#include "study/documents/fields.hpp"

namespace toroid::study {
namespace {

constexpr std::array<std::string_view, 2> judged_metrics{"mean_response_s", "mean_bounded_slowdown"};
constexpr double long_log = 60 * 86400.0;  ///< seconds
constexpr double error_of_standing = 0.05;

JudgedSweep judged(SweepSpec spec, const AssumedExchange& exchange, double share, std::size_t workers) {
  spec.times = cosim::ScheduleSettings::Times::modelled;
  spec.programs.rules = exchange.rules;
  spec.programs.communication = share;
  const auto sweep = std::make_shared<const Sweep>(std::move(spec));
  return judge_sweep(sweep, *make_local_executor([&](std::size_t task) { return sweep->work(task); }, workers),
                     nullptr);
}

/// Keeps one of the labels, if there are any.
void keep_label(std::vector<std::string>& labels, std::size_t which) {
  if (!labels.empty()) labels = {labels[which]};
}

/// The mean over draws of a run time; where no job sends anything, all run times are the same.
double mean_run_time(const SweepGroup& group, std::string_view field) {
  Sample values;
  for (const auto* row : group.rows)
    values.push_back(row->result.contains(field) && row->result.at(field).is_number()
                         ? row->result.at(field).get<double>()
                         : row->result.at("mean_run_time_s").get<double>());
  return mean(values);
}

AllocatorCosts costs_of(const JudgedSweep& sweep, const SweepGroup& group, const jobs::JobSummary& log) {
  AllocatorCosts costs{.allocator = group.run.alloc};
  for (const auto& row : *sweep.rows)
    if (row.run.alloc == group.run.alloc && costs.error.empty()) costs.error = row.error;
  if (group.rows.empty()) return costs;
  const double logged = std::max(1e-9, mean_run_time(group, "mean_logged_run_time_s"));
  const double alone = mean_run_time(group, "mean_alone_s");
  costs.own = alone / logged - 1;
  costs.neighbours = (group.mean("mean_run_time_s") - alone) / logged;
  costs.wait = group.mean("mean_wait_s");
  costs.response = group.mean("mean_response_s");
  costs.slowdown = group.mean("mean_bounded_slowdown");
  costs.shape = group.mean("refused") / std::max(1.0, group.mean("jobs"));
  costs.hops = group.mean("avg_mean_pairwise_hops");
  const double submitting = log.last - log.first, after = group.mean("makespan_s") - submitting;
  if (after > 0.05 * submitting + 2 * log.longest) costs.behind = after;
  return costs;
}

Runs runs_of_group(const SweepGroup& group, std::string_view metric) {
  Runs runs{!group.draws_lots, group.values(metric), {}};
  for (const auto* row : group.rows) runs.repetitions.push_back(row->run.repetition);
  return runs;
}

/// The sums over the jobs of each stretch, the mean of all draws, as logarithms; empty where a stretch does not tell.
Sample logs_by_stretch(const SweepGroup& group, const cosim::ScheduleMetric& metric) {
  constexpr std::size_t least_jobs = 4;
  if (std::ranges::min(group.rows[0]->segments.jobs) < least_jobs) return {};
  Sample logs(JobSegments::most, 0);
  for (const auto* row : group.rows)
    for (std::size_t i = 0; i < logs.size(); ++i)
      logs[i] += row->segments.sums_of(metric)[i] / static_cast<double>(group.rows.size());
  for (auto& sum : logs) {
    if (!(sum > 0)) return {};
    sum = std::log(sum);
  }
  return logs;
}

/// Whether all allocators that ran the log have the same stretches, and each tells.
bool has_stretches(const AssumedRuns& runs) {
  const SweepGroup* first = nullptr;
  return std::ranges::all_of(runs.judged.groups, [&](const SweepGroup& group) {
    if (group.rows.empty()) return true;
    if (first == nullptr) first = &group;
    return group.rows[0]->segments.jobs == first->rows[0]->segments.jobs &&
           std::ranges::none_of(judged_metrics, [&](std::string_view name) {
             return logs_by_stretch(group, cosim::schedule_metric(name)).empty();
           });
  });
}

bool are_alike(const Sample& values) {
  return std::ranges::adjacent_find(values, std::not_equal_to()) == values.end();
}

/// How much more one group has than another. Over stretches it is the mean of the ratios, by logarithms: a mean
/// of seconds would be decided by one stretch with a long queue.
More more_of(const SweepGroup& one, const SweepGroup& other, const cosim::ScheduleMetric& metric, bool over_stretches,
             double confidence) {
  if (over_stretches) {
    auto ratios = logs_by_stretch(one, metric);
    const auto others = logs_by_stretch(other, metric);
    for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] -= others[i];
    More more{std::expm1(mean(ratios)), {}};
    if (const auto found = mean_of_series(ratios, confidence))
      more.interval = Interval{std::expm1(found->interval.low), std::expm1(found->interval.high)};
    return more;
  }
  // Where all draws are the same run, there is one of each.
  const bool is_drawn = !are_alike(one.values(metric.name)) || !are_alike(other.values(metric.name));
  const double scale = other.mean(metric.name);
  More more{one.mean(metric.name) / scale - 1, {}};
  const auto difference =
      difference_of(runs_of_group(one, metric.name), runs_of_group(other, metric.name), true, confidence);
  if (difference.interval && (is_drawn || more.share == 0))
    more.interval = {difference.interval->low / scale, difference.interval->high / scale};
  return more;
}

Standing standing_of(const JudgedSweep& sweep, std::string_view name, bool over_stretches) {
  const auto& metric = cosim::schedule_metric(name);
  std::vector<const SweepGroup*> groups;
  for (const auto& group : sweep.groups)
    if (!group.rows.empty()) groups.push_back(&group);
  if (groups.empty()) throw core::SimulationError(sweep.rows->front().error);
  const auto mean_of = [&](const SweepGroup* group) { return group->mean(name); };
  const auto* lowest = *std::ranges::min_element(groups, {}, mean_of);
  const auto* least =
      over_stretches ? *std::ranges::min_element(
                           groups, {}, [&](const SweepGroup* group) { return mean(logs_by_stretch(*group, metric)); })
                     : lowest;
  Standing standing{metric.name, least->run.alloc, lowest->run.alloc,
                    std::vector<std::optional<More>>(sweep.groups.size())};
  const double confidence = 1 - error_of_standing / std::max<double>(1, static_cast<double>(groups.size()) - 1);
  for (const auto* group : groups)
    standing.over_least[group->run.alloc] =
        group == least || !(mean_of(least) > 0) ? More() : more_of(*group, *least, metric, over_stretches, confidence);
  return standing;
}

AssumedRuns assumed_runs(const SweepSpec& spec, const jobs::JobSummary& log, const LogQuestions& questions,
                         std::size_t exchange, double share, std::size_t workers) {
  AssumedRuns runs{exchange, share, judged(spec, questions.exchanges[exchange], share, workers), {}, {}};
  TOROID_ASSERT(runs.judged.groups.size() == spec.allocators.size());
  for (const auto& group : runs.judged.groups) runs.costs.push_back(costs_of(runs.judged, group, log));
  return runs;
}

}  // namespace

const std::vector<AssumedExchange>& assumed_exchanges() {
  static const std::string stencil = "stencil:grid={box},steps=1,bytes=1MB",
                           all_to_all = "broadcasts:ranks={size},rounds=1,bytes=1MB";
  static const std::vector<AssumedExchange> all{
      {"stencil", {stencil}}, {"all-to-all", {all_to_all}}, {"both", {stencil, all_to_all}}};
  return all;
}

std::vector<std::size_t> LogAdvice::never_more(std::size_t standing) const {
  std::vector<std::size_t> found;
  for (std::size_t a = 0; a < spec().allocators.size(); ++a)
    if (std::ranges::all_of(assumed, [&](const AssumedRuns& runs) {
          const auto& more = runs.standings[standing].over_least[a];
          return more && (a == runs.standings[standing].least || (more->interval && !more->is_shown()));
        }))
      found.push_back(a);
  return found;
}

bool has_months(const jobs::JobSummary& log) {
  return log.last - log.first >= long_log;
}

LogAdvice advise(const SweepSpec& given, const LogQuestions& questions, std::size_t workers) {
  auto spec = given;
  LogAdvice advice;
  advice.questions = questions;
  auto& shares = advice.questions.shares;
  std::ranges::sort(shares);
  if (const auto twice = std::ranges::adjacent_find(shares); twice != shares.end())
    core::fail_input("--shares: found {:g} twice", *twice);
  const auto jobs = spec.jobs[0].open(spec.reading, spec.seed);
  const auto log = jobs::summarize(*jobs);
  const auto count = questions.exchanges.size() * shares.size() * spec.allocators.size() + spec.schedulers.size() - 1;
  if (questions.may_sample && has_months(log)) advice.every = weeks_to_one(spec, log, busy_weeks(*jobs), count);
  if (advice.every > 1) spec.jobs = {sampled(spec.jobs[0], advice.every, spec.reading, spec.seed)};
  const auto taken = advice.every > 1 ? jobs::summarize(*spec.jobs[0].open(spec.reading, spec.seed)) : log;
  auto part = spec;
  part.schedulers = {spec.schedulers.front()};
  keep_label(part.labels.schedulers, 0);
  for (std::size_t e = 0; e < questions.exchanges.size(); ++e)
    for (const double share : shares) advice.assumed.push_back(assumed_runs(part, taken, questions, e, share, workers));
  advice.over_stretches = has_months(log) && std::ranges::all_of(advice.assumed, has_stretches);
  for (auto& runs : advice.assumed)
    for (std::size_t i = 0; i < judged_metrics.size(); ++i)
      runs.standings[i] = standing_of(runs.judged, judged_metrics[i], advice.over_stretches);
  const auto& response = advice.middle().standings[0];
  const auto kept = advice.never_more(0);
  advice.chosen = response.least;
  if (!kept.empty())
    advice.chosen = *std::ranges::min_element(kept, {}, [&](std::size_t a) { return response.over_least[a]->share; });
  if (spec.schedulers.size() == 1) return advice;
  part = spec;
  part.allocators = {spec.allocators[advice.chosen]};
  keep_label(part.labels.allocs, advice.chosen);
  advice.schedulers = judged(part, questions.exchanges[advice.middle().exchange], advice.middle().share, workers);
  return advice;
}

namespace {

std::string names_of(const LogAdvice& advice, const std::vector<std::size_t>& allocators) {
  std::vector<std::string> names;
  for (const auto a : allocators) names.push_back(advice.spec().labels.allocs[a]);
  return core::join(names);
}

std::string title_of(const Standing& standing) {
  return std::string(cosim::schedule_metric(standing.metric).title);
}

/// The allocators of which an assumption has no interval.
std::vector<std::size_t> untold(const LogAdvice& advice, std::size_t standing) {
  std::vector<std::size_t> found;
  for (std::size_t a = 0; a < advice.spec().allocators.size(); ++a)
    if (std::ranges::any_of(advice.assumed, [&](const AssumedRuns& runs) {
          const auto& more = runs.standings[standing].over_least[a];
          return more && a != runs.standings[standing].least && !more->interval;
        }))
      found.push_back(a);
  return found;
}

std::string_view nothing_shown(const LogAdvice& advice) {
  return advice.over_stretches ? "stretches go on too long: nothing is shown" : "one run of each: nothing is shown";
}

std::string verdict_on(const LogAdvice& advice, std::size_t standing) {
  const auto kept = advice.never_more(standing), unknown = untold(advice, standing);
  if (kept.size() <= 1 && !unknown.empty()) return std::string(nothing_shown(advice));
  auto text = "under every assumption: " +
              (kept.empty() ? "no allocator is among those with the lowest" : names_of(advice, kept));
  if (!unknown.empty()) text += fmt::format("; {} of {}", nothing_shown(advice), names_of(advice, unknown));
  return text;
}

std::string standing_text(const LogAdvice& advice, const Standing& standing) {
  std::vector<std::size_t> unknown, alike;
  std::vector<std::string> higher, lower;
  for (std::size_t a = 0; a < standing.over_least.size(); ++a) {
    const auto& more = standing.over_least[a];
    if (!more || a == standing.least) continue;
    if (!more->interval)
      unknown.push_back(a);
    else if (!more->is_shown() && more->interval->high >= 0)
      alike.push_back(a);
    else  // one may be lower in the draws of both that has the higher mean of all
      (more->is_shown() ? higher : lower)
          .push_back(fmt::format("{} {:+.1f} % ({:+.1f} to {:+.1f})", advice.spec().labels.allocs[a], 100 * more->share,
                                 100 * more->interval->low, 100 * more->interval->high));
  }
  auto text = names_of(advice, {standing.least}) +
              (advice.over_stretches ? " is lowest in a typical stretch" : " has the lowest mean");
  if (standing.lowest_mean != standing.least)
    text +=
        fmt::format("; {} has the lowest mean, as one stretch may decide it", names_of(advice, {standing.lowest_mean}));
  if (!alike.empty()) text += fmt::format("; not distinguishable from it: {}", names_of(advice, alike));
  if (!higher.empty()) text += fmt::format("; higher: {}", core::join(higher));
  if (!lower.empty()) text += fmt::format("; lower in the draws of both: {}", core::join(lower));
  if (!unknown.empty()) text += fmt::format("; {} of {}", nothing_shown(advice), names_of(advice, unknown));
  return text;
}

}  // namespace

std::string assumption_text(const LogAdvice& advice, const AssumedRuns& runs) {
  return fmt::format("{}, {:g} % communication", advice.questions.exchanges[runs.exchange].name, 100 * runs.share);
}

std::vector<std::pair<std::string, std::string>> verdict_lines(const LogAdvice& advice) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (std::size_t i = 0; i < judged_metrics.size(); ++i)
    lines.emplace_back("verdict",
                       fmt::format("by {}, {}", title_of(advice.assumed[0].standings[i]), verdict_on(advice, i)));
  for (std::size_t a = 0; a < advice.spec().allocators.size(); ++a) {
    const auto behind = [&](const AssumedRuns& runs) { return runs.costs[a].behind; };
    const auto& worst = *std::ranges::max_element(advice.assumed, {}, behind);
    if (behind(worst) > 0)
      lines.emplace_back("behind",
                         fmt::format("{}, with {}: the queue is long at the end of the log, and takes {:.3g} "
                                     "days to empty, so that means depend on where the log ends",
                                     names_of(advice, {a}), assumption_text(advice, worst), behind(worst) / 86400));
  }
  for (const auto& runs : advice.assumed)
    for (const auto& standing : runs.standings)
      lines.emplace_back(title_of(standing),
                         fmt::format("{}: {}", assumption_text(advice, runs), standing_text(advice, standing)));
  return lines;
}

namespace {

struct ToldAllocator {
  const LogAdvice& advice;
  const AssumedRuns& runs;
  const AllocatorCosts& costs;

  const std::optional<More>& more(std::size_t standing) const {
    return runs.standings[standing].over_least[costs.allocator];
  }
  /// A cost; null of an allocator that did not run the log.
  Json known(double AllocatorCosts::*member) const { return more(0) ? Json(costs.*member) : Json(); }
  Json share_over(std::size_t standing) const { return more(standing) ? Json(more(standing)->share) : Json(); }
  Json interval_over(std::size_t standing) const {
    return more(standing) ? interval_json(more(standing)->interval) : Json();
  }
};

const core::Object<ToldAllocator> allocator_object{
    "allocator advice",
    {{"alloc", "text", "the allocator", [](auto& a) { return a.advice.spec().allocators[a.costs.allocator].text(); }},
     {"own_nodes", "share or null", "of logged run times that jobs take longer alone on their nodes",
      [](auto& a) { return a.known(&AllocatorCosts::own); }},
     {"neighbours", "share or null", "of the same that neighbours add",
      [](auto& a) { return a.known(&AllocatorCosts::neighbours); }},
     {"mean_wait_s", "seconds or null", "from submission to start",
      [](auto& a) { return a.known(&AllocatorCosts::wait); }},
     {"mean_response_s", "seconds or null", "from submission to end",
      [](auto& a) { return a.known(&AllocatorCosts::response); }},
     {"mean_bounded_slowdown", "number or null", "as in schedule totals",
      [](auto& a) { return a.known(&AllocatorCosts::slowdown); }},
     {"response_over_least", "share or null", "more response than the allocator with the least",
      [](auto& a) { return a.share_over(0); }},
     {"response_interval", "list of number or null", "those of all allocators hold together",
      [](auto& a) { return a.interval_over(0); }},
     {"slowdown_over_least", "share or null", "more slowdown than the allocator with the least",
      [](auto& a) { return a.share_over(1); }},
     {"slowdown_interval", "list of number or null", "its confidence interval",
      [](auto& a) { return a.interval_over(1); }},
     {"waited_for_shape", "share or null", "of jobs that waited although enough nodes were free",
      [](auto& a) { return a.known(&AllocatorCosts::shape); }},
     {"mean_pairwise_hops", "number or null", "of a pair of a job's nodes; no run time",
      [](auto& a) { return a.known(&AllocatorCosts::hops); }},
     {"behind_s", "seconds or null",
      "from the last submission to the last end, if the queue is long at the end; else 0",
      [](auto& a) { return a.known(&AllocatorCosts::behind); }},
     {"error", "text", "if a run of the allocator failed", [](auto& a) { return core::unless_empty(a.costs.error); }}}};

struct ToldRuns {
  const LogAdvice& advice;
  const AssumedRuns& runs;
};

const core::Object<ToldRuns> assumption_object{
    "assumption",
    {{"exchange", "text", "its name", [](auto& a) { return a.advice.questions.exchanges[a.runs.exchange].name; }},
     {"programs", "list of text", "the rules that say what jobs exchange",
      [](auto& a) { return a.advice.questions.exchanges[a.runs.exchange].rules; }},
     {"communication", "share", "of run times, the mean over jobs", [](auto& a) { return a.runs.share; }},
     {"allocators", "list of allocator advice", "what each allocator costs",
      [](auto& a) {
        return array_of(a.runs.costs, [&](const AllocatorCosts& costs) {
          return allocator_object({a.advice, a.runs, costs});
        });
      }},
     {"by_allocator", "sweep results", "all runs", [](auto& a) { return judged_json(a.runs.judged); }}}};

const core::Object<LogAdvice> log_advice_object{
    "log advice",
    {core::field<LogAdvice>(core::version_text, {}),
     {"labels", "list of label by name", "as in a sweep",
      [](auto& advice) {
        auto labels = labels_json(*advice.assumed[0].judged.sweep);
        if (advice.schedulers.sweep) labels["scheduler"] = labels_json(*advice.schedulers.sweep)["scheduler"];
        return labels;
      }},
     {"verdict", "list of text", "in words",
      [](auto& advice) {
        return array_of(verdict_lines(advice), [](const auto& line) { return Json(line.first + ": " + line.second); });
      }},
     {"intervals_over", "text", "`draws`, or `stretches` of the log, each the mean of all draws",
      [](auto& advice) { return advice.over_stretches ? "stretches" : "draws"; }},
     {"every", "count", "of so many weeks with jobs the first was judged; 1: all weeks",
      [](auto& advice) { return advice.every; }},
     {"assumptions", "list of assumption", "all allocators with the first scheduler, under each",
      [](auto& advice) {
        return array_of(advice.assumed, [&](const AssumedRuns& runs) { return assumption_object({advice, runs}); });
      }},
     {"chosen", "text", "the allocator with which schedulers are compared",
      [](auto& advice) { return advice.spec().allocators[advice.chosen].text(); }},
     {"by_scheduler", "sweep results or null", "the sweep of schedulers under the middle assumption; null for one",
      [](auto& advice) { return advice.schedulers.sweep ? judged_json(advice.schedulers) : Json(); }},
     core::field<LogAdvice>(core::manifest_text, {})}};

}  // namespace

Json log_advice_json(const LogAdvice& advice) {
  return log_advice_object(advice);
}

std::vector<core::ObjectText> log_advice_objects() {
  return {log_advice_object, assumption_object, allocator_object};
}

}  // namespace toroid::study

// toroid advise with a job log: which scheduler and allocator, and what the others cost.

#include "cli/commands/advise.hpp"
#include "cli/config.hpp"
#include "cli/outputs.hpp"
#include "cli/tables/summary_lines.hpp"
#include "cli/tables/sweep_outputs.hpp"
#include "core/table.hpp"
#include "core/units.hpp"
#include "cosim/outages.hpp"
#include "cosim/placed_jobs.hpp"

namespace toroid::cli {
namespace {

constexpr std::int32_t usual_requeues = 10;  // schedule has the same
constexpr std::uint64_t many_jobs = 10'000;

Json manifest_of_jobs(const AdviseOptions& o) {
  Json shares = o.shares;
  return {{"toroid", version},
          {"command", "advise"},
          {"arguments", o.arguments},
          {"platform", o.platform},
          {"jobs", o.subjects[0]},
          {"inputs", inputs_json()},
          {"schedulers", core::texts_of(o.schedulers)},
          {"allocators", core::texts_of(o.allocators)},
          {"shares", std::move(shares)},
          {"exchanges", o.rules.empty() ? o.exchanges : std::vector<std::string>()},
          {"programs", o.rules},
          {"at", o.at},
          {"lenient", o.lenient},
          {"too_large", o.too_large},
          {"seed", o.seed},
          {"provenance", provenance_json({o.platform})}};
}

class LogAdviceText {
 public:
  explicit LogAdviceText(const study::LogAdvice& advice) : advice_(advice) {}

  std::string text(const std::string& when, const std::string& left_out) {
    add("log", when);
    if (!left_out.empty()) add("left out", left_out);
    if (advice_.every > 1)
      add("sample", fmt::format("the first of each {} weeks with jobs, one after the other: --repeat 1 judges all, "
                                "and may judge otherwise",
                                advice_.every));
    for (const auto& [label, said] : study::verdict_lines(advice_)) add(label, said);
    add("intervals", fmt::format("95 %, of all allocators together, over {}", over()));
    add("assumed",
        fmt::format(
            "what jobs exchange, as logs do not say it (--exchange, --program), and for how much of their time "
            "(--shares); logged run times are those on nodes of {}; others follow by a model of links, not from "
            "hops",
            advice_.spec().programs.reference.text()));
    for (const auto& runs : advice_.assumed) tell_costs(runs);
    if (advice_.schedulers.sweep)
      text_ += fmt::format("\nWhich scheduler, with {}, {}:\n\n{}{}", advice_.schedulers.sweep->spec().labels.allocs[0],
                           study::assumption_text(advice_, advice_.middle()), sweep_table(advice_.schedulers),
                           sweep_verdicts(advice_.schedulers));
    return text_;
  }

 private:
  void add(std::string_view label, std::string_view said) { text_ += advice_line(label, said); }
  const std::string& name(std::size_t allocator) const { return advice_.spec().labels.allocs[allocator]; }

  std::string over() const {
    const auto repeats = advice_.spec().repeats;
    const auto draws = repeats == 1 ? "one draw" : fmt::format("{} draws", repeats);
    return advice_.over_stretches ? fmt::format(
                                        "{} stretches of the {}, as many jobs each, of which each has the mean "
                                        "of {}: by how much more an allocator has in a typical one",
                                        study::JobSegments::most, advice_.every > 1 ? "sample" : "log", draws)
                                  : draws;
  }

  void tell_costs(const study::AssumedRuns& runs) {
    text_ += fmt::format("\nWhich allocator, with {}, {}:\n\n", advice_.spec().labels.schedulers[0],
                         study::assumption_text(advice_, runs));
    std::vector<double> times;
    for (const auto& costs : runs.costs) times.insert(times.end(), {costs.wait, costs.response});
    const core::DurationUnit unit(times);
    core::Table table({"", "own nodes", "neighbours", fmt::format("wait [{}]", unit.name()),
                       fmt::format("response [{}]", unit.name()), "slowdown", "waited for a shape",
                       "hops of a pair (no run time)"});
    std::string failed;
    for (const auto& costs : runs.costs) {
      if (!costs.error.empty())
        failed += advice_line("failed", fmt::format("{}: {}", name(costs.allocator), core::excerpt(costs.error, 200)));
      if (!runs.standings[0].over_least[costs.allocator]) continue;
      table.add({name(costs.allocator), fmt::format("{:+.1f} %", 100 * costs.own),
                 fmt::format("{:+.1f} %", 100 * costs.neighbours), unit.format(costs.wait), unit.format(costs.response),
                 fmt::format("{:.3f}", costs.slowdown), percent(costs.shape), fmt::format("{:.3f}", costs.hops)});
    }
    text_ += table.text() + failed;
  }

  const study::LogAdvice& advice_;
  std::string text_;
};

study::SweepSpec sweep_spec(const AdviseOptions& o) {
  study::SweepSpec spec;
  spec.platforms = {platforms::MachineSource(o.platform)};
  spec.jobs = {jobs::JobsSource(o.subjects[0])};
  spec.schedulers = o.schedulers;
  spec.allocators = o.allocators;
  spec.repeats = o.repeats;
  spec.seed = o.seed;
  spec.labels = {.platforms = {o.platform_label},
                 .allocs = o.allocator_labels,
                 .workloads = o.subject_labels,
                 .schedulers = o.scheduler_labels};
  spec.options.too_large = o.too_large == "reject" ? cosim::Options::TooLarge::reject : cosim::Options::TooLarge::fail;
  for (const auto& text : o.at) spec.options.failures.outages.push_back(cosim::read_outage(text));
  if (!o.at.empty()) spec.options.failures.requeues = usual_requeues;
  spec.reading = o.lenient ? jobs::Reading::lenient : jobs::Reading::strict;
  TOROID_ASSERT(spec.labels.workloads.size() == spec.jobs.size());
  return spec;
}

/// The options with the allocators that are asked for, or else those that sites could use on the machine.
AdviseOptions with_allocators(AdviseOptions o) {
  if (o.arguments.contains("--alloc")) return o;
  const auto machine = platforms::make_machine(o.platform);
  if (!machine.description().placements.empty()) o.allocators.insert(o.allocators.begin(), "slurm-torus3d");
  std::erase_if(o.allocators, [&](const alloc::AllocatorChoice& allocator) {
    try {
      cosim::traits_of(allocator, machine);
      return false;
    } catch (const core::InputError&) {  // which is not for such a machine
      return true;
    }
  });
  o.allocator_labels.clear();
  return o;
}

}  // namespace

double AdviseOptions::budget_seconds() const {
  const double seconds = core::parse_duration(budget, "--budget");
  constexpr double least = 1, most = 1e6;
  if (seconds < least || seconds > most) core::fail_input("--budget: found {}, expected 1s to 1000000s", budget);
  return seconds;
}

std::string advice_line(std::string_view label, std::string_view said) {
  return fmt::format("{:<15}{}\n", label, said);
}

void advise_on_jobs(const AdviseOptions& given) {
  const auto o = with_allocators(given);
  study::LogQuestions questions;
  questions.shares = o.shares;
  questions.exchanges.clear();
  for (const auto& name : o.exchanges) {
    if (std::ranges::find(questions.exchanges, name, &study::AssumedExchange::name) != questions.exchanges.end())
      core::fail_input("--exchange: found {} twice", name);
    questions.exchanges.push_back(*std::ranges::find(study::assumed_exchanges(), name, &study::AssumedExchange::name));
  }
  if (!o.rules.empty()) questions.exchanges = {{"programs", o.rules}};
  auto spec = sweep_spec(o);
  const auto jobs = spec.jobs[0].open(spec.reading, spec.seed);
  const auto log = jobs::summarize(*jobs);
  // Their intervals are over stretches of the log, in each of which many jobs draw their shares.
  questions.may_sample = !o.arguments.contains("--repeat") && log.jobs > many_jobs && study::has_months(log);
  if (questions.may_sample) spec.repeats = 1;
  const auto first = jobs::date_text(log.first, *jobs), last = jobs::date_text(log.last, *jobs);
  const auto when = fmt::format("{}, {} jobs submitted {}", o.subject_labels[0], log.jobs,
                                first.empty() ? fmt::format("in {}", core::format_duration(log.last - log.first))
                                              : fmt::format("from {} to {}", first, last));
  Json whole{{"schema_version", core::schema_version}};
  Outputs outputs;
  outputs.add(o.json, [&] { return core::json_text(whole, 1) + "\n"; });
  study::LogAdvice advice;
  std::string text;
  outputs.add(o.html, [&] { return log_advice_page(advice, when, text, whole["manifest"]); });
  advice = study::advise(spec, questions, o.workers);
  auto counts = jobs->counts();
  counts.filtered = 0;  // the user asked for that
  text = LogAdviceText(advice).text(when, core::join(counts.left_out()));
  whole.update(study::log_advice_json(advice));
  whole["manifest"] = manifest_of_jobs(o);
  whole["manifest"]["repeat"] = spec.repeats;
  outputs.write();
  if (!outputs.to_stdout()) print(text);
}

}  // namespace toroid::cli

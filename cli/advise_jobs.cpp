// toroid advise with a job log: which scheduler and allocator, and what the others cost.

#include <fmt/format.h>

#include <algorithm>

#include "cli/advise.hpp"
#include "cli/manifest.hpp"
#include "cli/outputs.hpp"
#include "cli/summary_lines.hpp"
#include "cli/sweep_outputs.hpp"
#include "core/error.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "study/advice/log_advice.hpp"

namespace toroid::cli {
namespace {

using core::Json;

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
          {"repeat", o.repeats},
          {"lenient", o.lenient},
          {"too_large", o.too_large},
          {"budget", o.budget},
          {"seed", o.seed},
          {"provenance", provenance_json({o.platform})}};
}

/// What allocators do to the machine, in lines.
class LogAdviceText {
 public:
  LogAdviceText(const study::LogAdvice& advice, const std::vector<double>& shares) : advice_(advice), shares_(shares) {}

  std::string text() {
    tell_sweep(advice_.allocators, fmt::format("Which allocator, with {}:", spec().labels.schedulers[0]));
    text_ += "\n";
    tell_shape();
    tell_pieces();
    tell_neighbours();
    if (advice_.schedulers.sweep)
      tell_sweep(advice_.schedulers,
                 fmt::format("\nWhich scheduler, with {}{}:", advice_.schedulers.sweep->spec().labels.allocs[0],
                             advice_.allocator_is_undecided ? " (the first: one run of each decides nothing)" : ""));
    return text_;
  }

 private:
  void add(std::string_view label, std::string_view said) { text_ += advice_line(label, said); }
  const study::SweepSpec& spec() const { return advice_.allocators.sweep->spec(); }
  const std::string& name(std::size_t allocator) const { return spec().labels.allocs[allocator]; }

  void tell_sweep(const study::JudgedSweep& judged, std::string_view question) {
    text_ += fmt::format("{}\n\n{}{}", question, sweep_table(judged), sweep_verdicts(judged));
    for (const auto& row : judged.rows)
      if (!row.error.empty())
        add("failed", fmt::format("{} + {}, seed {}: {}", judged.sweep->spec().labels.schedulers[row.run.scheduler],
                                  judged.sweep->spec().labels.allocs[row.run.alloc],
                                  judged.sweep->spec().seed + row.run.repetition, core::excerpt(row.error, 200)));
  }

  /// Jobs that had to wait for a shape alone.
  void tell_shape() {
    std::vector<std::string> texts;
    for (const auto& costs : advice_.costs)
      if (costs.delayed) texts.push_back(fmt::format("{} {}", name(costs.allocator), percent(*costs.delayed)));
    add("shape", fmt::format("jobs that waited although enough nodes were free: {}", core::join(texts)));
  }

  void tell_pieces() {
    std::vector<std::string> texts;
    for (const auto& costs : advice_.costs)
      if (costs.error.empty())
        texts.push_back(fmt::format("{} {}", name(costs.allocator),
                                    costs.outside ? percent(*costs.outside) : "not known, as the log is too long"));
    if (!texts.empty())
      add("pieces", fmt::format("free nodes outside the largest free region, over time: {}", core::join(texts)));
  }

  void tell_neighbours() {
    for (const auto& remark : netsim::remarks(netsim::fast_engine, advice_.allocators.sweep->machine(0)))
      add("note", remark);
    add("neighbours", fmt::format("how much longer jobs take beside the others than alone, at {} instants (with 95 % "
                                  "intervals), if they communicate for so much of their time alone:",
                                  advice_.instants));
    std::vector<std::string> header{"", "instants"};
    for (const double share : shares_) header.push_back(fmt::format("{:g} %", 100 * share));
    const auto last_share = header.back();
    header.insert(header.end(),
                  {fmt::format("at most, at {}", last_share), fmt::format("more than {}, at {}", name(0), last_share)});
    core::Table table(header);
    for (const auto& costs : advice_.costs) {
      if (costs.neighbours.empty()) {
        add("", fmt::format("{}: {}", name(costs.allocator),
                            costs.error.empty() ? "at no instant two jobs have several nodes each"
                                                : core::excerpt(costs.error, 200)));
        continue;
      }
      std::vector<std::string> row{name(costs.allocator), std::to_string(costs.instants)};
      for (const auto& cost : costs.neighbours) row.push_back(with_interval(cost.longer, cost.interval));
      const auto& last = costs.neighbours.back();
      row.push_back(fmt::format("{:+.1f} %", 100 * last.longest));
      row.push_back(last.more ? with_interval(*last.more, last.more_interval) : "-");
      table.add(row);
    }
    text_ += "\n" + table.text();
  }

  /// `+5.9 % (+4.1 to +7.7)`
  static std::string with_interval(double share, const std::optional<study::Interval>& interval) {
    auto text = fmt::format("{:+.1f} %", 100 * share);
    if (interval) text += fmt::format(" ({:+.1f} to {:+.1f})", 100 * interval->low, 100 * interval->high);
    return text;
  }

  const study::LogAdvice& advice_;
  const std::vector<double>& shares_;
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
  spec.reading = o.lenient ? jobs::Reading::lenient : jobs::Reading::strict;
  return spec;
}

}  // namespace

double AdviseOptions::budget_seconds() const {
  const double seconds = core::parse_duration(budget, "--budget");
  constexpr double least = 1, most = 1e6;
  if (seconds < least || seconds > most) core::fail_input("--budget: found {}, expected 1s to 1000000s", budget);
  return seconds;
}

std::size_t AdviseOptions::worker_count() const {
  return workers == 0 ? study::default_workers(1) : workers;
}

std::string advice_line(std::string_view label, std::string_view said) {
  return fmt::format("{:<15}{}\n", label, said);
}

void advise_on_jobs(const AdviseOptions& o) {
  study::LogQuestions questions;
  questions.shares = o.shares;
  questions.budget = o.budget_seconds();
  const auto spec = sweep_spec(o);
  Json whole{{"schema_version", core::schema_version}};
  Outputs outputs;
  outputs.add(o.json, [&] { return core::json_text(whole, 1) + "\n"; });
  study::LogAdvice advice;
  std::string text;
  outputs.add(o.html, [&] { return log_advice_page(advice, o.shares, text, whole["manifest"]); });
  advice = study::advise(spec, questions, o.worker_count());
  text = LogAdviceText(advice, o.shares).text();
  whole.update(study::log_advice_json(advice));
  whole["manifest"] = manifest_of_jobs(o);
  outputs.write();
  if (!outputs.to_stdout()) print(text);
}

}  // namespace toroid::cli

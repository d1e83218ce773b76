#include "jobs/jobs_source.hpp"

#include <fmt/format.h>
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/outputs.hpp"
#include "cli/result_fields.hpp"
#include "cli/swapped_arguments.hpp"
#include "core/progress.hpp"
#include "core/text.hpp"

namespace toroid::cli {
namespace {

using core::Json;
using jobs::Reading;

struct JobsOptions {
  std::string jobs, json, output, format;
  bool lenient = false;

  std::unique_ptr<jobs::Jobs> open() const {
    refuse_swapped("JOBS", jobs);
    return jobs::open_jobs(jobs, lenient ? Reading::lenient : Reading::strict);
  }
};

struct ToldLog : jobs::JobSummary {
  jobs::JobCounts counts;
};

const core::Object<ToldLog> log_object{
    "log",
    {core::version_field<ToldLog>(),
     {"jobs", "count", "that are submitted", &ToldLog::jobs},
     {"without_size", "count", "jobs that are left out, as they have no size",
      [](auto& l) { return l.counts.without_size; }},
     {"without_run_time", "count", "jobs that are left out, as they have no run time or never ran",
      [](auto& l) { return l.counts.without_run_time; }},
     {"running", "count", "jobs that are left out, as they had not ended when the log was written",
      [](auto& l) { return l.counts.running; }},
     {"partial", "count", "lines that are left out: parts of jobs that were stopped, runs before others of a job",
      [](auto& l) { return l.counts.partial; }},
     {"lone_parts", "count", "parts of jobs without a line for the whole, which count as jobs",
      [](auto& l) { return l.counts.lone_parts; }},
     {"malformed", "count", "lines with errors that are left out (--lenient)",
      [](auto& l) { return l.counts.malformed; }},
     {"filtered", "count", "jobs that filters left out", [](auto& l) { return l.counts.filtered; }},
     {"first_submission_s", "seconds", "since the beginning of the log", &ToldLog::first},
     {"last_submission_s", "seconds", "since the beginning of the log", &ToldLog::last},
     {"size_min", "count", "processors of a job, at least", &ToldLog::smallest},
     {"size_mean", "number", "processors of a job, on average", &ToldLog::mean_size},
     {"size_max", "count", "processors of a job, at most", &ToldLog::largest},
     {"powers_of_two", "count", "jobs whose size is a power of two", &ToldLog::powers_of_two},
     {"with_run_time", "count", "jobs that have one", &ToldLog::with_run_time},
     {"run_time_mean_s", "seconds", "on average of these", &ToldLog::mean_run_time},
     {"run_time_max_s", "seconds", "at most", &ToldLog::longest},
     {"work_s", "seconds", "sum of run times times sizes", &ToldLog::work},
     {"with_estimate", "count", "jobs that have one", &ToldLog::with_estimate},
     {"with_wait", "count", "jobs whose wait the log tells", &ToldLog::with_wait},
     {"changing_demand", "count", "jobs whose demand changes", &ToldLog::changing},
     {"wide_lines", "count", "lines with more than the 18 fields of SWF; what is behind them is ignored",
      [](auto& l) { return l.counts.wide; }},
     {"preceded", "count", "jobs that name the job before them", [](auto& l) { return l.counts.preceded; }},
     {"dependent", "count", "jobs of these that are submitted when that job has ended (dependencies=yes)",
      [](auto& l) { return l.counts.dependent; }}}};

void print_info(const jobs::JobCounts& counts, const jobs::JobSummary& s) {
  fmt::print("jobs         {}\n", s.jobs);
  for (const auto& what : counts.left_out()) fmt::print("left out     {}\n", what);
  if (counts.lone_parts > 0)
    fmt::print("kept         {} that say they are parts of a job that has no line for the whole\n", counts.lone_parts);
  for (const auto& what : counts.ignored()) fmt::print("ignored      {}\n", what);
  fmt::print("submissions  from {:.6g} s on, for {:.6g} s\n", s.first, s.last - s.first);
  fmt::print("sizes        {} to {}, {:.1f} on average; {:.1f} % are powers of two\n", s.smallest, s.largest,
             s.mean_size, 100 * static_cast<double>(s.powers_of_two) / static_cast<double>(s.jobs));
  fmt::print("run times    {:.6g} s on average, at most {:.6g} s{}\n", s.mean_run_time, s.longest,
             s.with_run_time < s.jobs ? fmt::format("; {} have none", s.jobs - s.with_run_time) : "");
  fmt::print("work         {:.6g} s times processors\n", s.work);
  fmt::print("known        estimates of {} jobs, waits of {}\n", s.with_estimate, s.with_wait);
  if (s.changing > 0) fmt::print("demand       changes in {} jobs\n", s.changing);
}

void info(const JobsOptions& o) {
  Json json;
  Outputs outputs;
  outputs.add(o.json, [&] { return core::json_text(json, 1) + "\n"; });
  const auto jobs = o.open();
  const auto counts = jobs->counts();
  const auto summary = jobs::summarize(*jobs);
  json = log_object({summary, counts});
  outputs.write();
  if (!outputs.to_stdout()) print_info(counts, summary);
}

/// The format of the output: the one that was asked for, or else the one of the ending of the file's name.
const core::Entry<jobs::JobFormat>& output_format(const JobsOptions& o) {
  return o.format.empty() ? jobs::job_format_for(o.output) : jobs::job_formats().find(o.format);
}

/// `.json is batsim, ..., others are swf`.
std::string formats_by_name() {
  std::vector<std::string> all;
  for (const auto& entry : jobs::job_formats().entries())
    if (&entry == &jobs::job_format_for(entry.make.extension))
      all.push_back(entry.make.extension.empty() ? "others are " + std::string(entry.name)
                                                 : fmt::format("{} is {}", entry.make.extension, entry.name));
  return core::join(all);
}

void convert(const JobsOptions& o) {
  const auto& format = output_format(o);
  core::OutputSet outputs;
  auto& file = outputs.add(o.output);
  const auto jobs = o.open();
  jobs::write_jobs(format, *jobs, file);
  outputs.commit();
  if (jobs->counts().wide > 0) core::announce("left out " + jobs->counts().ignored().front());
}

}  // namespace

core::ObjectText log_text() {
  return log_object;
}

void add_jobs(CLI::App& app) {
  auto* command = app.add_subcommand("jobs", "look at job logs and job streams, convert and generate them");
  command->require_subcommand(1);
  auto o = std::make_shared<JobsOptions>();
  const auto add = [&](const char* name, const char* help) {
    auto* sub = command->add_subcommand(name, help);
    sub->add_option("JOBS", o->jobs, jobs_help)->required();
    sub->add_flag("--lenient", o->lenient, "leave out what is malformed, and count it");
    return sub;
  };
  auto* info_command = add("info", "count jobs, their sizes and run times, and what is left out");
  add_output(*info_command, "--json", o->json, "write as JSON (- for standard output)");
  info_command->callback([o] { info(*o); });

  auto* convert_command = add("convert", "write jobs as a log");
  add_output(*convert_command, "-o,--output", o->output,
             "file; compressed if its name ends in .zst or .gz; - for standard output")
      ->required();
  convert_command->add_option("--format", o->format,
                              fmt::format("{} (default: by the name of the file: {})",
                                          core::either(jobs::job_formats().names()), formats_by_name()));
  convert_command->callback([o] { convert(*o); });
}

}  // namespace toroid::cli

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/outputs.hpp"
#include "cli/result_fields.hpp"
#include "core/progress.hpp"

namespace toroid::cli {
namespace {

using jobs::Reading;

struct JobsOptions {
  std::string jobs, json, output, format;
  bool lenient = false;

  std::unique_ptr<jobs::Jobs> open() const {
    refuse_swapped("JOBS", jobs);
    return jobs::open_jobs(jobs, lenient ? Reading::lenient : Reading::strict);
  }
};

struct ToldLog : jobs::JobSummary, jobs::JobCounts {};

const core::Object<ToldLog> log_object{
    "log",
    {core::version_field<ToldLog>(),
     {"jobs", "count", "that are submitted", &jobs::JobSummary::jobs},
     {"without_size", "count", "jobs left out", &ToldLog::without_size},
     {"without_run_time", "count", "jobs left out: no run time, or never ran", &ToldLog::without_run_time},
     {"running", "count", "jobs left out: had not ended when the log was written", &ToldLog::running},
     {"partial", "count", "lines left out: parts of stopped jobs, earlier runs of a job", &ToldLog::partial},
     {"lone_parts", "count", "parts of jobs without a line for the whole, which count", &ToldLog::lone_parts},
     {"malformed", "count", "lines with errors left out (--lenient)", &ToldLog::malformed},
     {"filtered", "count", "jobs that filters left out", &ToldLog::filtered},
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
     {"wide_lines", "count", "lines with more than the 18 fields of SWF", &ToldLog::wide},
     {"preceded", "count", "jobs that name the job before them", &ToldLog::preceded},
     {"dependent", "count", "of these, submitted when that job has ended (dependencies=yes)", &ToldLog::dependent}}};

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

void tell_log(const JobsOptions& o) {
  Json json;
  Outputs outputs;
  outputs.add(o.json, [&] { return core::json_text(json, 1) + "\n"; });
  const auto jobs = o.open();
  const auto counts = jobs->counts();
  const auto summary = jobs::summarize(*jobs);
  json = log_object(ToldLog{summary, counts});
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

void convert_log(const JobsOptions& o) {
  const auto& format = output_format(o);
  core::OutputSet outputs;
  auto& file = outputs.add(o.output);
  const auto jobs = o.open();
  jobs::write_jobs(format, *jobs, file);
  outputs.commit();
  if (jobs->counts().wide > 0) core::announce("left out " + jobs->counts().ignored().front());
}

Options log_options(JobsOptions& o) {
  return {
      jobs_argument(o.jobs),
      {"--lenient", o.lenient, "leave out what is malformed, and count it"},
  };
}

Options log_info_options(JobsOptions& o) {
  return {
      log_options(o),
      {"--json", o.json, output_file(), "write as JSON (- for standard output)"},
  };
}

Options log_convert_options(JobsOptions& o) {
  return {
      log_options(o),
      {"-o,--output", o.output, output_file(), required,
       "file; compressed if its name ends in .zst or .gz; - for standard output"},
      {"--format", o.format, entry_of(jobs::job_formats()),
       fmt::format("{} (default: by the name of the file: {})", core::either(jobs::job_formats().names()),
                   formats_by_name())},
  };
}

}  // namespace

core::ObjectText log_text() {
  return log_object;
}

void add_jobs(CLI::App& app) {
  auto& jobs = add_family(app, "jobs", "look at job logs and job streams, convert and generate them");
  add_command<JobsOptions>(jobs, "info", "count jobs, their sizes and run times, and what is left out",
                           log_info_options, tell_log);
  add_command<JobsOptions>(jobs, "convert", "write jobs as a log", log_convert_options, convert_log);
}

}  // namespace toroid::cli

#include "workloads/jobs/jobs.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "workloads/jobs/filter.hpp"

// The formats of job logs and the generators, a line each: the function that returns the entry.
// clang-format off
#define JOB_FORMATS(line) \
  line(batsim_format)     \
  line(table_format)      \
  line(swf_format) /* last, since it takes any text: its reader says best what is wrong with a file nobody knows */

#define JOB_GENERATORS(line) \
  line(derose_jobs)          \
  line(walker_jobs)
// clang-format on

namespace toroid::workloads {

#define DECLARE_FORMAT(entry) core::Entry<JobFormat> entry();
JOB_FORMATS(DECLARE_FORMAT)
#define DECLARE_GENERATOR(entry) core::Entry<MakeJobs> entry();
JOB_GENERATORS(DECLARE_GENERATOR)

#define CALL(entry) entry(),

const core::Registry<JobFormat>& job_formats() {
  static const core::Registry<JobFormat> registry("format of job logs", {JOB_FORMATS(CALL)});
  return registry;
}

const core::Registry<MakeJobs>& job_generators() {
  static const core::Registry<MakeJobs> registry = [] {
    std::vector<core::Entry<MakeJobs>> entries{JOB_GENERATORS(CALL)};
    for (auto& entry : entries)
      entry.parameters.insert(entry.parameters.end(), job_filters().begin(), job_filters().end());
    return core::Registry<MakeJobs>("job stream", std::move(entries));
  }();
  return registry;
}

std::string_view to_string(Demand demand) {
  switch (demand) {
    case Demand::constant:
      return "constant";
    case Demand::increasing:
      return "increasing";
    case Demand::decreasing:
      return "decreasing";
    case Demand::pyramid:
      return "pyramid";
  }
  return "";
}

std::vector<std::string> JobCounts::left_out() const {
  std::vector<std::string> all;
  const auto add = [&](std::uint64_t number, std::string_view what) {
    if (number > 0) all.push_back(fmt::format("{} {}", number, what));
  };
  add(without_size, "without a size");
  add(without_run_time, "without a run time");
  add(partial, "parts of jobs that have a line for the whole");
  add(malformed, "malformed");
  add(filtered, "not wanted");
  return all;
}

namespace {

namespace fs = std::filesystem;
using core::is_file;

/// Names come first: a file that is called like a generator is ./derose.
bool is_generator(std::string_view text) {
  return job_generators().has(core::trim(text.substr(0, text.find(':'))));
}

std::unique_ptr<Jobs> read_log(const std::string& path, Reading reading) {
  for (const auto& format : job_formats().entries())
    if (format.make.recognizes(path)) return format.make.read(path, reading);
  core::fail_input("{}: no format of job logs that is known", path);
}

/// The spec of a log with keys behind a colon; the registry is the one that checks keys.
core::Spec spec_of_log(const std::string& text) {
  auto spec = core::Spec::parse(text);
  const core::Registry<int> log("job log", {{spec.name(), "", 0, job_filters()}});
  log.find(spec);
  return spec;
}

std::unique_ptr<Jobs> open_any_jobs(const std::string& text, Reading reading, std::uint64_t seed) {
  if (is_generator(text)) {
    const auto spec = core::Spec::parse(text);
    return filtered(job_generators().make(spec, seed), core::Arguments(spec, job_filters()));
  }
  if (is_file(text)) return read_log(text, reading);
  const auto spec = spec_of_log(text);
  return filtered(read_log(spec.name(), reading), core::Arguments(spec, job_filters()));
}

}  // namespace

void JobsSource::check() const {
  if (is_generator(text_)) {
    job_generators().find(text_);
    return;
  }
  if (is_file(text_)) return;
  const auto name = core::Spec::parse(text_).name();
  std::error_code ignored;
  if (!fs::exists(name, ignored))
    core::fail_input("{}: no such file and no such job stream{}, or a job log", core::excerpt(text_),
                     core::valid_instead(name, job_generators().names()));
  spec_of_log(text_);
}

std::string JobsSource::file() const {
  if (is_generator(text_)) return {};
  return is_file(text_) ? text_ : core::Spec::parse(text_).name();
}

std::unique_ptr<Jobs> JobsSource::open(Reading reading, std::uint64_t seed) const {
  auto jobs = open_any_jobs(text_, reading, seed);
  const auto counts = jobs->counts();
  if (counts.jobs > 0) return jobs;
  const auto left_out = counts.left_out();
  core::fail_input("{}: found no job, expected at least one{}", core::excerpt(text_),
                   left_out.empty() ? "" : fmt::format("; left out: {}", core::join(left_out)));
}

std::unique_ptr<Jobs> open_jobs(const JobsSource& source, Reading reading, std::uint64_t seed) {
  return source.open(reading, seed);
}

JobSummary summarize(const Jobs& jobs) {
  JobSummary s;
  Job job;
  for (const auto stream = jobs.open(); stream->next(job); ++s.jobs) {
    if (s.jobs == 0) {
      s.first = job.submitted;
      s.smallest = job.size;
    }
    s.last = job.submitted;
    s.smallest = std::min(s.smallest, job.size);
    s.largest = std::max(s.largest, job.size);
    s.longest = std::max(s.longest, job.run_time);
    s.powers_of_two += std::has_single_bit(static_cast<std::uint32_t>(job.size)) ? 1U : 0U;
    s.with_estimate += job.estimate > 0 ? 1U : 0U;
    s.with_wait += job.wait >= 0 ? 1U : 0U;
    s.changing += job.demand != Demand::constant ? 1U : 0U;
    s.mean_size += job.size;
    s.mean_run_time += job.run_time;
    s.work += job.size * job.run_time;
  }
  if (s.jobs > 0) {
    s.mean_size /= static_cast<double>(s.jobs);
    s.mean_run_time /= static_cast<double>(s.jobs);
  }
  return s;
}

}  // namespace toroid::workloads

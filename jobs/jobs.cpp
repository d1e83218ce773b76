#include <array>
#include <bit>

#include "core/entries.hpp"
#include "core/output.hpp"
#include "jobs/formats/log.hpp"

namespace toroid::jobs {

// The formats of job logs and the generators, each by the function that returns its entry.
TOROID_ENTRIES(core::Entry<JobFormat>, job_format_entries, batsim_format, old_batsim_format, table_format, sacct_format,
               // last, since it takes any text: its reader says best what is wrong with a file nobody knows
               swf_format)
TOROID_ENTRIES(core::Entry<MakeJobs>, job_generator_entries, derose_jobs, walker_jobs)

const core::Registry<JobFormat>& job_formats() {
  static const core::Registry<JobFormat> registry("format of job logs", job_format_entries());
  return registry;
}

const core::Entry<JobFormat>& job_format_for(std::string_view path) {
  for (const std::string_view packing : {".zst", ".gz"})
    if (path.ends_with(packing)) path.remove_suffix(packing.size());
  const auto& all = job_formats().entries();  // whose last one has no extension
  return *std::find_if(all.begin(), all.end(), [&](const auto& entry) { return path.ends_with(entry.make.extension); });
}

void write_jobs(const core::Entry<JobFormat>& format, const Jobs& jobs, core::OutputFile& file) {
  std::vector<std::string> lost;
  std::string first;
  Job job;
  for (const auto stream = jobs.open(); stream->next(job);) {
    if (job.demand != Demand::constant)
      core::fail_input("job {}: its demand is {}, expected a constant one: no format of logs can say that", job.id(),
                       to_string(job.demand));
    for (const auto name : format.make.cannot_say) {
      if (std::ranges::find(lost, name) != lost.end() || job_field(name)->text(job).empty()) continue;
      if (lost.empty()) first = job.id();
      lost.emplace_back(name);
    }
  }
  if (!lost.empty())
    core::fail_input("job {}: the format {} cannot say what is known of jobs: {}; JOBS:without={} leaves that out",
                     first, format.name, core::join(lost), core::join(lost, "/"));
  format.make.write(jobs, file);
}

const core::Registry<MakeJobs>& job_generators() {
  static const core::Registry<MakeJobs> registry = [] {
    auto entries = job_generator_entries();
    for (auto& entry : entries)
      entry.parameters.insert(entry.parameters.end(), job_filters().begin(), job_filters().end());
    return core::Registry<MakeJobs>("job stream", std::move(entries));
  }();
  return registry;
}

std::string_view to_string(Demand demand) {
  constexpr std::array<std::string_view, 4> names{"constant", "increasing", "decreasing", "pyramid"};
  return names[static_cast<std::size_t>(demand)];
}

void JobCounts::add(const Job& job) {
  ++jobs;
  of_unknown_length += job.has_run_time() ? 0 : 1;
  most_nodes = std::max(most_nodes, job.size);
  preceded += job.notes.preceding > 0 ? 1 : 0;
  dependent += job.after >= 0 ? 1 : 0;
}

std::vector<std::string> JobCounts::left_out() const {
  std::vector<std::string> all;
  const auto add = [&](std::uint64_t number, std::string_view what) {
    if (number > 0) all.push_back(fmt::format("{} {}", number, what));
  };
  add(without_size, "without a size");
  add(without_run_time, "without a run time");
  add(running, "not ended yet");
  add(partial, "parts of jobs that have a line for the whole or for a later run");
  add(malformed, "malformed");
  add(filtered, "not wanted");
  return all;
}

std::vector<std::string> JobCounts::ignored() const {
  std::vector<std::string> all;
  if (wide > 0) all.push_back(fmt::format("fields behind the 18 of SWF, in {} lines", wide));
  if (preceded > dependent)
    all.push_back(fmt::format("preceding jobs and think times of {} jobs ({})", preceded - dependent,
                              dependent > 0 ? "those are not among the jobs before them"
                                            : "JOBS:dependencies=yes submits a job when its preceding one has ended"));
  return all;
}

JobSummary summarize(const Jobs& jobs) {
  JobSummary s;
  Job job;
  for (const auto stream = jobs.open(); stream->next(job); ++s.jobs) {
    if (s.jobs == 0) {
      s.first = job.submitted;
      s.smallest = job.size;
      s.last = job.submitted;
    }
    TOROID_ASSERT(job.size >= 1 && job.submitted >= s.last);
    s.last = job.submitted;
    s.smallest = std::min(s.smallest, job.size);
    s.largest = std::max(s.largest, job.size);
    s.longest = std::max(s.longest, job.run_time);
    s.powers_of_two += std::has_single_bit(static_cast<std::uint32_t>(job.size)) ? 1U : 0U;
    s.with_estimate += job.estimate > 0 ? 1U : 0U;
    s.with_wait += job.wait >= 0 ? 1U : 0U;
    s.changing += job.demand != Demand::constant ? 1U : 0U;
    s.mean_size += job.size;
    if (!job.has_run_time()) continue;
    ++s.with_run_time;
    s.mean_run_time += job.run_time;
    s.work += job.size * job.run_time;
  }
  if (s.jobs > 0) {
    s.mean_size /= static_cast<double>(s.jobs);
  }
  if (s.with_run_time > 0) s.mean_run_time /= static_cast<double>(s.with_run_time);
  return s;
}

}  // namespace toroid::jobs

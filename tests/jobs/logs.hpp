#pragma once
// What tests of job logs share: logs that are written and read, and what readers and writers say of them.

#include <fmt/format.h>

#include "core/output.hpp"
#include "tests/support/support.hpp"
#include "toroid/jobs/jobs.hpp"

namespace toroid::jobs {

inline std::vector<Job> all(const Jobs& jobs) {
  std::vector<Job> list;
  Job job;
  for (const auto stream = jobs.open(); stream->next(job);) list.push_back(job);
  return list;
}

inline std::vector<std::int64_t> numbers(const Jobs& jobs) {
  std::vector<std::int64_t> list;
  for (const auto& job : all(jobs)) list.push_back(job.number);
  return list;
}

/// Writes jobs into a file, which is returned.
inline std::string written(const test::Scratch& scratch, std::string_view format, const Jobs& jobs,
                           const std::string& name) {
  core::OutputSet outputs;
  write_jobs(job_formats().find(format), jobs, outputs.add(scratch.path(name)));
  outputs.commit();
  return scratch.path(name);
}

/// Why the format cannot say these jobs; empty if it can.
inline std::string refusal(const test::Scratch& scratch, std::string_view format, const Jobs& jobs) {
  return test::error_of([&] { written(scratch, format, jobs, "refused"); });
}

/// A line of a log; `rest` are fields 11 to 18.
inline std::string line(int number, double submitted, double wait, double run_time, int allocated, int requested,
                        double estimate, const std::string& rest = "1 -1 -1 -1 -1 -1 -1 -1") {
  return fmt::format("{} {} {} {} {} -1 -1 {} {} -1 {}\n", number, submitted, wait, run_time, allocated, requested,
                     estimate, rest);
}

inline std::unique_ptr<Jobs> log_of(const test::Scratch& scratch, const std::string& text,
                                    Reading reading = Reading::strict) {
  return open_jobs(scratch.write("log.swf", text), reading);
}

inline std::string complaint(const std::string& text, Reading reading = Reading::strict) {
  const test::Scratch scratch;
  const auto path = scratch.write("log.swf", text);
  const auto message = test::error_of([&] { open_jobs(path, reading); });
  return message.starts_with(path) ? message.substr(path.size()) : message;
}

inline const std::string hint = " (--lenient leaves such jobs out)";

/// Profiles of Batsim, as JSON.
inline const std::string profiles = R"("ten": {"type": "delay", "delay": 10}, "half": {"type": "delay", "delay": 0.5},
  "both": {"type": "composed", "repeat": 2, "seq": ["ten", "half"]}, "loop": {"type": "composed", "seq": ["loop"]},
  "text": {"type": "composed", "seq": "ten"}, "work": {"type": "parallel_homogeneous", "cpu": 1e9, "com": 0})";

/// A workload of Batsim with these jobs and profiles, each as JSON.
inline std::unique_ptr<Jobs> batsim(const test::Scratch& scratch, const std::string& jobs, const std::string& defined,
                                    Reading reading = Reading::strict) {
  return open_jobs(
      scratch.write("w.json", "{\"nb_res\": 4, \"jobs\": [" + jobs + "], \"profiles\": {" + defined + "}}"), reading);
}

}  // namespace toroid::jobs

#pragma once
// Jobs: what is submitted to a machine, when, how large and for how long. Logs of years are pulled job by job.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/output.hpp"
#include "core/registry.hpp"

namespace toroid::jobs {

/// How many nodes a job wants in the course of its run, at most `size` (De Rose, Heiss, Linnert 2007, Section 3.1).
enum class Demand : std::uint8_t {
  constant,
  increasing,  ///< from 1 to `size`, in equal steps
  decreasing,  ///< from `size` to 1
  pyramid      ///< from 1 to `size` in the first half, and back
};
std::string_view to_string(Demand demand);

/// The other fields of a job in the Standard Workload Format, which are kept to write a log again. -1 is not known.
struct JobNotes {
  double cpu_time = -1, memory = -1, requested_memory = -1, think_time = -1;
  std::int64_t status = -1, user = -1, group = -1, application = -1, queue = -1, partition = -1, preceding = -1;
  bool operator==(const JobNotes&) const = default;
};

/// A job. Times are in seconds; one below 0 is not known.
struct Job {
  std::int64_t number = 0;  ///< its number in its log
  std::string name;         ///< its id in its log, if that is no number
  double submitted = 0;     ///< since the log's beginning
  double run_time = 0;      ///< -1: not known, and only a program can tell
  double estimate = -1;     ///< of the run time, by the user who submitted it
  double wait = -1;         ///< how long it waited in its log
  std::int32_t size = 1;
  Demand demand = Demand::constant;
  JobNotes notes = {};
  std::string program = {};  ///< the TRACE it runs, where its log says so
  std::string nodes = {};    ///< the nodes that it had in its log, as those are named there: `nid[001-032]`
  std::int64_t after = -1;   ///< the number of the job after whose end, and its own think time, it is submitted
  bool operator==(const Job&) const = default;

  bool has_run_time() const { return run_time >= 0; }
  std::string id() const { return name.empty() ? std::to_string(number) : name; }
};

/// Jobs in the order of submission; those submitted together in the order of the log.
class JobStream {
 public:
  virtual ~JobStream() = default;
  /// Puts the next job into `job`; false after the last.
  virtual bool next(Job& job) = 0;
};

struct JobCounts {
  std::uint64_t jobs = 0;  ///< jobs that a stream gives
  std::uint64_t lone_parts =
      0;  ///< those of `jobs` that the log calls parts of a job without having a line for the whole job
  std::uint64_t of_unknown_length = 0;  ///< those of `jobs` whose run time is not known
  std::uint64_t preceded = 0;           ///< those of `jobs` that name the job before them
  std::uint64_t dependent = 0;          ///< those of `preceded` that are submitted when that job has ended
  // What its input has besides:
  std::uint64_t without_size = 0;
  std::uint64_t without_run_time = 0;
  std::uint64_t running = 0;    ///< jobs that had not ended when the log was written
  std::uint64_t partial = 0;    ///< parts of interrupted jobs, which have a line for the whole or for a later run, too
  std::uint64_t malformed = 0;  ///< only where reading is lenient
  std::uint64_t filtered = 0;   ///< left out by the keys of job_filters()
  std::uint64_t wide = 0;       ///< lines with more fields than the format has

  /// Counts one of the jobs that a stream gives.
  void add(const Job& job);
  /// A job that was left out, but for malformed ones, of which no more is known: the counter that counts it, when it
  /// was submitted, and its size, if that is above 0.
  struct LeftOut {
    std::uint64_t JobCounts::*counter;
    double submitted;
    std::int32_t size;
  };
  std::vector<LeftOut> left_out_jobs = {};
  void leave_out(std::uint64_t JobCounts::*counter, const Job& job) {
    ++(this->*counter);
    left_out_jobs.push_back({counter, job.submitted, job.size});
  }

  std::uint64_t dropped() const { return without_size + without_run_time + running + partial + malformed; }
  /// What was left out, in words: `3 without a run time`.
  std::vector<std::string> left_out() const;
  /// What jobs have besides, and nobody looks at, in words.
  std::vector<std::string> ignored() const;
};

class Jobs {
 public:
  virtual ~Jobs() = default;
  /// A fresh stream at the first job. Streams are independent; the jobs must outlive them.
  virtual std::unique_ptr<JobStream> open() const = 0;
  virtual JobCounts counts() const = 0;
  /// Whether another seed may give other jobs.
  virtual bool uses_seed() const { return false; }
  /// Comments at the beginning of the log, a line each, without what makes them comments there.
  virtual std::vector<std::string> header() const { return {}; }
  /// Files that the jobs are read from.
  virtual std::vector<std::string> files() const { return {}; }
};

/// Whether a malformed job of an input is an error, or is left out and counted.
enum class Reading { strict, lenient };

using MakeJobs = std::unique_ptr<Jobs> (*)(std::uint64_t seed, const core::Arguments&);

/// The generators of jobs: streams that are computed, not read.
const core::Registry<MakeJobs>& job_generators();

/// The keys that every JOBS argument takes.
const std::vector<core::AnyParameter>& job_filters();

struct JobFormat {
  bool (*recognizes)(const std::string& path);
  /// Throws InputError, with the path and where in the file.
  std::unique_ptr<Jobs> (*read)(const std::string& path, Reading reading);
  /// Throws InputError when a value is none that the format can say; write_jobs() calls it.
  void (*write)(const Jobs& jobs, core::OutputFile& file);
  /// What names of files in this format end in, before .zst or .gz. The format without it is for all other names.
  std::string_view extension = {};
  /// Fields of jobs, by the columns of tables, for which the format has no place.
  std::vector<std::string_view> cannot_say = {};
};

/// Writes jobs as a log. Throws InputError, and says what leaves it out, when jobs have something that the format
/// cannot say: what is written reads back as it was.
void write_jobs(const core::Entry<JobFormat>& format, const Jobs& jobs, core::OutputFile& file);

/// The format in which a file of that name is written.
const core::Entry<JobFormat>& job_format_for(std::string_view path);

/// The formats of job logs; the first that recognizes a file reads it.
const core::Registry<JobFormat>& job_formats();

/// A summary of jobs. Numbers without a comment are numbers of jobs.
struct JobSummary {
  std::uint64_t jobs = 0, powers_of_two = 0, with_run_time = 0, with_estimate = 0, with_wait = 0, changing = 0;
  double first = 0, last = 0;               ///< submissions, s
  std::int32_t smallest = 0, largest = 0;   ///< sizes
  double mean_size = 0, mean_run_time = 0;  ///< s
  double longest = 0;                       ///< run time, s
  double work = 0;                          ///< sum of size times run time, s
};
JobSummary summarize(const Jobs& jobs);

}  // namespace toroid::jobs

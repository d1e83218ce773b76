#pragma once
// Jobs: what is submitted to a machine, when, how large and for how long. Logs of years are pulled job by job.
//
//   const auto jobs = jobs::open_jobs("log.swf:sizes=1-64");
//   jobs::Job job;
//   for (const auto stream = jobs->open(); stream->next(job);) ...

#include <memory>

#include "toroid/core/registry.hpp"

namespace toroid::core {
class OutputFile;
}

namespace toroid::jobs {

/// How many nodes a job wants in the course of its run, at most `size` (De Rose, Heiss, Linnert 2007, Section 3.1).
enum class Demand : std::uint8_t {
  constant,
  increasing,  ///< the demand rises from 1 to `size`, in equal steps
  decreasing,  ///< the demand falls from `size` to 1
  pyramid      ///< the demand rises from 1 to `size` in the first half, and falls again
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
  double estimate = -1;     ///< the run time as the user foretold it who submitted the job
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
  /// Jobs, of `jobs`, that the log calls parts of a job without having a line for the whole job.
  std::uint64_t lone_parts = 0;
  std::uint64_t of_unknown_length = 0;  ///< jobs, of `jobs`, whose run time is not known
  std::int32_t most_nodes = 0;          ///< size of the largest job of `jobs`; 0 where jobs are drawn
  std::uint64_t preceded = 0;           ///< jobs, of `jobs`, that name the job before them
  std::uint64_t dependent = 0;          ///< jobs, of `preceded`, that are submitted when that job has ended
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

// Times of a log, as users give them: since its beginning, `10h`, or by the calendar, `2024-05-01T10:00`.

struct When {
  double seconds = 0;  ///< since the beginning of the log, or, for a date, since the beginning of 1970
  bool is_date = false;
  bool is_local = true;  ///< whether the date is in the zone of the log (time_zone()); else in UTC
};

/// Seconds since the beginning of 1970 of `2024-05-01`, `2024-05-01T10:00` or `2024-05-01T10:00:30`, of the same zone;
/// nothing if the text is none of these.
std::optional<double> read_date(std::string_view text);

/// Reads a duration with its unit, or a date: in the log's zone unless `Z` or an offset such as `+02:00` stands behind
/// it. Throws InputError, which begins with `what`.
When parse_when(std::string_view text, std::string_view what);
/// The type of keys whose value is such a time.
core::Type<When> when_type();

/// When the log began, in seconds since the beginning of 1970: the UnixStartTime of its comments. Nothing where it does
/// not say.
std::optional<double> unix_start(const Jobs& jobs);

/// Seconds by which the log's local time is ahead of UTC: the TimeZone of its comments, which knows no daylight saving;
/// 0 where it does not say, as with sacct, whose times are local ones.
double time_zone(const Jobs& jobs);
/// The midnight before the beginning of the log, in its zone: seconds since the beginning, 0 or less. Throws
/// InputError, which begins with `what`, where the log does not say when it began.
double first_midnight(const Jobs& jobs, std::string_view what);
/// The time so many seconds after the beginning of the log as its users read it: `1998-10-21 10:00 (UTC-08:00)`;
/// without a zone where the log has none, empty where it does not say when it began.
std::string date_text(double seconds, const Jobs& jobs);

/// The time in seconds since the beginning of the log. Throws InputError, which begins with `what`, for a date where
/// the log does not say when it began, and for one before that.
double since_beginning(const When& when, const Jobs& jobs, std::string_view what);

/// The comments of a log that began so many seconds later, or, for nothing, no one knows when.
std::vector<std::string> header_from(std::vector<std::string> header, std::optional<double> seconds_later);

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

// Where jobs come from: the JOBS argument of the command.

/// A JOBS argument: a log (see job_formats), or a generator such as `derose:load=10`; each may be narrowed and scaled
/// by the keys of job_filters(): `log.swf.zst:sizes=1-64,arrivals=0.5`.
class JobsSource {
 public:
  /// Implicit, so that a text may stand where a source is wanted. Throws InputError unless there is such a file or
  /// generator with such keys and values; files are not read.
  template <class Text>
  requires std::convertible_to<const Text&, std::string_view> JobsSource(const Text& text)
      : text_(std::string_view(text)) {
    check();
  }

  /// Jobs that lie in memory, which `open` gives and messages call `name`.
  JobsSource(std::string name, std::function<std::unique_ptr<Jobs>(Reading)> open)
      : text_(std::move(name)), open_(std::move(open)) {}

  const std::string& text() const { return text_; }
  /// The file that is read; empty if none.
  std::string file() const;
  /// `seed` is for streams that do not say theirs. Throws InputError where the log cannot be read, or has no job.
  std::unique_ptr<Jobs> open(Reading reading = Reading::strict, std::uint64_t seed = 1) const;

  friend bool operator==(const JobsSource& a, const JobsSource& b) { return a.text_ == b.text_; }

 private:
  void check() const;

  std::string text_;
  std::function<std::unique_ptr<Jobs>(Reading)> open_;  ///< empty: the text says where the jobs are
};

/// Whether a text that may stand for jobs or for something else stands for jobs: it names a stream, or a file that the
/// end of its name says to be a log, or that begins as one. Files in SWF begin as any text, so that their names must
/// say what they are.
bool is_jobs(std::string_view text);

/// Does what source.open() does: for jobs that are opened at once.
std::unique_ptr<Jobs> open_jobs(const JobsSource& source, Reading reading = Reading::strict, std::uint64_t seed = 1);

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

#pragma once
// What formats of job logs share: the fields of a job, what is malformed, lines, and jobs that lie in memory.

#include <variant>

#include "core/file.hpp"
#include "jobs/program_text.hpp"
#include "jobs/streams/streams.hpp"

namespace toroid::jobs {

/// What there is to say of a job, field by field: columns of tables, and what formats declare that they cannot say.
struct JobField {
  std::string_view name;  ///< the name of its column in a table
  /// Where a job keeps the value.
  std::variant<double*, std::int64_t*, std::int32_t*, std::string*> (*in)(Job& job);

  /// The value as text; empty where it is not known, as a number below 0 is not.
  std::string text(Job& job) const;
  /// Reads the value. Returns what was expected if the text is not that, otherwise nothing.
  std::string read(Job& job, std::string_view text) const;
  void forget(Job& job) const;
};

/// All fields but the demand, which no format can say.
const std::vector<JobField>& job_fields();
std::vector<std::string> job_field_names();
/// The field of this name; null if there is none.
const JobField* job_field(std::string_view name);

/// The latest time that a log may tell, in seconds: 30,000 years, more is no time.
inline constexpr double latest_second = 1e12;

/// Calls `read`, which reads a job, and returns true. If the job is malformed, lenient reading counts it in `malformed`
/// and returns false; strict reading throws an InputError that says how to leave such jobs out.
template <class Read>
bool read_or_leave_out(Reading reading, std::uint64_t& malformed, Read&& read) {
  try {
    read();
    return true;
  } catch (const core::InputError& error) {
    if (reading == Reading::strict)
      throw core::InputError(std::string(error.what()) + " (--lenient leaves such jobs out)");
    ++malformed;
    return false;
  }
}

/// A log that is read line by line.
class LogLines {
 protected:
  LogLines(const std::string& path, Reading reading) : lines_(path), reading_(reading) {}

  /// Calls read(line) for each line that is not blank; malformed ones are left out and counted if reading is lenient.
  template <class Read>
  void for_each_job(std::uint64_t& malformed, Read&& read) {
    while (const auto line = lines_.next())
      if (!core::trim(*line).empty()) read_or_leave_out(reading_, malformed, [&] { read(*line); });
  }

  core::LineReader lines_;
  Reading reading_;
};

/// Jobs that lie in memory, by submission: of formats whose files must be read whole.
class HeldJobs final : public Jobs {
 public:
  /// `counts` says what was left out. Takes jobs in any order, and sorts them by submission; jobs that are submitted
  /// together keep their order. `header` has the comments that the log would have in SWF.
  HeldJobs(std::string path, std::vector<Job> jobs, const JobCounts& counts, std::vector<std::string> header = {})
      : path_(std::move(path)), jobs_(std::move(jobs)), counts_(counts), header_(std::move(header)) {
    std::stable_sort(jobs_.begin(), jobs_.end(), [](const Job& a, const Job& b) { return a.submitted < b.submitted; });
    keep_programs_of(jobs_);
    for (const auto& job : jobs_) counts_.add(job);
    TOROID_ASSERT(counts_.jobs == jobs_.size());  // what was left out is counted elsewhere
  }
  std::unique_ptr<JobStream> open() const override {
    return stream_of([this, at = std::size_t{0}](Job& job) mutable {
      if (at == jobs_.size()) return false;
      job = jobs_[at++];
      return true;
    });
  }
  JobCounts counts() const override { return counts_; }
  std::vector<std::string> header() const override { return header_; }
  std::vector<std::string> files() const override {
    return path_.empty() ? std::vector<std::string>() : std::vector{path_};
  }

 private:
  std::string path_;  ///< empty: no file
  std::vector<Job> jobs_;
  JobCounts counts_;
  std::vector<std::string> header_;
};

/// The jobs of a table in memory: columns by the names of job_fields(), `size` among them, and the texts of each row.
/// Throws InputError, which names the table and the row, from 0, as the reader of such files does.
std::unique_ptr<Jobs> jobs_of_table(const std::string& name, const std::vector<std::string>& columns,
                                    const std::vector<std::vector<std::string>>& rows, Reading reading);

/// Reads a log by a `Reader(path, reading)` whose read() gives the jobs.
template <class Reader>
std::unique_ptr<Jobs> read_held(const std::string& path, Reading reading) {
  return std::make_unique<HeldJobs>(Reader(path, reading).read());
}

}  // namespace toroid::jobs

#pragma once
// Where jobs come from: the JOBS argument of the command.

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "jobs/jobs.hpp"

namespace toroid::jobs {

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

  const std::string& text() const { return text_; }
  /// The file that is read; empty if none.
  std::string file() const;
  /// `seed` is for streams that do not say theirs. Throws InputError where the log cannot be read, or has no job.
  std::unique_ptr<Jobs> open(Reading reading = Reading::strict, std::uint64_t seed = 1) const;

  friend bool operator==(const JobsSource&, const JobsSource&) = default;

 private:
  void check() const;

  std::string text_;
};

/// Whether a text that may stand for jobs or for something else stands for jobs: it names a stream, or a file that the
/// end of its name says to be a log, or that begins as one. Files in SWF begin as any text, so that their names must
/// say what they are.
bool is_jobs(std::string_view text);

/// Does what source.open() does: for jobs that are opened at once.
std::unique_ptr<Jobs> open_jobs(const JobsSource& source, Reading reading = Reading::strict, std::uint64_t seed = 1);

}  // namespace toroid::jobs

// The Standard Workload Format of the Parallel Workloads Archive: a job per line, 18 fields, -1 for what is not known,
// comments behind a semicolon. Which of the two fields is a job's size: the processors that it got (5), where that is
// not known those that it asked for (8).

#include <array>
#include <cmath>
#include <queue>
#include <unordered_set>

#include "core/output.hpp"
#include "jobs/formats/log.hpp"

namespace toroid::jobs {
namespace {

constexpr std::size_t fields = 18;
constexpr std::array<std::string_view, fields> field_names{
    "job number", "submit time",          "wait time",      "run time",         "processors",    "CPU time",
    "memory",     "requested processors", "requested time", "requested memory", "status",        "user",
    "group",      "application",          "queue",          "partition",        "preceding job", "think time"};

/// Numbers of jobs.
using Numbers = std::unordered_set<std::int64_t>;

/// Whether a line is a part of a job that was stopped for a while, by its status: 2 goes on later, 3 and 4 are the last
/// part. The line of the whole job has 0 or 1. Logs that have something else in this field are known, too: exit codes.
bool says_part(const Job& job) {
  return job.notes.status >= 2 && job.notes.status <= 4;
}

/// Reads lines one after the other, and says where a line is wrong.
class SwfLines : LogLines {
 public:
  /// Parts of the jobs in `wholes`, which have a line for the whole, are left out; null is none.
  SwfLines(const std::string& path, Reading reading, const Numbers* wholes)
      : LogLines(path, reading), wholes_(wholes) {}

  /// Goes on to the next job; others on the way are counted in `counts`, comments before the first job kept in
  /// `header`.
  bool next(Job& job, JobCounts& counts, std::vector<std::string>* header = nullptr) {
    while (next_line(job, counts, header)) {
      counts.wide += is_wide_ ? 1 : 0;
      if (const auto counter = why_left_out(job)) {
        counts.leave_out(counter, job);
        continue;
      }
      counts.lone_parts += says_part(job) ? 1 : 0;
      counts.add(job);
      return true;
    }
    return false;
  }

  /// Goes on to the next line that is well formed, a job or not.
  bool next_line(Job& job, JobCounts& counts, std::vector<std::string>* header = nullptr) {
    while (const auto line = lines_.next()) {
      const auto text = core::trim(*line);
      if (text.starts_with(';')) {
        if (header != nullptr && counts.jobs == 0) header->emplace_back(text.substr(1));
      } else if (!text.empty() && read_or_leave_out(reading_, counts.malformed, [&] { parse(text, job); })) {
        return true;
      }
    }
    return false;
  }

 private:
  /// The counter of such lines, if the line is not a job of which enough is known.
  std::uint64_t JobCounts::*why_left_out(const Job& job) const {
    if (says_part(job) && wholes_ != nullptr && wholes_->contains(job.number)) return &JobCounts::partial;
    if (job.size <= 0) return &JobCounts::without_size;
    return job.run_time < 0 ? &JobCounts::without_run_time : nullptr;
  }

  void parse(std::string_view text, Job& job) {
    split(text);
    job.number = whole(1);
    job.submitted = seconds(2);
    if (job.submitted < 0) fail(2, "0 or more seconds");
    job.wait = seconds(3);
    job.run_time = seconds(4);
    const auto allocated = processors(5), requested = processors(8);
    job.size = allocated > 0 ? allocated : requested;
    job.estimate = seconds(9);
    job.notes = {.cpu_time = number(6),
                 .memory = number(7),
                 .requested_memory = number(10),
                 .think_time = seconds(18),
                 .status = code(11),
                 .user = code(12),
                 .group = code(13),
                 .application = code(14),
                 .queue = code(15),
                 .partition = code(16),
                 .preceding = code(17)};
    // Cancelled while it waited: it got no processors.
    if (job.notes.status == 5 && allocated <= 0 && job.run_time == 0) job.run_time = -1;
  }

  void split(std::string_view text) {
    std::size_t count = 0;
    const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
    for (auto at = text.begin(); at != text.end();) {
      const auto end = std::find_if(at, text.end(), is_space);
      if (count < fields) fields_[count] = {at, end};
      ++count;
      at = std::find_if_not(end, text.end(), is_space);
    }
    if (count < fields) lines_.fail("found {} fields, expected the {} of a job in SWF", count, fields);
    is_wide_ = count > fields;  // some logs have fields of their own behind
  }

  // Fields by their number, from 1.

  [[noreturn]] void fail(std::size_t field, std::string_view expected) {
    lines_.fail("field {} ({}): found '{}', expected {}", field, field_names[field - 1],
                core::excerpt(fields_[field - 1]), expected);
  }
  std::int64_t whole(std::size_t field) {
    const auto value = core::parse_number<std::int64_t>(fields_[field - 1]);
    if (!value) fail(field, "a whole number");
    return *value;
  }
  /// A whole number; -1 for all that say that it is not known.
  std::int64_t code(std::size_t field) { return std::max<std::int64_t>(-1, whole(field)); }
  std::int32_t processors(std::size_t field) {
    const auto value = core::parse_number<std::int32_t>(fields_[field - 1]);
    if (!value) fail(field, "a number of processors below 2^31");
    return *value;
  }
  /// A number; -1 for all that say that it is not known.
  double number(std::size_t field) {
    const auto text = fields_[field - 1];
    if (text == "-1") return -1;  // nearly always
    if (const auto integer = core::parse_number<std::int64_t>(text))
      return *integer < 0 ? -1 : static_cast<double>(*integer);
    const auto value = core::parse_number<double>(text);
    if (!value || !std::isfinite(*value)) fail(field, "a number");
    return *value < 0 ? -1 : *value;
  }
  double seconds(std::size_t field) {
    const double value = number(field);
    if (value > latest_second) fail(field, "at most 10^12 seconds");
    return value;
  }

  const Numbers* wholes_;
  std::array<std::string_view, fields> fields_;
  bool is_wide_ = false;  ///< whether the line has more fields
};

/// A log whose lines are out of order by at most `disorder` seconds, in order: what could still be overtaken is held.
class SwfStream final : public JobStream {
 public:
  SwfStream(const std::string& path, Reading reading, const Numbers* wholes, double disorder)
      : lines_(path, reading, wholes), disorder_(disorder) {}

  bool next(Job& job) override {
    if (disorder_ == 0) return lines_.next(job, counts_);
    while (!ended_ && (held_.empty() || latest_ - disorder_ <= held_.top().job.submitted)) {
      ended_ = !lines_.next(job, counts_);
      if (ended_) break;
      latest_ = std::max(latest_, job.submitted);
      held_.push({job, counts_.jobs});
    }
    if (held_.empty()) return false;
    job = held_.top().job;
    held_.pop();
    return true;
  }

 private:
  struct Held {
    Job job;
    std::uint64_t line;                        ///< among the jobs
    bool operator<(const Held& other) const {  // the top of a queue is its greatest
      return job.submitted != other.job.submitted ? job.submitted > other.job.submitted : line > other.line;
    }
  };

  SwfLines lines_;
  double disorder_, latest_ = 0;
  bool ended_ = false;
  JobCounts counts_;
  std::priority_queue<Held> held_;
};

/// The jobs of these numbers, known from their parts, that have a line for the whole job, too.
Numbers wholes_of(const Numbers& parts, const std::string& path) {
  Numbers wholes;
  if (parts.empty()) return wholes;
  SwfLines lines(path, Reading::lenient, nullptr);
  JobCounts counts;
  for (Job job; lines.next_line(job, counts);)
    if (!says_part(job) && parts.contains(job.number)) wholes.insert(job.number);
  return wholes;
}

/// Read once from end to end, so that mistakes are found before anything is done, and again by each stream. What says
/// that it is a part of a job is looked for once more, as the line for the whole may stand anywhere.
class SwfLog final : public Jobs {
 public:
  SwfLog(std::string path, Reading reading) : path_(std::move(path)), reading_(reading) {
    wholes_ = wholes_of(look_through(), path_);
    if (!wholes_.empty()) look_through();
  }

  std::unique_ptr<JobStream> open() const override {
    return std::make_unique<SwfStream>(path_, reading_, &wholes_, disorder_);
  }
  JobCounts counts() const override { return counts_; }
  std::vector<std::string> header() const override { return header_; }
  std::vector<std::string> files() const override { return {path_}; }

 private:
  /// Counts the jobs, with what is known of wholes. The numbers of those that say that they are parts.
  Numbers look_through() {
    counts_ = {};
    header_.clear();
    disorder_ = 0;
    Numbers parts;
    SwfLines lines(path_, reading_, &wholes_);
    Job job;
    for (double latest = 0; lines.next(job, counts_, &header_); latest = std::max(latest, job.submitted)) {
      disorder_ = std::max(disorder_, latest - job.submitted);
      if (says_part(job)) parts.insert(job.number);
    }
    return parts;
  }

  std::string path_;
  Reading reading_;
  Numbers wholes_;
  JobCounts counts_;
  double disorder_ = 0;  ///< most seconds by which a line comes too late
  std::vector<std::string> header_;
};

void write_swf(const Jobs& jobs, core::OutputFile& file) {
  for (const auto& line : jobs.header()) file.write(fmt::format(";{}\n", line));
  Numbers parts, wholes;
  Job job;
  for (const auto stream = jobs.open(); stream->next(job);) {
    if (!job.has_run_time())
      core::fail_input("job {}: its run time is not known: who reads a log in SWF leaves such jobs out", job.id());
    (says_part(job) ? parts : wholes).insert(job.number);
    if (parts.contains(job.number) && wholes.contains(job.number))
      core::fail_input("job {}: is a part and a whole, by its statuses: who reads SWF leaves the part out", job.id());
    const auto& n = job.notes;
    file.write(fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}\n", job.number, job.submitted,
                           job.wait, job.run_time, job.size, n.cpu_time, n.memory, job.size, job.estimate,
                           n.requested_memory, n.status, n.user, n.group, n.application, n.queue, n.partition,
                           n.preceding, n.think_time));
  }
}

}  // namespace

core::Entry<JobFormat> swf_format() {
  return {"swf",
          "Standard Workload Format of the Parallel Workloads Archive, plain, gzip or zstd",
          {[](const std::string&) { return true; },
           [](const std::string& path, Reading reading) -> std::unique_ptr<Jobs> {
             return std::make_unique<SwfLog>(path, reading);
           },
           write_swf,
           {},
           {"name", "program", "nodes"}}};
}

}  // namespace toroid::jobs

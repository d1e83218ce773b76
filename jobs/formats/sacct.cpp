// What `sacct --parsable2` prints of Slurm's jobs: a header, and a line for each job with bars between its fields.

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <unordered_map>

#include "core/file.hpp"
#include "core/text.hpp"
#include "jobs/formats/held_jobs.hpp"
#include "jobs/formats/malformed.hpp"
#include "jobs/when.hpp"

namespace toroid::jobs {
namespace {

using Text = std::string_view;

constexpr double latest_written = 1e11;  // year 5000
constexpr std::size_t full_date = 19;    // characters of 2026-08-20T12:34:56
const std::vector<std::string> needed{"JobID", "Submit", "Start", "End", "NNodes"};

/// Seconds of `1-02:03:04`, `02:03:04` or `03:04`.
std::optional<double> parse_span(Text text) {
  double days = 0, seconds = 0;
  if (const auto dash = text.find('-'); dash != Text::npos) {
    const auto number = core::parse_number<std::uint32_t>(text.substr(0, dash));
    if (!number) return std::nullopt;
    days = *number;
    text.remove_prefix(dash + 1);
  }
  const auto parts = core::split(text, ':');
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  for (const auto part : parts) {
    const auto number = core::parse_number<std::uint32_t>(part);
    if (!number) return std::nullopt;
    seconds = seconds * 60 + *number;
  }
  return days * 86400 + seconds;
}

/// Words that stand for a time that there is not.
bool is_unknown(Text text) {
  return text.empty() || text == "Unknown" || text == "None" || text == "N/A";
}

class SacctReader {
 public:
  SacctReader(const std::string& path, Reading reading) : lines_(path), reading_(reading) {}

  HeldJobs read() {
    read_header();
    while (const auto line = lines_.next()) {
      if (core::trim(*line).empty()) continue;
      read_or_leave_out(reading_, counts_.malformed, [&] { read_job(core::split(*line, '|')); });
    }
    double first = jobs_.empty() ? 0 : jobs_[0].submitted;
    for (const auto& job : jobs_) first = std::min(first, job.submitted);
    for (auto& job : jobs_) job.submitted -= first;
    for (auto& job : counts_.left_out_jobs) job.submitted = std::max(0.0, job.submitted - first);
    return {lines_.path(),
            std::move(jobs_),
            counts_,
            {fmt::format(" UnixStartTime: {:.0f}", first),
             " Note: sacct does not say of which zone its times are; UnixStartTime takes them for UTC"}};
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    core::fail_input_at(lines_.path(), lines_.line(), "{}", fmt::format(format, std::forward<Args>(args)...));
  }

  void read_header() {
    const auto header = lines_.next().value_or("");
    for (const auto name : core::split(header, '|'))
      if (!columns_.emplace(core::trim(name), fields_++).second)
        fail("column '{}' is there twice", core::excerpt(name));
    for (const auto& name : needed)
      if (columns_.count(name) == 0)
        fail("no column {}, expected those of sacct --parsable2 --format={},Timelimit,User,NodeList", name,
             core::join(needed, ","));
  }

  Text field(const std::vector<Text>& fields, const std::string& column) const {
    const auto found = columns_.find(column);
    return found == columns_.end() ? Text() : core::trim(fields[found->second]);
  }

  double time(const std::vector<Text>& fields, const std::string& column) const {
    const auto text = field(fields, column);
    const auto time = text.size() == full_date ? read_date(text) : std::nullopt;
    if (!time) fail("{}: found '{}', expected a time such as 2026-08-20T12:34:56", column, core::excerpt(text));
    return *time;
  }

  void read_job(const std::vector<Text>& fields) {
    if (fields.size() != fields_) fail("found {} fields, expected {}", fields.size(), fields_);
    const auto id = field(fields, "JobID");
    if (id.find('.') != Text::npos) return;  // a step of a job that has a line of its own
    Job job;
    ++number_;
    if (const auto number = core::parse_number<std::int64_t>(id)) {
      job.number = *number;
    } else {
      if (id.empty()) fail("JobID: found nothing");
      job.number = number_;
      job.name = id;
    }
    job.submitted = time(fields, "Submit");
    const auto nodes = field(fields, "NNodes");
    const auto size = core::parse_number<std::int32_t>(nodes);
    if (!size || *size < 0) fail("NNodes: found '{}', expected a whole number", core::excerpt(nodes));
    job.size = *size;
    if (job.size == 0) return counts_.leave_out(&JobCounts::without_size, job);
    if (is_unknown(field(fields, "Start")) || is_unknown(field(fields, "End")))
      return counts_.leave_out(&JobCounts::without_run_time, job);
    const auto start = time(fields, "Start");
    job.wait = start - job.submitted;
    job.run_time = time(fields, "End") - start;
    if (job.wait < 0)
      fail("Start: found {}, before it was submitted at {}", field(fields, "Start"), field(fields, "Submit"));
    if (job.run_time < 0) fail("End: found {}, before the start at {}", field(fields, "End"), field(fields, "Start"));
    job.estimate = estimate(fields);
    if (const auto user = field(fields, "User"); !user.empty())
      job.notes.user = users_.emplace(user, static_cast<std::int64_t>(users_.size())).first->second;
    if (const auto list = field(fields, "NodeList"); !list.empty() && list != "None assigned") job.nodes = list;
    jobs_.push_back(std::move(job));
  }

  /// The time limit; -1 where there is none.
  double estimate(const std::vector<Text>& fields) const {
    const auto text = field(fields, "Timelimit");
    if (is_unknown(text) || text == "UNLIMITED" || text == "Partition_Limit") return -1;
    const auto span = parse_span(text);
    if (!span) fail("Timelimit: found '{}', expected a time such as 1-02:00:00 or UNLIMITED", core::excerpt(text));
    return *span;
  }

  core::LineReader lines_;
  Reading reading_;
  std::map<std::string, std::size_t, std::less<>> columns_;
  std::size_t fields_ = 0;
  std::int64_t number_ = 0;
  JobCounts counts_;
  std::unordered_map<std::string, std::int64_t> users_;  ///< numbers of users, in the order in which they come
  std::vector<Job> jobs_;
};

bool is_sacct(const std::string& path) {
  core::LineReader lines(path);
  const auto first = lines.next();
  if (!first) return false;
  const auto fields = core::split(*first, '|');
  return fields.size() > 1 && std::any_of(fields.begin(), fields.end(), [](Text field) { return field == "JobID"; });
}

/// In whole seconds, as Slurm has them, from the beginning of 2000 on. A job whose wait is not known starts at once.
void write_sacct(const Jobs& jobs, core::OutputFile& file) {
  const auto epoch = std::chrono::sys_days(std::chrono::year(2000) / 1 / 1);
  const auto time = [&](double seconds) {
    return fmt::format(
        "{:%FT%T}",
        fmt::gmtime(std::chrono::system_clock::to_time_t(epoch + std::chrono::seconds(std::llround(seconds)))));
  };
  const auto span = [](double seconds) {
    const auto s = static_cast<std::int64_t>(std::ceil(seconds));
    return fmt::format("{}-{:02}:{:02}:{:02}", s / 86400, s / 3600 % 24, s / 60 % 60, s % 60);
  };
  file.write(fmt::format("{}|Timelimit|User|NodeList\n", core::join(needed, "|")));
  Job job;
  for (const auto stream = jobs.open(); stream->next(job);) {
    if (job.demand != Demand::constant)
      core::fail_input("job {}: its demand is {}, expected a constant one: sacct cannot say that", job.id(),
                       to_string(job.demand));
    if (!job.program.empty()) core::fail_input("job {}: names its program: sacct cannot say that", job.id());
    if (!job.has_run_time()) core::fail_input("job {}: its run time is not known: sacct cannot say that", job.id());
    for (const double seconds : {job.submitted, job.wait, job.run_time, job.estimate})
      if (seconds != std::floor(seconds) || seconds > latest_written)
        core::fail_input("job {}: found {} s, expected whole seconds: sacct cannot say that", job.id(), seconds);
    const double start = job.submitted + std::max(job.wait, 0.0);
    file.write(fmt::format("{}|{}|{}|{}|{}|{}|{}|{}\n", job.id(), time(job.submitted), time(start),
                           time(start + job.run_time), job.size, job.estimate > 0 ? span(job.estimate) : "UNLIMITED",
                           job.notes.user >= 0 ? fmt::format("user{}", job.notes.user) : "", job.nodes));
  }
}

}  // namespace

core::Entry<JobFormat> sacct_format() {
  return {"sacct",
          "what sacct --parsable2 prints of Slurm's jobs",
          {is_sacct,
           [](const std::string& path, Reading reading) -> std::unique_ptr<Jobs> {
             return std::make_unique<HeldJobs>(SacctReader(path, reading).read());
           },
           write_sacct, ".sacct"}};
}

}  // namespace toroid::jobs

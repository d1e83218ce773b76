// What `sacct --parsable2` prints of Slurm's jobs: a header, and a line for each job with bars between its fields.

#include <fmt/chrono.h>

#include <cmath>
#include <ctime>
#include <unordered_map>
#include <unordered_set>

#include "core/output.hpp"
#include "jobs/formats/log.hpp"

namespace toroid::jobs {
namespace {

using Text = std::string_view;

constexpr std::size_t full_date = 19;  // characters of 2026-08-20T12:34:56
constexpr Text no_nodes = "None assigned";
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

/// The parts of a line between bars.
std::vector<Text> fields_of(Text line) {
  std::vector<Text> fields;
  for (std::size_t at = 0, end = 0; end != Text::npos; at = end + 1)
    fields.push_back(core::trim(line.substr(at, (end = line.find('|', at)) - at)));
  return fields;
}

class SacctReader : LogLines {
 public:
  SacctReader(const std::string& path, Reading reading) : LogLines(path, reading) {}

  HeldJobs read() {
    read_header();
    for_each_job(counts_.malformed, [&](Text line) { read_job(fields_of(line)); });
    double first = jobs_.empty() ? 0 : jobs_[0].submitted;
    for (const auto& job : jobs_) first = std::min(first, job.submitted);
    for (auto& job : jobs_) job.submitted -= first;
    for (auto& job : counts_.left_out_jobs) job.submitted = std::max(0.0, job.submitted - first);
    return {lines_.path(), std::move(jobs_), counts_, header(first)};
  }

 private:
  void read_header() {
    const auto header = lines_.next().value_or("");
    const auto expected = fmt::format(
        "what sacct --parsable2 --format={},Timelimit,User,NodeList,Eligible,State prints", core::join(needed, ","));
    if (header.find("JobID") == Text::npos) lines_.fail("found no header, expected {}", expected);
    if (header.find('|') == Text::npos) lines_.fail("found no bar between columns, expected {}", expected);
    for (const auto name : fields_of(header))
      if (!columns_.emplace(name, fields_++).second) lines_.fail("column '{}' is there twice", core::excerpt(name));
    for (const auto& name : needed)
      if (columns_.count(name) == 0) lines_.fail("no column {}, expected {}", name, expected);
  }

  /// What SWF has in comments: when the log begins, and the names of what has numbers there.
  std::vector<std::string> header(double first) const {
    std::vector<std::string> lines{
        fmt::format(" UnixStartTime: {:.0f}", first),
        " Note: sacct does not say of which zone its times are; UnixStartTime takes them for UTC"};
    for (const auto& [note, names] : names_) {
      std::map<std::int64_t, std::string> by_number;
      for (const auto& [name, number] : names) by_number.emplace(number, name);
      for (const auto& [number, name] : by_number) lines.push_back(fmt::format(" {}: {} {}", note, number, name));
    }
    return lines;
  }

  Text field(const std::vector<Text>& fields, const std::string& column) const {
    const auto found = columns_.find(column);
    return found == columns_.end() ? Text() : fields[found->second];
  }

  double time(const std::vector<Text>& fields, const std::string& column) const {
    const auto text = field(fields, column);
    if (const auto unix = core::parse_number<std::uint32_t>(text)) return *unix;  // SLURM_TIME_FORMAT=%s
    const auto time = text.size() == full_date ? read_date(text) : std::nullopt;
    if (!time) lines_.fail("{}: found '{}', expected a time such as 2026-08-20T12:34:56", column, core::excerpt(text));
    return *time;
  }

  void read_job(const std::vector<Text>& fields) {
    if (fields.size() != fields_) lines_.fail("found {} fields, expected {}", fields.size(), fields_);
    const auto id = field(fields, "JobID");
    if (id.find('.') != Text::npos) return;  // a step of a job that has a line of its own
    Job job;
    ++number_;
    if (const auto number = core::parse_number<std::int64_t>(id)) {
      job.number = *number;
    } else {
      if (id.empty()) lines_.fail("JobID: found nothing");
      job.number = number_;
      job.name = id;
    }
    job.submitted = time(fields, "Submit");
    const auto nodes = field(fields, "NNodes");
    const auto size = core::parse_number<std::int32_t>(nodes);
    if (!size || *size < 0) lines_.fail("NNodes: found '{}', expected a whole number", core::excerpt(nodes));
    job.size = *size;
    if (job.size == 0) return counts_.leave_out(&JobCounts::without_size, job);
    if (is_unknown(field(fields, "Start"))) return counts_.leave_out(&JobCounts::without_run_time, job);
    if (is_unknown(field(fields, "End"))) return counts_.leave_out(&JobCounts::running, job);
    const auto start = time(fields, "Start");
    job.run_time = time(fields, "End") - start;
    if (start < job.submitted)
      lines_.fail("Start: found {}, before it was submitted at {}", field(fields, "Start"), field(fields, "Submit"));
    if (job.run_time < 0)
      lines_.fail("End: found {}, before the start at {}", field(fields, "End"), field(fields, "Start"));
    const auto list = field(fields, "NodeList");
    if (job.run_time == 0 && (list == no_nodes || (list.empty() && field(fields, "State").starts_with("CANCELLED"))))
      return counts_.leave_out(&JobCounts::without_run_time, job);  // cancelled while it waited
    // A job that waits for another one, or for a time, comes into the queue when that is over.
    if (!is_unknown(field(fields, "Eligible")))
      job.submitted = std::clamp(time(fields, "Eligible"), job.submitted, start);
    job.wait = start - job.submitted;
    job.estimate = estimate(fields);
    job.notes.user = number_of("User", field(fields, "User"));
    job.notes.group = number_of("Group", field(fields, "Account"));
    job.notes.queue = number_of("Queue", field(fields, "QOS"));
    job.notes.partition = number_of("Partition", field(fields, "Partition"));
    if (list != no_nodes) job.nodes = list;
    // A job that was queued again has a line for each run with --duplicates: the last one counts.
    const auto [last, is_new] = jobs_by_id_.emplace(job.id(), jobs_.size());
    if (is_new) return jobs_.push_back(std::move(job));
    auto& other = jobs_[last->second];
    if (start >= other.submitted + other.wait) std::swap(job, other);
    counts_.leave_out(&JobCounts::partial, job);
  }

  /// The number that a name is, or else that of the name in the order in which they come; -1 where there is none.
  std::int64_t number_of(Text note, Text name) {
    if (const auto number = core::parse_number<std::int64_t>(name); number && *number >= 0) return *number;
    if (name.empty()) return -1;
    auto& known = names_[note];
    return known.emplace(name, static_cast<std::int64_t>(known.size())).first->second;
  }

  /// The time limit; -1 where there is none.
  double estimate(const std::vector<Text>& fields) const {
    const auto text = field(fields, "Timelimit");
    if (is_unknown(text) || text == "UNLIMITED" || text == "Partition_Limit") return -1;
    const auto span = parse_span(text);
    if (!span)
      lines_.fail("Timelimit: found '{}', expected a time such as 1-02:00:00 or UNLIMITED", core::excerpt(text));
    return *span;
  }

  std::map<std::string, std::size_t, std::less<>> columns_;
  std::size_t fields_ = 0;
  std::int64_t number_ = 0;
  JobCounts counts_;
  std::map<Text, std::unordered_map<std::string, std::int64_t>> names_;  ///< numbers of names, by what they name
  std::vector<Job> jobs_;
  std::unordered_map<std::string, std::size_t> jobs_by_id_;
};

/// By its name, or by a header that begins with JobID or has that column between bars: tables with other marks between
/// columns are refused as what they are.
bool is_sacct(const std::string& path) {
  const auto header = core::first_content(path);
  const auto fields = fields_of(header);
  return path.ends_with(".sacct") || header.starts_with("JobID") ||
         (fields.size() > 1 && std::ranges::find(fields, "JobID") != fields.end());
}

/// Throws InputError if sacct cannot say the job; `ids` has those of the jobs before it.
void check(const Job& job, std::unordered_set<std::string>& ids) {
  const auto fail = [&](std::string_view why) { core::fail_input("job {}: {}: sacct cannot say that", job.id(), why); };
  const auto is_plain = [](const std::string& text, const char* marks) {
    return text.find_first_of(marks) == Text::npos && core::trim(text) == text &&
           core::excerpt(text, text.size()) == text;
  };
  if (!job.has_run_time()) fail("its run time is not known");
  if (job.wait < 0) fail("how long it waited is not known");
  if (!is_plain(job.id(), "|.") || (!job.name.empty() && core::parse_number<std::int64_t>(job.name)))
    fail("its name has a bar, a dot, blanks at an end or no plain text, or is a number");
  if (!is_plain(job.nodes, "|") || job.nodes == no_nodes) fail(fmt::format("its nodes are called '{}'", job.nodes));
  if (!ids.insert(job.id()).second) fail("its id is there twice, as of a job that was queued again");
}

/// Writes times in whole seconds, as Slurm has them, from the beginning of the log on, or from that of 2000 if nobody
/// knows that.
void write_sacct(const Jobs& jobs, core::OutputFile& file) {
  constexpr double year_2000 = 946'684'800, year_10000 = 253'402'300'800;
  const double epoch = std::floor(unix_start(jobs).value_or(year_2000));
  const auto time = [&](double seconds) {
    return fmt::format("{:%FT%T}", fmt::gmtime(static_cast<std::time_t>(epoch + seconds)));
  };
  const auto span = [](double seconds) {
    const auto s = static_cast<std::int64_t>(seconds);
    return fmt::format("{}-{:02}:{:02}:{:02}", s / 86400, s / 3600 % 24, s / 60 % 60, s % 60);
  };
  file.write(fmt::format("{}|Timelimit|User|Account|QOS|Partition|NodeList\n", core::join(needed, "|")));
  const auto known = [](std::int64_t number) { return number >= 0 ? std::to_string(number) : ""; };
  std::unordered_set<std::string> ids;
  Job job;
  for (const auto stream = jobs.open(); stream->next(job);) {
    if (ids.empty() && job.submitted > 0)
      core::fail_input(
          "job {}: is the first, submitted at {} s, expected 0 s, as times in sacct begin with it; "
          "JOBS:from={}s takes that off",
          job.id(), job.submitted, job.submitted);
    check(job, ids);
    const double start = job.submitted + job.wait, end = start + job.run_time;
    for (const double seconds : {job.submitted, job.wait, job.run_time, job.estimate})
      if (seconds != std::floor(seconds) || epoch + end >= year_10000)
        core::fail_input("job {}: found {} s, expected whole seconds before the year 10000: sacct cannot say that",
                         job.id(), seconds);
    file.write(fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}\n", job.id(), time(job.submitted), time(start), time(end),
                           job.size, job.estimate >= 0 ? span(job.estimate) : "UNLIMITED", known(job.notes.user),
                           known(job.notes.group), known(job.notes.queue), known(job.notes.partition), job.nodes));
  }
}

}  // namespace

core::Entry<JobFormat> sacct_format() {
  return {
      "sacct",
      "what sacct --parsable2 prints of Slurm's jobs",
      {is_sacct,
       read_held<SacctReader>,
       write_sacct,
       ".sacct",
       {"application", "program", "cpu_time_s", "memory", "requested_memory", "status", "preceding", "think_time_s"}}};
}

}  // namespace toroid::jobs

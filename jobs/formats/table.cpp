// Job lists of our own: a table with a header, comma-separated (RFC 4180), a job per line. What a column is called says
// what it is; only `size` must be there.

#include <fmt/format.h>

#include <array>
#include <limits>
#include <map>

#include "core/csv.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "jobs/formats/held_jobs.hpp"
#include "jobs/formats/malformed.hpp"

namespace toroid::jobs {
namespace {

const std::vector<std::string> columns{"number", "name",  "submitted_s", "size",  "run_time_s", "estimate_s", "wait_s",
                                       "user",   "group", "application", "queue", "partition",  "program",    "nodes"};

/// The place in `job` of a column of whole numbers that may be -1, for not known; null for other columns.
std::int64_t* note(Job& job, std::string_view column) {
  if (column == "user") return &job.notes.user;
  if (column == "group") return &job.notes.group;
  if (column == "application") return &job.notes.application;
  if (column == "queue") return &job.notes.queue;
  if (column == "partition") return &job.notes.partition;
  return nullptr;
}

double* seconds(Job& job, std::string_view column) {
  if (column == "submitted_s") return &job.submitted;
  if (column == "run_time_s") return &job.run_time;
  if (column == "estimate_s") return &job.estimate;
  if (column == "wait_s") return &job.wait;
  return nullptr;
}

class TableReader {
 public:
  TableReader(const std::string& path, Reading reading) : lines_(path), reading_(reading) {}

  HeldJobs read() {
    read_header();
    std::vector<Job> jobs;
    JobCounts counts;
    for (std::int64_t number = 1; const auto line = lines_.next();) {
      if (core::trim(*line).empty()) continue;
      read_or_leave_out(reading_, counts.malformed, [&] { jobs.push_back(job(*line, number++)); });
    }
    return {lines_.path(), std::move(jobs), counts};
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    core::fail_input_at(lines_.path(), lines_.line(), "{}", fmt::format(format, std::forward<Args>(args)...));
  }

  void read_header() {
    for (auto& field : core::csv_fields(lines_.next().value_or(""))) {
      const std::string name(core::trim(field));
      if (std::find(columns.begin(), columns.end(), name) == columns.end())
        fail("unknown column '{}'{}", core::excerpt(name), core::valid_instead(name, columns));
      if (std::find(header_.begin(), header_.end(), name) != header_.end()) fail("column '{}' is there twice", name);
      header_.push_back(name);
    }
  }

  Job job(std::string_view line, std::int64_t number) const {
    const auto fields = core::csv_fields(line);
    if (fields.size() != header_.size()) fail("found {} fields, expected {}", fields.size(), header_.size());
    Job job;
    job.number = number;
    job.run_time = -1;
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (const auto text = core::trim(fields[i]); !text.empty())
        read(job, header_[i], text);
      else if (header_[i] == "submitted_s")
        fail("submitted_s: found nothing, expected 0 or more seconds");
    return job;
  }

  void read(Job& job, const std::string& column, std::string_view text) const {
    if (column == "name" || column == "program" || column == "nodes") {
      (column == "name" ? job.name : column == "nodes" ? job.nodes : job.program) = text;
    } else if (auto* time = seconds(job, column)) {
      const auto value = core::parse_number<double>(text);
      if (!value || !(*value >= 0 && *value <= latest_second))
        fail("{}: found '{}', expected 0 or more seconds", column, core::excerpt(text));
      *time = *value;
    } else if (column == "size") {
      job.size = whole<std::int32_t>(column, text, 1);
    } else {
      auto* const field = column == "number" ? &job.number : note(job, column);
      *field = whole<std::int64_t>(column, text, -1);
    }
  }

  template <class Number>
  Number whole(const std::string& column, std::string_view text, Number least) const {
    const auto value = core::parse_number<Number>(text);
    if (!value || *value < least)
      fail("{}: found '{}', expected a whole number from {}", column, core::excerpt(text), least);
    return *value;
  }

  core::LineReader lines_;
  Reading reading_;
  std::vector<std::string> header_;
};

/// The first line names columns, `size` among them.
bool has_header(const std::string& path) {
  core::LineReader lines(path);
  const auto first = lines.next();
  if (!first) return false;
  const auto fields = core::csv_fields(*first);
  return std::any_of(fields.begin(), fields.end(), [](const auto& field) { return core::trim(field) == "size"; });
}

void write_table(const Jobs& jobs, core::OutputFile& file) {
  file.write(core::join(columns, ",") + "\n");
  Job job;
  const auto known = [](auto value) { return value < 0 ? std::string() : fmt::format("{}", value); };
  for (const auto stream = jobs.open(); stream->next(job);) {
    if (job.demand != Demand::constant)
      core::fail_input("job {}: its demand is {}, expected a constant one: a table cannot say that", job.id(),
                       to_string(job.demand));
    for (const auto& text :
         {job.name, job.program, job.nodes})  // a job is a line, and blanks around a field do not count
      if (core::trim(text) != text || text.find_first_of("\r\n") != std::string::npos)
        core::fail_input("job {}: '{}' has blanks at an end or is more than a line: a table cannot say that",
                         job.number, core::excerpt(text));
    file.write(fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", job.number, core::csv_field(job.name),
                           job.submitted, job.size, known(job.run_time), known(job.estimate), known(job.wait),
                           known(job.notes.user), known(job.notes.group), known(job.notes.application),
                           known(job.notes.queue), known(job.notes.partition), core::csv_field(job.program),
                           core::csv_field(job.nodes)));
  }
}

}  // namespace

core::Entry<JobFormat> table_format() {
  return {"csv",
          "a table with the column size and any of number, name, submitted_s, run_time_s, estimate_s, wait_s, user, "
          "group, application, queue, partition, program, nodes",
          {has_header,
           [](const std::string& path, Reading reading) -> std::unique_ptr<Jobs> {
             return std::make_unique<HeldJobs>(TableReader(path, reading).read());
           },
           write_table, ".csv"}};
}

}  // namespace toroid::jobs

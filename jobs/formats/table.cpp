// Job lists of our own: a table with a header, comma-separated (RFC 4180), a job per line. What a column is called says
// what it is; only `size` must be there.

#include <algorithm>

#include "core/csv.hpp"
#include "jobs/formats/log.hpp"

namespace toroid::jobs {
namespace {

class TableReader : LogLines {
 public:
  TableReader(const std::string& path, Reading reading) : LogLines(path, reading) {}

  HeldJobs read() {
    read_header();
    std::vector<Job> jobs;
    JobCounts counts;
    std::int64_t number = 1;
    for_each_job(counts.malformed, [&](std::string_view line) { jobs.push_back(job(line, number++)); });
    return {lines_.path(), std::move(jobs), counts};
  }

 private:
  void read_header() {
    for (auto& field : core::csv_fields(lines_.next().value_or(""))) {
      const std::string name(core::trim(field));
      const auto* column = job_field(name);
      if (column == nullptr)
        fail("unknown column '{}'{}", core::excerpt(name), core::valid_instead(name, job_field_names()));
      if (std::find(header_.begin(), header_.end(), column) != header_.end()) fail("column '{}' is there twice", name);
      header_.push_back(column);
    }
  }

  Job job(std::string_view line, std::int64_t number) const {
    const auto fields = core::csv_fields(line);
    if (fields.size() != header_.size()) fail("found {} fields, expected {}", fields.size(), header_.size());
    Job job;
    job.number = number;
    job.run_time = -1;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto text = core::trim(fields[i]);
      const auto& column = *header_[i];
      if (text.empty() && column.name != "submitted_s") continue;
      if (const auto expected = column.read(job, text); !expected.empty())
        fail("{}: found '{}', expected {}", column.name, core::excerpt(text), expected);
    }
    return job;
  }

  std::vector<const JobField*> header_;
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
  file.write(core::join(job_field_names(), ",") + "\n");
  Job job;
  for (const auto stream = jobs.open(); stream->next(job);) {
    std::vector<std::string> fields;
    for (const auto& column : job_fields()) {
      const auto text = column.text(job);
      fields.push_back(core::csv_field(text));
      if (core::trim(text) != text || core::csv_fields(fields.back()) != std::vector{text})
        core::fail_input(
            "job {}: its {} '{}' has blanks at an end or is more than plain text of a line: a table "
            "cannot say that",
            job.number, column.name, core::excerpt(text));
    }
    file.write(core::join(fields, ",") + "\n");
  }
}

}  // namespace

core::Entry<JobFormat> table_format() {
  return {"csv",
          "a table with the column size and any of number, name, submitted_s, run_time_s, estimate_s, wait_s, user, "
          "group, application, queue, partition, program, nodes, cpu_time_s, memory, requested_memory, status, "
          "preceding, think_time_s",
          {has_header, read_held<TableReader>, write_table, ".csv"}};
}

}  // namespace toroid::jobs

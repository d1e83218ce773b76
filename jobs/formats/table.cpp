// Job lists of our own: a table with a header, comma-separated (RFC 4180), a job per line. What a column is called says
// what it is; only `size` must be there.

#include "core/csv.hpp"
#include "core/output.hpp"
#include "jobs/formats/log.hpp"

namespace toroid::jobs {
namespace {

/// The columns of a table. What is wrong is told by fail(text).
class JobColumns {
 public:
  template <class Fail>
  JobColumns(const std::vector<std::string>& names, Fail fail) {
    for (const auto& given : names) {
      const std::string name(core::trim(given));
      const auto* column = job_field(name);
      if (column == nullptr)
        fail(fmt::format("unknown column '{}'{}", core::excerpt(name), core::valid_instead(name, job_field_names())));
      if (std::ranges::find(columns_, column) != columns_.end()) fail(fmt::format("column '{}' is there twice", name));
      columns_.push_back(column);
    }
  }

  template <class Fail>
  Job job(const std::vector<std::string>& cells, std::int64_t number, Fail fail) const {
    if (cells.size() != columns_.size())
      fail(fmt::format("found {} fields, expected {}", cells.size(), columns_.size()));
    Job job;
    job.number = number;
    job.run_time = -1;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto text = core::trim(cells[i]);
      const auto& column = *columns_[i];
      if (text.empty() && column.name != "submitted_s") continue;
      if (const auto expected = column.read(job, text); !expected.empty())
        fail(fmt::format("{}: found '{}', expected {}", column.name, core::excerpt(text), expected));
    }
    return job;
  }

 private:
  std::vector<const JobField*> columns_;
};

class TableReader : LogLines {
 public:
  TableReader(const std::string& path, Reading reading) : LogLines(path, reading) {}

  HeldJobs read() {
    const auto complain = [this](const std::string& what) { lines_.fail("{}", what); };
    const JobColumns columns(core::csv_fields(lines_.next().value_or("")), complain);
    std::vector<Job> jobs;
    JobCounts counts;
    std::int64_t number = 1;
    for_each_job(counts.malformed, [&](std::string_view line) {
      jobs.push_back(columns.job(core::csv_fields(line), number++, complain));
    });
    return {lines_.path(), std::move(jobs), counts};
  }
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

std::unique_ptr<Jobs> jobs_of_table(const std::string& name, const std::vector<std::string>& columns,
                                    const std::vector<std::vector<std::string>>& rows, Reading reading) {
  const JobColumns known(columns, [&](const std::string& what) { core::fail_input("{}: {}", name, what); });
  std::vector<Job> jobs;
  JobCounts counts;
  for (std::size_t row = 0; row < rows.size(); ++row)
    read_or_leave_out(reading, counts.malformed, [&] {
      jobs.push_back(known.job(rows[row], static_cast<std::int64_t>(row) + 1,
                               [&](const std::string& what) { core::fail_input("{}, row {}: {}", name, row, what); }));
    });
  return std::make_unique<HeldJobs>("", std::move(jobs), counts);
}

core::Entry<JobFormat> table_format() {
  return {"csv",
          "a table with the column size and any of number, name, submitted_s, run_time_s, estimate_s, wait_s, user, "
          "group, application, queue, partition, program, nodes, cpu_time_s, memory, requested_memory, status, "
          "preceding, think_time_s",
          {has_header, read_held<TableReader>, write_table, ".csv"}};
}

}  // namespace toroid::jobs

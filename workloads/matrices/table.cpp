// p lines of p comma-separated numbers, the row being the sender: what `toroid trace matrix` prints.

#include <algorithm>

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "workloads/matrices/builder.hpp"
#include "workloads/matrices/matrices.hpp"

namespace toroid::workloads {
namespace {

bool is_table(const std::string& path) {
  if (has_extension(path, "csv")) return true;
  const auto first = core::first_content(path);
  const auto fields = core::split(first, ',');
  return fields.size() > 1 && std::all_of(fields.begin(), fields.end(), [](std::string_view field) {
           return core::parse_number<double>(core::trim(field)).has_value();
         });
}

CommunicationMatrix read_table(const std::string& path) {
  MatrixBuilder builder(path);
  core::LineReader reader(path);
  std::int64_t from = 0;
  while (const auto line = reader.next()) {
    const auto text = core::trim(*line);
    if (text.empty() || text.starts_with('#')) continue;
    const auto fields = core::split(text, ',');
    if (from == 0) {
      if (!core::parse_number<double>(core::trim(fields[0])))
        core::fail_input_at(path, reader.line(), "found '{}', expected numbers, or the header from,to,bytes[,messages]",
                            core::excerpt(text));
      builder.widen(static_cast<std::int64_t>(fields.size()), reader.line());
    }
    if (static_cast<std::size_t>(from) == builder.ranks())
      core::fail_input_at(path, reader.line(), "found another line, expected {}, as many as there are columns",
                          builder.ranks());
    if (fields.size() != builder.ranks())
      core::fail_input_at(path, reader.line(), "found {} numbers, expected {} as in the first line", fields.size(),
                          builder.ranks());
    for (std::size_t to = 0; to < fields.size(); ++to)
      if (const auto bytes = builder.weight(core::trim(fields[to]), reader.line()); bytes > 0)
        builder.add(from, static_cast<std::int64_t>(to), bytes, 1, reader.line());
    ++from;
  }
  if (from == 0) core::fail_input("{}: the matrix is empty; expected p lines of p numbers", path);
  if (static_cast<std::size_t>(from) < builder.ranks())
    core::fail_input("{}: found {} lines of numbers, expected {}, as many as there are columns", path, from,
                     builder.ranks());
  return builder.finish();
}

void write_table(const CommunicationMatrix& matrix, const TextSink& out) {
  write_matrix_csv(matrix, false, out);
}

}  // namespace

core::Entry<MatrixFormat> table_matrix() {
  return {"table",
          "CSV, p lines of p numbers of bytes, a line per sender; known by the name .csv, or a first line of numbers "
          "and commas",
          MatrixFormat{is_table, read_table, write_table, true}};
}

}  // namespace toroid::workloads

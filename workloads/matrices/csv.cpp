// Numbers with commas between them: a line for each pair of ranks that communicates, from,to,bytes[,messages], under
// that header; or p lines of p numbers, the row being the sender, which is what `toroid trace matrix` prints.

#include "workloads/matrices/matrices.hpp"

namespace toroid::workloads {
namespace {

std::vector<std::string_view> trimmed_fields(std::string_view line) {
  auto fields = core::split(line, ',');
  for (auto& field : fields) field = core::trim(field);
  return fields;
}

bool is_list(const std::string& path) {
  return core::first_content(path).starts_with("from,");
}

CommunicationMatrix read_list(const std::string& path) {
  MatrixReader reader(path);
  reader.pass_over('#');
  if (reader.next_line() && reader.line() != "from,to,bytes" && reader.line() != "from,to,bytes,messages")
    reader.fail("found the header '{}', expected from,to,bytes[,messages]", core::excerpt(reader.line()));
  const std::size_t columns = reader.line().ends_with("messages") ? 4 : 3;
  while (reader.next_line()) {
    const auto fields = trimmed_fields(reader.line());
    if (fields.size() != columns) reader.fail("found {} fields, expected {} as in the header", fields.size(), columns);
    const auto from = reader.index(fields[0], 0, most_matrix_ranks - 1, "a rank");
    const auto to = reader.index(fields[1], 0, most_matrix_ranks - 1, "a rank");
    const auto bytes = reader.weight(fields[2]);
    const auto messages = columns == 4 ? reader.weight(fields[3]) : 1;
    if (messages == 0 && bytes > 0) reader.fail("found {} bytes in 0 messages, expected a message at least", bytes);
    reader.widen(std::max(from, to) + 1);
    if (messages > 0) reader.add(from, to, bytes, messages);
  }
  if (reader.ranks() == 0) core::fail_input("{}: the matrix is empty; expected lines from,to,bytes[,messages]", path);
  return reader.finish();
}

void write_list(const CommunicationMatrix& matrix, const TextSink& out) {
  std::string text = "from,to,bytes,messages\n";
  std::size_t named = 0;
  for (const Rank from : matrix.rows.ids())
    for (const auto& cell : matrix.rows[from]) {
      text += fmt::format("{},{},{},{}\n", from, cell.to, cell.bytes, cell.messages);
      named = std::max({named, from.index() + 1, cell.to.index() + 1});
    }
  // A line of no messages says that the last rank exists, if nothing else does.
  if (const auto ranks = matrix.rows.size(); named < ranks) text += fmt::format("{0},{0},0,0\n", ranks - 1);
  out(text);
}

bool is_table(const std::string& path) {
  if (has_extension(path, "csv")) return true;
  const auto first = core::first_content(path);
  const auto fields = trimmed_fields(first);
  return fields.size() > 1 && std::ranges::all_of(fields, [](std::string_view field) {
           return core::parse_number<double>(field).has_value();
         });
}

CommunicationMatrix read_table(const std::string& path) {
  MatrixReader reader(path);
  reader.pass_over('#');
  std::int64_t from = 0;
  for (; reader.next_line(); ++from) {
    const auto fields = trimmed_fields(reader.line());
    if (from == 0) {
      if (!core::parse_number<double>(fields[0]))
        reader.fail("found '{}', expected numbers, or the header from,to,bytes[,messages]",
                    core::excerpt(reader.line()));
      reader.widen(static_cast<std::int64_t>(fields.size()));
    }
    if (static_cast<std::size_t>(from) == reader.ranks())
      reader.fail("found another line, expected {}, as many as there are columns", reader.ranks());
    if (fields.size() != reader.ranks())
      reader.fail("found {} numbers, expected {} as in the first line", fields.size(), reader.ranks());
    for (std::size_t to = 0; to < fields.size(); ++to)
      if (const auto bytes = reader.weight(fields[to]); bytes > 0)
        reader.add(from, static_cast<std::int64_t>(to), bytes);
  }
  if (from == 0) core::fail_input("{}: the matrix is empty; expected p lines of p numbers", path);
  if (static_cast<std::size_t>(from) < reader.ranks())
    core::fail_input("{}: found {} lines of numbers, expected {}, as many as there are columns", path, from,
                     reader.ranks());
  return reader.finish();
}

}  // namespace

core::Entry<MatrixFormat> list_matrix() {
  return {"list", "CSV under the header from,to,bytes or from,to,bytes,messages, by which it is known; ranks from 0",
          MatrixFormat{is_list, read_list, write_list}};
}

core::Entry<MatrixFormat> table_matrix() {
  return {"table",
          "CSV, p lines of p numbers of bytes, a line per sender; known by the name .csv, or a first line of numbers "
          "and commas",
          MatrixFormat{is_table, read_table,
                       [](const auto& matrix, const auto& out) { write_matrix_csv(matrix, false, out); }, true}};
}

}  // namespace toroid::workloads

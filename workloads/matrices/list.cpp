// A line for each pair of ranks that communicates: from,to,bytes[,messages], under that header.

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "workloads/matrices/builder.hpp"
#include "workloads/matrices/matrices.hpp"

namespace toroid::workloads {
namespace {

bool is_list(const std::string& path) {
  return core::first_content(path).starts_with("from,");
}

/// Whether there is a column of messages.
bool read_header(core::LineReader& reader) {
  while (const auto line = reader.next()) {
    const auto text = core::trim(*line);
    if (text.empty() || text.starts_with('#')) continue;
    if (text != "from,to,bytes" && text != "from,to,bytes,messages")
      core::fail_input_at(reader.path(), reader.line(), "found the header '{}', expected from,to,bytes[,messages]",
                          core::excerpt(text));
    return text.ends_with("messages");
  }
  return false;
}

CommunicationMatrix read_list(const std::string& path) {
  MatrixBuilder builder(path);
  core::LineReader reader(path);
  const std::size_t columns = read_header(reader) ? 4 : 3;
  while (const auto line = reader.next()) {
    const auto text = core::trim(*line);
    if (text.empty() || text.starts_with('#')) continue;
    const auto fields = core::split(text, ',');
    if (fields.size() != columns)
      core::fail_input_at(path, reader.line(), "found {} fields, expected {} as in the header", fields.size(), columns);
    const auto rank = [&](std::string_view field) {
      return builder.index(core::trim(field), 0, most_matrix_ranks - 1, "a rank", reader.line());
    };
    const auto from = rank(fields[0]), to = rank(fields[1]);
    const auto bytes = builder.weight(core::trim(fields[2]), reader.line());
    const auto messages = columns == 4 ? builder.weight(core::trim(fields[3]), reader.line()) : 1;
    if (messages == 0 && bytes > 0)
      core::fail_input_at(path, reader.line(), "found {} bytes in 0 messages, expected a message at least", bytes);
    builder.widen(std::max(from, to) + 1, reader.line());
    if (messages > 0) builder.add(from, to, bytes, messages, reader.line());
  }
  if (builder.ranks() == 0) core::fail_input("{}: the matrix is empty; expected lines from,to,bytes[,messages]", path);
  return builder.finish();
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

}  // namespace

core::Entry<MatrixFormat> list_matrix() {
  return {"list", "CSV under the header from,to,bytes or from,to,bytes,messages, by which it is known; ranks from 0",
          MatrixFormat{is_list, read_list, write_list}};
}

}  // namespace toroid::workloads

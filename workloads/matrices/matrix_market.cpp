// The coordinate format of the Matrix Market (Boisvert, Pozo, Remington 1996): a header, comments, a line ROWS COLUMNS
// ENTRIES, and a line ROW COLUMN VALUE for each entry, rows and columns from 1.

#include <cctype>

#include "workloads/matrices/matrices.hpp"
#include "workloads/matrices/reader.hpp"

namespace toroid::workloads {
namespace {

constexpr std::string_view banner = "%%MatrixMarket";
constexpr std::int64_t most_entries = std::int64_t{1} << 40U;

bool is_matrix_market(const std::string& path) {
  return has_extension(path, "mtx") || core::first_content(path).starts_with(banner);
}

/// Reads the first line. Returns whether the matrix is symmetric.
bool read_banner(MatrixReader& reader) {
  reader.next_line(true);
  std::string header(reader.line());
  std::transform(header.begin(), header.end(), header.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto fields = core::words(header);
  const auto is = [&](std::size_t i, std::string_view a, std::string_view b) {
    return fields[i] == a || fields[i] == b;
  };
  const bool known = fields.size() == 5 && fields[0] == "%%matrixmarket" && fields[1] == "matrix" &&
                     fields[2] == "coordinate" && is(3, "integer", "real") && is(4, "general", "symmetric");
  if (!known)
    reader.fail("found '{}', expected {} matrix coordinate integer|real general|symmetric",
                core::excerpt(reader.line()), banner);
  return fields[4] == "symmetric";
}

CommunicationMatrix read_matrix_market(const std::string& path) {
  MatrixReader reader(path);
  const bool symmetric = read_banner(reader);
  reader.pass_over('%');
  reader.next_line();
  const auto sizes = reader.words(3, "ROWS COLUMNS ENTRIES");
  const auto ranks = reader.index(sizes[0], 1, most_matrix_ranks, "a number of rows");
  if (reader.index(sizes[1], 1, most_matrix_ranks, "a number of columns") != ranks)
    reader.fail("found {} rows and {} columns, expected as many", sizes[0], sizes[1]);
  const auto entries = reader.index(sizes[2], 0, most_entries, "a number of entries");
  reader.widen(ranks);
  for (std::int64_t i = 0; i < entries; ++i) {
    if (!reader.next_line())
      core::fail_input("{}: found {} entries, expected {}: the file is truncated", path, i, entries);
    const auto fields = reader.words(3, "ROW COLUMN VALUE");
    const auto from = reader.index(fields[0], 1, ranks, "a row") - 1;
    const auto to = reader.index(fields[1], 1, ranks, "a column") - 1;
    if (symmetric && to > from)
      reader.fail("found an entry above the diagonal, expected a symmetric matrix to have only those on it and below");
    const auto bytes = reader.weight(fields[2]);
    if (bytes == 0) continue;
    reader.add(from, to, bytes);
    if (symmetric && from != to) reader.add(to, from, bytes);
  }
  if (reader.next_line()) reader.fail("found another line after {} entries, expected the end", entries);
  return reader.finish();
}

void write_matrix_market(const CommunicationMatrix& matrix, const TextSink& out) {
  std::size_t entries = 0;
  std::string body;
  for (const Rank from : matrix.rows.ids())
    for (const auto& cell : matrix.rows[from]) {
      body += fmt::format("{} {} {}\n", from.value() + 1, cell.to.value() + 1, cell.bytes);
      ++entries;
    }
  out(fmt::format("{0} matrix coordinate integer general\n{1} {1} {2}\n", banner, matrix.rows.size(), entries));
  out(body);
}

}  // namespace

core::Entry<MatrixFormat> market_matrix() {
  return {"mtx",
          "Matrix Market, coordinate, integer or real, general or symmetric, bytes from row to column; ranks from 1; "
          "known by the name .mtx, or %%MatrixMarket",
          MatrixFormat{is_matrix_market, read_matrix_market, write_matrix_market}};
}

}  // namespace toroid::workloads

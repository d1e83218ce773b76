// The coordinate format of the Matrix Market (Boisvert, Pozo, Remington 1996): a header, comments, a line ROWS COLUMNS
// ENTRIES, and a line ROW COLUMN VALUE for each entry, rows and columns from 1.

#include <algorithm>
#include <cctype>

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "workloads/matrices/builder.hpp"
#include "workloads/matrices/matrices.hpp"

namespace toroid::workloads {
namespace {

constexpr std::string_view banner = "%%MatrixMarket";
constexpr std::int64_t most_entries = std::int64_t{1} << 40U;

bool is_matrix_market(const std::string& path) {
  return has_extension(path, "mtx") || core::first_content(path).starts_with(banner);
}

class MatrixMarketReader {
 public:
  explicit MatrixMarketReader(const std::string& path) : path_(path), builder_(path), lines_(path) {}

  CommunicationMatrix read() {
    read_header();
    const auto sizes = next(3, "ROWS COLUMNS ENTRIES");
    const auto ranks = index(sizes[0], most_matrix_ranks, "a number of rows");
    if (index(sizes[1], most_matrix_ranks, "a number of columns") != ranks)
      core::fail_input_at(path_, lines_.line(), "found {} rows and {} columns, expected as many", sizes[0], sizes[1]);
    const auto entries = builder_.index(sizes[2], 0, most_entries, "a number of entries", lines_.line());
    builder_.widen(ranks, lines_.line());
    for (std::int64_t i = 0; i < entries; ++i) read_entry(ranks, i, entries);
    if (!next_line().empty())
      core::fail_input_at(path_, lines_.line(), "found another line after {} entries, expected the end", entries);
    return builder_.finish();
  }

 private:
  void read_header() {
    const auto line = lines_.next();
    std::string header(core::trim(line.value_or("")));
    std::transform(header.begin(), header.end(), header.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto fields = core::words(header);
    const auto is = [&](std::size_t i, std::string_view a, std::string_view b) {
      return fields[i] == a || fields[i] == b;
    };
    const bool known = fields.size() == 5 && fields[0] == "%%matrixmarket" && fields[1] == "matrix" &&
                       fields[2] == "coordinate" && is(3, "integer", "real") && is(4, "general", "symmetric");
    if (!known)
      core::fail_input_at(path_, std::max<std::uint64_t>(1, lines_.line()),
                          "found '{}', expected {} matrix coordinate integer|real general|symmetric",
                          core::excerpt(core::trim(line.value_or(""))), banner);
    symmetric_ = fields[4] == "symmetric";
  }

  void read_entry(std::int64_t ranks, std::int64_t read, std::int64_t entries) {
    if (next_line().empty())
      core::fail_input("{}: found {} entries, expected {}: the file is truncated", path_, read, entries);
    const auto fields = cut(3, "ROW COLUMN VALUE");
    const auto from = index(fields[0], ranks, "a row") - 1, to = index(fields[1], ranks, "a column") - 1;
    if (symmetric_ && to > from)
      core::fail_input_at(path_, lines_.line(),
                          "found an entry above the diagonal, expected a symmetric matrix to have "
                          "only those on it and below");
    const auto bytes = builder_.weight(fields[2], lines_.line());
    if (bytes == 0) return;
    builder_.add(from, to, bytes, 1, lines_.line());
    if (symmetric_ && from != to) builder_.add(to, from, bytes, 1, lines_.line());
  }

  std::int64_t index(std::string_view text, std::int64_t high, std::string_view what) const {
    return builder_.index(text, 1, high, what, lines_.line());
  }

  /// The next line that is not blank and no comment; empty at the end.
  std::string_view next_line() {
    while (const auto line = lines_.next()) {
      line_ = core::trim(*line);
      if (!line_.empty() && !line_.starts_with('%')) return line_;
    }
    return line_ = {};
  }

  std::vector<std::string_view> cut(std::size_t count, std::string_view grammar) const {
    auto fields = core::words(line_);
    if (fields.size() != count)
      core::fail_input_at(path_, lines_.line(), "found '{}', expected {}", core::excerpt(line_), grammar);
    return fields;
  }

  std::vector<std::string_view> next(std::size_t count, std::string_view grammar) {
    next_line();
    return cut(count, grammar);
  }

  std::string path_;
  MatrixBuilder builder_;
  core::LineReader lines_;
  std::string_view line_;
  bool symmetric_ = false;
};

CommunicationMatrix read_matrix_market(const std::string& path) {
  return MatrixMarketReader(path).read();
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

// Quadratic assignment problems as in QAPLIB (R. Burkard, S. Karisch, F. Rendl, QAPLIB, J. Global Optimization 10,
// 1997): n, and two matrices of n x n numbers between white space. The first one is who sends how much to whom, the
// second one, distances, is not about the program.

#include <algorithm>

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "workloads/matrices/builder.hpp"
#include "workloads/matrices/matrices.hpp"

namespace toroid::workloads {
namespace {

bool is_qaplib(const std::string& path) {
  return has_extension(path, "dat");
}

CommunicationMatrix read_qaplib(const std::string& path) {
  MatrixBuilder builder(path);
  core::LineReader lines(path);
  std::int64_t ranks = 0, count = 0;  // of numbers after the first
  while (const auto line = lines.next())
    for (const auto word : core::words(*line)) {
      if (ranks == 0) {
        ranks = builder.index(word, 1, most_matrix_ranks, "a number of ranks", lines.line());
        builder.widen(ranks, lines.line());
        continue;
      }
      const auto value = builder.weight(word, lines.line());
      if (count == 2 * ranks * ranks)
        core::fail_input_at(path, lines.line(), "found '{}' after two matrices, expected the end", core::excerpt(word));
      if (count < ranks * ranks && value > 0) builder.add(count / ranks, count % ranks, value, 1, lines.line());
      ++count;
    }
  if (ranks == 0) core::fail_input("{}: the problem is empty; expected n and two matrices", path);
  if (count != 2 * ranks * ranks)
    core::fail_input("{}: found {} numbers, expected two matrices of {}: the file is truncated", path, count,
                     ranks * ranks);
  return builder.finish();
}

/// There are no distances: they are 0, to be replaced by those of a machine.
void write_qaplib(const CommunicationMatrix& matrix, const TextSink& out) {
  const auto ranks = matrix.rows.size();
  out(fmt::format("{}\n\n", ranks));
  write_matrix_csv(matrix, false, [&](std::string_view line) {
    std::string flows(line);
    std::replace(flows.begin(), flows.end(), ',', ' ');
    out(flows);
  });
  out("\n");
  std::string zeros;
  for (std::size_t column = 0; column < ranks; ++column) zeros += column + 1 < ranks ? "0 " : "0\n";
  for (std::size_t row = 0; row < ranks; ++row) out(zeros);
}

}  // namespace

core::Entry<MatrixFormat> qaplib_matrix() {
  return {"qaplib",
          "problem of QAPLIB, known by the name .dat: n, the bytes from row to column, and distances, which are 0",
          MatrixFormat{is_qaplib, read_qaplib, write_qaplib, true}};
}

}  // namespace toroid::workloads

// Quadratic assignment problems as in QAPLIB (R. Burkard, S. Karisch, F. Rendl, QAPLIB, J. Global Optimization 10,
// 1997): n, and two matrices of n x n numbers between white space. The first is who sends how much to whom; the other,
// distances, is not about the program. Which of them comes first differs from file to file of the archive.

#include "core/progress.hpp"
#include "workloads/matrices/matrices.hpp"
#include "workloads/matrices/reader.hpp"

namespace toroid::workloads {
namespace {

/// The bytes between two ranks that differ, each row one after the other; nothing unless all are above 0 and the same
/// both ways, as distances are.
std::optional<std::vector<double>> dense(const CommunicationMatrix& matrix) {
  const auto n = matrix.rows.size();
  std::vector<double> all(n * n);
  for (const Rank from : core::ids<Rank>(n)) {
    if (matrix.rows[from].size() + 1 != n) return std::nullopt;
    for (const auto& cell : matrix.rows[from])
      all[from.index() * n + cell.to.index()] = static_cast<double>(cell.bytes);
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (all[i * n + j] != all[j * n + i]) return std::nullopt;
  return all;
}

/// Whether the numbers are hops, times a factor, on a grid of so many columns whose rows are counted one after the
/// other.
bool are_hops(const std::vector<double>& all, std::size_t n, std::size_t columns) {
  const auto apart = [](std::size_t a, std::size_t b) { return static_cast<double>(std::max(a, b) - std::min(a, b)); };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (all[i * n + j] != all[1] * (apart(i % columns, j % columns) + apart(i / columns, j / columns))) return false;
  return true;
}

/// What makes the numbers distances and no traffic, in words; empty if nothing does.
std::string distances_in_words(const CommunicationMatrix& matrix) {
  const auto n = matrix.rows.size();
  if (matrix.total_bytes() == 0) return "distances, all of them 0";
  const auto all = dense(matrix);
  if (!all || n < 3) return {};
  for (std::size_t columns = 2; columns <= n; ++columns)
    if (n % columns == 0 && are_hops(*all, n, columns))
      return fmt::format("hops on a grid of {}x{}", columns, n / columns);
  return {};
}

/// The order that stands behind the name of a file; nothing if none does.
std::optional<std::size_t> order_of(const std::string& text) {
  const auto at = text.find(qap_order);
  if (at == std::string::npos) return std::nullopt;
  const auto order = text.substr(at + qap_order.size());
  if (order != "flows-first" && order != "distances-first")
    core::fail_input("{}: found '{}', expected flows-first or distances-first", text.substr(0, at), order);
  return order == "flows-first" ? 0 : 1;
}

/// Which of the two matrices is the traffic.
std::size_t traffic_of(const std::array<CommunicationMatrix, 2>& both, const std::string& path) {
  const std::array words{distances_in_words(both[0]), distances_in_words(both[1])};
  if (words[0].empty() == words[1].empty() && both[0].total_bytes() + both[1].total_bytes() > 0)
    core::fail_input(
        "{0}: found two matrices that may both be the traffic, expected {0}{1}flows-first or {0}{1}"
        "distances-first: files of QAPLIB differ",
        path, qap_order);
  if (words[1].empty()) {
    core::announce(fmt::format("{}: the first matrix is {}, so the second one is the traffic", path, words[0]));
    return 1;
  }
  if (both[1].total_bytes() > 0)
    core::announce(fmt::format("{}: the second matrix is {}, so the first one is the traffic", path, words[1]));
  return 0;
}

CommunicationMatrix read_qaplib(const std::string& text) {
  const auto order = order_of(text);
  const auto path = text.substr(0, text.find(qap_order));
  MatrixReader reader(path);
  std::int64_t ranks = 0, count = 0;  // numbers after the first
  std::array<CommunicationMatrix, 2> both;
  while (const auto word = reader.next_word()) {
    if (ranks == 0) {
      ranks = reader.index(*word, 1, most_matrix_ranks, "a number of ranks");
      reader.widen(ranks);
      continue;
    }
    const auto value = reader.weight(*word);
    if (count == 2 * ranks * ranks)
      reader.fail("found '{}' after two matrices, expected the end", core::excerpt(*word));
    const auto at = count % (ranks * ranks);
    if (value > 0) reader.add(at / ranks, at % ranks, value);
    if (++count % (ranks * ranks) != 0) continue;
    both[count == ranks * ranks ? 0 : 1] = reader.finish();
    reader.widen(ranks);
  }
  if (ranks == 0) core::fail_input("{}: the problem is empty; expected n and two matrices", path);
  if (count != 2 * ranks * ranks)
    core::fail_input("{}: found {} numbers, expected two matrices of {}: the file is truncated", path, count,
                     ranks * ranks);
  return std::move(both[order ? *order : traffic_of(both, path)]);
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
          "problem of QAPLIB, known by the name .dat: n, the bytes from row to column, and distances, which are 0; a "
          "file that "
          "has distances first is FILE.dat:order=distances-first",
          MatrixFormat{[](const std::string& path) { return has_extension(path, "dat"); }, read_qaplib, write_qaplib,
                       true}};
}

}  // namespace toroid::workloads

// Graphs for METIS and its kin (G. Karypis, METIS manual, section 4.5), which know no direction: the weight of an edge
// is what its two ranks send each other, both ways together. A line VERTICES EDGES [FORMAT [WEIGHTS]], then a line for
// each vertex, its neighbours from 1, each followed by the weight of the edge.

#include "workloads/matrices/matrices.hpp"

namespace toroid::workloads {
namespace {

using Cell = CommunicationMatrix::Cell;

/// Bytes in a row, whose receivers ascend.
std::uint64_t bytes_to(const std::vector<Cell>& row, Rank to) {
  const auto found = std::ranges::lower_bound(row, to, {}, &Cell::to);
  return found != row.end() && found->to == to ? found->bytes : 0;
}

/// The edges of a matrix: row r has the weights of rank r's edges, so each edge is there twice. Pairs of ranks that
/// send each other messages without bytes have none.
CommunicationMatrix edges_of(const CommunicationMatrix& matrix) {
  CommunicationMatrix edges;
  edges.rows.resize(matrix.rows.size());
  for (const Rank from : matrix.rows.ids())
    for (const auto& [to, bytes, messages] : matrix.rows[from]) {
      const auto back = bytes_to(matrix.rows[to], from);
      if (bytes > 0) edges.rows[from].push_back({to, bytes + back, 1});
      if (bytes > 0 && back == 0) edges.rows[to].push_back({from, bytes, 1});
    }
  for (auto& row : edges.rows) std::ranges::sort(row, {}, &Cell::to);
  return edges;
}

/// The matrix that has these edges: each rank of an edge sends half of its weight, the lower rank the odd byte. Throws
/// InputError, which names the file, unless each edge is there twice, with the same weight.
CommunicationMatrix both_ways(CommunicationMatrix edges, const std::string& path) {
  for (const Rank from : edges.rows.ids())
    for (const auto& cell : edges.rows[from])
      if (const auto back = bytes_to(edges.rows[cell.to], from); back != cell.bytes)
        core::fail_input(
            "{}: the edge from vertex {} to {} has the weight {}, and back {} (counted from 0); expected the same",
            path, from, cell.to, cell.bytes, back);
  for (const Rank from : edges.rows.ids()) {
    auto& row = edges.rows[from];
    for (auto& cell : row) cell.bytes = (cell.bytes + (from < cell.to ? 1 : 0)) / 2;
    std::erase_if(row, [](const Cell& cell) { return cell.bytes == 0; });
  }
  return edges;
}

/// Number of edges, each counted once.
std::size_t edge_count(const CommunicationMatrix& edges) {
  std::size_t count = 0;
  for (const auto& row : edges.rows) count += row.size();
  return count / 2;
}

/// What the first line of a graph for METIS says.
struct MetisHeader {
  std::int64_t vertices = 0, edges = 0;
  bool has_weights = false;  ///< whether edges have weights
  std::size_t skipped = 0;   ///< numbers of a vertex before its neighbours

  explicit MetisHeader(MatrixReader& reader) {
    if (!reader.next_line())
      core::fail_input("{}: the graph is empty; expected VERTICES EDGES [FORMAT [WEIGHTS]]", reader.path());
    const auto fail = [&] {
      reader.fail("found '{}', expected VERTICES EDGES [FORMAT [WEIGHTS]]", core::excerpt(reader.line()));
    };
    const auto fields = core::words(reader.line());
    if (fields.size() < 2 || fields.size() > 4) fail();
    vertices = reader.index(fields[0], 1, most_matrix_ranks, "a number of vertices");
    edges = reader.index(fields[1], 0, std::int64_t{1} << 40U, "a number of edges");
    const auto format = fields.size() > 2 ? fields[2] : "0";
    if (format.size() > 3 || format.find_first_not_of("01") != std::string_view::npos) fail();
    const auto digit = [&](std::size_t from_right) {
      return format.size() > from_right && format[format.size() - 1 - from_right] == '1';
    };
    has_weights = digit(0);
    skipped = digit(2) ? 1 : 0;  // the size of a vertex
    if (digit(1))
      skipped += fields.size() == 4 ? static_cast<std::size_t>(reader.index(fields[3], 1, 1000, "weights")) : 1;
  }
};

/// A vertex without neighbours has a blank line.
CommunicationMatrix read_metis(const std::string& path) {
  MatrixReader reader(path);
  reader.pass_over('%');
  const MetisHeader header(reader);
  reader.widen(header.vertices);
  const std::size_t step = header.has_weights ? 2 : 1;
  for (std::int64_t vertex = 0; vertex < header.vertices; ++vertex) {
    if (!reader.next_line(true))
      core::fail_input("{}: found {} vertices, expected {}: the file is truncated", path, vertex, header.vertices);
    const auto fields = core::words(reader.line());
    if (fields.size() < header.skipped || (fields.size() - header.skipped) % step != 0)
      reader.fail("found {} numbers, expected {} and {} for each neighbour", fields.size(), header.skipped, step);
    for (auto i = header.skipped; i < fields.size(); i += step) {
      const auto to = reader.index(fields[i], 1, header.vertices, "a vertex") - 1;
      if (to == vertex) reader.fail("found an edge of a vertex to itself, expected none");
      reader.add(vertex, to, header.has_weights ? reader.weight(fields[i + 1]) : 1);
    }
  }
  if (reader.next_line()) reader.fail("found another line after {} vertices, expected the end", header.vertices);
  auto edges = reader.finish();
  const auto found = edge_count(edges);
  auto matrix = both_ways(std::move(edges), path);
  if (found != static_cast<std::size_t>(header.edges))
    core::fail_input("{}: found {} edges, expected {} as the first line says", path, found, header.edges);
  return matrix;
}

void write_metis(const CommunicationMatrix& matrix, const TextSink& out) {
  const auto edges = edges_of(matrix);
  auto text = fmt::format("{} {} 001\n", edges.rows.size(), edge_count(edges));
  for (const auto& row : edges.rows) {
    std::string_view gap;
    for (const auto& cell : row) {
      text += fmt::format("{}{} {}", gap, cell.to.value() + 1, cell.bytes);
      gap = " ";
    }
    text += '\n';
  }
  out(text);
}

}  // namespace

core::Entry<MatrixFormat> metis_matrix() {
  return {
      "metis",
      "graph for METIS and its kin, known by the names .graph and .metis: an edge's weight is the bytes both ways; "
      "vertices from 1",
      MatrixFormat{[](const std::string& path) { return has_extension(path, "graph") || has_extension(path, "metis"); },
                   read_metis, write_metis}};
}

}  // namespace toroid::workloads

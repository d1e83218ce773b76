#include "workloads/matrices/undirected.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace toroid::workloads {
namespace {

using Cell = CommunicationMatrix::Cell;

/// Bytes in a row, whose receivers ascend.
std::uint64_t bytes_to(const std::vector<Cell>& row, Rank to) {
  const auto found = std::lower_bound(row.begin(), row.end(), to, [](const Cell& c, Rank rank) { return c.to < rank; });
  return found != row.end() && found->to == to ? found->bytes : 0;
}

}  // namespace

CommunicationMatrix edges_of(const CommunicationMatrix& matrix) {
  CommunicationMatrix edges;
  edges.rows.resize(matrix.rows.size());
  for (const Rank from : matrix.rows.ids())
    for (const auto& [to, bytes, messages] : matrix.rows[from]) {
      const auto back = bytes_to(matrix.rows[to], from);
      if (bytes > 0) edges.rows[from].push_back({to, bytes + back, 1});
      if (bytes > 0 && back == 0) edges.rows[to].push_back({from, bytes, 1});
    }
  for (auto& row : edges.rows)
    std::sort(row.begin(), row.end(), [](const Cell& a, const Cell& b) { return a.to < b.to; });
  return edges;
}

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

std::size_t edge_count(const CommunicationMatrix& edges) {
  std::size_t count = 0;
  for (const auto& row : edges.rows) count += row.size();
  return count / 2;
}

}  // namespace toroid::workloads

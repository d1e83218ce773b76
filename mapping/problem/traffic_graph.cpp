#include "mapping/problem/traffic_graph.hpp"

namespace toroid::mapping {
namespace {

struct Received {
  Rank from;
  double bytes;
};

/// For each rank, who sends to it; senders in ascending order.
core::IdVector<Rank, std::vector<Received>> transposed(const workloads::CommunicationMatrix& matrix) {
  core::IdVector<Rank, std::vector<Received>> columns(matrix.rows.size());
  for (const Rank from : matrix.rows.ids())
    for (const auto& cell : matrix.rows[from])
      if (cell.bytes > 0 && cell.to != from) columns[cell.to].push_back({from, static_cast<double>(cell.bytes)});
  return columns;
}

}  // namespace

TrafficGraph::TrafficGraph(const workloads::CommunicationMatrix& matrix) {
  const auto columns = transposed(matrix);
  begin_.add(0);
  for (const Rank rank : columns.ids()) {
    auto received = columns[rank].begin();
    const auto take_received_below = [&](Rank limit) {
      for (; received != columns[rank].end() && received->from < limit; ++received)
        edges_.push_back({received->from, 0, received->bytes});
    };
    for (const auto& cell : matrix.rows[rank]) {
      if (cell.bytes == 0 || cell.to == rank) continue;
      take_received_below(cell.to);
      const bool both = received != columns[rank].end() && received->from == cell.to;
      edges_.push_back({cell.to, static_cast<double>(cell.bytes), both ? received->bytes : 0});
      if (both) ++received;
    }
    take_received_below(Rank(columns.size()));
    begin_.add(edges_.size());
  }
}

double TrafficGraph::bytes(Rank rank) const {
  double sum = 0;
  for (const auto& edge : neighbours(rank)) sum += edge.bytes();
  return sum;
}

double hop_bytes(const TrafficGraph& graph, const SlotHops& hops, const Assignment& slot_of) {
  double sum = 0;
  for (const Rank rank : graph.ranks())
    for (const auto& edge : graph.neighbours(rank))
      if (edge.sent > 0) sum += edge.sent * hops(slot_of[rank], slot_of[edge.rank]);
  return sum;
}

}  // namespace toroid::mapping

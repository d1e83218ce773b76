#include "workloads/summary.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

namespace toroid::workloads {
namespace {

bool sends(OpKind kind) {
  return kind == OpKind::send || kind == OpKind::isend || kind == OpKind::sendrecv;
}

/// One row under construction.
class Row {
 public:
  explicit Row(Rank self) : self_(self) {}

  void add(Rank to, std::uint64_t bytes) {
    if (to == self_ || to < 0) return;
    auto& cell = cells_[to];
    cell.bytes += bytes;
    ++cell.messages;
  }

  std::vector<CommunicationMatrix::Cell> sorted() const {
    std::vector<CommunicationMatrix::Cell> row;
    for (const auto& [to, cell] : cells_) row.push_back({to, cell.bytes, cell.messages});
    std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.to < b.to; });
    return row;
  }

 private:
  Rank self_;
  std::unordered_map<Rank, CommunicationMatrix::Cell> cells_;
};

void add_collective(const Trace& trace, const Operation& op, Rank rank, const CollectiveChoice& collectives, Row& row) {
  const auto& members = trace.members(op.comm);
  const auto me = op.comm == world ? members.begin() + rank : std::find(members.begin(), members.end(), rank);
  const auto call = collective_call(op, static_cast<Rank>(me - members.begin()), static_cast<Rank>(members.size()));
  auto schedule = collectives.choose(call).run(call);
  while (const auto step = schedule.next())
    if (step->kind == Step::Kind::send) row.add(members[static_cast<std::size_t>(step->peer)], step->bytes);
}

CommunicationMatrix make_matrix(const Trace& trace, const CollectiveChoice* collectives) {
  CommunicationMatrix matrix;
  for (Rank r = 0; r < trace.ranks(); ++r) {
    Row row(r);
    const auto stream = trace.open(r);
    Operation op;
    while (stream->next(op)) {
      if (sends(op.kind) && op.peer >= 0) row.add(trace.members(op.comm)[static_cast<std::size_t>(op.peer)], op.bytes);
      if (is_collective(op.kind) && collectives != nullptr) add_collective(trace, op, r, *collectives, row);
    }
    matrix.rows.push_back(row.sorted());
  }
  return matrix;
}

}  // namespace

std::uint64_t CommunicationMatrix::total_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& row : rows)
    for (const auto& cell : row) sum += cell.bytes;
  return sum;
}

std::uint64_t CommunicationMatrix::total_messages() const {
  std::uint64_t sum = 0;
  for (const auto& row : rows)
    for (const auto& cell : row) sum += cell.messages;
  return sum;
}

CommunicationMatrix point_to_point_matrix(const Trace& trace) {
  return make_matrix(trace, nullptr);
}

CommunicationMatrix communication_matrix(const Trace& trace, const CollectiveChoice& collectives) {
  return make_matrix(trace, &collectives);
}

std::string matrix_csv(const CommunicationMatrix& matrix, bool messages) {
  std::string text;
  for (const auto& row : matrix.rows) {
    auto cell = row.begin();
    for (std::size_t to = 0; to < matrix.rows.size(); ++to) {
      const bool here = cell != row.end() && static_cast<std::size_t>(cell->to) == to;
      if (to > 0) text += ',';
      text += here ? fmt::format_int(messages ? cell->messages : cell->bytes).str() : "0";
      if (here) ++cell;
    }
    text += '\n';
  }
  return text;
}

TraceSummary summarize(const Trace& trace) {
  TraceSummary s;
  s.ranks = trace.ranks();
  std::size_t partners = 0;
  for (Rank r = 0; r < trace.ranks(); ++r) {
    Row row(r);
    std::uint64_t sent = 0;
    const auto stream = trace.open(r);
    Operation op;
    while (stream->next(op)) {
      ++s.operations;
      ++s.by_kind[static_cast<std::size_t>(op.kind)];
      if (op.kind == OpKind::compute) s.flops += op.amount;
      if (op.kind == OpKind::sleep) s.slept_seconds += op.amount;
      if (!sends(op.kind) || op.peer < 0) continue;
      const Rank to = trace.members(op.comm)[static_cast<std::size_t>(op.peer)];
      ++s.messages;
      sent += op.bytes;
      if (to == r) ++s.self_messages;
      row.add(to, op.bytes);
    }
    s.bytes += sent;
    s.bytes_max_rank = std::max(s.bytes_max_rank, sent);
    const auto degree = row.sorted().size();
    s.partners_min = r == 0 ? degree : std::min(s.partners_min, degree);
    s.partners_max = std::max(s.partners_max, degree);
    partners += degree;
  }
  s.partners_mean = s.ranks == 0 ? 0 : static_cast<double>(partners) / s.ranks;
  return s;
}

}  // namespace toroid::workloads

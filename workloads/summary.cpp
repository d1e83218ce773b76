#include "toroid/workloads/summary.hpp"

#include <unordered_map>

#include "core/hash.hpp"
#include "core/interrupt.hpp"
#include "workloads/collectives/collectives.hpp"
#include "workloads/operation_kinds.hpp"

namespace toroid::workloads {
namespace {

[[noreturn]] void fail_too_many_bytes() {
  core::fail_input("the messages of the trace add up to 2^64 bytes or more");
}

/// Calls visit(operation) for every message that the operation sends itself: those of collectives are not among them.
class Sends {
 public:
  template <class Visit>
  void of(const Operation& op, Visit&& visit) {
    if ((is_send(op.kind) || op.kind == OpKind::put) && op.to >= 0) visit(op);
    if (is_persistent_init(op.kind)) persistent_[op.request] = op;
    if (is_start(op.kind)) for_each_handle(op, [&](RequestHandle handle) { started(handle, visit); });
  }

 private:
  template <class Visit>
  void started(RequestHandle handle, Visit&& visit) const {
    const auto init = persistent_.find(handle);
    if (init == persistent_.end()) core::fail_input("start of request {}, which has no init", handle);
    if (init->second.kind == OpKind::send_init && init->second.to >= 0) visit(init->second);
  }

  std::unordered_map<RequestHandle, Operation> persistent_;
};

/// One row under construction.
class Row {
 public:
  explicit Row(Rank self) : self_(self) {}

  void add(Rank to, std::uint64_t bytes) {
    if (to == self_ || to < 0) return;
    auto& cell = cells_[to];
    if (!core::add_to(cell.bytes, bytes)) fail_too_many_bytes();
    ++cell.messages;
  }

  std::vector<CommunicationMatrix::Cell> sorted() const {
    std::vector<CommunicationMatrix::Cell> row;
    for (const auto& [to, cell] : cells_) row.push_back({to, cell.bytes, cell.messages});
    std::ranges::sort(row, {}, &CommunicationMatrix::Cell::to);
    TOROID_ASSERT_HEAVY(
        std::ranges::none_of(row, [&](const auto& cell) { return cell.to == self_ || cell.messages == 0; }));
    return row;
  }

 private:
  Rank self_;
  std::unordered_map<Rank, CommunicationMatrix::Cell> cells_;
};

void add_collective(const Trace& trace, const Operation& op, Rank rank, const CollectiveChoice& collectives,
                    const GridOf& grid_of, Row& row) {
  const auto& comm = trace.communicator(op.comm);
  const auto me = comm.rank_of(rank);
  if (me < 0) core::fail_input("rank {} is no member of the communicator of its {}", rank, to_string(op.kind));
  auto call = collective_call(op, me, comm.size());
  const auto& algorithm = choose_for(call, collectives, [&] { return grid_of ? &grid_of(op.comm) : nullptr; });
  for (const auto lanes = algorithm.lanes_of(call); call.lane < lanes; ++call.lane) {
    auto schedule = algorithm.run(call);
    while (const auto step = schedule.next())
      if (step->kind == Step::Kind::send) row.add(comm.member(step->peer), step->bytes);
  }
}

CommunicationMatrix make_matrix(const Trace& trace, const CollectiveChoice* collectives, const GridOf& grid_of) {
  CommunicationMatrix matrix;
  const auto chosen = collectives == nullptr ? CollectiveChoice() : collectives->for_program(trace);
  for (const Rank r : core::ids<Rank>(trace.ranks())) {
    core::end_if_interrupted();
    Row row(r);
    Sends sends;
    const auto stream = trace.open(r);
    Operation op;
    while (stream->next(op)) {
      sends.of(op, [&](const Operation& send) { row.add(trace.communicator(send.comm).member(send.to), send.bytes); });
      if (is_collective(op.kind) && collectives != nullptr) add_collective(trace, op, r, chosen, grid_of, row);
    }
    matrix.rows.add(row.sorted());
  }
  TOROID_ASSERT(std::cmp_equal(matrix.rows.size(), trace.ranks()));
  return matrix;
}

}  // namespace

std::uint64_t CommunicationMatrix::total_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& row : rows)
    for (const auto& cell : row)
      if (!core::add_to(sum, cell.bytes)) fail_too_many_bytes();
  return sum;
}

std::uint64_t CommunicationMatrix::total_messages() const {
  std::uint64_t sum = 0;
  for (const auto& row : rows)
    for (const auto& cell : row) sum += cell.messages;
  return sum;
}

CommunicationMatrix point_to_point_matrix(const Trace& trace) {
  return make_matrix(trace, nullptr, {});
}

CommunicationMatrix communication_matrix(const Trace& trace, const CollectiveChoice& collectives,
                                         const GridOf& grid_of) {
  return make_matrix(trace, &collectives, grid_of);
}

std::string matrix_csv(const CommunicationMatrix& matrix, bool messages) {
  std::string text;
  write_matrix_csv(matrix, messages, [&](std::string_view line) { text += line; });
  return text;
}

void write_matrix_csv(const CommunicationMatrix& matrix, bool messages, const TextSink& out) {
  std::string text;
  for (const auto& row : matrix.rows) {
    text.clear();
    auto cell = row.begin();
    for (std::size_t to = 0; to < matrix.rows.size(); ++to) {
      const bool here = cell != row.end() && cell->to.index() == to;
      if (to > 0) text += ',';
      text += here ? fmt::format_int(messages ? cell->messages : cell->bytes).str() : "0";
      if (here) ++cell;
    }
    TOROID_ASSERT(cell == row.end());  // receivers ascend, and are ranks
    text += '\n';
    out(text);
  }
}

TraceSummary summarize(const Trace& trace) {
  TraceSummary s;
  s.ranks = trace.ranks();
  std::size_t partners = 0;
  for (const Rank r : core::ids<Rank>(trace.ranks())) {
    Row row(r);
    std::uint64_t sent = 0;
    Sends sends;
    const auto stream = trace.open(r);
    Operation op;
    while (stream->next(op)) {
      ++s.operations;
      ++s.by_kind[static_cast<std::size_t>(op.kind)];
      s.flops += op.computed();
      if (op.kind == OpKind::sleep) s.slept_seconds += op.amount;
      sends.of(op, [&](const Operation& send) {
        const Rank to = trace.communicator(send.comm).member(send.to);
        ++s.messages;
        if (!core::add_to(sent, send.bytes)) fail_too_many_bytes();
        if (to == r) ++s.self_messages;
        row.add(to, send.bytes);
      });
    }
    if (!core::add_to(s.bytes, sent)) fail_too_many_bytes();
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

#include "workloads/formats/ti/actions.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace toroid::workloads::ti {
namespace {

constexpr std::int32_t undefined_rank = -333;  // MPI_ANY_SOURCE and MPI_PROC_NULL alike
constexpr std::int32_t undefined_tag = -444;

}  // namespace

void Line::cut(std::string_view text) {
  fields.clear();
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  for (std::size_t end = 0; end < text.size();) {
    auto begin = end;
    while (begin < text.size() && is_space(text[begin])) ++begin;
    for (end = begin; end < text.size() && !is_space(text[end]);) ++end;
    if (end > begin) fields.push_back(text.substr(begin, end - begin));
  }
}

void Line::expect_arguments(std::size_t least, std::size_t most, std::string_view grammar) const {
  if (arguments() < least || arguments() > most)
    fail("found {} fields after the action, expected {}", arguments(), grammar);
}

double Line::amount(std::size_t i) const {
  const auto text = fields[i + 2];
  const auto value = core::parse_number<double>(text);
  if (!value || !std::isfinite(*value)) fail("found '{}', expected a number", core::excerpt(text));
  if (*value < 0) fail("found the negative amount '{}', expected 0 or more", core::excerpt(text));
  return *value;
}

std::uint64_t Line::count(std::size_t i) const {
  if (const auto whole = core::parse_number<std::uint64_t>(fields[i + 2])) return *whole;
  const double value = amount(i);
  if (value != std::floor(value) || value > 9e15)
    fail("found '{}', expected a whole number", core::excerpt(fields[i + 2]));
  return static_cast<std::uint64_t>(value);
}

std::int32_t Line::integer(std::size_t i) const {
  const auto value = core::parse_number<std::int32_t>(fields[i + 2]);
  if (!value) fail("found '{}', expected a whole number", core::excerpt(fields[i + 2]));
  return *value;
}

CommRank Line::rank(std::size_t i, CommRank undefined_means) const {
  const auto value = integer(i);
  if (value == undefined_rank) return undefined_means;
  if (value < 0 || value >= max_rank)
    fail("found rank {}, expected a rank from 0 (or {} for any)", value, undefined_rank);
  return value;
}

CommRank Line::root(std::size_t i) const {
  const auto value = integer(i);
  if (value < 0 || value >= max_rank) fail("found root {}, expected a rank from 0", value);
  return value;
}

std::int32_t Line::tag(std::size_t i) const {
  const auto value = integer(i);
  if (value == undefined_tag) return any_tag;
  if (value < 0) fail("found tag {}, expected 0 or more (or {} for any)", value, undefined_tag);
  return value;
}

std::int32_t Line::certain_tag(std::size_t i) const {
  const auto value = tag(i);
  if (value == any_tag) fail("found tag {}, expected 0 or more", undefined_tag);
  return value;
}

std::uint64_t Line::element_size(std::size_t i) const {
  if (i >= arguments()) return default_size;
  const auto id = integer(i);
  const auto size = datatype_size(id);
  if (size == 0 && id == -1) fail("datatype -1 is a derived type: its size is not in the trace");
  if (size == 0) fail("unknown datatype {}", id);
  return size;
}

std::uint64_t Line::scaled(std::uint64_t elements, std::uint64_t size) const {
  if (elements > std::numeric_limits<std::int64_t>::max() / size)
    fail("{} elements of {} bytes are more than 2^63 bytes", elements, size);
  return elements * size;
}

std::uint64_t Line::bytes(std::size_t count_at, std::size_t type_at) const {
  return scaled(count(count_at), element_size(type_at));
}

std::vector<std::uint64_t> Line::byte_counts(std::size_t first, std::size_t n, std::size_t type_at) const {
  std::vector<std::uint64_t> all;
  for (std::size_t i = first; i < first + n; ++i) all.push_back(bytes(i, type_at));
  return all;
}

/// The sizes were found by tracing a broadcast of each predefined MPI datatype.
std::uint64_t datatype_size(std::int32_t id) {
  constexpr std::array<std::uint8_t, 60> sizes{
      8, 4, 1, 2, 8, 4, 1, 8, 1, 1,  //  0 DOUBLE INT CHAR SHORT LONG FLOAT BYTE LONG_LONG SIGNED_CHAR UNSIGNED_CHAR
      2, 4, 8, 8, 16, 4, 1, 1, 2,
      4,  // 10 UNSIGNED_SHORT UNSIGNED UNSIGNED_LONG U_LONG_LONG LONG_DOUBLE WCHAR C_BOOL INT8 INT16 INT32
      8, 1, 2, 4, 8, 8, 16, 32, 8, 8,  // 20 INT64 UINT8 UINT16 UINT32 UINT64 C_FLOAT_COMPLEX C_DOUBLE_COMPLEX
                                       // C_LONG_DOUBLE_COMPLEX AINT OFFSET
      8, 16, 16, 8, 8, 8, 16, 16, 4,
      4,  // 30 FLOAT_INT LONG_INT DOUBLE_INT SHORT_INT 2INT 2FLOAT 2DOUBLE 2LONG REAL REAL4
      8, 16, 8, 16, 16, 4, 2, 4, 8,
      16,  // 40 REAL8 REAL16 COMPLEX8 COMPLEX16 COMPLEX32 INTEGER1 INTEGER2 INTEGER4 INTEGER8 INTEGER16
      32, 0, 0, 0, 0, 0, 0, 1, 0, 8};  // 50 LONG_DOUBLE_INT; 57 PACKED; 59 COUNT
  return id >= 0 && static_cast<std::size_t>(id) < sizes.size() ? sizes[static_cast<std::size_t>(id)] : 0;
}

namespace {

// Each parser fills one operation from the arguments of its action. SimGrid's replayer takes trailing datatypes as
// optional; its tracer always writes them.

void parse_nothing(const Line& line, Operation&) {
  line.expect_arguments(0, 0, "none");
}

void parse_amount(const Line& line, Operation& op) {
  line.expect_arguments(1, 1, "AMOUNT");
  op.amount = line.amount(0);
}

void parse_send(const Line& line, Operation& op) {
  line.expect_arguments(3, 4, "RECEIVER TAG COUNT [TYPE]");
  op.to = line.rank(0, no_process);
  op.tag = line.certain_tag(1);
  op.bytes = line.bytes(2, 3);
}

void parse_recv(const Line& line, Operation& op) {
  line.expect_arguments(3, 4, "SENDER TAG COUNT [TYPE]");
  op.from = line.rank(0, any_source);
  op.tag = line.tag(1);
  op.bytes = line.bytes(2, 3);
}

void parse_sendrecv(const Line& line, Operation& op) {
  line.expect_arguments(4, 6, "SENDCOUNT RECEIVER RECVCOUNT SENDER [SENDTYPE RECVTYPE]");
  op.bytes = line.bytes(0, 4);
  op.to = line.rank(1, no_process);
  line.count(2);
  op.from = line.rank(3, any_source);
}

/// The message that names the request; its handle is found from that (requests.hpp).
void parse_wait(const Line& line, Operation& op) {
  line.expect_arguments(3, 3, "SENDER RECEIVER TAG");
  op.from = line.rank(0, any_source);
  op.to = line.rank(1, no_process);
  op.tag = line.tag(2);
}

/// How many requests; which is found later (requests.hpp).
void parse_wait_many(const Line& line, Operation& op) {
  line.expect_arguments(1, 1, "COUNT");
  op.bytes = line.count(0);
}

/// Reads `waitall`; without a count it waits for all requests that there are.
void parse_wait_all(const Line& line, Operation& op) {
  line.expect_arguments(0, 1, "[COUNT]");
  op.bytes = line.arguments() == 0 ? std::numeric_limits<std::uint64_t>::max() : line.count(0);
}

void parse_bcast(const Line& line, Operation& op) {
  line.expect_arguments(1, 3, "COUNT [ROOT [TYPE]]");
  op.bytes = line.bytes(0, 2);
  op.root = line.arguments() > 1 ? line.root(1) : 0;
}

void parse_reduce(const Line& line, Operation& op) {
  line.expect_arguments(2, 4, "COUNT FLOPS [ROOT [TYPE]]");
  op.bytes = line.bytes(0, 3);
  op.amount = line.amount(1);
  op.root = line.arguments() > 2 ? line.root(2) : 0;
}

void parse_allreduce(const Line& line, Operation& op) {  // also scan and exscan
  line.expect_arguments(2, 3, "COUNT FLOPS [TYPE]");
  op.bytes = line.bytes(0, 2);
  op.amount = line.amount(1);
}

/// The arguments of gather and scatter: `SENDCOUNT RECVCOUNT ROOT SENDTYPE RECVTYPE`. The tracer leaves a receive count
/// of 0 out.
struct Rooted {
  std::uint64_t sent, received;
  CommRank root;
};

Rooted parse_rooted(const Line& line) {
  line.expect_arguments(2, 5, "SENDCOUNT [RECVCOUNT] ROOT SENDTYPE RECVTYPE");
  const bool no_receive_count = line.arguments() == 4;
  const std::size_t root_at = no_receive_count ? 1 : 2;
  return {line.bytes(0, root_at + 1), no_receive_count ? 0 : line.bytes(1, root_at + 2),
          line.arguments() > 2 ? line.root(root_at) : 0};
}

void parse_gather(const Line& line, Operation& op) {
  const auto rooted = parse_rooted(line);
  op.bytes = rooted.sent;
  op.root = rooted.root;
}

/// The root's send count says how large a block is; the others' say nothing.
void parse_scatter(const Line& line, Operation& op) {
  const auto rooted = parse_rooted(line);
  const bool is_root = core::parse_number<CommRank>(line.fields[0]) == rooted.root;
  op.bytes = is_root ? rooted.sent : rooted.received;
  op.root = rooted.root;
}

/// Reads `allgather` or `alltoall`. In place, only the receive count says anything.
void parse_allgather(const Line& line, Operation& op) {
  line.expect_arguments(2, 4, "SENDCOUNT [RECVCOUNT] SENDTYPE RECVTYPE");
  const bool no_receive_count = line.arguments() == 3;
  op.bytes = line.bytes(0, no_receive_count ? 1 : 2);
  if (op.bytes == 0 && !no_receive_count) op.bytes = line.bytes(1, 3);
}

// Collectives with a count for each of the n ranks, which are understood once n is known.

void parse_gatherv(const Line& line, std::size_t n, Rank me, Operation& op, Counts& counts) {  // also allgatherv
  const bool rooted = op.kind == OpKind::gatherv;
  line.expect_arguments(n + 1, n + (rooted ? 4 : 3),
                        rooted ? "SENDCOUNT, a count per rank [ROOT SENDTYPE RECVTYPE]"
                               : "SENDCOUNT, a count per rank [SENDTYPE RECVTYPE]");
  const std::size_t types = rooted ? n + 2 : n + 1;
  if (rooted && line.arguments() > n + 1) op.root = line.root(n + 1);
  op.bytes = line.bytes(0, types);
  counts.recv = line.byte_counts(1, n, types + 1);
  if (!rooted) op.bytes = counts.recv[me.index()];  // in place, only the receive counts say anything
}

void parse_scatterv(const Line& line, std::size_t n, Rank, Operation& op, Counts& counts) {
  line.expect_arguments(n + 1, n + 4, "a count per rank, RECVCOUNT [ROOT SENDTYPE RECVTYPE]");
  if (line.arguments() > n + 1) op.root = line.root(n + 1);
  counts.send = line.byte_counts(0, n, n + 2);
  op.bytes = line.bytes(n, n + 3);
}

void parse_alltoallv(const Line& line, std::size_t n, Rank, Operation&, Counts& counts) {
  line.expect_arguments(2 * n + 2, 2 * n + 4,
                        "SENDSIZE, a count per rank, RECVSIZE, a count per rank [SENDTYPE RECVTYPE]");
  counts.send = line.byte_counts(1, n, 2 * n + 2);
  counts.recv = line.byte_counts(n + 2, n, 2 * n + 3);
}

void parse_reduce_scatter(const Line& line, std::size_t n, Rank, Operation& op, Counts& counts) {
  line.expect_arguments(n + 1, n + 2, "a count per rank, FLOPS [TYPE]");
  counts.recv = line.byte_counts(0, n, n + 1);
  op.amount = line.amount(n);
  if (n > 1 && std::count(counts.recv.begin(), counts.recv.end(), 0U) == static_cast<std::ptrdiff_t>(n))
    line.fail("all counts are 0: the tracer leaves the sizes of MPI_Reduce_scatter_block out");
}

const std::unordered_map<std::string_view, Action>& actions() {
  static const std::unordered_map<std::string_view, Action> table{
      {"compute", {OpKind::compute, parse_amount}},
      {"sleep", {OpKind::sleep, parse_amount}},
      {"send", {OpKind::send, parse_send}},
      {"isend", {OpKind::isend, parse_send}},
      {"Ssend", {OpKind::send, parse_send, SendMode::synchronous}},
      {"ISsend", {OpKind::isend, parse_send, SendMode::synchronous}},
      {"bsend", {OpKind::send, parse_send, SendMode::buffered}},
      {"ibsend", {OpKind::isend, parse_send, SendMode::buffered}},
      {"recv", {OpKind::recv, parse_recv}},
      {"irecv", {OpKind::irecv, parse_recv}},
      {"sendRecv", {OpKind::sendrecv, parse_sendrecv}},
      {"sendrecv", {OpKind::sendrecv, parse_sendrecv}},
      {"wait", {OpKind::wait, parse_wait}},
      {"test", {OpKind::test, parse_wait}},
      {"waitall", {OpKind::waitall, parse_wait_all}},
      {"waitAny", {OpKind::waitany, parse_wait_many}},
      {"waitany", {OpKind::waitany, parse_wait_many}},
      {"barrier", {OpKind::barrier, parse_nothing}},
      {"bcast", {OpKind::bcast, parse_bcast}},
      {"reduce", {OpKind::reduce, parse_reduce}},
      {"allreduce", {OpKind::allreduce, parse_allreduce}},
      {"scan", {OpKind::scan, parse_allreduce}},
      {"exscan", {OpKind::exscan, parse_allreduce}},
      {"gather", {OpKind::gather, parse_gather}},
      {"scatter", {OpKind::scatter, parse_scatter}},
      {"allgather", {OpKind::allgather, parse_allgather}},
      {"alltoall", {OpKind::alltoall, parse_allgather}},
      {"gatherv", {OpKind::gatherv, parse_gatherv}},
      {"scatterv", {OpKind::scatterv, parse_scatterv}},
      {"allgatherv", {OpKind::allgatherv, parse_gatherv}},
      {"alltoallv", {OpKind::alltoallv, parse_alltoallv}},
      {"reducescatter", {OpKind::reduce_scatter, parse_reduce_scatter}}};
  return table;
}

}  // namespace

const Action* find_action(std::string_view name) {
  const auto found = actions().find(name);
  return found == actions().end() ? nullptr : &found->second;
}

bool has_counts(OpKind kind) {
  static const auto kinds = [] {
    std::array<bool, op_kind_count> with_counts{};
    for (const auto& [name, action] : actions())
      if (action.parse_counts != nullptr) with_counts[static_cast<std::size_t>(action.kind)] = true;
    return with_counts;
  }();
  return kinds[static_cast<std::size_t>(kind)];
}

bool is_without_effect(const Line& line) {
  static const std::unordered_set<std::string_view> names{"finalize", "location", "comm_size", "comm_split",
                                                          "comm_dup", "testall",  "testany",   "testsome"};
  const auto action = line.fields[1];
  return names.contains(action) || (action == "test" && line.arguments() == 0);
}

void fail_unknown_action(const Line& line) {
  const auto action = line.fields[1];
  if (action == "Start" || action == "Startall")
    line.fail("a persistent request: the trace does not say whether it sends or receives, so it cannot be replayed");
  if (action.starts_with('i') && find_action(action.substr(1)) != nullptr)
    line.fail("a non-blocking collective: the trace does not say which wait belongs to it, so it cannot be replayed");
  line.fail("unknown action");
}

}  // namespace toroid::workloads::ti

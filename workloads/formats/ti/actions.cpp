#include "workloads/formats/ti/actions.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace toroid::workloads::ti {
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

/// The sizes were found by tracing a broadcast of each predefined MPI datatype. Ids from 0 are DOUBLE INT CHAR SHORT
/// LONG FLOAT BYTE LONG_LONG SIGNED_CHAR UNSIGNED_CHAR. Ids from 10 are UNSIGNED_SHORT UNSIGNED UNSIGNED_LONG
/// U_LONG_LONG LONG_DOUBLE WCHAR C_BOOL INT8 INT16 INT32. Ids from 20 are INT64 UINT8 UINT16 UINT32 UINT64
/// C_FLOAT_COMPLEX C_DOUBLE_COMPLEX C_LONG_DOUBLE_COMPLEX AINT OFFSET. Ids from 30 are FLOAT_INT LONG_INT DOUBLE_INT
/// SHORT_INT 2INT 2FLOAT 2DOUBLE 2LONG REAL REAL4. Ids from 40 are REAL8 REAL16 COMPLEX8 COMPLEX16 COMPLEX32 INTEGER1
/// INTEGER2 INTEGER4 INTEGER8 INTEGER16. Id 50 is LONG_DOUBLE_INT, 57 PACKED and 59 COUNT.
std::uint64_t datatype_size(std::int32_t id) {
  constexpr std::array<std::uint8_t, 60> sizes{8, 4,  1, 2,  8,  4, 1,  8,  1, 1,  2,  4,  8,  8, 16, 4, 1,  1,  2, 4,
                                               8, 1,  2, 4,  8,  8, 16, 32, 8, 8,  8,  16, 16, 8, 8,  8, 16, 16, 4, 4,
                                               8, 16, 8, 16, 16, 4, 2,  4,  8, 16, 32, 0,  0,  0, 0,  0, 0,  1,  0, 8};
  return id >= 0 && static_cast<std::size_t>(id) < sizes.size() ? sizes[static_cast<std::size_t>(id)] : 0;
}

namespace {

// What the words of an action's grammar do not say: what is left out, and sizes that depend on the rank.

constexpr std::string_view rooted_grammar = "SENDCOUNT [RECVCOUNT] ROOT SENDTYPE RECVTYPE",
                           equal_grammar = "SENDCOUNT [RECVCOUNT] SENDTYPE RECVTYPE";

/// Reads `gather` or `scatter`, where the root's send count says how large a block is, and the others' say nothing. The
/// tracer leaves a receive count of 0 out.
void parse_rooted(const Line& line, Operation& op) {
  line.expect_arguments(2, 5, rooted_grammar);
  const bool no_receive_count = line.arguments() == 4;
  const std::size_t root_at = no_receive_count ? 1 : 2;
  const auto sent = line.bytes(0, root_at + 1), received = no_receive_count ? 0 : line.bytes(1, root_at + 2);
  if (line.arguments() > 2) op.root = line.root(root_at);
  const bool is_root = core::parse_number<CommRank>(line.fields[0]) == op.root;
  op.bytes = op.kind == OpKind::gather || is_root ? sent : received;
}

/// Reads `allgather` or `alltoall`. In place, only the receive count says anything.
void parse_allgather(const Line& line, Operation& op) {
  line.expect_arguments(2, 4, equal_grammar);
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

constexpr std::string_view to_send = "RECEIVER TAG COUNT [TYPE]", to_receive = "SENDER TAG COUNT [TYPE]",
                           to_exchange = "SENDCOUNT RECEIVER RECVCOUNT SENDER [SENDTYPE RECVTYPE]",
                           to_wait = "SENDER RECEIVER TAG", to_reduce = "COUNT FLOPS [TYPE]";

/// The first of several names for the same is written.
const std::vector<Action>& actions() {
  static const std::vector<Action> table{{"compute", OpKind::compute, "AMOUNT"},
                                         {"sleep", OpKind::sleep, "AMOUNT"},
                                         {"send", OpKind::send, to_send},
                                         {"isend", OpKind::isend, to_send},
                                         {"Ssend", OpKind::send, to_send, SendMode::synchronous},
                                         {"ISsend", OpKind::isend, to_send, SendMode::synchronous},
                                         {"bsend", OpKind::send, to_send, SendMode::buffered},
                                         {"ibsend", OpKind::isend, to_send, SendMode::buffered},
                                         {"recv", OpKind::recv, to_receive},
                                         {"irecv", OpKind::irecv, to_receive},
                                         {"sendRecv", OpKind::sendrecv, to_exchange},
                                         {"sendrecv", OpKind::sendrecv, to_exchange},
                                         {"wait", OpKind::wait, to_wait},
                                         {"test", OpKind::test, to_wait},
                                         {"waitall", OpKind::waitall, "[COUNT]"},
                                         {"waitAny", OpKind::waitany, "COUNT"},
                                         {"waitany", OpKind::waitany, "COUNT"},
                                         {"barrier", OpKind::barrier, "none"},
                                         {"bcast", OpKind::bcast, "COUNT [ROOT [TYPE]]"},
                                         {"reduce", OpKind::reduce, "COUNT FLOPS [ROOT [TYPE]]"},
                                         {"allreduce", OpKind::allreduce, to_reduce},
                                         {"scan", OpKind::scan, to_reduce},
                                         {"exscan", OpKind::exscan, to_reduce},
                                         {"gather", OpKind::gather, rooted_grammar, parse_rooted},
                                         {"scatter", OpKind::scatter, rooted_grammar, parse_rooted},
                                         {"allgather", OpKind::allgather, equal_grammar, parse_allgather},
                                         {"alltoall", OpKind::alltoall, equal_grammar, parse_allgather},
                                         {"gatherv", OpKind::gatherv, parse_gatherv},
                                         {"scatterv", OpKind::scatterv, parse_scatterv},
                                         {"allgatherv", OpKind::allgatherv, parse_gatherv},
                                         {"alltoallv", OpKind::alltoallv, parse_alltoallv},
                                         {"reducescatter", OpKind::reduce_scatter, parse_reduce_scatter}};
  return table;
}

}  // namespace

Action::Action(std::string_view its_name, OpKind its_kind, std::string_view its_grammar, SendMode its_mode)
    : name(its_name), kind(its_kind), mode(its_mode), grammar(its_grammar) {
  for (auto word : core::words(grammar == "none" ? "" : grammar)) {
    if (word.starts_with('[')) {
      least_ = std::min(least_, roles.size());
      word.remove_prefix(1);
    }
    roles.push_back(word.substr(0, word.find(']')));
  }
  least_ = std::min(least_, roles.size());
}

void Action::parse(const Line& line, Operation& op) const {
  if (special_ != nullptr) return special_(line, op);
  line.expect_arguments(least_, roles.size(), grammar);
  const auto is_type = [](std::string_view role) { return role.ends_with("TYPE"); };
  const auto type = static_cast<std::size_t>(std::ranges::find_if(roles, is_type) - roles.begin());
  for (std::size_t i = 0; i < line.arguments(); ++i) {
    const auto role = roles[i];
    if (role == "RECEIVER") op.to = line.rank(i, no_process);
    if (role == "SENDER") op.from = line.rank(i, any_source);
    if (role == "TAG") op.tag = line.tag(i);
    if (is_send(kind) && op.tag == any_tag) line.fail("found tag {}, expected 0 or more", undefined_tag);
    if (role == "ROOT") op.root = line.root(i);
    if (role == "AMOUNT" || role == "FLOPS") op.amount = line.amount(i);
    if (role == "COUNT" || role == "SENDCOUNT") op.bytes = type < roles.size() ? line.bytes(i, type) : line.count(i);
    if (role == "RECVCOUNT") line.count(i);
  }
  // Without a count it waits for all requests that there are.
  if (kind == OpKind::waitall && line.arguments() == 0) op.bytes = std::numeric_limits<std::uint64_t>::max();
}

const Action* find_action(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const Action*> all;
    for (const auto& action : actions()) all.emplace(action.name, &action);
    return all;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

const Action& action_of(const Operation& op) {
  const bool has_mode = op.kind == OpKind::send || op.kind == OpKind::isend;
  return *std::ranges::find_if(actions(),
                               [&](const auto& a) { return a.kind == op.kind && (!has_mode || a.mode == op.mode); });
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

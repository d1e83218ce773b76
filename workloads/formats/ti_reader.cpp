#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "workloads/formats/ti.hpp"

namespace toroid::workloads {
namespace {

constexpr std::int32_t ti_undefined_rank = -333;  // MPI_ANY_SOURCE and MPI_PROC_NULL alike
constexpr std::int32_t ti_any_tag = -444;
constexpr Rank max_rank = 1 << 24;
constexpr std::size_t most_ranks_ahead = 1 << 16;

/// One line, cut into fields: 0 is the rank, 1 the action, then its arguments.
struct Line {
  const std::string& file;
  std::uint64_t number = 0;
  std::vector<std::string_view> fields = {};
  std::uint64_t default_size = 1;  ///< of elements without a datatype

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    core::fail_input_at(file, number, "{}: {}", fields.size() > 1 ? core::excerpt(fields[1]) : "trace",
                        fmt::format(format, std::forward<Args>(args)...));
  }

  std::size_t arguments() const { return fields.size() - 2; }

  void expect_arguments(std::size_t least, std::size_t most, std::string_view grammar) const {
    if (arguments() < least || arguments() > most)
      fail("found {} fields after the action, expected {}", arguments(), grammar);
  }

  void cut(std::string_view text) {
    fields.clear();
    const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
    for (std::size_t end = 0; end < text.size();) {
      auto begin = end;
      while (begin < text.size() && is_space(text[begin])) ++begin;
      for (end = begin; end < text.size() && !is_space(text[end]);) ++end;
      if (end > begin) fields.push_back(text.substr(begin, end - begin));
    }
  }

  /// Argument i (from 0) as a number >= 0.
  double amount(std::size_t i) const {
    const auto text = fields[i + 2];
    const auto value = core::parse_number<double>(text);
    if (!value || !std::isfinite(*value)) fail("found '{}', expected a number", core::excerpt(text));
    if (*value < 0) fail("found the negative amount '{}', expected 0 or more", core::excerpt(text));
    return *value;
  }

  /// Argument i as a whole number >= 0; SimGrid reads counts as doubles, so 1e6 is one.
  std::uint64_t count(std::size_t i) const {
    if (const auto whole = core::parse_number<std::uint64_t>(fields[i + 2])) return *whole;
    const double value = amount(i);
    if (value != std::floor(value) || value > 9e15)
      fail("found '{}', expected a whole number", core::excerpt(fields[i + 2]));
    return static_cast<std::uint64_t>(value);
  }

  std::int32_t integer(std::size_t i) const {
    const auto value = core::parse_number<std::int32_t>(fields[i + 2]);
    if (!value) fail("found '{}', expected a whole number", core::excerpt(fields[i + 2]));
    return *value;
  }

  Rank rank(std::size_t i, Rank undefined_means) const {
    const auto value = integer(i);
    if (value == ti_undefined_rank) return undefined_means;
    if (value < 0 || value >= max_rank)
      fail("found rank {}, expected a rank from 0 (or {} for any)", value, ti_undefined_rank);
    return value;
  }

  Rank root(std::size_t i) const {
    const auto value = integer(i);
    if (value < 0 || value >= max_rank) fail("found root {}, expected a rank from 0", value);
    return value;
  }

  std::int32_t tag(std::size_t i) const {
    const auto value = integer(i);
    if (value == ti_any_tag) return any_tag;
    if (value < 0) fail("found tag {}, expected 0 or more (or {} for any)", value, ti_any_tag);
    return value;
  }

  std::uint64_t element_size(std::size_t i) const {
    if (i >= arguments()) return default_size;
    const auto id = integer(i);
    const auto size = ti_datatype_size(id);
    if (size == 0 && id == -1) fail("datatype -1 is a derived type: its size is not in the trace");
    if (size == 0) fail("unknown datatype {}", id);
    return size;
  }

  std::uint64_t scaled(std::uint64_t elements, std::uint64_t size) const {
    if (elements > std::numeric_limits<std::int64_t>::max() / size)
      fail("{} elements of {} bytes are more than 2^63 bytes", elements, size);
    return elements * size;
  }

  /// n counts from argument `first` on, in bytes.
  std::vector<std::uint64_t> byte_counts(std::size_t first, std::size_t n, std::size_t type_at) const {
    std::vector<std::uint64_t> all;
    for (std::size_t i = first; i < first + n; ++i) all.push_back(bytes(i, type_at));
    return all;
  }

  /// Argument `count_at` times the size of the datatype at `type_at` (or the default size where that field is absent).
  std::uint64_t bytes(std::size_t count_at, std::size_t type_at) const {
    return scaled(count(count_at), element_size(type_at));
  }
};

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
  op.peer = line.rank(0, no_process);
  op.tag = line.tag(1);
  if (op.tag == any_tag) line.fail("found tag {}, expected 0 or more", ti_any_tag);
  op.bytes = line.bytes(2, 3);
}

void parse_recv(const Line& line, Operation& op) {
  line.expect_arguments(3, 4, "SENDER TAG COUNT [TYPE]");
  op.peer = line.rank(0, any_source);
  op.tag = line.tag(1);
  op.bytes = line.bytes(2, 3);
}

void parse_sendrecv(const Line& line, Operation& op) {
  line.expect_arguments(4, 6, "SENDCOUNT RECEIVER RECVCOUNT SENDER [SENDTYPE RECVTYPE]");
  op.bytes = line.bytes(0, 4);
  op.peer = line.rank(1, no_process);
  line.count(2);
  op.other = line.rank(3, any_source);
}

void parse_wait(const Line& line, Operation& op) {
  line.expect_arguments(3, 3, "SENDER RECEIVER TAG");
  op.peer = line.rank(0, any_source);
  op.other = line.rank(1, no_process);
  op.tag = line.tag(2);
}

void parse_wait_many(const Line& line, Operation& op) {
  line.expect_arguments(1, 1, "COUNT");
  op.bytes = line.count(0);
}

void parse_bcast(const Line& line, Operation& op) {
  line.expect_arguments(1, 3, "COUNT [ROOT [TYPE]]");
  op.bytes = line.bytes(0, 2);
  op.peer = line.arguments() > 1 ? line.root(1) : 0;
}

void parse_reduce(const Line& line, Operation& op) {
  line.expect_arguments(2, 4, "COUNT FLOPS [ROOT [TYPE]]");
  op.bytes = line.bytes(0, 3);
  op.amount = line.amount(1);
  op.peer = line.arguments() > 2 ? line.root(2) : 0;
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
  Rank root;
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
  op.peer = rooted.root;
}

/// The root's send count says how large a block is; the others' say nothing.
void parse_scatter(const Line& line, Operation& op) {
  const auto rooted = parse_rooted(line);
  const bool is_root = core::parse_number<Rank>(line.fields[0]) == rooted.root;
  op.bytes = is_root ? rooted.sent : rooted.received;
  op.peer = rooted.root;
}

void parse_allgather(const Line& line,
                     Operation& op) {  // also alltoall; in place, only the receive count says anything
  line.expect_arguments(2, 4, "SENDCOUNT [RECVCOUNT] SENDTYPE RECVTYPE");
  const bool no_receive_count = line.arguments() == 3;
  op.bytes = line.bytes(0, no_receive_count ? 1 : 2);
  if (op.bytes == 0 && !no_receive_count) op.bytes = line.bytes(1, 3);
}

// Collectives with a count for each of the n ranks, which are understood once n is known.

struct Vectors {
  std::vector<std::uint64_t> send, recv;
};

void parse_gatherv(const Line& line, std::size_t n, Rank me, Operation& op, Vectors& vectors) {  // also allgatherv
  const bool rooted = op.kind == OpKind::gatherv;
  line.expect_arguments(n + 1, n + (rooted ? 4 : 3),
                        rooted ? "SENDCOUNT, a count per rank [ROOT SENDTYPE RECVTYPE]"
                               : "SENDCOUNT, a count per rank [SENDTYPE RECVTYPE]");
  const std::size_t types = rooted ? n + 2 : n + 1;
  if (rooted && line.arguments() > n + 1) op.peer = line.root(n + 1);
  op.bytes = line.bytes(0, types);
  vectors.recv = line.byte_counts(1, n, types + 1);
  if (!rooted) op.bytes = vectors.recv[static_cast<std::size_t>(me)];  // in place, only the receive counts say anything
}

void parse_scatterv(const Line& line, std::size_t n, Rank, Operation& op, Vectors& vectors) {
  line.expect_arguments(n + 1, n + 4, "a count per rank, RECVCOUNT [ROOT SENDTYPE RECVTYPE]");
  if (line.arguments() > n + 1) op.peer = line.root(n + 1);
  vectors.send = line.byte_counts(0, n, n + 2);
  op.bytes = line.bytes(n, n + 3);
}

void parse_alltoallv(const Line& line, std::size_t n, Rank, Operation&, Vectors& vectors) {
  line.expect_arguments(2 * n + 2, 2 * n + 4,
                        "SENDSIZE, a count per rank, RECVSIZE, a count per rank [SENDTYPE RECVTYPE]");
  vectors.send = line.byte_counts(1, n, 2 * n + 2);
  vectors.recv = line.byte_counts(n + 2, n, 2 * n + 3);
}

void parse_reduce_scatter(const Line& line, std::size_t n, Rank, Operation& op, Vectors& vectors) {
  line.expect_arguments(n + 1, n + 2, "a count per rank, FLOPS [TYPE]");
  vectors.recv = line.byte_counts(0, n, n + 1);
  op.amount = line.amount(n);
  if (n > 1 && std::count(vectors.recv.begin(), vectors.recv.end(), 0U) == static_cast<std::ptrdiff_t>(n))
    line.fail("all counts are 0: the tracer leaves the sizes of MPI_Reduce_scatter_block out");
}

using Parse = void (*)(const Line&, Operation&);
using ParseVectors = void (*)(const Line&, std::size_t n, Rank me, Operation&, Vectors&);

struct Action {
  OpKind kind;
  Parse parse;  ///< null: a collective with counts, see parse_vectors
  SendMode mode = SendMode::standard;
};

/// The parser of a collective with counts; null for all other kinds.
ParseVectors parse_vectors(OpKind kind) {
  switch (kind) {
    case OpKind::gatherv:
    case OpKind::allgatherv:
      return parse_gatherv;
    case OpKind::scatterv:
      return parse_scatterv;
    case OpKind::alltoallv:
      return parse_alltoallv;
    case OpKind::reduce_scatter:
      return parse_reduce_scatter;
    default:
      return nullptr;
  }
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
      {"waitall", {OpKind::waitall, parse_wait_many}},
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
      {"gatherv", {OpKind::gatherv, nullptr}},
      {"scatterv", {OpKind::scatterv, nullptr}},
      {"allgatherv", {OpKind::allgatherv, nullptr}},
      {"alltoallv", {OpKind::alltoallv, nullptr}},
      {"reducescatter", {OpKind::reduce_scatter, nullptr}}};
  return table;
}

/// Actions without effect on time. A poll of several requests (testall, testany) names none, so it can end none here.
bool is_without_effect(std::string_view action) {
  return action == "finalize" || action == "location" || action == "comm_size" || action == "comm_split" ||
         action == "comm_dup" || action == "testall" || action == "testany";
}

[[noreturn]] void fail_unknown_action(const Line& line) {
  const auto action = line.fields[1];
  if (action == "Start" || action == "Startall")
    line.fail("a persistent request: the trace does not say whether it sends or receives, so it cannot be replayed");
  if (action.starts_with('i') && actions().contains(action.substr(1)))
    line.fail("a non-blocking collective: the trace does not say which wait belongs to it, so it cannot be replayed");
  line.fail("unknown action");
}

struct RankState {
  std::uint64_t default_size = 1;  ///< bytes of an element without a datatype
  bool seen = false;               ///< has a line
  bool open = false;               ///< has an `init` without its `finalize`
  bool finalized = false;
};

class Reader {
 public:
  explicit Reader(std::string path) : top_(std::move(path)), trace_(std::make_unique<CompactTrace>()) {}

  std::unique_ptr<CompactTrace> read() {
    core::LineReader reader(top_);
    while (const auto text = reader.next()) {
      if (is_blank(*text)) continue;
      // A line that starts with a rank and an action is the trace itself; anything else is a list of files.
      Line line{top_, reader.line()};
      line.cut(*text);
      const bool is_trace = line.fields.size() >= 2 && core::parse_number<std::int64_t>(line.fields[0]).has_value();
      if (is_trace)
        read_actions(top_, std::nullopt);
      else
        read_list();
      break;
    }
    if (trace_->ranks() == 0)
      core::fail_input("{}: the trace is empty; expected lines 'RANK ACTION ...' or paths of such files", top_);
    check();
    trace_->finish();
    return std::move(trace_);
  }

 private:
  static bool is_blank(std::string_view text) {
    const auto trimmed = core::trim(text);
    return trimmed.empty() || trimmed[0] == '#';
  }

  void read_list() {
    trace_->set_list(top_);
    std::vector<std::pair<std::string, std::uint64_t>> paths;
    core::LineReader reader(top_);
    while (const auto text = reader.next())
      if (!is_blank(*text)) paths.emplace_back(resolve(std::string(core::trim(*text)), reader.line()), reader.line());
    if (paths.size() == 1) return read_actions(paths[0].first, std::nullopt);
    for (std::size_t r = 0; r < paths.size(); ++r) {
      trace_->set_file(static_cast<Rank>(r), paths[r].first);
      read_actions(paths[r].first, static_cast<Rank>(r));
    }
  }

  /// Paths in a top file are relative to where the tracer ran; the top file usually lies there.
  std::string resolve(const std::string& path, std::uint64_t line) const {
    namespace fs = std::filesystem;
    const auto folder = fs::path(top_).parent_path();
    std::error_code ignored;
    for (const auto& candidate : {fs::path(path), folder / path, folder / fs::path(path).filename()})
      if (fs::is_regular_file(candidate, ignored)) return candidate.string();
    core::fail_input_at(top_, line, "found '{}', expected 'RANK ACTION ...' or the path of a rank's file: no such file",
                        core::excerpt(path));
  }

  /// Reads a file of one rank, or of all.
  void read_actions(const std::string& path, std::optional<Rank> only) {
    core::LineReader reader(path);
    Line line{path};
    while (const auto text = reader.next()) {
      line.number = reader.line();
      if (repeat(*text, line.number, only) || is_blank(*text)) continue;
      line.cut(*text);
      if (const auto word = read_action(line, only)) known_.try_emplace(std::string(*text), *word);
    }
  }

  /// A line of the vocabulary of its rank.
  struct Word {
    Rank rank;
    std::uint32_t number;
  };

  /// Programs repeat themselves: whether the line is one that was read before, and could be taken again.
  bool repeat(std::string_view text, std::uint64_t line, std::optional<Rank> only) {
    const auto action = text.find(' ') + 1;
    if (text.substr(action).starts_with("compute")) return false;  // those differ
    const auto known = known_.find(text);
    if (known == known_.end()) return false;
    const auto [rank, number] = known->second;
    if ((only && rank != *only) || states_[static_cast<std::size_t>(rank)].finalized) return false;
    trace_->repeat(rank, number, line);
    return true;
  }

  /// Nothing if the line cannot be repeated.
  std::optional<Word> read_action(Line& line, std::optional<Rank> only) {
    const auto rank = core::parse_number<std::int32_t>(line.fields[0]);
    if (!rank || *rank < 0 || *rank >= max_rank)
      line.fail("found '{}' at the start of the line, expected a rank", core::excerpt(line.fields[0]));
    if (line.fields.size() < 2) line.fail("found only a rank, expected 'RANK ACTION ...'");
    if (only && *rank != *only) line.fail("the line belongs to rank {}, but this is the file of rank {}", *rank, *only);
    auto& state = state_of(line, *rank);
    const auto action = line.fields[1];
    if (state.finalized) line.fail("the line comes after the 'finalize' of rank {}", *rank);
    if (action == "init") {  // with an argument, elements without a datatype are doubles, else bytes
      line.expect_arguments(0, 1, "nothing or one flag");
      if (state.open) line.fail("a second 'init' of rank {}", *rank);
      state.default_size = line.arguments() == 1 ? 8 : 1;
      state.open = true;
      known_.clear();  // the same line may mean something else now
      return std::nullopt;
    }
    if (action == "finalize") {
      line.expect_arguments(0, 0, "none");
      state.open = false;
      state.finalized = true;
    }
    if (is_without_effect(action)) return std::nullopt;
    const auto found = actions().find(action);
    if (found == actions().end()) fail_unknown_action(line);
    line.default_size = state.default_size;
    Operation op;
    op.kind = found->second.kind;
    op.mode = found->second.mode;
    if (found->second.parse != nullptr)
      found->second.parse(line, op);
    else
      postpone(line, op);
    const auto number = trace_->add(*rank, op, line.number);
    return op.kind == OpKind::compute ? std::nullopt : std::optional(Word{*rank, number});
  }

  RankState& state_of(const Line& line, Rank rank) {
    // A typing error in a rank must not cost gigabytes.
    if (static_cast<std::size_t>(rank) > states_.size() + most_ranks_ahead)
      line.fail("found rank {}, far above the {} ranks before it", rank, states_.size());
    if (static_cast<std::size_t>(rank) >= states_.size()) states_.resize(static_cast<std::size_t>(rank) + 1);
    auto& state = states_[static_cast<std::size_t>(rank)];
    if (!state.seen) trace_->set_file(rank, line.file);
    state.seen = true;
    return state;
  }

  void check() {
    const Rank ranks = trace_->ranks();
    states_.resize(static_cast<std::size_t>(ranks));
    for (Rank r = 0; r < ranks; ++r) {
      const auto& state = states_[static_cast<std::size_t>(r)];
      if (!state.seen)
        core::fail_input("{}: rank {} has no line; expected every rank from 0 to {}", top_, r, ranks - 1);
      if (state.open)
        core::fail_input("{}: rank {} has 'init' but no 'finalize': the trace is truncated", trace_->file_of(r), r);
      trace_->for_each_distinct(r, [&](Operation& op, std::uint64_t line) {
        if (const auto parse = parse_vectors(op.kind)) understand(op, parse, r, line);
        check_rank(op.peer, ranks, r, line);
        check_rank(op.other, ranks, r, line);
      });
    }
  }

  void check_rank(Rank found, Rank ranks, Rank rank, std::uint64_t line) const {
    if (found >= ranks)
      core::fail_input_at(trace_->file_of(rank), line,
                          "found rank {}, expected a rank below {}: the trace has {} ranks", found, ranks, ranks);
  }

  /// Keeps the text of a line that can only be understood later; the operation holds its number for the time being.
  /// Equal lines have one number.
  void postpone(const Line& line, Operation& op) {
    const auto& last = line.fields.back();
    const std::string text(line.fields[0].data(), last.data() + last.size());
    const auto [known, is_new] = postponed_numbers_.try_emplace({text, line.default_size}, postponed_.size());
    if (is_new) postponed_.push_back({text, line.default_size});
    op.bytes = known->second;
  }

  void understand(Operation& op, ParseVectors parse, Rank rank, std::uint64_t number) {
    const auto& [text, default_size] = postponed_[op.bytes];
    Line line{trace_->file_of(rank), number};
    line.default_size = default_size;
    line.cut(text);
    Vectors vectors;
    op.bytes = 0;
    parse(line, static_cast<std::size_t>(trace_->ranks()), rank, op, vectors);
    if (!vectors.send.empty()) op.send_counts = trace_->keep(std::move(vectors.send));
    if (!vectors.recv.empty()) op.recv_counts = trace_->keep(std::move(vectors.recv));
  }

  struct Postponed {
    std::string text;
    std::uint64_t default_size;
  };
  std::string top_;
  std::unique_ptr<CompactTrace> trace_;
  std::vector<RankState> states_;
  struct HashText {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, Word, HashText, std::equal_to<>> known_;  ///< by the text of the line
  std::vector<Postponed> postponed_;
  std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> postponed_numbers_;
};

}  // namespace

std::unique_ptr<CompactTrace> read_ti(const std::string& path) {
  return Reader(path).read();
}

}  // namespace toroid::workloads

#pragma once
// The lines of TI traces, `RANK ACTION ARGUMENTS`, and what the arguments of each action mean. A new action is one line
// of the table in actions.cpp, which reader and writer share. A field that is wrong is an InputError `file:line:
// action: found, expected`.

#include <cmath>
#include <cstring>
#include <limits>

#include "workloads/compact_trace.hpp"

namespace toroid::workloads::ti {

inline constexpr std::int32_t max_rank = 1 << 24;
inline constexpr std::int32_t undefined_rank = -333;  ///< MPI_ANY_SOURCE and MPI_PROC_NULL alike
inline constexpr std::int32_t undefined_tag = -444;

/// A line of a trace. Field 0 is the rank, field 1 the action; then come its arguments, which count from 0.
struct Line {
  const std::string& file;
  std::uint64_t number = 0;
  std::vector<std::string_view> fields = {};
  std::uint64_t default_size = 1;  ///< bytes of an element without a datatype

  /// Cuts the text into fields at blanks and tabs. The fields are parts of the text, which must outlive them.
  void cut(std::string_view text);

  std::size_t arguments() const { return fields.size() - 2; }
  /// Fails unless there are `least` to `most` arguments; `grammar` says in the message what they are.
  void expect_arguments(std::size_t least, std::size_t most, std::string_view grammar) const;

  /// Argument i as a number >= 0.
  double amount(std::size_t i) const;
  /// Argument i as a whole number >= 0; SimGrid reads counts as doubles, so 1e6 is one.
  std::uint64_t count(std::size_t i) const;
  /// Argument i as a rank, or `undefined_means` where it is MPI_ANY_SOURCE or MPI_PROC_NULL, which TI writes alike.
  CommRank rank(std::size_t i, CommRank undefined_means) const;
  /// Argument i as the rank of a root.
  CommRank root(std::size_t i) const;
  /// Argument i as a tag or any_tag.
  std::int32_t tag(std::size_t i) const;
  /// Argument `count_at` times the size of the datatype at `type_at`, or the default size where that field is absent.
  std::uint64_t bytes(std::size_t count_at, std::size_t type_at) const;
  /// The bytes for n counts, which are the arguments from `first` on; `type_at` as for bytes().
  std::vector<std::uint64_t> byte_counts(std::size_t first, std::size_t n, std::size_t type_at) const;

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    core::fail_input_at(file, number, "{}: {}", fields.size() > 1 ? core::excerpt(fields[1]) : "trace",
                        fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  std::int32_t integer(std::size_t i) const;
  std::uint64_t element_size(std::size_t i) const;
  std::uint64_t scaled(std::uint64_t elements, std::uint64_t size) const;
};

/// Bytes of one element of a datatype by its id (SimGrid 3.32); 0 if there is no such id.
std::uint64_t datatype_size(std::int32_t id);

/// The bytes that a collective with counts sends to each rank and receives from each rank.
struct Counts {
  std::vector<std::uint64_t> send, recv;
};

/// An action, whose arguments are told by a grammar in words, such as `RECEIVER TAG COUNT [TYPE]`: these are their
/// roles. SimGrid's replayer takes what stands in brackets as optional; its tracer always writes that.
class Action {
 public:
  /// Fills an operation from the arguments of a line where the grammar alone does not say how.
  using Parse = void (*)(const Line&, Operation&);
  /// Fills an operation that has a count for each of n ranks, and its counts; `me` is the rank of the line.
  using ParseCounts = void (*)(const Line&, std::size_t n, Rank me, Operation&, Counts&);

  Action(std::string_view its_name, OpKind its_kind, std::string_view its_grammar, SendMode = SendMode::standard);
  Action(std::string_view its_name, OpKind its_kind, std::string_view its_grammar, Parse special)
      : Action(its_name, its_kind, its_grammar) {
    special_ = special;
  }
  Action(std::string_view its_name, OpKind its_kind, ParseCounts its_parse)
      : name(its_name), kind(its_kind), parse_counts(its_parse) {}

  /// Fills an operation, whose kind and mode are set, from the arguments of a line; not if there is `parse_counts`.
  /// Throws InputError. Of waits the operation has the message that names the request, or how many requests there are
  /// (`bytes`); Requests tells which.
  void parse(const Line& line, Operation& op) const;

  std::string_view name;
  OpKind kind;
  SendMode mode = SendMode::standard;
  std::string_view grammar = {};
  std::vector<std::string_view> roles = {};
  ParseCounts parse_counts = nullptr;  ///< reads what is understood once all ranks are known; or null

 private:
  std::size_t least_ = ~std::size_t{0};  ///< number of arguments that must be there
  Parse special_ = nullptr;
};

/// The action of that name; null if there is none.
const Action* find_action(std::string_view name);
/// The action that is written for such an operation; there must be one.
const Action& action_of(const Operation& op);

/// Whether the line's action has no effect on time. Polls that name no request have none: testall, testany, testsome,
/// and test without arguments, as SimGrid's tracer writes it.
bool is_without_effect(const Line& line);

/// Throws InputError for an action that does not exist, which says why the line cannot be replayed.
[[noreturn]] void fail_unknown_action(const Line& line);

// The lines that traces have most of, `RANK compute AMOUNT`, are read without cutting them into fields.

struct Computation {
  Rank rank;
  double amount;
};

/// The amount that the text spells, exactly as core::parse_number finds it; NaN if it is none.
inline double plain_amount(std::string_view text) {
  constexpr std::size_t exact_digits = 15;  // any such number is a double
  if (text.size() <= exact_digits && !text.empty()) {
    std::int64_t whole = 0;
    std::size_t i = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) whole = 10 * whole + (text[i] - '0');
    if (i == text.size()) return static_cast<double>(whole);
  }
  const auto amount = core::parse_number<double>(text);
  return amount && std::isfinite(*amount) && *amount >= 0 ? *amount : std::numeric_limits<double>::quiet_NaN();
}

/// The computation on a line that is spelled as tracers do, with single blanks and nothing else. Returns nothing for
/// any other line: the parser of the whole grammar reads these, and says what is wrong with them.
inline std::optional<Computation> plain_computation(std::string_view line) {
  constexpr std::string_view action = " compute ";
  constexpr std::size_t most_digits = 7;  // below the highest rank there may be
  std::int32_t rank = 0;
  std::size_t i = 0;
  for (; i < line.size() && i < most_digits && line[i] >= '0' && line[i] <= '9'; ++i)
    rank = 10 * rank + (line[i] - '0');
  if (i == 0 || line.size() < i + action.size()) return std::nullopt;
  if (std::memcmp(line.data() + i, action.data(), action.size()) != 0) return std::nullopt;
  const double amount = plain_amount(line.substr(i + action.size()));
  if (std::isnan(amount)) return std::nullopt;
  return Computation{Rank(rank), amount};
}

// The requests of TI traces. TI gives no handles: a wait names its request by sender, receiver and tag of the message,
// a waitall or waitAny only says how many requests it is for. Here names become handles.

struct RequestName {
  CommRank sender, receiver;  ///< ranks of the world
  std::int32_t tag;
  bool operator==(const RequestName&) const = default;
};

/// The name that an isend or irecv of `rank` on the world gives its request.
RequestName request_name(const Operation& operation, Rank rank);

/// The names in the program of one rank. The handle of a request is the number of its name: requests of one name are
/// taken in the order in which they were posted, and so are those of one handle.
class RequestNames {
 public:
  /// The handle of a name; a new name gets a new handle.
  RequestHandle handle(const RequestName& name);
  /// The handle of a name; no_handle if handle() was never asked for it.
  RequestHandle find(const RequestName& name) const;
  const RequestName& operator[](RequestHandle handle) const { return names_[handle]; }
  std::size_t size() const { return names_.size(); }

 private:
  struct Hash {
    std::uint64_t operator()(const RequestName& name) const {
      return core::mix(core::mix(0, core::joined(name.sender, name.receiver)), static_cast<std::uint32_t>(name.tag));
    }
  };
  core::FlatMap<RequestName, RequestHandle, Hash> handles_;
  std::vector<RequestName> names_;
};

/// Finds out which requests the waits of a rank are for, by the rules of docs/reference/traces.md. Before, requests
/// have the handles of their names, and a waitall or waitany has the number of its requests as `bytes`; afterwards it
/// has their handles. Throws InputError `file:line: ...` at a wait for a request that is never posted. To be called
/// once for a rank, before the trace is finished.
void resolve_requests(CompactTrace& trace, Rank rank, const RequestNames& names);

}  // namespace toroid::workloads::ti

#pragma once
// The actions of TI traces: what the arguments of each mean. A new action is one function and one line of the table in
// ti_actions.cpp.

#include <string_view>
#include <vector>

#include "workloads/formats/ti_line.hpp"

namespace toroid::workloads::ti {

/// The bytes for and from each rank, of a collective that has them.
struct Counts {
  std::vector<std::uint64_t> send, recv;
};

struct Action {
  /// Fill one operation, whose kind and mode are set, from the arguments of the line. Throw InputError.
  using Parse = void (*)(const Line&, Operation&);
  /// With a count for each of n ranks: the line is understood once n is known. `me` is the rank of the line.
  using ParseCounts = void (*)(const Line&, std::size_t n, Rank me, Operation&, Counts&);

  Action(OpKind its_kind, Parse its_parse, SendMode its_mode = SendMode::standard)
      : kind(its_kind), mode(its_mode), parse(its_parse) {}
  Action(OpKind its_kind, ParseCounts its_parse) : kind(its_kind), parse_counts(its_parse) {}

  OpKind kind;
  SendMode mode = SendMode::standard;
  Parse parse = nullptr;  ///< one of the two is set
  ParseCounts parse_counts = nullptr;
};

/// Null if there is no action of that name.
const Action* find_action(std::string_view name);

/// Whether operations of that kind come from actions with counts.
bool has_counts(OpKind kind);

/// Actions without effect on time. A poll that names no request can end none here: testall, testany, testsome, and test
/// as SimGrid's tracer writes it, without arguments.
bool is_without_effect(const Line& line);

/// Says of the line's action, which there is not, why it cannot be replayed.
[[noreturn]] void fail_unknown_action(const Line& line);

}  // namespace toroid::workloads::ti

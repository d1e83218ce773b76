#pragma once
// The actions of TI traces: what the arguments of each mean. A new action is one function and one line of the table in
// ti_actions.cpp.

#include <string_view>
#include <vector>

#include "workloads/formats/ti/line.hpp"

namespace toroid::workloads::ti {

/// The bytes that a collective with counts sends to each rank and receives from each rank.
struct Counts {
  std::vector<std::uint64_t> send, recv;
};

struct Action {
  /// Fills an operation, whose kind and mode are set, from the arguments of a line. Throws InputError.
  using Parse = void (*)(const Line&, Operation&);
  /// Fills an operation that has a count for each of n ranks, and its counts; `me` is the rank of the line.
  using ParseCounts = void (*)(const Line&, std::size_t n, Rank me, Operation&, Counts&);

  Action(OpKind its_kind, Parse its_parse, SendMode its_mode = SendMode::standard)
      : kind(its_kind), mode(its_mode), parse(its_parse) {}
  Action(OpKind its_kind, ParseCounts its_parse) : kind(its_kind), parse_counts(its_parse) {}

  OpKind kind;
  SendMode mode = SendMode::standard;
  Parse parse = nullptr;  ///< either this or parse_counts is set
  ParseCounts parse_counts = nullptr;
};

/// The action of that name; null if there is none.
const Action* find_action(std::string_view name);

/// Whether operations of that kind come from actions with counts.
bool has_counts(OpKind kind);

/// Whether the line's action has no effect on time. Polls that name no request have none: testall, testany, testsome,
/// and test without arguments, as SimGrid's tracer writes it.
bool is_without_effect(const Line& line);

/// Throws InputError for an action that does not exist, which says why the line cannot be replayed.
[[noreturn]] void fail_unknown_action(const Line& line);

}  // namespace toroid::workloads::ti

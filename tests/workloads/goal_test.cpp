// Schedules in GOAL, read back by a parser of its grammar and run by the rules of its paper.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <regex>
#include <sstream>

#include "core/error.hpp"
#include "tests/support/support.hpp"
#include "workloads/formats/goal.hpp"
#include "workloads/summary.hpp"

namespace toroid::workloads {
namespace {

struct GoalOperation {
  enum class Kind { send, receive, calculate } kind;
  std::uint64_t amount;  ///< bytes or nanoseconds
  int peer = -1;
  std::int64_t tag = 0;
  std::vector<std::size_t> requires_end, requires_begin;
};

using Schedule = std::vector<std::vector<GoalOperation>>;  ///< by rank

std::string goal_of(const Trace& trace) {
  const test::Scratch scratch;
  core::OutputSet outputs;
  write_goal(trace, {}, outputs, scratch.path("t.goal"));
  outputs.commit();
  return test::content(scratch.path("t.goal"));
}

/// Every line must be one of the grammar.
Schedule parse(const std::string& text) {
  static const std::regex header("num_ranks (\\d+)"), rank("rank (\\d+) \\{"),
      message("l(\\d+): (send|recv) (\\d+)b (to|from) (\\d+) tag (\\d+)"), calc("l(\\d+): calc (\\d+)"),
      dependency("l(\\d+) (i?)requires l(\\d+)");
  Schedule schedule;
  std::vector<GoalOperation>* program = nullptr;
  std::istringstream lines(text);
  std::smatch m;
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    if (line.empty()) continue;
    if (schedule.empty()) {
      REQUIRE(std::regex_match(line, m, header));
      schedule.resize(std::stoul(m[1]));
    } else if (std::regex_match(line, m, rank)) {
      REQUIRE(program == nullptr);
      program = &schedule.at(std::stoul(m[1]));
    } else if (line == "}") {
      REQUIRE((program != nullptr && !program->empty()));
      program = nullptr;
    } else if (std::regex_match(line, m, message)) {
      REQUIRE(std::stoul(m[1]) == program->size() + 1);
      REQUIRE((m[2] == "send") == (m[4] == "to"));
      program->push_back({m[2] == "send" ? GoalOperation::Kind::send : GoalOperation::Kind::receive,
                          std::stoull(m[3]),
                          std::stoi(m[5]),
                          std::stoll(m[6]),
                          {},
                          {}});
    } else if (std::regex_match(line, m, calc)) {
      REQUIRE(std::stoul(m[1]) == program->size() + 1);
      program->push_back({GoalOperation::Kind::calculate, std::stoull(m[2]), -1, 0, {}, {}});
    } else {
      REQUIRE(std::regex_match(line, m, dependency));
      auto& of = program->at(std::stoul(m[1]) - 1);
      REQUIRE(std::stoul(m[3]) < std::stoul(m[1]));
      (m[2] == "i" ? of.requires_begin : of.requires_end).push_back(std::stoul(m[3]) - 1);
    }
  }
  REQUIRE(program == nullptr);
  return schedule;
}

/// What each rank sends to each when all is done. Sends end at once, receives when there is their message.
std::map<std::pair<int, int>, std::uint64_t> run(const Schedule& schedule) {
  struct State {
    bool begun = false, ended = false;
  };
  std::map<std::pair<int, int>, std::uint64_t> bytes;
  std::map<std::tuple<int, int, std::int64_t>, int> sent;
  std::vector<std::vector<State>> states;
  for (const auto& program : schedule) states.emplace_back(program.size());
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::size_t r = 0; r < schedule.size(); ++r)
      for (std::size_t i = 0; i < schedule[r].size(); ++i) {
        const auto& op = schedule[r][i];
        auto& state = states[r][i];
        if (state.ended) continue;
        bool ready = true;
        for (const auto other : op.requires_end) ready = ready && states[r][other].ended;
        for (const auto other : op.requires_begin) ready = ready && states[r][other].begun;
        if (!ready) continue;
        goes_on = goes_on || !state.begun;
        state.begun = true;
        const auto me = static_cast<int>(r);
        if (op.kind == GoalOperation::Kind::send) {
          ++sent[{me, op.peer, op.tag}];
          if (op.peer != me) bytes[{me, op.peer}] += op.amount;
        }
        if (op.kind == GoalOperation::Kind::receive && sent[{op.peer, me, op.tag}]-- == 0) {
          ++sent[{op.peer, me, op.tag}];
          continue;
        }
        state.ended = goes_on = true;
      }
  }
  for (const auto& program : states)
    for (const auto& state : program) REQUIRE(state.ended);
  for (const auto& [channel, left] : sent) REQUIRE(left == 0);
  std::erase_if(bytes, [](const auto& entry) { return entry.second == 0; });
  return bytes;
}

TEST_CASE("A schedule says what requires the end, and what the beginning, of what") {
  const auto trace = test::trace_of(
      "0 compute 5\n0 isend 1 7 100 6\n0 irecv 1 8 9 6\n0 waitall 2\n0 compute 3\n"
      "1 recv 0 7 100 6\n1 send 0 8 9 6\n");
  CHECK(goal_of(*trace) ==
        "num_ranks 2\n\nrank 0 {\nl1: calc 5\nl2: send 100b to 1 tag 7\nl2 requires l1\nl3: recv 9b from 1 tag 8\n"
        "l3 irequires l2\nl4: calc 0\nl4 irequires l3\nl4 requires l2\nl4 requires l3\nl5: calc 3\nl5 requires l4\n}\n"
        "\nrank 1 {\nl1: recv 100b from 0 tag 7\nl2: send 9b to 0 tag 8\nl2 requires l1\n}\n");
}

TEST_CASE("Schedules of programs end, and move what the programs move") {
  for (const std::string spec :
       {"stencil:grid=3x3,steps=2", "cg:class=S,ranks=8,iterations=1", "ft:class=S,ranks=128,iterations=1",
        "is:class=S,ranks=4,iterations=1", "broadcasts:ranks=5,rounds=2", "broadcasts:ranks=5,rounds=2,order=at-once",
        "lulesh:ranks=8,elements=3,steps=2", "minighost:grid=2x2x2,steps=1", "namd:ranks=7,steps=1",
        "llm:model=llama3-8b,layers=4,tensor=2,context=2,data=2,pipeline=2,chunks=2,micro-batches=2",
        "llm:model=mixtral-8x7b,layers=2,tensor=1,data=4,expert=2,pipeline=2,micro-batches=2,gradients=reduce-"
        "scatter"}) {
    CAPTURE(spec);
    const auto trace = open_trace(spec);
    const auto moved = run(parse(goal_of(*trace)));
    std::map<std::pair<int, int>, std::uint64_t> expected;
    const auto matrix = communication_matrix(*trace, {});
    for (const Rank rank : core::ids<Rank>(trace->ranks()))
      for (const auto& cell : matrix.rows[rank])
        if (cell.bytes > 0) expected[{rank.value(), cell.to.value()}] = cell.bytes;
    CHECK(moved == expected);
  }
}

TEST_CASE("A collective that does not block goes on beside what follows") {
  CompactTrace trace(2);
  for (const Rank rank : {Rank(0), Rank(1)}) {
    trace.add(rank, {.kind = OpKind::allreduce, .request = 5, .bytes = 8});
    trace.add(rank, {.kind = OpKind::compute, .amount = 1000});
    trace.add(rank, {.kind = OpKind::wait, .request = 5});
    trace.add(rank, {.kind = OpKind::compute, .amount = 1});
  }
  trace.finish();
  const auto schedule = parse(goal_of(trace));
  const auto& program = schedule[0];
  for (const auto& op : program) {
    if (op.kind != GoalOperation::Kind::calculate) continue;
    if (op.amount == 1000) CHECK((op.requires_end.empty() && op.requires_begin.empty()));
    if (op.amount == 1) CHECK(op.requires_end.size() == 1);  // what ended both
  }
  CHECK(run(schedule).size() == 2);
}

TEST_CASE("What GOAL cannot say is an error") {
  const auto error_of = [](const std::string& text) {
    return test::message_of<core::InputError>([&] { goal_of(*test::trace_of(text)); });
  };
  CHECK_THAT(error_of("0 recv -333 0 8 6\n1 send 0 0 8 6\n"), Catch::Contains("cannot say any source or tag"));
  CHECK_THAT(error_of("0 Ssend 1 0 8 6\n1 recv 0 0 8 6\n"), Catch::Contains("only standard sends"));
  CHECK_THAT(error_of("0 irecv 1 0 8 6\n0 waitany 1\n1 send 0 0 8 6\n"), Catch::Contains("which of several messages"));
  CHECK_THAT(error_of("0 send 1 2000000000 8 6\n1 recv 0 2000000000 8 6\n"), Catch::Contains("too large for the tags"));
}

}  // namespace
}  // namespace toroid::workloads

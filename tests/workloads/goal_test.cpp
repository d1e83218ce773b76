// Schedules in GOAL, read back by a parser of its grammar and run by the rules of its paper.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <regex>
#include <sstream>

#include "core/random.hpp"
#include "tests/support/damaged.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/errors.hpp"
#include "tests/workloads/operations.hpp"
#include "tests/workloads/random_program.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/summary.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/diff.hpp"
#include "workloads/formats/formats.hpp"

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

std::string goal_of(const Trace& trace, std::string_view collectives = "default") {
  const test::Scratch scratch;
  core::OutputSet outputs;
  write_goal(trace, CollectiveChoice::parse(collectives), outputs, scratch.path("t.goal"));
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

TEST_CASE("Schedules of programs end, and move what the programs move", "[slow]") {
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
  const auto* const collectives = GENERATE("default", "mpi:allreduce=(swing:ports=2)");
  CompactTrace trace(2);
  for (const Rank rank : {Rank(0), Rank(1)}) {
    trace.add(rank, {.kind = OpKind::allreduce, .request = 5, .bytes = 8});
    trace.add(rank, {.kind = OpKind::compute, .amount = 1000});
    trace.add(rank, {.kind = OpKind::wait, .request = 5});
    trace.add(rank, {.kind = OpKind::compute, .amount = 1});
  }
  trace.finish();
  const auto schedule = parse(goal_of(trace, collectives));
  const auto& program = schedule[0];
  for (const auto& op : program) {
    if (op.kind != GoalOperation::Kind::calculate) continue;
    if (op.amount == 1000) CHECK((op.requires_end.empty() && op.requires_begin.empty()));
    if (op.amount == 1) CHECK(op.requires_end.size() == 1);  // what ended both, and all ports
  }
  CHECK(run(schedule).size() == 2);
  CHECK(std::ranges::count(program, GoalOperation::Kind::send, &GoalOperation::kind) ==
        (std::string_view(collectives) == "default" ? 1 : 2));
}

TEST_CASE("What GOAL cannot say is an error") {
  const auto error_of_writing = [](const std::string& text) {
    return test::error_of([&] { goal_of(*test::trace_of(text)); });
  };
  CHECK_THAT(error_of_writing("0 recv -333 0 8 6\n1 send 0 0 8 6\n"), Catch::Contains("cannot say any source or tag"));
  CHECK_THAT(error_of_writing("0 Ssend 1 0 8 6\n1 recv 0 0 8 6\n"), Catch::Contains("only standard sends"));
  CHECK_THAT(error_of_writing("0 irecv 1 0 8 6\n0 waitany 1\n1 send 0 0 8 6\n"),
             Catch::Contains("which of several messages"));
  CHECK_THAT(error_of_writing("0 send 1 2000000000 8 6\n1 recv 0 2000000000 8 6\n"),
             Catch::Contains("too large for the tags"));
}

std::unique_ptr<Trace> read(const std::string& text) {
  const test::Scratch scratch;
  return open_trace(scratch.write("t.goal", text));
}

/// What a rank sends and receives, in the order in which it does so.
std::vector<std::string> messages_of(const Trace& trace, Rank rank) {
  std::vector<std::string> messages;
  std::map<RequestHandle, Operation> persistent;
  const auto tell = [&](const Operation& op, bool sends) {
    const auto& comm = trace.communicator(op.comm);
    messages.push_back(fmt::format("{} {} {}", sends ? "to" : "from", comm.member(sends ? op.to : op.from), op.bytes));
  };
  const auto stream = trace.open(rank);
  for (Operation op; stream->next(op);) {
    if (op.kind == OpKind::send_init || op.kind == OpKind::recv_init) persistent[op.request] = op;
    if (op.kind == OpKind::start) tell(persistent[op.request], persistent[op.request].kind == OpKind::send_init);
    if (is_send(op.kind)) tell(op, true);
    if (op.kind == OpKind::recv || op.kind == OpKind::irecv || op.kind == OpKind::recv_after ||
        op.kind == OpKind::sendrecv)
      tell(op, false);
  }
  return messages;
}

TEST_CASE("Programs come back from schedules with the same messages, and take the same time") {
  core::Random random(5, "test/goal");
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const auto trace = random_program(
        random, {.ranks = 4, .events = 60, .collectives = false, .uncertain = false, .synchronous = false});
    const auto again = read(goal_of(*trace));
    for (const Rank rank : core::ids<Rank>(4)) CHECK(messages_of(*trace, rank) == messages_of(*again, rank));
    const auto time = [](const Trace& program) {
      return test::simulate("torus:4", program, {}, {}, "fluid")["runtime_s"].get<double>();
    };
    CHECK(time(*again) == Approx(time(*trace)).epsilon(1e-12));
  }
}

TEST_CASE("Generated programs come back from schedules") {
  for (const std::string spec :
       {"stencil:grid=3x3,steps=2", "cg:class=S,ranks=8,iterations=1", "ft:class=S,ranks=128,iterations=1",
        "is:class=S,ranks=4,iterations=1", "broadcasts:ranks=5,rounds=2", "broadcasts:ranks=5,rounds=2,order=at-once",
        "lulesh:ranks=8,elements=3,steps=2", "minighost:grid=2x2x2,steps=1", "namd:ranks=7,steps=1",
        "lu:class=S,ranks=4,iterations=2", "bt:class=S,ranks=4,iterations=2"}) {
    CAPTURE(spec);
    const auto trace = open_trace(spec);
    const auto again = read(goal_of(*trace));
    CHECK(matrix_csv(point_to_point_matrix(*again)) == matrix_csv(communication_matrix(*trace, {})));
    CHECK(matrix_csv(point_to_point_matrix(*again), true) == matrix_csv(communication_matrix(*trace, {}), true));
  }
}

TEST_CASE("Messages are posted as soon as they may, and waited for where all requires them") {
  using Program = std::vector<std::string>;
  const auto trace = read(
      "// a comment\nnum_ranks 2 /* and\none */\nrank 0 {\nl1: recv 8b from 1 tag 3\nl2: calc 100 cpu 0\n"
      "l3: send 9b to 1 tag 4294967294 nic 1\nl3 requires l1\nl3 requires l2\nwait: calc 0\nwait requires l3\n"
      "l4: calc 7\nl4 requires wait\nrecv 5 b from -1\nl5:send 1b to 0\nl5 irequires l4\n}\nrank 1 { }\n");
  CHECK(program(*trace, 0) == Program{"irecv from=1 tag=3 request=0 bytes=8", "irecv from=-1 bytes=5",
                                      "compute amount=100", "wait request=0", "send comm=1 to=1 tag=2147483646 bytes=9",
                                      "compute amount=7", "isend bytes=1"});
  CHECK(program(*trace, 1).empty());
  CHECK(trace->locate(0, 0).ends_with("t.goal:5"));
}

TEST_CASE("Graphs that are no program are strands, and what all their ranks do is waited for") {
  using Program = std::vector<std::string>;
  const std::string head = "num_ranks 1\nrank 0 {\na: recv 1b from 0 tag 1\nb: recv 1b from 0 tag 2\n";
  const auto is_graph = [&](const std::string& rest) { return program(*read(head + rest), 0).back() == "join"; };
  CHECK(program(*read(head + "c: calc 5\nd: calc 6\nc requires a\nd requires b\ne: send 1b to 0\ne irequires d\n}\n"),
                0) == Program{"recv_after tag=1 bytes=1", "recv_after tag=2 bytes=1", "compute_after amount=5 after=2",
                              "compute_after amount=6 after=2", "send_after bytes=1 after-begin=1", "join"});
  // In the file a requirement may come before what it requires.
  CHECK(program(*read(head + "c: send 5b to 0\na requires c\nd: calc 0\nd requires b\nd requires a\ne: calc 7\n"
                             "e requires b\nf: calc 8\nf requires a\n}\n"),
                0) == Program{"recv_after tag=2 bytes=1", "send_after bytes=5", "recv_after tag=1 bytes=1 after=1",
                              "compute_after after=1/3", "compute_after amount=7 after=4",
                              "compute_after amount=8 after=3", "join"});
  CHECK(is_graph("c: send 5b to 0\nd: calc 6\nc requires a\nd requires b\n}\n"));
  CHECK(is_graph("c: calc 5\nd: calc 6\nd requires c\ne: send 1b to 0\ne requires a\n}\n"));
  CHECK(is_graph("c: calc 5\ne: send 1b to 0\ne requires a\n}\n"));  // if a is there at once, e is first
  CHECK_FALSE(is_graph("c: calc 5\ne: send 1b to 0\ne requires a\ne irequires c\n}\n"));
  CHECK_FALSE(is_graph("c: calc 5\nd: calc 6\nc requires a\nd requires b\nd requires a\nd requires c\n}\n"));
  const auto with_cpus = read(head + "c: calc 5 cpu 7\nd: calc 6 cpu 2\nd requires c\n}\n");
  CHECK(program(*with_cpus, 0) == Program{"recv_after tag=1 bytes=1", "recv_after tag=2 bytes=1",
                                          "compute_after root=2 amount=5", "compute_after root=1 amount=6 after=1",
                                          "join"});
  CHECK_THAT(goal_of(*with_cpus), Catch::Contains("l3: calc 5 cpu 2\nl4: calc 6 cpu 1\n"));
  CHECK_THAT(error_of_file("t.goal", head + "a requires b\nb requires a\n}\n"), Catch::Contains("3: found a cycle"));
  CHECK_THAT(error_of_file("t.goal", head + "a irequires a\n}\n"), Catch::Contains("3: found a cycle"));
}

const std::string two_orders =
    "num_ranks 2\nrank 0 {\na: recv 8b from 1 tag 1\nb: recv 8b from 1 tag 2\nc: calc 5\nc requires a\n"
    "d: calc 6\nd requires b\ne: send 9b to 1 tag 3\ne irequires d\n}\n"
    "rank 1 {\na: send 8b to 0 tag 2\nb: send 8b to 0 tag 1\nc: recv 9b from 0 tag 3\n}\n";

TEST_CASE("A graph comes back from GOAL and from our own form as it was") {
  const test::Scratch scratch;
  const auto trace = read(two_orders);
  CHECK(program(*read(goal_of(*trace)), 0) == [&] {
    auto all = program(*trace, 0);
    all.insert(all.end() - 1, "compute_after after=1/2/3");  // what waits for all
    return all;
  }());
  for (const bool binary : {true, false}) {
    core::OutputSet outputs;
    if (binary)
      write_own(*trace, outputs, scratch.path("t"));
    else
      write_own_text(*trace, outputs, scratch.path("t"));
    outputs.commit();
    const auto again = open_trace(scratch.path("t"));
    CHECK(program(*again, 0) == program(*trace, 0));
    CHECK(first_differences(*trace, *again, {.computation = true}).empty());
  }
  CHECK(summarize(*trace).operations == trace->operation_count());
  CHECK(matrix_csv(point_to_point_matrix(*trace)) == "0,9\n16,0\n");
}

TEST_CASE("What cannot say a graph refuses it") {
  const auto trace = read(two_orders);
  const test::Scratch scratch;
  core::OutputSet outputs;
  CHECK_THROWS_WITH(write_ti(*trace, outputs, scratch.path("t")),
                    Catch::Contains("in a graph that no program can say"));
}

TEST_CASE("What all wait for is waited for first, whoever waits for most") {
  // `first` waits for all messages, the others for one each.
  constexpr int count = 2000;
  std::string text = "num_ranks 1\nrank 0 {\n";
  for (int i = 0; i < count; ++i) text += fmt::format("m{0}: recv 1b from 0 tag {0}\n", i);
  text += "first: calc 0\n";
  for (int i = 0; i < count; ++i) text += fmt::format("first requires m{}\n", i);
  text += "last: send 1b to 0 tag 5000\nlast requires first\n";
  for (int i = 0; i < count; ++i) {
    text += fmt::format("g{0}: send 2b to 0 tag {0}\ng{0} requires m{0}\n", i);
    if (i > 0) text += fmt::format("g{} irequires g{}\n", i, i - 1);
  }
  const auto operations = program(*read(text + "}\n"), 0);
  std::vector<std::string> waits;
  for (const auto& operation : operations)
    if (operation.starts_with("wait")) waits.push_back(operation);
  REQUIRE(waits.size() == count);
  for (int i = 0; i < count; ++i) CHECK(waits[static_cast<std::size_t>(i)] == fmt::format("wait request={}", i));
}

TEST_CASE("What is no schedule is an error that says where") {
  const std::string head = "num_ranks 2\nrank 0 {\n";
  CHECK(error_of_file("t.goal", "num_ranks 0\n") == "1: found '0', expected a number of ranks, 1 to 16777216");
  CHECK(error_of_file("t.goal", "num_ranks\n") == "1: found '', expected a number of ranks, 1 to 16777216");
  CHECK(error_of_file("t.goal", "num_ranks 1\nfrob\n") == "2: found 'frob', expected rank NUMBER {");
  CHECK(error_of_file("t.goal", "num_ranks 1\nrank 1 {\n") == "2: found '1', expected a rank, 0 to 0");
  CHECK(error_of_file("t.goal", "num_ranks 1\nrank 0\n") == "2: found the end of the line, expected {");
  CHECK_THAT(error_of_file("t.goal", head),
             Catch::Contains("found the end, expected } after rank 0: the file is truncated"));
  CHECK_THAT(error_of_file("t.goal", head + "}\n"), Catch::Contains("found the end after 1 ranks, expected 2"));
  CHECK(error_of_file("t.goal", head + "}\nrank 0 {\n}\n") == "4: found rank 0, expected 1: ranks stand in order");
  CHECK(error_of_file("t.goal", head + "1: calc 5\n}\n") == "3: found '1', expected send, recv, calc, a label or }");
  CHECK(error_of_file("t.goal", head + "l1 calc 5\n}\n") == "3: found 'calc', expected ':', requires or irequires");
  CHECK(error_of_file("t.goal", head + "l1: frob 5\n}\n") == "3: found 'frob', expected send, recv or calc");
  CHECK(error_of_file("t.goal", head + "calc -5\n}\n").starts_with("3: found '-5', expected a number of nanoseconds"));
  CHECK(error_of_file("t.goal", head + "calc 5 6\n}\n") == "3: found '6', expected the end of the line");
  CHECK(error_of_file("t.goal", head + "send 5 to 1\n}\n") == "3: found 'to', expected b behind the number of bytes");
  CHECK(error_of_file("t.goal", head + "send 5b from 1\n}\n") == "3: found 'from', expected to");
  CHECK(error_of_file("t.goal", head + "send 5b to -1\n}\n") == "3: found '-1', expected a rank, 0 to 1");
  CHECK(error_of_file("t.goal", head + "recv 5b from 2\n}\n") == "3: found '2', expected a rank, 0 to 1");
  CHECK(error_of_file("t.goal", head + "send 5b to 1 tag -1\n}\n").starts_with("3: found '-1', expected a tag"));
  CHECK(error_of_file("t.goal", head + "send 5b to 1 tag 4294967295\n}\n")
            .starts_with("3: found '4294967295', expected a tag"));
  CHECK(error_of_file("t.goal", head + "l: calc 1\nl: calc 1\n}\n") ==
        "4: found the label 'l' again, expected another one");
  CHECK(error_of_file("t.goal", head + "l: calc 1\nl requires m\n}\n") ==
        "4: found 'm', expected a label that stands before");
  CHECK(error_of_file("t.goal", head + "l: calc 1\nl requires l 5\n}\n") ==
        "4: found '5', expected the end of the line");
  CHECK_THAT(error_of_file("t.goal", head + "recv 5b from 1 tag -1\nsend 5b to 1 tag 3000000000\n}\n"),
             Catch::Contains("4: found tag -1 and tags from 2147483648 on in one file"));
}

/// When the operations of a rank begin if it does one thing at a time, by the rules of GOAL: messages end at `ends`, or
/// right after they are posted if that is later. Times are drawn from so many that they are never the same by chance.
std::vector<std::int64_t> begins_in_graph(const Schedule& schedule, const std::vector<std::int64_t>& ends) {
  const auto& graph = schedule[0];
  constexpr std::int64_t never = std::int64_t{1} << 40;
  std::vector<std::int64_t> begins(graph.size(), never), done(graph.size(), never), ready(graph.size(), never);
  std::int64_t now = 0;
  while (true) {
    std::size_t next = graph.size();
    std::int64_t event = never;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (begins[i] != never) continue;
      std::int64_t since = 0;
      for (const auto other : graph[i].requires_end) since = std::max(since, done[other]);
      for (const auto other : graph[i].requires_begin) since = std::max(since, begins[other]);
      ready[i] = since;
      const bool join = graph[i].kind == GoalOperation::Kind::calculate && graph[i].amount == 0;
      if (join && since != never) {  // takes no time, whatever else there is
        begins[i] = done[i] = since;
        next = graph.size() + 1;
        break;
      }
      event = std::min(event, since);
      if (since > now) continue;
      const auto rank_of = [&](std::size_t k) {
        const bool calculates = graph[k].kind == GoalOperation::Kind::calculate;
        return std::tuple(calculates, calculates ? ready[k] : 0, k);
      };
      if (next == graph.size() || rank_of(i) < rank_of(next)) next = i;
    }
    if (next == graph.size() + 1) continue;
    if (next == graph.size()) {
      if (event == never) return begins;
      now = event;
      continue;
    }
    begins[next] = now;
    const bool calculates = graph[next].kind == GoalOperation::Kind::calculate;
    done[next] = calculates ? now + static_cast<std::int64_t>(graph[next].amount) : std::max(now + 1, ends[next]);
    if (calculates) now = done[next];
  }
}

/// The same of the program that was made of it: messages have their number as tag, computations a time of their own.
std::vector<std::int64_t> begins_in_program(const Trace& trace, const Schedule& schedule,
                                            const std::vector<std::int64_t>& ends) {
  std::vector<std::int64_t> begins(schedule[0].size(), -1);
  std::map<RequestHandle, std::int64_t> outstanding;
  std::int64_t now = 0;
  const auto stream = trace.open(0);
  for (Operation op; stream->next(op);) {
    if (op.kind == OpKind::compute) {
      for (std::size_t i = 0; i < schedule[0].size(); ++i)
        if (schedule[0][i].kind == GoalOperation::Kind::calculate &&
            static_cast<double>(schedule[0][i].amount) == op.amount)
          begins[i] = now;
      now += static_cast<std::int64_t>(op.amount);
    } else if (op.kind == OpKind::wait) {
      now = std::max(now, outstanding.at(op.request));
    } else if (op.kind == OpKind::waitall) {
      for (const auto handle : op.requests) now = std::max(now, outstanding.at(handle));
    } else {
      const auto i = static_cast<std::size_t>(op.tag);
      begins[i] = now;
      const auto end = std::max(now + 1, ends[i]);
      if (op.kind == OpKind::send || op.kind == OpKind::recv)
        now = end;
      else
        outstanding[op.request] = end;
    }
  }
  return begins;
}

TEST_CASE("The program of a graph, where there is one, begins everything when the graph does") {
  core::Random random(6, "test/goal");
  int programs = 0, graphs = 0;
  for (int round = 0; round < test::tenth_if_sanitized(3000); ++round) {
    const auto count = 2 + random.below(8);
    std::string text = "num_ranks 2\nrank 0 {\n";
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto kind = random.below(7);
      if (kind < 4)
        text += fmt::format("l{}: {} tag {}\n", i + 1, kind < 2 ? "recv 8b from 1" : "send 8b to 1", i);
      else
        text += fmt::format("l{}: calc {}\n", i + 1, kind == 4 ? 0 : 1'000'000'000 + 7 * i);
      for (std::uint64_t k = 0; k < i; ++k)
        if (random.below(count) < 2)
          text += fmt::format("l{} {} l{}\n", i + 1, random.below(4) ? "requires" : "irequires", k + 1);
    }
    text += "}\n";
    CAPTURE(text);
    const auto trace = read(text + "rank 1 {\n}\n");
    const auto operations = program(*trace, 0);
    if (!operations.empty() && operations.back() == "join") {
      ++graphs;
      continue;
    }
    ++programs;
    const auto schedule = parse(text);
    for (int draw = 0; draw < 10; ++draw) {
      std::vector<std::int64_t> ends;
      for (std::uint64_t i = 0; i < count; ++i) ends.push_back(static_cast<std::int64_t>(random.below(5'000'000'000)));
      const auto expected = begins_in_graph(schedule, ends);
      const auto found = begins_in_program(*trace, schedule, ends);
      for (std::uint64_t i = 0; i < count; ++i) {
        CAPTURE(i);
        const auto& op = schedule[0][i];
        if (op.kind != GoalOperation::Kind::calculate || op.amount > 0) REQUIRE(found[i] == expected[i]);
      }
    }
  }
  CHECK(programs > test::tenth_if_sanitized(500));
  CHECK(graphs > test::tenth_if_sanitized(100));
}

TEST_CASE("Damaged schedules are read or refused, no more") {
  core::Random random(7, "test/goal");
  const auto original = goal_of(*open_trace("lulesh:ranks=8,elements=2,steps=1")).substr(0, 4000) + "\n}\n";
  for (int round = 0; round < 500; ++round) {
    const auto text = test::damaged(original, random);
    test::read_or_be_refused([&] { read(text); });
  }
}

}  // namespace
}  // namespace toroid::workloads

// Parts of traces: that they are programs which end, and have of the whole what they should.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "core/error.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/operations.hpp"
#include "tests/workloads/random_program.hpp"
#include "workloads/cut.hpp"
#include "workloads/diff.hpp"
#include "workloads/operation_kinds.hpp"
#include "workloads/summary.hpp"
#include "workloads/trace_source.hpp"

namespace toroid::workloads {
namespace {

using Bytes = std::map<std::pair<int, int>, std::uint64_t>;

Bytes sent_in(const Trace& trace) {
  Bytes bytes;
  const auto matrix = point_to_point_matrix(trace);
  for (const Rank rank : core::ids<Rank>(trace.ranks()))
    for (const auto& cell : matrix.rows[rank]) bytes[{rank.value(), cell.to.value()}] += cell.bytes;
  return bytes;
}

/// Replays: a deadlock or an unmatched message would throw.
void check_runs(const Trace& trace) {
  const auto result = test::simulate("mesh:" + std::to_string(std::max(trace.ranks(), 2)), trace, {}, {}, "fluid");
  CHECK(result["runtime_s"] >= 0);
}

std::string error_of_cut(const std::string& text, const std::vector<Rank>& ranks) {
  return test::error_of([&] { cut_to_ranks(*test::trace_of(text), ranks); });
}

TEST_CASE("Some ranks of a program are a program") {
  core::Random random(1, "test/cut-ranks");
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    const auto trace = random_program(random, {.ranks = 2 + static_cast<std::int32_t>(random.below(5))});
    std::vector<Rank> ranks;
    for (const Rank rank : core::ids<Rank>(trace->ranks()))
      if (random.below(3) > 0) ranks.push_back(rank);
    if (ranks.empty()) continue;
    const auto cut = cut_to_ranks(*trace, ranks);
    REQUIRE(cut.trace->ranks() == static_cast<std::int32_t>(ranks.size()));
    check_runs(*cut.trace);
    Bytes expected;
    std::uint64_t gone = 0;
    const auto number = [&](int rank) {
      const auto found = std::find(ranks.begin(), ranks.end(), Rank(rank));
      return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
    };
    for (const auto& [pair, bytes] : sent_in(*trace)) {
      const auto from = number(pair.first), to = number(pair.second);
      if (from >= 0 && to >= 0) expected[{from, to}] = bytes;
      if (from >= 0 && to < 0) gone += bytes;
    }
    CHECK(sent_in(*cut.trace) == expected);
    CHECK(cut.bytes == gone);
  }
}

TEST_CASE("All ranks are the program itself") {
  core::Random random(2, "test/cut-ranks");
  for (int round = 0; round < 20; ++round) {
    const auto trace = random_program(random);
    const auto cut = cut_to_ranks(*trace, {0, 1, 2, 3});
    CHECK(first_differences(*trace, *cut.trace, {true, 0, true}).empty());
    CHECK((cut.messages == 0 && cut.collectives == 0));
  }
}

TEST_CASE("What is left of a rank is what it did with the others") {
  const auto trace = test::trace_of(
      "0 irecv 1 0 8 6\n0 irecv 2 0 8 6\n0 waitall 2\n0 bcast 8 1 6\n0 reduce 8 0 0 6\n0 send 1 5 30 6\n"
      "1 send 0 0 8 6\n1 bcast 8 1 6\n1 reduce 8 0 0 6\n1 recv 0 5 30 6\n"
      "2 send 0 0 8 6\n2 bcast 8 1 6\n2 reduce 8 0 0 6\n");
  const auto cut = cut_to_ranks(*trace, {0, 2});
  using Program = std::vector<std::string>;
  CHECK(program(*cut.trace, 0) == Program{"irecv from=1 request=1 bytes=8", "waitall requests=1", "reduce bytes=8"});
  CHECK(program(*cut.trace, 1) == Program{"send bytes=8", "reduce bytes=8"});
  CHECK(cut.messages == 1);
  CHECK(cut.bytes == 30);
  CHECK(cut.collectives == 2);
}

TEST_CASE("A persistent send that goes out is not counted once its handle stands for another") {
  const test::Scratch scratch;
  const auto trace =
      open_trace(scratch.write("t.trace",
                               "toroid trace 1\nranks 3\nrank 0\n+ send_init to=2 request=0 bytes=100\n"
                               "+ start request=0\n+ wait request=0\n+ send_init to=1 request=0 bytes=7\n1 2\n"
                               "rank 1\n+ recv from=0 bytes=7\nrank 2\n+ recv from=0 bytes=100\nend\n"));
  const auto cut = cut_to_ranks(*trace, {0, 1});
  CHECK(cut.messages == 1);
  CHECK(cut.bytes == 100);
  CHECK(sent_in(*cut.trace) == Bytes{{{0, 1}, 7}});
}

TEST_CASE("Receives from any source are refused where a message from outside fits") {
  const std::string any = "0 recv -333 4 8 6\n1 send 0 4 8 6\n";
  CHECK(error_of_cut(any, {0, 1}).empty());
  CHECK(error_of_cut(any + "2 send 0 5 8 6\n0 recv 2 5 8 6\n", {0, 1}).empty());
  CHECK_THAT(error_of_cut(any + "2 send 0 4 8 6\n0 recv 2 4 8 6\n", {0, 1}), Catch::Contains("recv from any source"));
  CHECK_THAT(error_of_cut(any, {0, 2}), Catch::Contains("found rank 2, expected a rank below 2"));
}

/// Of each rank the prefixes after which nothing is under way, by the definition.
bool is_whole(const Trace& trace, const Places& places) {
  std::map<std::tuple<CommId, CommRank, CommRank, int>, int> messages;
  std::map<std::pair<CommId, Rank>, int> calls;
  std::set<CommId> comms;
  for (const Rank rank : places.ids()) {
    std::map<RequestHandle, int> open;
    std::map<RequestHandle, Operation> inits;
    const auto post = [&](const Operation& op) {
      const auto me = trace.communicator(op.comm).rank_of(rank);
      is_receive(op.kind) ? --messages[{op.comm, op.from, me, op.tag}] : ++messages[{op.comm, me, op.to, op.tag}];
    };
    const auto stream = trace.open(rank);
    Operation op;
    for (std::uint64_t i = 0; i < places[rank] && stream->next(op); ++i) {
      if (is_collective(op.kind)) {
        ++calls[{op.comm, rank}];
        comms.insert(op.comm);
      } else if (is_persistent_init(op.kind)) {
        inits[op.request] = op;
      } else if (is_point_to_point(op.kind)) {
        post(op);
      } else if (op.kind == OpKind::start) {
        post(inits.at(op.request));
        ++open[op.request];
      }
      const bool gives = op.kind == OpKind::isend || op.kind == OpKind::irecv || is_collective(op.kind);
      if (gives && op.request != no_handle) ++open[op.request];
      if (op.kind == OpKind::wait) --open[op.request];
      if (op.kind == OpKind::waitall)
        for (const auto handle : op.requests) --open[handle];
    }
    for (const auto& [handle, count] : open)
      if (count > 0) return false;
  }
  for (const auto& [channel, balance] : messages)
    if (balance != 0) return false;
  for (const auto comm : comms) {
    const auto& members = trace.communicator(comm);
    for (CommRank m = 1; m < members.size(); ++m)
      if (calls[{comm, members.member(m)}] != calls[{comm, members.member(0)}]) return false;
  }
  return true;
}

Places lengths(const Trace& trace) {
  Places all(trace.ranks(), 0);
  for (const Rank rank : all.ids()) all[rank] = program(trace, rank).size();
  return all;
}

/// Of all whole cuts at or behind the places the one with the least operations before it, tried one by one.
Places least_whole(const Trace& trace, const Places& places) {
  const auto most = lengths(trace);
  Places best = most, at = places;
  const auto size = [](const Places& cut) {
    std::uint64_t sum = 0;
    for (const auto place : cut) sum += place;
    return sum;
  };
  while (true) {
    if (size(at) < size(best) && is_whole(trace, at)) best = at;
    Rank rank = 0;
    while (places.has(rank) && at[rank] == most[rank]) at[rank] = places[rank], rank = Rank(rank.value() + 1);
    if (!places.has(rank)) return best;
    ++at[rank];
  }
}

TEST_CASE("A cut is moved on as little as it must be") {
  core::Random random(3, "test/cut");
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const auto trace = random_program(random, {.ranks = 3, .events = 10, .uncertain = false});
    Places from(trace->ranks(), 0), to = lengths(*trace);
    for (const Rank rank : from.ids()) {
      to[rank] = random.below(to[rank] + 1);
      from[rank] = random.below(to[rank] + 1);
    }
    const auto expected_from = least_whole(*trace, from), expected_to = least_whole(*trace, to);
    if (expected_from == expected_to) {
      CHECK_THROWS_AS(cut_between(*trace, from, to), core::InputError);
      continue;
    }
    const auto part = cut_between(*trace, from, to);
    CHECK(part.from == expected_from);
    CHECK(part.to == expected_to);
    check_runs(*part.trace);
  }
}

TEST_CASE("Parts of programs end, and are the program together") {
  core::Random random(4, "test/cut");
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const auto trace = random_program(random, {.ranks = 2 + static_cast<std::int32_t>(random.below(3)), .events = 60});
    const auto end = lengths(*trace);
    Places cut = end;
    for (const Rank rank : cut.ids()) cut[rank] /= 1 + random.below(6);
    Bytes sum;
    const auto add = [&](const Places& from, const Places& to) {
      try {
        const auto part = cut_between(*trace, from, to);
        check_runs(*part.trace);
        for (const auto& [pair, bytes] : sent_in(*part.trace)) sum[pair] += bytes;
      } catch (const core::InputError& error) {
        CHECK_THAT(error.what(), Catch::Contains("nothing lies between"));
      }
    };
    add(Places(trace->ranks(), 0), cut);
    add(cut, end);
    CHECK(sum == sent_in(*trace));
  }
}

TEST_CASE("Iterations of generators are whole, and a shorter run") {
  for (const std::string spec :
       {"stencil:grid=3x3,steps=4", "cg:class=S,ranks=8,iterations=4", "lu:class=S,ranks=4,iterations=4",
        "bt:class=S,ranks=4,iterations=4", "mg:class=S,ranks=8,iterations=4", "ft:class=S,ranks=128,iterations=4",
        "lulesh:ranks=8,elements=3,steps=4", "minighost:grid=2x2x2,steps=4", "namd:ranks=7,steps=4"}) {
    CAPTURE(spec);
    const auto trace = open_trace(spec);
    const auto [from, to] = iteration_places(*trace, 2, 3);
    const auto part = cut_between(*trace, from, to);
    CHECK(part.from == from);  // no iteration is parted from another
    CHECK(part.to == to);
    check_runs(*part.trace);
    std::uint64_t between = 0;
    for (const Rank rank : from.ids()) between += to[rank] - from[rank];
    CHECK(part.trace->operation_count() == between);
  }
  const auto trace = open_trace("stencil:grid=3x3,steps=4");
  const auto [from, to] = iteration_places(*trace, 2, 3);
  CHECK(
      first_differences(*cut_between(*trace, from, to).trace, *open_trace("stencil:grid=3x3,steps=2"), {true, 0, true})
          .empty());
}

TEST_CASE("Time is what a rank computes") {
  const auto trace = test::trace_of("0 compute 1e6\n0 send 1 0 8 6\n0 compute 2e6\n1 recv 0 0 8 6\n1 compute 5e6\n");
  CHECK(time_places(*trace, 0).elements() == std::vector<std::uint64_t>{0, 0});
  CHECK(time_places(*trace, 1e-3).elements() == std::vector<std::uint64_t>{1, 2});
  CHECK(time_places(*trace, 2e-3).elements() == std::vector<std::uint64_t>{3, 2});
  // Rank 1 has received by then, so rank 0 has sent.
  const auto part = cut_between(*trace, Places(2, 0), time_places(*trace, 1e-3));
  CHECK(part.to.elements() == std::vector<std::uint64_t>{2, 2});
}

TEST_CASE("What cannot be cut is an error") {
  const auto error_of_cut = [](const std::string& text) {
    return test::error_of([&] {
      const auto trace = test::trace_of(text);
      cut_between(*trace, Places(trace->ranks(), 0), lengths(*trace));
    });
  };
  CHECK_THAT(error_of_cut("0 send 1 0 8 6\n1 recv -333 0 8 6\n"), Catch::Contains("found any source or tag"));
  CHECK_THAT(error_of_cut("0 send 1 0 8 6\n1 compute 1\n"), Catch::Contains("never receives"));
  CHECK_THAT(error_of_cut("0 compute 1\n1 recv 0 0 8 6\n"), Catch::Contains("never sent"));
  CHECK_THAT(error_of_cut("0 barrier\n1 compute 1\n"),
             Catch::Contains(":1: rank 0 calls collective 1 of a communicator, of which rank 1 calls only 0"));
  const auto error_of_iterations = [](const std::string& spec, std::uint64_t first, std::uint64_t last) {
    return test::error_of([&] { iteration_places(*open_trace(spec), first, last); });
  };
  CHECK_THAT(error_of_iterations("traffic", 1, 1), Catch::Contains("does not know its iterations"));
  CHECK(error_of_iterations("stencil:steps=3", 1, 3).empty());
  CHECK(error_of_iterations("stencil:steps=3", 1, 4) == "found iteration 4, expected 1 to 3");
  CHECK(error_of_iterations("stencil:steps=3", 4, 4) == "found iteration 4, expected 1 to 3");
  CHECK(error_of_iterations("stencil:steps=3", 5, 5) == "found iteration 5, expected 1 to 3");
  CHECK(error_of_iterations("stencil:steps=3", 0, 1) == "found iteration 0, expected 1 to 3");
}

}  // namespace
}  // namespace toroid::workloads

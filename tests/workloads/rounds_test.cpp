// What streams say of their repetitions, against reading all of them.

#include <catch2/catch.hpp>

#include "core/period.hpp"
#include "core/random.hpp"
#include "tests/workloads/operations.hpp"
#include "tests/workloads/random_program.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/derived/forwarded_trace.hpp"
#include "workloads/iterations.hpp"

namespace toroid::workloads {
namespace {

/// Reads to a place, marks it, reads on for a while, and passes over as much as the stream says that it can. Returns
/// how many times.
std::uint64_t check_skip(const Trace& trace, Rank rank, const std::vector<std::string>& all, std::size_t marked,
                         std::size_t length) {
  Operation operation;
  const auto stream = trace.open(rank);
  for (std::size_t i = 0; i < marked; ++i) REQUIRE(stream->next(operation));
  const auto mark = stream->mark();
  CHECK(mark.operation == marked);
  for (std::size_t i = 0; i < length; ++i) REQUIRE(stream->next(operation));
  const auto times = stream->repeats(mark, true);
  const auto now = marked + length;
  REQUIRE(now + times * length <= all.size());
  for (auto i = now; i < now + times * length; ++i) REQUIRE(all[i] == all[i - length]);
  stream->skip(mark, times);
  CHECK(stream->mark().operation == now + times * length);
  for (auto i = now + times * length; i < all.size(); ++i) {
    REQUIRE(stream->next(operation));
    REQUIRE(describe(operation) == all[i]);
  }
  CHECK(!stream->next(operation));
  return times;
}

/// Returns the most operations of a rank that were passed over.
std::size_t check_all(const Trace& trace, core::Random& random) {
  std::size_t most = 0;
  for (const Rank rank : core::ids<Rank>(std::min(trace.ranks(), 5))) {
    const auto all = program(trace, rank);
    const auto rounds = trace.rounds(rank);
    if (rounds.count < 2 || rounds.length == 0) continue;
    REQUIRE(rounds.first + rounds.count * rounds.length <= all.size());
    for (int i = 0; i < 20; ++i) {
      const auto length = rounds.length * (1 + random.below(2)) + (i % 7 == 6 ? 1 : 0);
      const auto marked = random.below(rounds.first + rounds.length + 1) + (i % 3 == 0 ? rounds.length : 0);
      if (marked + length > all.size()) continue;
      most = std::max(most, static_cast<std::size_t>(check_skip(trace, rank, all, marked, length) * length));
    }
  }
  return most;
}

TEST_CASE("Generators repeat what they say that they do, and pass over it") {
  core::Random random(1, "rounds");
  for (const std::string spec :
       {"stencil:steps=9", "stencil:grid=3x2,steps=9,method=put", "broadcasts:ranks=5",
        "broadcasts:ranks=5,order=at-once", "cg:class=S,ranks=8", "lu:class=S,ranks=8", "mg:class=S,ranks=8",
        "ft:class=S,ranks=8", "bt:class=S,ranks=9", "sp:class=S,ranks=9", "lulesh:ranks=27,steps=9",
        "minighost:grid=2x2x2,steps=9", "llm:layers=4,tensor=2,pipeline=2,data=2,steps=5"}) {
    CAPTURE(spec);
    CHECK(check_all(*open_trace(spec), random) > 0);
  }
  for (const std::string spec : {"is:class=S,ranks=8", "ep:class=S,ranks=8", "traffic:grid=4x4"}) {
    CAPTURE(spec);
    CHECK(check_all(*open_trace(spec), random) == 0);
  }
}

TEST_CASE("An iteration that ends otherwise is repeated as far as it does the same") {
  const auto check = [](const std::string& spec, Rank rank) {
    CAPTURE(spec);
    const auto trace = open_trace(spec);
    const auto all = program(*trace, rank);
    const auto [first, length, count] = trace->rounds(rank);  // all iterations but the last one
    for (const auto at : {std::uint64_t{0}, std::uint64_t{1}, length / 2})
      CHECK(check_skip(*trace, rank, all, first + at, length) == count - 1);
    CHECK(check_skip(*trace, rank, all, first + length - 1, length) == count - 2);
    CHECK(check_skip(*trace, rank, all, first + 1, 2 * length) == (count - 2) / 2);
    CHECK(check_skip(*trace, rank, all, first + length + 1, 2 * length) == (count - 3) / 2);
  };
  check("lu:class=S,ranks=8", 3);
  check("lu:class=C,ranks=8,iterations=10", 3);  // its steps are packed
}

TEST_CASE("Traces in memory find what repeats in them, computations included") {
  core::Random random(2, "rounds");
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    CAPTURE(seed);
    RandomProgramOptions options;
    options.events = 12;
    const auto once = random_program(random, options);
    const RepeatedTrace repeated(*once, 10);
    CHECK(check_all(repeated, random) > 0);
    CompactTrace flat(once->ranks());
    for (const Rank rank : core::ids<Rank>(once->ranks())) {
      Operation operation;
      flat.compute(rank, 70000.5, 0);
      for (const auto stream = repeated.open(rank); stream->next(operation);) flat.add(rank, operation);
      flat.compute(rank, 7, 0);
    }
    flat.finish();
    CHECK(check_all(flat, random) > 0);
  }
}

TEST_CASE("Programs without their computations have the other operations, repeat, and pass over it") {
  core::Random random(5, "rounds");
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    CAPTURE(seed);
    RandomProgramOptions options;
    options.events = 12;
    const auto once = random_program(random, options);
    const auto trace = recorded(random, *once, 10, 0.5, 300);
    const auto without = without_computations(*trace);
    REQUIRE(without != nullptr);
    CHECK(check_all(*without, random) > 0);
    for (const Rank rank : core::ids<Rank>(trace->ranks())) {
      const auto stream = without->open(rank), recorded = trace->open(rank);
      Operation operation, other;
      for (std::uint64_t at = 0, others = 0; recorded->next(operation); ++at) {
        if (operation.kind == OpKind::compute) continue;
        REQUIRE(stream->next(other));
        CHECK(describe(other) == describe(operation));
        CHECK(without->locate(rank, others++) == trace->locate(rank, at));
      }
      CHECK(!stream->next(other));
    }
  }
}

TEST_CASE("Strands count computations, so a program that has some keeps these") {
  CompactTrace plain(1), graph(1);
  plain.compute(0, 1000, 0);
  plain.finish();
  CHECK(without_computations(plain) != nullptr);
  graph.compute(0, 1000, 0);
  graph.add(0, {.kind = OpKind::compute_after, .amount = 1000});
  graph.finish();
  CHECK(without_computations(graph) == nullptr);
  CHECK(without_computations(*open_trace("stencil:steps=9")) == nullptr);
}

TEST_CASE("Computations of other amounts repeat only if amounts do not count") {
  CompactTrace trace(1);
  for (int i = 0; i < 10; ++i) {
    trace.compute(0, 1000 * (i + 1), 0);
    trace.add(0, {.kind = OpKind::barrier});
  }
  trace.finish();
  Operation operation;
  const auto stream = trace.open(0);
  const auto mark = stream->mark();
  stream->next(operation);
  stream->next(operation);
  CHECK(stream->repeats(mark, true) == 0);
  CHECK(stream->repeats(mark, false) == 9);
}

TEST_CASE("The smallest period of a sequence is that of a search through all") {
  core::Random random(3, "period");
  for (int i = 0; i < 500; ++i) {
    std::vector<std::uint32_t> all(1 + random.below(40));
    const auto period = 1 + random.below(all.size());
    for (std::size_t at = 0; at < all.size(); ++at)
      all[at] = at < period ? static_cast<std::uint32_t>(random.below(2)) : all[at - period];
    std::size_t least = 1;
    while (!std::equal(all.begin() + static_cast<std::ptrdiff_t>(least), all.end(), all.begin())) ++least;
    CHECK(core::smallest_period(all) == least);
  }
}

TEST_CASE("What goes round and round is found between a beginning and an end of their own") {
  core::Random random(5, "period");
  int found = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<std::uint32_t> once(1 + random.below(12)), middle;
    for (auto& element : once) element = static_cast<std::uint32_t>(random.below(3));
    for (auto times = 1 + random.below(12); times > 0; --times) middle.insert(middle.end(), once.begin(), once.end());
    std::vector<std::uint32_t> all(random.below(9), 7);
    const auto first = all.size(), end = first + middle.size();
    all.insert(all.end(), middle.begin(), middle.end());
    all.insert(all.end(), random.below(9), 8);
    const auto part = core::repetition_in(all);
    INFO(once.size() << " elements, from " << first << " to " << end << " of " << all.size());
    // Two periods in the middle half say what the period is.
    const auto half = all.size() / 2, begin = (all.size() - half) / 2, period = core::smallest_period(middle);
    if (first <= begin && begin + half <= end && 2 * period <= half && 3 * period <= middle.size()) {
      ++found;
      CHECK((part.first == first && part.end == end && part.period == period));
    }
    if (part.period == 0) continue;
    CHECK(part.end - part.first >= 3 * part.period);
    for (auto at = part.first + part.period; at < part.end; ++at) REQUIRE(all[at] == all[at - part.period]);
  }
  CHECK(found > 250);
}

}  // namespace
}  // namespace toroid::workloads

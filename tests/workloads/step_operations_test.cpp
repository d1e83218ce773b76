// What generators do in a step comes out of its packing as it went in.

#include "workloads/generators/generated_trace.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "core/random.hpp"
#include "tests/workloads/operations.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::workloads {
namespace {

/// A few dozen different operations, and computations of all amounts. Lists lie at the same place, or are equal
/// elsewhere.
Operation any_operation(core::Random& random) {
  static const std::vector<RequestHandle> handles{0, 1, 2, 0, 1, 2};
  static const std::vector<std::uint64_t> counts{5, 6, 5, 6};
  switch (random.below(6)) {
    case 0:
      return {.kind = OpKind::compute, .amount = random.below(2) == 0 ? 1000 : random.unit()};
    case 1:
      return {.kind = OpKind::sleep, .amount = static_cast<double>(random.below(2))};
    case 2:
      return {.kind = OpKind::isend,
              .mode = random.below(2) == 0 ? SendMode::standard : SendMode::synchronous,
              .comm = CommId(static_cast<std::int32_t>(random.below(2))),
              .to = static_cast<CommRank>(random.below(3)),
              .tag = static_cast<std::int32_t>(random.below(2)),
              .request = static_cast<RequestHandle>(random.below(2)),
              .bytes = random.below(3)};
    case 3:
      return {.kind = OpKind::waitall, .requests = std::span(handles).subspan(random.below(4), random.below(3))};
    case 4:
      return {.kind = OpKind::bcast, .root = static_cast<CommRank>(random.below(3)), .bytes = 8};
    default:
      return {.kind = OpKind::alltoallv,
              .send_counts = std::span(counts).first(1 + random.below(2)),
              .recv_counts = std::span(counts).last(1 + random.below(2))};
  }
}

std::vector<std::string> in_words(const std::vector<Operation>& operations) {
  std::vector<std::string> all;
  for (const auto& operation : operations) all.push_back(describe(operation));
  return all;
}

TEST_CASE("Operations of a step are taken as they were generated, however many they are") {
  core::Random random(1, "step operations");
  StepOperations step;
  for (const std::size_t count : {0U, 1U, 3000U, 1000U, 1001U, 5000U, 2U, 200U}) {
    std::vector<Operation> operations(count);
    for (auto& operation : operations) operation = any_operation(random);
    step.fill([&](std::vector<Operation>& out) { out = operations; });
    REQUIRE(step.size() == count);
    std::vector<Operation> taken(count);
    for (auto& operation : taken) step.next(operation);
    CHECK(in_words(taken) == in_words(operations));
  }
}

TEST_CASE("A step that cannot be generated leaves none behind, and the next one is as it should be") {
  StepOperations step;
  const std::vector<Operation> some(2000, {.kind = OpKind::isend, .to = CommRank(1)});
  step.fill([&](std::vector<Operation>& out) { out = some; });
  CHECK_THROWS_AS(step.fill([](std::vector<Operation>& out) {
    out.resize(3);
    throw std::runtime_error("");
  }),
                  std::runtime_error);
  CHECK(step.size() == 0);
  step.fill([&](std::vector<Operation>& out) { out.assign(2, {.kind = OpKind::barrier}); });
  Operation operation;
  step.next(operation);
  CHECK((step.size() == 2 && operation.kind == OpKind::barrier));
}

TEST_CASE("Streams of generators give what their steps say") {
  for (const char* spec :
       {"lu:class=A,ranks=16,iterations=2", "is:class=S,ranks=8", "ft:class=S,ranks=8",
        "sp:class=W,ranks=16,iterations=3,jitter=0.1", "llm:steps=2", "stencil:grid=3x3x3,steps=4"}) {
    INFO(spec);
    const auto trace = open_trace(spec);
    const auto& generated = dynamic_cast<const GeneratedTrace&>(*trace);
    for (const Rank rank : {Rank(0), Rank(trace->ranks() / 2), Rank(trace->ranks() - 1)}) {
      std::vector<std::string> all;
      std::vector<Operation> step;
      for (std::uint64_t at = 0; generated.step(rank, at, step); ++at, step.clear())
        for (auto& text : in_words(step)) all.push_back(std::move(text));
      CHECK(program(*trace, rank) == all);
    }
  }
}

TEST_CASE("Thousands of operations of a few kinds take a few bytes each") {
  const auto trace = open_trace("lu:class=C,ranks=64");
  const auto& generated = dynamic_cast<const GeneratedTrace&>(*trace);
  StepOperations step;
  step.fill([&](std::vector<Operation>& out) { generated.step(Rank(27), 1, out); });
  CHECK(step.size() > 2000);
  CHECK(step.memory_bytes() < 8 * step.size());
}

}  // namespace
}  // namespace toroid::workloads

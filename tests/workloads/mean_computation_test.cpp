// Traces with mean computation, against means by hand, and against what must not change in random programs.

#include "workloads/derived/mean_computation.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/support.hpp"
#include "tests/workloads/operations.hpp"
#include "tests/workloads/random_program.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/amounts.hpp"
#include "workloads/operation_kinds.hpp"

namespace toroid::workloads {
namespace {

using Lines = std::vector<std::string>;

std::shared_ptr<const Trace> averaged(const std::string& text) {
  return with_mean_computation(test::trace_of(text));
}

/// What a rank does besides computing.
Lines without_computation(const Trace& trace, Rank rank) {
  auto all = program(trace, rank);
  std::erase_if(all, [](const std::string& line) { return line.starts_with("compute"); });
  return all;
}

/// Three iterations, in which rank 0 computes 1, 2 and 3 s before the barrier, and 10 and 20 s between two iterations.
const std::string three =
    "0 compute 5e9\n"
    "0 send 1 0 8 6\n0 compute 1e9\n0 barrier\n0 compute 10e9\n"
    "0 send 1 0 8 6\n0 compute 2e9\n0 barrier\n0 compute 20e9\n"
    "0 send 1 0 8 6\n0 compute 3e9\n0 barrier\n0 compute 30e9\n"
    "1 recv 0 0 8 6\n1 barrier\n1 recv 0 0 8 6\n1 barrier\n1 recv 0 0 8 6\n1 barrier\n";

}  // namespace

TEST_CASE("Computation is the mean over iterations, and as recorded before and behind them") {
  const auto trace = averaged(three);
  const std::string send = "send to=1 bytes=8", ten = "compute amount=15000000000", one = "compute amount=2000000000";
  CHECK(program(*trace, 0) == Lines{"compute amount=5000000000", send, one, "barrier", ten, send, one, "barrier", ten,
                                    send, one, "barrier", "compute amount=30000000000"});
  CHECK(program(*trace, 1) == program(*test::trace_of(three), 1));
  CHECK(trace->operation_count() == test::trace_of(three)->operation_count());
  const auto rounds = trace->rounds(0);
  CHECK(rounds.first == 1);
  CHECK(rounds.length == 4);
  CHECK(rounds.count == 2);  // the third one has no end
}

TEST_CASE("How much computation varied is told as by hand") {
  const auto variation = variation_of(*averaged(three));
  CHECK(variation.iterations == 3);
  CHECK(variation.ranks == 2);
  CHECK(variation.share == Approx(36.0 / 71));
  // 1, 2, 3 has the deviation 1, and 10, 20 that of 10 / sqrt(2); iterations compute 11 and 22.
  CHECK(variation.between_operations == Approx((1 + 10 / std::sqrt(2)) / (2 + 15)));
  CHECK(variation.of_iterations == Approx(11 / std::sqrt(2) / 16.5));
  CHECK(variation.of_worst_rank == Approx(11 / std::sqrt(2) / 16.5));
  CHECK(variation.hidden == Approx(0).margin(1e-12));  // the other rank computes nothing
  // Two ranks that wait for each other, and that compute 1, 3, 2 and 3, 1, 2: the slower of them 3, 3, 2 of 2, 2, 2.
  std::string text;
  for (const auto& [rank, amounts] : {std::pair(0, std::vector{1, 3, 2}), {1, {3, 1, 2}}}) {
    text += fmt::format("{} barrier\n", rank);
    for (const int amount : amounts) text += fmt::format("{0} compute {1}e9\n{0} barrier\n", rank, amount);
  }
  CHECK(variation_of(*averaged(text)).hidden == Approx(8.0 / 6 - 1));
}

TEST_CASE("A computation that a tracer missed counts as none, and lines are those of the file") {
  const test::Scratch scratch;
  // The second iteration has no computation before its barrier, and the third has two.
  const std::vector<std::string> lines{"0 send 0 0 8 6", "0 irecv 0 0 8 6", "0 compute 6000",  "0 barrier",
                                       "0 wait 0 0 0",   "0 send 0 0 8 6",  "0 irecv 0 0 8 6", "0 barrier",
                                       "0 wait 0 0 0",   "0 send 0 0 8 6",  "0 irecv 0 0 8 6", "0 compute 3000",
                                       "0 compute 900",  "0 barrier",       "0 wait 0 0 0",    "0 compute 7"};
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  const auto file = scratch.write("t.ti", text);
  const auto trace = with_mean_computation(open_trace(file));
  const auto all = program(*trace, 0);
  CHECK(std::count(all.begin(), all.end(), "compute amount=3000") == 3);
  CHECK(std::count(all.begin(), all.end(), "compute amount=300") == 3);
  REQUIRE(all.size() == 3 * 6 + 1);
  CHECK(trace->operation_count() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto place = trace->locate(0, i);
    INFO(all[i] << " at " << place);
    REQUIRE(place.starts_with(file + ":"));
    const auto& line = lines[std::stoul(place.substr(file.size() + 1)) - 1];
    const auto kind = line.substr(2, line.find(' ', 2) - 2);
    CHECK(all[i].starts_with(i < 18 && all[i].starts_with("compute") ? "compute" : kind));
    if (i < 18 && all[i].starts_with("compute")) CHECK(kind == "barrier");  // the operation that follows
  }
}

TEST_CASE("Means keep what each rank computes, and all else") {
  core::Random random(1, "means");
  std::size_t with_means = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    RandomProgramOptions options;
    options.events = static_cast<int>(3 + random.below(40));
    options.all_kinds = random.below(2) == 0;
    const auto once = random_program(random, options);
    const auto times = static_cast<int>(3 + random.below(20));
    const double least = random.below(2) == 0 ? 0 : 300;
    const std::shared_ptr<const Trace> trace = recorded(random, *once, times, 0.5, least);
    const auto means = with_mean_computation(trace);
    REQUIRE(means->ranks() == trace->ranks());
    std::uint64_t operations = 0;
    for (const Rank rank : core::ids<Rank>(trace->ranks())) {
      CHECK(without_computation(*means, rank) == without_computation(*trace, rank));
      operations += program(*means, rank).size();
    }
    CHECK(means->operation_count() == operations);
    const auto before = computation_by_rank(*trace), after = computation_by_rank(*means);
    for (const Rank rank : before.ids()) {
      CHECK(after[rank].amount == Approx(before[rank].amount).epsilon(1e-12));
      CHECK(after[rank].slept_s == before[rank].slept_s);
    }
    const auto variation = variation_of(*means);
    CHECK(variation.share <= 1 + 1e-12);
    with_means += variation.between_operations > 0 ? 1 : 0;
  }
  CHECK(with_means > 140);
}

TEST_CASE("Where iterations compute alike, means are what was recorded") {
  core::Random random(2, "means");
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    const auto once = random_program(random);
    const std::shared_ptr<const Trace> trace = recorded(random, *once, 8, 0);
    const auto means = with_mean_computation(trace);
    for (const Rank rank : core::ids<Rank>(trace->ranks())) CHECK(program(*means, rank) == program(*trace, rank));
    CHECK(variation_of(*means).between_operations == 0);
  }
  // Of two computations in turn, neither of which differs, no mean is made, although the operations are the same.
  std::string text;
  for (int i = 0; i < 12; ++i) text += fmt::format("0 barrier\n0 compute {}\n", i % 2 == 0 ? 100 : 300);
  CHECK(program(*averaged(text), 0) == program(*test::trace_of(text), 0));
}

TEST_CASE("Generators, and programs without iterations, are as they are") {
  const std::shared_ptr<const Trace> stencil = open_trace("stencil:grid=2x2,steps=9,flops=1kf");
  CHECK(with_mean_computation(stencil) == stencil);
  CHECK(variation_of(*stencil).iterations == 0);
  const std::string text =
      "0 compute 5\n0 send 1 0 8 6\n0 compute 9\n0 barrier\n1 recv 0 0 8 6\n1 compute 7\n1 barrier\n";
  const auto trace = averaged(text);
  for (const Rank rank : core::ids<Rank>(2)) CHECK(program(*trace, rank) == program(*test::trace_of(text), rank));
  const auto variation = variation_of(*trace);
  CHECK(variation.iterations == 0);
  CHECK(variation.ranks == 0);
  CHECK(variation.share == 0);
  CHECK(!variation.hidden);
}

}  // namespace toroid::workloads

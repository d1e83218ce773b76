// Which algorithm a call of a collective gets: rules, their words, and what users choose.

#include "workloads/collectives/rules.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/collective_executor.hpp"
#include "toroid/core/error.hpp"

namespace toroid::workloads {
namespace {

/// Those with algorithms: a fence has the barrier's.
std::vector<OpKind> collective_kinds() {
  std::vector<OpKind> kinds;
  for (std::size_t k = 0; k < op_kind_count; ++k)
    if (is_collective(static_cast<OpKind>(k)) && static_cast<OpKind>(k) != OpKind::fence)
      kinds.push_back(static_cast<OpKind>(k));
  return kinds;
}

TEST_CASE("All ranks of a call choose the same algorithm, and it ends") {
  core::Random random(6, "calls");
  const auto kinds = collective_kinds();
  for (const std::string spec :
       {"default", "mpi", "torus", "openmpi", "smpi", "default:alltoall=linear,allreduce=ring"}) {
    const auto choice = CollectiveChoice::parse(spec);
    for (int i = 0; i < 400; ++i) {
      const auto size = static_cast<CommRank>(1 + random.below(40));
      const auto root = static_cast<CommRank>(random.below(static_cast<std::uint64_t>(size)));
      Collective c(kinds[random.below(kinds.size())], size, root, random.below(2) << random.below(20));
      const auto& chosen = choice.choose(c.call(0));
      c.tuning = choice.tuning(c.call(0));
      INFO(spec << " " << to_string(c.kind) << " p=" << size << " b=" << c.bytes);
      for (CommRank r = 1; r < size; ++r) REQUIRE(&choice.choose(c.call(r)) == &chosen);
      REQUIRE(run(chosen, c).failure.empty());
    }
  }
}

TEST_CASE("Every collective has an algorithm under every rule") {
  for (const auto kind : collective_kinds())
    for (const std::string rule : {"default", "mpi", "torus", "openmpi", "smpi"})
      for (const CommRank size : {1, 2, 7, 64})
        for (const std::uint64_t bytes : {0U, 1U, 5000U, 1'000'000U}) {
          const Collective c(kind, size, 0, bytes);
          CHECK(CollectiveChoice::parse(rule).choose(c.call(0)).kind == kind);
        }
}

/// The algorithm of a rule for a call with that block of each rank, whatever the kind.
std::string_view chosen(const std::string& rule, OpKind kind, CommRank size, std::uint64_t block) {
  const Counts blocks(static_cast<std::size_t>(size), block);
  CollectiveCall call{.kind = kind, .size = size, .bytes = block};
  if (kind == OpKind::allgatherv || kind == OpKind::reduce_scatter) call.recv_counts = blocks;
  return CollectiveChoice::parse(rule).choose(call).name;
}

TEST_CASE("Rules change their algorithm at their thresholds") {
  using enum OpKind;
  CHECK(chosen("mpi", bcast, 8, 12287) == "binomial");
  CHECK(chosen("mpi", bcast, 8, 12288) == "scatter_ring");
  CHECK(chosen("mpi", bcast, 7, 12288) == "binomial");
  CHECK(chosen("mpi", allreduce, 4, 2048) == "recursive_doubling");
  CHECK(chosen("mpi", allreduce, 4, 2049) == "rabenseifner");
  CHECK(chosen("mpi", allreduce, 3, 2049) == "recursive_doubling");
  CHECK(chosen("mpi", allgather, 64, 1279) == "recursive_doubling");
  CHECK(chosen("mpi", allgather, 64, 1280) == "ring");
  CHECK(chosen("mpi", allgather, 48, 1279) == "bruck");
  CHECK(chosen("mpi", allgatherv, 64, 1279) == "bruck");
  CHECK(chosen("mpi", allgatherv, 64, 1280) == "ring");
  CHECK(chosen("mpi", alltoall, 8, 256) == "bruck");
  CHECK(chosen("mpi", alltoall, 8, 257) == "pairwise");
  CHECK(chosen("mpi", alltoall, 7, 256) == "pairwise");
  CHECK(chosen("torus", bcast, 64, 16383) == "scatter_ring");
  CHECK(chosen("torus", bcast, 64, 16384) == "trees");
  CHECK(chosen("torus", allreduce, 64, 16383) == "rabenseifner");
  CHECK(chosen("torus", allreduce, 64, 16384) == "rings");
  CHECK(chosen("torus", allgather, 64, 255) == "recursive_doubling");
  CHECK(chosen("torus", alltoall, 64, 256) == "bruck");   // of ranks whose places nobody knows
  CHECK(chosen("torus", allgather, 48, 341) == "bruck");  // 16,368 B in all
  CHECK(chosen("torus", allgather, 48, 342) == "rings");
  CHECK(chosen("torus", allgatherv, 48, 341) == "bruck");
  CHECK(chosen("torus", allgatherv, 48, 342) == "rings");
  CHECK(chosen("torus", reduce_scatter, 64, 255) == "recursive_halving");
  CHECK(chosen("torus", reduce_scatter, 64, 256) == "rings");
  CHECK(chosen("smpi", reduce_scatter, 64, 1 << 20) == "linear");
  const auto uneven = [](std::uint64_t first) {
    const Counts blocks{first, 1};
    return CollectiveChoice::parse("smpi").choose({.kind = reduce_scatter, .size = 2, .recv_counts = blocks}).name;
  };
  CHECK(uneven(524287) == "recursive_doubling");
  CHECK(uneven(524288) == "pairwise");
}

/// Whether a call is as one condition of a rule says in words: `up to 7 ranks`, `if p < 0.5 n + 2`.
bool holds(const std::string& condition, OpKind kind, CommRank size, std::uint64_t block) {
  static const std::regex limit("(up to|from) (\\d+) (ranks|B in all|B)"), line("if p (<|>=?) (\\S+) n \\+ (\\S+)");
  const auto all = block * static_cast<std::uint64_t>(size);
  std::smatch words;
  if (std::regex_match(condition, words, limit)) {
    const auto of = words[3] == "ranks" ? static_cast<std::uint64_t>(size) : words[3] == "B" ? block : all;
    return words[1] == "from" ? of >= std::stoull(words[2]) : of <= std::stoull(words[2]);
  }
  if (std::regex_match(condition, words, line)) {
    const auto bytes = static_cast<double>(kind == OpKind::reduce_scatter ? all : block);
    const auto bound = std::stod(words[2]) * bytes + std::stod(words[3]);
    return words[1] == "<" ? size < bound : words[1] == ">" ? size > bound : size >= bound;
  }
  if (condition == "if the ranks are a power of two") return std::has_single_bit(static_cast<std::uint64_t>(size));
  if (condition == "if the members stand in a grid") return false;
  if (condition == "if sooner than few rounds by estimate")
    return (kind == OpKind::allreduce ? block : all) >= 16384;
  REQUIRE(condition == "if all blocks are alike");
  return true;
}

std::vector<std::string> parts_of(const std::string& text, const std::string& between) {
  std::vector<std::string> parts;
  for (std::size_t first = 0, last = 0; last != std::string::npos; first = last + between.size()) {
    last = text.find(between, first);
    parts.push_back(text.substr(first, last - first));
  }
  return parts;
}

/// The algorithm that the words of a rule name for a call with alike blocks, of members whose places nobody knows.
std::string by_words(const std::string& words, OpKind kind, CommRank size, std::uint64_t block) {
  for (const auto& part : parts_of(words, ", ")) {
    auto line = std::regex_replace(part, std::regex("(else |(\\d),)"), "$2");
    line = std::regex_replace(line, std::regex(" in \\d+ B"), "");
    const auto algorithm = line.substr(0, line.find(' '));
    if (algorithm == line || line == "as mpi") return algorithm;
    for (const auto& alternative : parts_of(line.substr(algorithm.size() + 1), " or ")) {
      bool all_hold = true;
      for (const auto& condition : parts_of(alternative, " and "))
        all_hold = holds(condition, kind, size, block) && all_hold;
      if (all_hold) return algorithm;
    }
  }
  return {};
}

TEST_CASE("What a rule says in words is what it chooses", "[slow]") {
  core::Random random(11, "calls");
  for (const auto& rule : collective_rules())
    for (const auto kind : rule.kinds())
      for (int i = 0; i < 200; ++i) {
        const auto size = static_cast<CommRank>(1 + random.below(40));
        const auto block = random.below(1ULL << (1 + random.below(20)));
        const auto named = by_words(rule.text(kind), kind, size, block);
        INFO(rule.name << ": " << to_string(kind) << ": " << rule.text(kind) << "; p=" << size << " b=" << block);
        CHECK(chosen(std::string(rule.name), kind, size, block) ==
              (named == "as" ? chosen("mpi", kind, size, block) : named));
      }
}

TEST_CASE("Algorithms of one collective have different names and help") {
  std::set<std::pair<OpKind, std::string_view>> names;
  for (const auto& algorithm : collective_algorithms()) {
    CHECK(names.emplace(algorithm.kind, algorithm.name).second);
    CHECK_FALSE(algorithm.help.empty());
  }
}

TEST_CASE("An override replaces the rule for its collective alone") {
  const auto choice = CollectiveChoice::parse("smpi:alltoall=pairwise,barrier=dissemination");
  CHECK(choice.choose({.kind = OpKind::alltoall, .size = 64, .bytes = 8}).name == "pairwise");
  CHECK(choice.choose({.kind = OpKind::barrier, .size = 64}).name == "dissemination");
  CHECK(choice.choose({.kind = OpKind::allreduce, .size = 64, .bytes = 8}).name == "reduce_bcast");
}

TEST_CASE("SMPI's rule is the one that was measured") {
  const auto choice = CollectiveChoice::parse("smpi");
  const auto alltoall = [&](std::uint64_t bytes) {
    return choice.choose({.kind = OpKind::alltoall, .size = 64, .bytes = bytes}).name;
  };
  CHECK(alltoall(1023) == "bruck");
  CHECK(alltoall(1024) == "linear");
  CHECK(alltoall(262'143) == "linear");
  CHECK(alltoall(262'144) == "pairwise");
  CHECK(choice.choose({.kind = OpKind::bcast, .size = 64, .bytes = 1 << 20}).name == "binomial");
  CHECK(choice.choose({.kind = OpKind::reduce, .size = 64}).name == "linear");
}

struct Uncounted final : Trace {
  explicit Uncounted(CollectiveWorld which) : world(which) {}
  std::int32_t ranks() const override { return 0; }
  std::unique_ptr<OperationStream> open(Rank) const override { return nullptr; }
  std::string locate(Rank, std::uint64_t) const override { return {}; }
  const Communicator& communicator(CommId) const override { return all; }
  CollectiveWorld collectives() const override { return world; }
  CollectiveWorld world;
  Communicator all = Communicator::all(0);
};

TEST_CASE("The default is that of the program's world, overrides stay, and what a user names is taken") {
  const auto text = [](const char* spec, CollectiveWorld world) {
    return CollectiveChoice::parse(spec).for_program(Uncounted(world)).text();
  };
  CHECK(text("default", CollectiveWorld::mpi) == "mpi");
  CHECK(text("default", CollectiveWorld::torus) == "torus");
  CHECK(text("default:bcast=linear,allreduce=ring", CollectiveWorld::torus) == "torus:bcast=linear,allreduce=ring");
  CHECK(text("smpi", CollectiveWorld::torus) == "smpi");
  CHECK(text("mpi:bcast=linear", CollectiveWorld::torus) == "mpi:bcast=linear");
}

TEST_CASE("Short vectors go by MPI's rule on a torus, too") {
  const auto torus = CollectiveChoice::parse("torus");
  CHECK(torus.choose({.kind = OpKind::allreduce, .size = 64, .bytes = 8}).name == "recursive_doubling");
  CHECK(torus.choose({.kind = OpKind::allreduce, .size = 64, .bytes = 1 << 20}).name == "rings");
  CHECK(torus.choose({.kind = OpKind::allgather, .size = 64, .bytes = 1 << 20}).name == "rings");
  CHECK(torus.choose({.kind = OpKind::reduce_scatter, .size = 64, .bytes = 1 << 20}).name == "rings");
  CHECK(torus.choose({.kind = OpKind::bcast, .size = 64, .bytes = 1 << 20}).name == "trees");
  // An all-to-all goes along the axes of a grid alone, if that is known.
  std::vector<CommRank> members(64);
  std::iota(members.begin(), members.end(), 0);
  const MemberGrid plane({8, 8}, members), ring = MemberGrid::ring(64);
  for (const auto& [grid, name] : {std::pair(&plane, "rings"), {&ring, "pairwise"}, {nullptr, "pairwise"}})
    CHECK(torus.choose({.kind = OpKind::alltoall, .size = 64, .bytes = 1 << 20, .grid = grid}).name == name);
  CHECK(torus.choose({.kind = OpKind::barrier, .size = 64}).name == "dissemination");
}

std::string error_of_choice(const std::string& spec) {
  return test::error_of([&] { CollectiveChoice::parse(spec); });
}

TEST_CASE("Open MPI's rule is that of its sources") {
  using enum OpKind;
  const auto openmpi = CollectiveChoice::parse("openmpi");
  const auto of = [&](OpKind kind, CommRank size, std::uint64_t bytes) {
    const CollectiveCall call{.kind = kind, .size = size, .bytes = bytes};
    return fmt::format("{} {}", openmpi.choose(call).name, openmpi.tuning(call).segment);
  };
  CHECK(of(bcast, 64, 2047) == "openmpi_binomial 0");
  CHECK(of(bcast, 64, 2048) == "split_binary 1024");
  CHECK(of(bcast, 8, 8'000'000) == "chain 131072");      // 8 < 12.9 + 2.1
  CHECK(of(bcast, 12, 370'728) == "split_binary 8192");  // 12 > 0.6 + 2.1
  CHECK(of(bcast, 512, 250'000'000) == "chain 65536");   // 512 > 403 + 2, < 592 + 1
  CHECK(of(bcast, 512, 200'000'000) == "chain 16384");   // 512 > 474 + 1, < 642 + 9
  CHECK(of(bcast, 512, 8'000'000) == "chain 8192");
  CHECK(of(reduce, 7, 511) == "linear 0");
  CHECK(of(reduce, 7, 20'479) == "binomial 0");
  CHECK(of(reduce, 64, 2047) == "binomial 0");
  CHECK(of(reduce, 64, 10'000) == "binomial 1024");   // 64 > 5.9 + 1.3
  CHECK(of(reduce, 64, 200'000) == "chain 1024");     // 64 < 117 + 1, > 8 + 10
  CHECK(of(reduce, 8, 100'000) == "binary 32768");    // 8 < 4 + 10, > 4.1 + 1.2
  CHECK(of(reduce, 64, 8'000'000) == "chain 32768");  // 64 > 26 + 2
  CHECK(of(reduce, 8, 8'000'000) == "chain 65536");
  CHECK(of(allreduce, 8, 9'999) == "recursive_doubling 0");
  CHECK(of(gather, 8, 100'000) == "linear_sync 32768");
  CHECK(of(gather, 64, 6'000) == "binomial 0");
  CHECK(of(gather, 10, 100) == "basic_linear 0");
  CHECK(of(scatter, 10, 100) == "basic_linear 0");
  CHECK(of(alltoall, 13, 199) == "bruck 0");
  CHECK(of(alltoall, 12, 199) == "linear 0");
  CHECK(of(alltoall, 12, 3'000) == "shift 0");
  CHECK(of(allgather, 8, 6'250) == "neighbours 0");
  CHECK(of(allgather, 8, 6'249) == "recursive_doubling 0");
  CHECK(of(reduce_scatter, 8, 0) == "recursive_halving 0");
}

TEST_CASE("Open MPI halves recursively on its line, too") {
  // coll_tuned_decision_fixed.c: comm_size >= 0.0012 * total_message_size + 8.0, here of 50 ranks with 700 bytes each.
  const std::vector<std::uint64_t> blocks(50, 700);
  const CollectiveCall call{.kind = OpKind::reduce_scatter, .size = 50, .bytes = 700, .recv_counts = blocks};
  CHECK(CollectiveChoice::parse("openmpi").choose(call).name == "recursive_halving");
}

TEST_CASE("What is asked of an algorithm stands behind its name") {
  const auto choice = CollectiveChoice::parse("mpi:bcast=(chain:segment=64KiB),allreduce=(swing:ports=6)");
  CHECK(choice.tuning({.kind = OpKind::bcast}) == CollectiveTuning{.segment = 65536});
  CHECK(choice.tuning({.kind = OpKind::allreduce}) == CollectiveTuning{.ports = 6});
  CHECK(choice.tuning({.kind = OpKind::alltoall}) == CollectiveTuning());
  CHECK(choice.choose({.kind = OpKind::bcast, .size = 64, .bytes = 8}).name == "chain");
  CHECK(choice.text() == "mpi:bcast=(chain:segment=65536),allreduce=(swing:ports=6)");
  CHECK(CollectiveChoice::parse(choice.text()).text() == choice.text());
  CHECK_THROWS_WITH(CollectiveChoice::parse("mpi:bcast=(chain:ports=6)"),
                    Catch::Matchers::Contains("chain has no key 'ports'"));
  CHECK_THROWS_WITH(CollectiveChoice::parse("mpi:bcast=(linear:segment=6)"),
                    Catch::Matchers::Contains("linear has no key 'segment'"));
  CHECK_THROWS_WITH(CollectiveChoice::parse("mpi:allreduce=(swing:ports=0)"),
                    Catch::Matchers::Contains("from 1 to 64"));
}

TEST_CASE("Errors in a choice of algorithms list what is valid") {
  CHECK(error_of_choice("mpich") ==
        "unknown set of collective algorithms 'mpich'; did you mean 'mpi'? valid: default, mpi, torus, openmpi, smpi, "
        "such "
        "as default:bcast=linear");
  CHECK(error_of_choice("default:bcast=magic") ==
        "unknown algorithm 'magic' for bcast; valid: binomial, scatter_ring, trees, bine, openmpi_binomial, binary, "
        "chain, "
        "split_binary, linear");
  CHECK(error_of_choice("default:send=linear") ==
        "'default:send=linear': unknown collective 'send'; valid: barrier, bcast, reduce, allreduce, gather, gatherv, "
        "scatter, scatterv, allgather, allgatherv, alltoall, alltoallv, reduce_scatter, scan, exscan");
  CHECK(error_of_choice("default:linear") == "'default:linear': found 'linear', expected collective=algorithm");
}

}  // namespace
}  // namespace toroid::workloads

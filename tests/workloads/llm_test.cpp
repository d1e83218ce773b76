// The training of language models against published formulas: what each kind of parallelism sends, how many operations
// it takes, in which order a pipeline works.

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <map>

#include "core/error.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/operations.hpp"
#include "workloads/generators/llm/model.hpp"
#include "workloads/generators/llm/pipeline.hpp"
#include "workloads/summary.hpp"
#include "workloads/trace_source.hpp"

namespace toroid::workloads {
namespace {

std::string error_of(const std::string& spec) {
  return test::message_of<core::InputError>([&] { open_trace(spec); });
}

struct Total {
  int calls = 0;
  std::uint64_t bytes = 0;
  bool operator==(const Total&) const = default;
};

/// Calls and bytes of a kind at a rank, on communicators of a size.
Total total(const Trace& trace, Rank rank, OpKind kind, CommRank members) {
  Total sum;
  const auto stream = trace.open(rank);
  for (Operation op; stream->next(op);)
    if (op.kind == kind && trace.communicator(op.comm).size() == members) {
      ++sum.calls;
      sum.bytes += op.bytes;
    }
  return sum;
}

/// Sizes of the messages that a rank sends on communicators of a size: how many of each.
std::map<std::uint64_t, int> sends(const Trace& trace, Rank rank, CommRank members) {
  std::map<std::uint64_t, int> sizes;
  const auto stream = trace.open(rank);
  for (Operation op; stream->next(op);)
    if (is_send(op.kind) && trace.communicator(op.comm).size() == members) ++sizes[op.bytes];
  return sizes;
}

TEST_CASE("Models have as many weights as their names, or papers, say") {
  const std::map<std::string_view, double> published{
      {"gpt-22b", 22e9},       {"gpt3-175b", 175e9},     {"gpt-530b", 530e9},      {"gpt-1t", 1008e9},
      {"llama2-7b", 6.74e9},   {"llama2-13b", 13.02e9},  {"llama2-70b", 68.98e9},  {"llama3-8b", 8.03e9},
      {"llama3-70b", 70.55e9}, {"llama3-405b", 405.8e9}, {"mixtral-8x7b", 46.7e9}, {"mixtral-8x22b", 140.6e9}};
  CHECK(llm::models().size() == published.size());
  for (const auto& [name, model] : llm::models()) {
    CAPTURE(name);
    CHECK(static_cast<double>(model.weights()) == Approx(published.at(name)).epsilon(0.005));
  }
}

// Narayanan et al. 2021, section 5.1: 72 B s l h^2 (1 + s / 6h + V / 12lh) without, 96 B s l h^2 (1 + s / 6h + V /
// 16lh) with recomputation, for B sequences.
TEST_CASE("A step takes the operations of the published formula, however it is divided") {
  const double l = 8, h = 6144, s = 2048, v = 51200, batch = 8;
  const auto flops = [](const std::string& parallel) {
    return summarize(*open_trace("llm:model=gpt-22b,layers=8," + parallel)).flops;
  };
  const double expected = 72 * batch * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h));
  for (const std::string parallel :
       {"tensor=1,data=1,pipeline=1,micro-batches=8", "tensor=4,data=1,pipeline=1,micro-batches=4,micro-batch=2",
        "tensor=2,data=2,pipeline=2,micro-batches=4,sequence-parallel=no", "tensor=1,data=1,pipeline=8,micro-batches=8",
        "tensor=2,context=4,data=1,pipeline=2,chunks=2,micro-batches=8"}) {
    CAPTURE(parallel);
    CHECK(flops(parallel) == Approx(expected));
  }
  CHECK(flops("tensor=2,data=2,pipeline=2,micro-batches=4,recompute=yes") ==
        Approx(96 * batch * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h))));
}

// Korthikanti et al. 2022: four all-reduces of b s h numbers in a layer, two of them backwards; with sequence
// parallelism an all-gather and a reduce-scatter for each, and the input of each block is gathered again.
TEST_CASE("Tensor parallelism sums up activations four times in a layer") {
  const std::string spec = "llm:model=gpt-22b,layers=6,tensor=8,data=1,pipeline=1,micro-batches=3,micro-batch=2";
  const std::uint64_t activations = 2ULL * 2048 * 6144 * 2;
  const int layers = 6 * 3, ends = 3;  // of each micro-batch: behind the embedding, before the output
  const auto whole = open_trace(spec + ",sequence-parallel=no"), shared = open_trace(spec);
  CHECK(total(*whole, 3, OpKind::allreduce, 8) ==
        Total{4 * layers + 2 * ends + 1, static_cast<unsigned>(4 * layers + 2 * ends) * activations + 8});
  CHECK(total(*shared, 3, OpKind::reduce_scatter, 8) ==
        Total{4 * layers + 2 * ends, static_cast<unsigned>(4 * layers + 2 * ends) * activations / 8});
  CHECK(total(*shared, 3, OpKind::allgather, 8) ==
        Total{6 * layers + 2 * ends, static_cast<unsigned>(6 * layers + 2 * ends) * activations / 8});
}

TEST_CASE("Stages send each micro-batch on, interleaved ones more often") {
  const std::uint64_t activations = 2048ULL * 6144 * 2;
  const std::string spec = "llm:model=gpt-22b,layers=8,data=1,pipeline=4,micro-batches=8";
  using Sizes = std::map<std::uint64_t, int>;
  // Both ways in the middle, one way at the ends.
  const auto plain = open_trace(spec + ",tensor=1");
  CHECK(sends(*plain, 0, 4) == Sizes{{activations, 8}});
  CHECK(sends(*plain, 1, 4) == Sizes{{activations, 16}});
  CHECK(sends(*plain, 3, 4) == Sizes{{activations, 8}});
  // Each tensor rank sends its part of the sequence.
  CHECK(sends(*open_trace(spec + ",tensor=2"), 2, 8) == Sizes{{activations / 2, 16}});
  CHECK(sends(*open_trace(spec + ",tensor=2,sequence-parallel=no"), 2, 8) == Sizes{{activations, 16}});
  // Two chunks: the ends of the first and second are joined.
  const auto interleaved = open_trace(spec + ",tensor=1,chunks=2");
  CHECK(sends(*interleaved, 1, 4) == Sizes{{activations, 32}});
  CHECK(sends(*interleaved, 0, 4) == Sizes{{activations, 24}});
}

TEST_CASE("Copies sum up all gradients, in buckets") {
  const std::string spec = "llm:model=llama2-7b,layers=8,tensor=2,data=4,pipeline=2,micro-batches=2";
  const std::uint64_t layer = 4096ULL * 4096 * 4 + 3ULL * 4096 * 11008, words = 4096ULL * 32000;
  const auto weights = (4 * layer + words) / 2;  // at each stage: half of the layers, and one of the two matrices
  for (const Rank rank : {Rank(0), Rank(15)}) {
    const auto reduced = total(*open_trace(spec), rank, OpKind::allreduce, 4);
    CHECK(reduced.bytes == 4 * weights);
    CHECK(reduced.calls == 4 + 1);  // a layer is more than 100 MB
    CHECK(total(*open_trace(spec + ",bucket=1GB"), rank, OpKind::allreduce, 4) == Total{2 + 1, 4 * weights});
    const auto scattered = open_trace(spec + ",gradients=reduce-scatter");
    CHECK(total(*scattered, rank, OpKind::reduce_scatter, 4) == Total{5, weights});
    CHECK(total(*scattered, rank, OpKind::allgather, 4) == Total{5, weights / 4 * 2});
  }
  // The ends of a pipeline whose matrix of words is one and the same sum it up too.
  const auto tied = open_trace("llm:model=gpt-22b,layers=3,tensor=1,data=1,pipeline=3,micro-batches=3");
  CHECK(total(*tied, 0, OpKind::allreduce, 2) == Total{1, 4ULL * 51200 * 6144});
  CHECK(total(*tied, 1, OpKind::allreduce, 2) == Total{});
}

TEST_CASE("Keys and values go around the ring of a sequence's ranks") {
  const auto trace = open_trace("llm:model=llama3-8b,layers=2,tensor=2,context=4,data=1,pipeline=1,micro-batches=3");
  // Keys and values of 8 heads with 128 numbers, half of them here; a quarter of the sequence.
  const std::uint64_t keys = 2ULL * (8192 / 4) * (8 * 128 / 2) * 2;
  const int layers = 2 * 3;
  CHECK(sends(*trace, 5, 4) == std::map<std::uint64_t, int>{{keys, (3 + 1) * layers}, {2 * keys, 3 * layers}});
}

TEST_CASE("Tokens go to their experts and back") {
  const auto trace =
      open_trace("llm:model=mixtral-8x7b,layers=2,tensor=2,data=8,expert=4,pipeline=1,micro-batches=3,sequence=4096");
  // Each token to two experts; a rank has half of the sequence, and sends a quarter of it to each.
  const std::uint64_t block = 2ULL * (4096 / 2) * 4096 * 2 / 4;
  CHECK(total(*trace, 0, OpKind::alltoall, 4) == Total{2 * 3 * 4, 2 * 3 * 4 * block});
  // Two of eight experts are here; two ranks have the same.
  const std::uint64_t expert = 3ULL * 4096 * 14336;
  CHECK(total(*trace, 0, OpKind::allreduce, 2).bytes == 2 * (2 * expert / 2) * 4);
}

/// Time that a pipeline takes without communication, a pass forward takes 1 / chunks, backward twice that.
double makespan(const llm::Pipeline& pipeline) {
  const auto stages = pipeline.stages();
  const auto links = stages * pipeline.chunks();
  std::map<std::tuple<bool, int, int>, double> ends;  // forward, link, micro-batch
  std::vector<int> next(static_cast<std::size_t>(stages));
  std::vector<double> free_at(static_cast<std::size_t>(stages));
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (int stage = 0; stage < stages; ++stage) {
      auto& number = next[static_cast<std::size_t>(stage)];
      if (number == pipeline.passes()) continue;
      const auto pass = pipeline.pass(stage, number);
      const auto link = pass.chunk * stages + stage;
      double begin = free_at[static_cast<std::size_t>(stage)];
      const auto needs = [&](bool forward, int which) {
        const auto found = ends.find({forward, which, pass.micro_batch});
        if (found == ends.end()) return false;
        begin = std::max(begin, found->second);
        return true;
      };
      if (pass.forward && link > 0 && !needs(true, link - 1)) continue;
      if (!pass.forward && !(needs(true, link) && (link == links - 1 || needs(false, link + 1)))) continue;
      free_at[static_cast<std::size_t>(stage)] = begin + (pass.forward ? 1.0 : 2.0) / pipeline.chunks();
      REQUIRE(ends.emplace(std::tuple(pass.forward, link, pass.micro_batch), free_at[static_cast<std::size_t>(stage)])
                  .second);
      ++number;
      goes_on = true;
    }
  }
  REQUIRE(ends.size() == static_cast<std::size_t>(stages) * static_cast<std::size_t>(pipeline.passes()));
  return *std::max_element(free_at.begin(), free_at.end());
}

// Narayanan et al. 2021: the time of m micro-batches and a bubble, which is that of p - 1, over the number of chunks.
TEST_CASE("Pipelines do everything, in an order that ends, with the published bubble") {
  for (const int stages : {1, 2, 3, 4, 8})
    for (const int rounds : {1, 2, 5})
      for (const int chunks : {1, 2, 3}) {
        const int batches = stages * rounds;
        CAPTURE(stages, batches, chunks);
        CHECK(makespan({stages, chunks, batches}) == Approx(3.0 * batches + 3.0 * (stages - 1) / chunks));
      }
  CHECK(makespan({4, 1, 2}) == Approx(3 * 2 + 3 * 3));
  CHECK(makespan({4, 1, 7}) == Approx(3 * 7 + 3 * 3));
  // One forward, one backward: never more micro-batches under way than there are stages behind.
  const llm::Pipeline pipeline(4, 1, 20);
  for (int stage = 0; stage < 4; ++stage) {
    int under_way = 0, most = 0;
    for (int number = 0; number < pipeline.passes(); ++number)
      most = std::max(most, under_way += pipeline.pass(stage, number).forward ? 1 : -1);
    CHECK(most == 4 - stage);
  }
}

TEST_CASE("Ranks are numbered along the axes in the order that is asked for") {
  const auto tensor_group = [](const std::string& order) {
    const auto trace = open_trace(
        "llm:model=llama2-7b,layers=4,tensor=2,data=2,pipeline=4,micro-batches=4,sequence-parallel=no,order=" + order);
    const auto stream = trace->open(5);
    for (Operation op; stream->next(op);)
      if (op.kind == OpKind::allreduce && op.bytes == 4096ULL * 4096 * 2) {
        const auto& members = trace->communicator(op.comm);
        return std::pair(members.member(0).value(), members.member(1).value());
      }
    return std::pair(-1, -1);
  };
  CHECK(tensor_group("tp-cp-dp-pp") == std::pair(4, 5));
  CHECK(tensor_group("dp-tp-cp-pp") == std::pair(5, 7));
  CHECK(tensor_group("pp-cp-dp-tp") == std::pair(5, 13));
}

TEST_CASE("Trainings of all kinds run to their end") {
  for (const std::string parallel :
       {"model=llama2-7b,layers=4", "model=gpt-22b,layers=5,tensor=2,data=2,pipeline=2,micro-batches=3,recompute=yes",
        "model=llama3-8b,layers=4,tensor=2,context=2,data=2,pipeline=2,chunks=2,micro-batches=4,gradients=reduce-"
        "scatter",
        "model=mixtral-8x7b,layers=2,tensor=2,context=2,data=4,expert=2,pipeline=2,micro-batches=2,order=pp-dp-cp-tp",
        "model=gpt-22b,layers=6,tensor=1,data=2,pipeline=3,micro-batches=6,chunks=2,steps=2",
        "model=llama2-7b,layers=2,tensor=1,data=1,pipeline=1,micro-batches=1"}) {
    CAPTURE(parallel);
    const auto trace = open_trace("llm:" + parallel);
    CHECK(unmatched_channels(*trace).empty());
    CHECK(test::simulate(fmt::format("torus:{}", trace->ranks()), *trace, {}, {}, "fluid").contains("runtime_s"));
  }
}

TEST_CASE("What cannot be divided is an error that says what") {
  CHECK(error_of("llm:tensor=3").find("32 heads cannot be divided evenly by 3") != std::string::npos);
  CHECK(error_of("llm:context=3").find("4096 tokens of a sequence") != std::string::npos);
  CHECK(error_of("llm:data=4,expert=3").find("4 copies cannot be divided evenly by 3") != std::string::npos);
  CHECK(error_of("llm:data=4,expert=2").find("1 experts cannot be divided evenly by 2") != std::string::npos);
  CHECK(error_of("llm:pipeline=4,chunks=2,micro-batches=6").find("6 micro-batches") != std::string::npos);
  CHECK(error_of("llm:pipeline=1,chunks=2").find("expected a pipeline") != std::string::npos);
  CHECK(error_of("llm:pipeline=16,chunks=4,micro-batches=16").find("at most 32 stages and chunks") !=
        std::string::npos);
  CHECK(error_of("llm:order=tp-dp-pp").find("expected tp, cp, dp and pp, in any order") != std::string::npos);
  CHECK(error_of("llm:order=tp-tp-dp-pp").find("expected tp, cp, dp and pp, in any order") != std::string::npos);
  CHECK(error_of("llm:model=gpt5").find("expected gpt-22b, gpt3-175b") != std::string::npos);
  CHECK(error_of("llm:tensor=32,context=128,data=1024,pipeline=32").find("expected at most 1048576") !=
        std::string::npos);
}

}  // namespace
}  // namespace toroid::workloads

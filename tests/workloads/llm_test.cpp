// The training of language models against published formulas: what each kind of parallelism sends, how many operations
// it takes, in which order a pipeline works.

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tests/support/support.hpp"
#include "tests/workloads/errors.hpp"
#include "tests/workloads/operations.hpp"
#include "toroid/core/error.hpp"
#include "toroid/core/text.hpp"
#include "toroid/workloads/summary.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/generators/llm/models.hpp"
#include "workloads/generators/llm/training.hpp"

namespace toroid::workloads {
namespace {

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
      {"gpt-1.7b", 1.7e9},
      {"gpt-3.6b", 3.6e9},
      {"gpt-7.5b", 7.5e9},
      {"gpt-18b", 18.4e9},
      {"gpt-22b", 22e9},
      {"gpt-39b", 39.1e9},
      {"gpt-76b", 76.1e9},
      {"gpt-146b", 145.6e9},
      {"gpt3-175b", 175e9},
      {"gpt-310b", 310.1e9},
      {"gpt-530b", 530e9},
      {"gpt-1t", 1008e9},
      {"opt-175b", 175e9},
      {"bloom-176b", 176.2e9},
      {"palm-540b", 540.35e9},
      {"llama2-7b", 6.74e9},
      {"llama2-13b", 13.02e9},
      {"llama2-70b", 68.98e9},
      {"llama3-8b", 8.03e9},
      {"llama3-70b", 70.55e9},
      {"llama3-405b", 405.8e9},
      {"mixtral-8x7b", 46.7e9},
      {"mixtral-8x22b", 140.6e9},
      {"gemma3-12b", 11.77e9},
      {"qwen3-235b-a22b", 235e9},
      {"gpt-oss-120b", 116.8e9},
      {"gemma4-26b", 26e9},
      {"gemma4-31b", 31e9},
      // 671e9, and 248 experts more in each of the three layers that have none.
      {"deepseek-v3", 671e9 + 3 * 248 * 3.0 * 7168 * 2048}};
  CHECK(llm::models().size() == published.size());
  for (const auto& [name, model] : llm::models()) {
    CAPTURE(name);
    // Some have two digits.
    const double within = published.at(name) < 10e9 || name.starts_with("gemma4") ? 0.035 : 0.005;
    CHECK(static_cast<double>(model.weights()) == Approx(published.at(name)).epsilon(within));
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

// The operations of a model are those of its trace, unless the trace computes some of them again. The tokens are
// sequences times their length.
TEST_CASE("A training says its tokens and its operations, however it is laid out") {
  const double sequence = 2048;
  const std::string model = "llm:model=gpt-22b,layers=8,";
  for (const auto& [layout, sequences] : std::vector<std::pair<std::string, double>>{
           {"tensor=1,data=1,pipeline=1,micro-batches=8", 8},
           {"tensor=4,data=3,pipeline=1,micro-batches=4,micro-batch=2", 24},
           {"tensor=2,context=4,data=2,pipeline=2,chunks=2,micro-batches=6,steps=3", 36},
           {"tensor=1,data=4,fsdp=2,pipeline=1,micro-batches=1", 4},
           {"tensor=2,data=2,pipeline=2,micro-batches=2,frozen=yes", 4},
           {"tensor=2,data=4,pipeline=2,micro-batches=2,experts=4,experts-per-token=2,expert=4", 8}}) {
    CAPTURE(layout);
    const auto trace = open_trace(model + layout);
    const auto work = trace->training();
    REQUIRE(work);
    CHECK(work->tokens == sequences * sequence);
    CHECK(work->flops == Approx(summarize(*trace).flops).epsilon(1e-12));
    CHECK(open_trace(model + layout + ",recompute=yes")->training()->flops == work->flops);
  }
  CHECK(!open_trace("stencil")->training());
}

// A Megatron-LM layout has all kinds of groups, and no message without one.
TEST_CASE("Communicators of a training are for what their members differ in") {
  const auto trace = open_trace(
      "llm:model=mixtral-8x7b,layers=4,tensor=2,context=3,data=8,expert=2,fsdp=4,pipeline=4,"
      "sequence=4098,micro-batches=4");
  const std::map<std::string_view, std::set<CommRank>> sizes{
      {"tensor", {2}},          {"context", {3}}, {"expert", {2}}, {"pipeline", {4}},
      {"fsdp", {3 * 4, 3 * 2}}, {"data", {2}},    {"norm", {192}}};
  std::map<std::string_view, std::set<CommRank>> found;
  for (const Rank rank : {Rank(0), Rank(191)}) {
    const auto stream = trace->open(rank);
    for (Operation op; stream->next(op);)
      if (is_collective(op.kind) || is_point_to_point(op.kind))
        found[trace->purpose(op.comm)].insert(trace->communicator(op.comm).size());
  }
  CHECK(found == sizes);
  CHECK(open_trace("llm:tensor=1,data=4,pipeline=1")->purpose(1) != "fsdp");
}

TEST_CASE("Frozen weights have no gradients: a third of the operations, and no sums") {
  const std::string spec = "llm:model=llama2-7b,layers=4,tensor=2,data=4,pipeline=2,micro-batches=3";
  const auto whole = open_trace(spec), frozen = open_trace(spec + ",frozen=yes");
  // For each of 4 x 3 sequences: 2 operations for each weight and token are left out; attention keeps all of its own.
  const double weights = 4 * (4096.0 * 4096 * 4 + 3.0 * 4096 * 11008) + 4096.0 * 32000;
  CHECK(summarize(*whole).flops - summarize(*frozen).flops == Approx(2 * weights * 4096 * 12));
  CHECK(total(*frozen, 0, OpKind::allreduce, 4) == Total{});
  CHECK(total(*frozen, 0, OpKind::allgather, 2) == total(*whole, 0, OpKind::allgather, 2));
  const auto sharded = open_trace(spec + ",frozen=yes,fsdp=4");
  CHECK(total(*sharded, 0, OpKind::allgather, 4) == total(*open_trace(spec + ",fsdp=4"), 0, OpKind::allgather, 4));
  CHECK(total(*sharded, 0, OpKind::reduce_scatter, 4) == Total{});
  CHECK(error_of_trace("llm:frozen=yes,bucket=1MB").find("frozen weights have no gradients") != std::string::npos);
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
  CHECK(sends(*open_trace(spec + ",tensor=2"), 2, 4) == Sizes{{activations / 2, 16}});
  CHECK(sends(*open_trace(spec + ",tensor=2,sequence-parallel=no"), 2, 4) == Sizes{{activations, 16}});
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

// 2 gathers and 1 reduce-scatter of all weights in each micro-batch; of each layer, and of the two matrices of words.
TEST_CASE("Sharded weights are gathered before both passes, and gradients scattered behind the second") {
  const std::uint64_t layer = 4096ULL * 4096 * 4 + 3ULL * 4096 * 11008, words = 4096ULL * 32000;
  const std::string spec = "llm:model=llama2-7b,layers=8,tensor=2,data=4,pipeline=1,micro-batches=3";
  const auto weights = (8 * layer + 2 * words) / 2;  // at each rank of the tensor group, of 4 copies
  const auto whole = open_trace(spec), sharded = open_trace(spec + ",fsdp=4");
  for (const Rank rank : {Rank(0), Rank(3), Rank(7)}) {
    CHECK(total(*sharded, rank, OpKind::allgather, 4) == Total{2 * 3 * 10, 2 * 3 * weights / 4 * 2});
    CHECK(total(*sharded, rank, OpKind::reduce_scatter, 4) == Total{3 * 10, 3 * weights / 4 * 4});
    CHECK(total(*sharded, rank, OpKind::allreduce, 4) == Total{});
    CHECK(total(*sharded, rank, OpKind::allreduce, 8) == Total{1, 8});  // the norm
    CHECK(total(*whole, rank, OpKind::allreduce, 4).bytes == weights * 4);
    // What tensor ranks send each other stays.
    for (const auto kind : {OpKind::allgather, OpKind::reduce_scatter})
      CHECK(total(*sharded, rank, kind, 2) == total(*whole, rank, kind, 2));
  }
  CHECK(summarize(*sharded).flops == Approx(summarize(*whole).flops));
  // Kept until the end of the step: once each.
  const auto kept = open_trace(spec + ",fsdp=4,reshard=no");
  CHECK(total(*kept, 0, OpKind::allgather, 4) == Total{10, weights / 4 * 2});
  CHECK(total(*kept, 0, OpKind::reduce_scatter, 4) == Total{10, weights / 4 * 4});
  // Recomputation is within the backward pass, whose weights are there.
  CHECK(total(*open_trace(spec + ",fsdp=4,recompute=yes"), 0, OpKind::allgather, 4) ==
        total(*sharded, 0, OpKind::allgather, 4));
  // A matrix that serves for both ends is there for the whole of a pass.
  const std::uint64_t gpt = 12ULL * 6144 * 6144, gpt_words = 51200ULL * 6144;
  const auto tied = open_trace("llm:model=gpt-22b,layers=2,tensor=1,data=4,pipeline=1,micro-batches=1,fsdp=4");
  CHECK(total(*tied, 0, OpKind::allgather, 4) == Total{2 * 3, 2 * (2 * gpt + gpt_words) / 4 * 2});
  CHECK(total(*tied, 0, OpKind::reduce_scatter, 4) == Total{3, (2 * gpt + gpt_words) / 4 * 4});
}

TEST_CASE("Weights are sharded within stages, over parts of sequences too, and over a part of the copies if asked to") {
  const std::uint64_t layer = 4096ULL * 4096 * 4 + 3ULL * 4096 * 11008, words = 4096ULL * 32000;
  // 2 tensor x 2 context x 4 data x 2 stages, each with half of the layers and one matrix of words.
  const std::string spec =
      "llm:model=llama2-7b,layers=8,tensor=2,context=2,data=4,pipeline=2,micro-batches=4,recompute=yes";
  const auto weights = (4 * layer + words) / 2;
  for (const std::string chunks : {"", ",chunks=2"}) {
    const auto all = open_trace(spec + ",fsdp=4" + chunks);
    for (const Rank rank : {Rank(0), Rank(31)}) {
      CHECK(total(*all, rank, OpKind::allgather, 8) == Total{2 * 4 * 5, 2 * 4 * weights / 8 * 2});
      CHECK(total(*all, rank, OpKind::reduce_scatter, 8) == Total{4 * 5, 4 * weights / 8 * 4});
    }
    // Two sets of two copies: the sets sum up their shares once.
    const auto hybrid = open_trace(spec + ",fsdp=2" + chunks);
    CHECK(total(*hybrid, 31, OpKind::allgather, 4) == Total{2 * 4 * 5, 2 * 4 * weights / 4 * 2});
    CHECK(total(*hybrid, 31, OpKind::reduce_scatter, 4) == Total{4 * 5, 4 * weights / 4 * 4});
    CHECK(total(*hybrid, 31, OpKind::allreduce, 2) == Total{5, weights / 4 * 4});
  }
  // A single rank has all weights: what is left is data parallelism, a sum for each layer.
  const std::string plain = "llm:model=llama2-7b,layers=8,tensor=2,data=4,pipeline=2,micro-batches=2";
  const auto alone = open_trace(plain + ",fsdp=1");
  CHECK(total(*alone, 0, OpKind::allreduce, 4) == total(*open_trace(plain + ",bucket=0"), 0, OpKind::allreduce, 4));
  CHECK(total(*alone, 0, OpKind::reduce_scatter, 4) == Total{});
  // The two ends of a pipeline sum up their shares of the matrix that both have.
  const auto tied = open_trace("llm:model=gpt-22b,layers=3,tensor=1,data=4,pipeline=3,micro-batches=3,fsdp=4");
  CHECK(total(*tied, 0, OpKind::allreduce, 2) == Total{1, 4ULL * 51200 * 6144 / 4});
}

TEST_CASE("Experts are sharded over the ranks that have the same ones") {
  // 8 data = 2 expert x 2 that share an expert's weights x 2 replicas of these.
  const auto trace = open_trace(
      "llm:model=mixtral-8x7b,layers=2,tensor=1,data=8,expert=2,fsdp=4,pipeline=1,micro-batches=1,sequence=4096");
  const std::uint64_t expert = 3ULL * 4096 * 14336, attention = 2ULL * 4096 * (4096 + 1024), router = 4096ULL * 8,
                      words = 4096ULL * 32000;
  const auto dense = 2 * (attention + router) + 2 * words;
  const auto here = 2 * 4 * expert;  // four of eight experts in each of two layers
  CHECK(total(*trace, 5, OpKind::allgather, 4) == Total{2 * 4, 2 * dense / 4 * 2});
  CHECK(total(*trace, 5, OpKind::allgather, 2) == Total{2 * 2, 2 * here / 2 * 2});
  CHECK(total(*trace, 5, OpKind::reduce_scatter, 4) == Total{4, dense / 4 * 4});
  CHECK(total(*trace, 5, OpKind::reduce_scatter, 2) == Total{2, here / 2 * 4});
  CHECK(total(*trace, 5, OpKind::allreduce, 2) == Total{4 + 2, (dense / 4 + here / 2) * 4});
}

/// The most gathers that are under way while a rank computes.
int gathers_under_way(const Trace& trace, CommRank members) {
  std::set<RequestHandle> under_way;
  std::size_t most = 0;
  const auto stream = trace.open(0);
  for (Operation op; stream->next(op);) {
    if (op.kind == OpKind::allgather && trace.communicator(op.comm).size() == members) {
      REQUIRE(under_way.insert(op.request).second);
    } else if (op.kind == OpKind::wait) {
      under_way.erase(op.request);
    } else if (op.kind == OpKind::compute) {
      most = std::max(most, under_way.size());
    }
  }
  REQUIRE(under_way.empty());
  return static_cast<int>(most);
}

TEST_CASE("So many layers are gathered ahead as are asked for") {
  const std::string spec = "llm:model=llama2-7b,layers=8,tensor=2,data=4,pipeline=1,micro-batches=2,fsdp=4";
  CHECK(gathers_under_way(*open_trace(spec), 4) == 1);
  for (const int ahead : {0, 1, 2, 3, 9, 20})
    CHECK(gathers_under_way(*open_trace(fmt::format("{},prefetch={}", spec, ahead)), 4) == std::min(ahead, 9));
}

// On a ring of n an all-gather of V bytes takes V (1 - 1/n) / W, W both ways of a link together, and so does a
// reduce-scatter. Where computation is long, messages are waited for only where there is nothing to compute: forwards
// for the words, with which nothing is computed, and the first layer; backwards for the words; at the end for the
// gradients of the first layer and the words.
TEST_CASE("Gathered layers hide behind computation, but for the first of each pass") {
  const std::string spec =
      "llm:model=llama2-7b,layers=4,tensor=1,data=8,pipeline=1,micro-batches=1,micro-batch=4,fsdp=8,prefetch=";
  netsim::ReplayOptions options;
  options.compute_scale = 1;
  const auto runtime = [&](const std::string& prefetch) {
    const auto trace = open_trace(spec + prefetch);
    return test::simulate("torus:8,bw=50GBps,lat=1ns,speed=100Tf", *trace, options, {}, "fluid")
        .at("runtime_s")
        .get<double>();
  };
  const double layer = 4096.0 * 4096 * 4 + 3.0 * 4096 * 11008, words = 4096.0 * 32000;
  const double computation = summarize(*open_trace(spec + "1")).flops / 8 / 100e12;
  const auto round = [](double bytes) { return bytes * 7 / 8 / 100e9; };  // a link of 50 GB/s each way
  const double scattered = round((layer + words) * 4);
  const double waited = runtime("1") - computation;
  CHECK(waited == Approx(round((layer + 2 * words) * 2) + scattered).epsilon(0.01));
  // Without prefetching nothing hides: what is gathered lines up behind the gradients on their way to the same
  // neighbour.
  const double all = round((4 * layer + 2 * words) * (2 + 2 + 4));
  CHECK(runtime("0") - computation == Approx(all).epsilon(0.01));
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

// GPUs (chips of TPU v4 for PaLM), and sequences of a step, as the papers have them.
TEST_CASE("Published trainings have as many ranks and as large batches as published") {
  struct Published {
    std::int32_t ranks;
    std::int64_t sequences;
  };
  const std::map<std::string_view, Published> published{
      {"narayanan-1.7b", {32, 512}},         {"narayanan-3.6b", {64, 512}},     {"narayanan-7.5b", {128, 512}},
      {"narayanan-18b", {256, 1024}},        {"narayanan-39b", {512, 1536}},    {"narayanan-76b", {1024, 1792}},
      {"narayanan-146b", {1536, 2304}},      {"narayanan-310b", {1920, 2160}},  {"narayanan-530b", {2520, 2520}},
      {"narayanan-1t", {3072, 3072}},        {"korthikanti-22b", {8, 4}},       {"korthikanti-175b", {64, 64}},
      {"korthikanti-530b", {280, 280}},      {"korthikanti-1t", {512, 512}},    {"mt-nlg-530b", {2240, 1920}},
      {"bloom-176b", {384, 2048}},           {"opt-175b", {992, 992}},          {"palm-540b", {6144, 2048}},
      {"llama3-405b-8k-8192", {8192, 2048}}, {"llama3-405b-8k", {16384, 2048}}, {"llama3-405b-128k", {16384, 128}}};
  CHECK(llm::configurations().size() == published.size());
  for (const auto& [name, configuration] : llm::configurations()) {
    CAPTURE(name);
    CHECK(open_trace(fmt::format("llm:configuration={}", name))->ranks() == published.at(name).ranks);
    CHECK(configuration.ranks() == published.at(name).ranks);
    CHECK(configuration.sequences() == published.at(name).sequences);
  }
}

TEST_CASE("Keys that are given hold beside those of a published training") {
  const auto trace = open_trace("llm:configuration=llama3-405b-8k,data=4,fsdp=4,pipeline=2,layers=4,micro-batches=2");
  const auto same = open_trace(
      "llm:model=llama3-405b,layers=4,tensor=8,data=4,fsdp=4,reshard=no,pipeline=2,micro-batches=2,order=tp-cp-pp-dp");
  CHECK(trace->ranks() == 64);
  for (const Rank rank : {Rank(0), Rank(63)})
    for (const auto kind : {OpKind::allgather, OpKind::reduce_scatter})
      for (const CommRank members : {4, 8})
        CHECK(total(*trace, rank, kind, members) == total(*same, rank, kind, members));
  CHECK(error_of_trace("llm:configuration=gpt-5").find("configuration=gpt-5: expected narayanan-1.7b") !=
        std::string::npos);
  CHECK(error_of_trace("llm:configuration=opt-175b,data=4").find("4 copies cannot be divided evenly by 124") !=
        std::string::npos);
}

// Chowdhery et al. 2022: attention and feed-forward part have the same input, so that a layer has one sum forwards and
// one backwards; 48 heads of 256 share one of keys and values.
TEST_CASE("Parallel layers sum up activations half as often") {
  const std::uint64_t activations = 2048ULL * 18432 * 2;
  const auto trace =
      open_trace("llm:model=palm-540b,layers=3,tensor=8,data=1,pipeline=1,micro-batches=1,sequence-parallel=no");
  CHECK(total(*trace, 0, OpKind::allreduce, 8) == Total{2 * 3 + 2 + 1, (2 * 3 + 2) * activations + 8});
  const auto shared = open_trace("llm:model=palm-540b,layers=3,tensor=8,data=1,pipeline=1,micro-batches=1");
  CHECK(total(*shared, 0, OpKind::allgather, 8).calls == 3 * 3 + 2);
  CHECK(total(*shared, 0, OpKind::reduce_scatter, 8).calls == 2 * 3 + 2);
  const double weights = 2.0 * 18432 * (48 * 256 + 256) + 3.0 * 18432 * 73728;
  const double flops = 6 * 2048 * (3 * weights + 18432.0 * 256000) + 3 * 3 * 4.0 * 48 * 256 * 2048 * 2048;
  CHECK(summarize(*trace).flops == Approx(flops));
}

TEST_CASE("A model is another one with other sizes") {
  // Llama 2 7B from Llama 3 8B.
  const std::string layout = ",tensor=2,data=2,pipeline=1,micro-batches=1,layers=2";
  const auto trace = open_trace("llm:model=llama3-8b,key-heads=32,inner=11008,vocabulary=32000,sequence=4096" + layout);
  const auto same = open_trace("llm:model=llama2-7b" + layout);
  CHECK(summarize(*trace).flops == summarize(*same).flops);
  for (const auto kind : {OpKind::allreduce, OpKind::allgather, OpKind::reduce_scatter})
    CHECK(total(*trace, 0, kind, 2) == total(*same, 0, kind, 2));
  // 256 experts, of which a token goes to six, 128 of them here.
  const std::uint64_t expert = 3ULL * 4096 * 2048;
  const auto experts = open_trace(
      "llm:model=mixtral-8x7b,inner=2048,experts=256,experts-per-token=6,layers=1,sequence=1024,tensor=1,data=4,"
      "expert=2,pipeline=1,micro-batches=1");
  CHECK(total(*experts, 0, OpKind::allreduce, 2).bytes == 128 * expert * 4);
  CHECK(total(*experts, 0, OpKind::alltoall, 2) == Total{4, 4 * (1024ULL * 4096 * 2 * 6 / 2)});
  // A vocabulary that tensor ranks cannot share evenly gets further rows.
  const auto padded = open_trace("llm:vocabulary=32001,layers=1,tensor=4,data=2,pipeline=1,micro-batches=1,bucket=1");
  CHECK(total(*padded, 0, OpKind::allreduce, 2).bytes ==
        4 * (4096ULL * 4096 * 4 + 3ULL * 4096 * 11008 + 2 * 4096ULL * 32004) / 4);
  CHECK(error_of_trace("llm:heads=48").find("a hidden size of 4096 cannot be divided evenly by 48 heads") !=
        std::string::npos);
  CHECK(
      error_of_trace("llm:sequence=1073741824,hidden=65536,heads=64,key-heads=64,micro-batch=10000,tensor=1,context=1")
          .find("expected less than 10^18") != std::string::npos);
  CHECK(error_of_trace("llm:key-heads=5").find("32 heads cannot be divided evenly by 5 of keys") != std::string::npos);
  CHECK(
      error_of_trace("llm:model=mixtral-8x7b,experts-per-token=9").find("9 experts for a token, expected at most 8") !=
      std::string::npos);
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
        "model=llama2-7b,layers=2,tensor=1,data=1,pipeline=1,micro-batches=1",
        "model=llama2-7b,layers=5,tensor=2,data=4,pipeline=2,micro-batches=4,chunks=2,fsdp=2,prefetch=3,steps=2",
        "model=mixtral-8x7b,layers=3,tensor=2,context=2,data=8,expert=2,fsdp=4,pipeline=2,micro-batches=3",
        "model=gpt-22b,layers=6,tensor=1,data=2,pipeline=3,micro-batches=6,fsdp=2,reshard=no,steps=2",
        "model=gpt-22b,layers=6,tensor=2,data=2,pipeline=3,micro-batches=3,fsdp=2,frozen=yes",
        "model=mixtral-8x7b,layers=2,tensor=1,data=4,expert=2,fsdp=2,pipeline=1,micro-batches=1,prefetch=0"}) {
    CAPTURE(parallel);
    const auto trace = open_trace("llm:" + parallel);
    CHECK(unmatched_channels(*trace).empty());
    CHECK(test::simulate(fmt::format("torus:{}", trace->ranks()), *trace, {}, {}, "fluid").contains("runtime_s"));
  }
}

TEST_CASE("What cannot be divided is an error that says what") {
  CHECK(error_of_trace("llm:tensor=3").find("32 heads cannot be divided evenly by 3") != std::string::npos);
  CHECK(error_of_trace("llm:context=3").find("4096 tokens of a sequence") != std::string::npos);
  CHECK(error_of_trace("llm:data=4,expert=3").find("4 copies cannot be divided evenly by 3") != std::string::npos);
  CHECK(error_of_trace("llm:data=4,expert=2").find("1 experts cannot be divided evenly by 2") != std::string::npos);
  CHECK(error_of_trace("llm:data=4,fsdp=3").find("4 copies cannot be divided evenly by 3") != std::string::npos);
  CHECK(error_of_trace("llm:model=mixtral-8x7b,data=8,expert=4,fsdp=2")
            .find("2 ranks that share weights cannot be divided") != std::string::npos);
  CHECK(error_of_trace("llm:fsdp=4,gradients=all-reduce").find("gradients=all-reduce: expected reduce-scatter") !=
        std::string::npos);
  CHECK(error_of_trace("llm:fsdp=4,bucket=1MB").find("bucket: expected none") != std::string::npos);
  CHECK(error_of_trace("llm:reshard=no").find("reshard: found no fsdp") != std::string::npos);
  CHECK(error_of_trace("llm:prefetch=2").find("prefetch: found no fsdp") != std::string::npos);
  CHECK(error_of_trace("llm:pipeline=4,chunks=2,micro-batches=6").find("6 micro-batches") != std::string::npos);
  CHECK(error_of_trace("llm:pipeline=1,chunks=2").find("expected a pipeline") != std::string::npos);
  CHECK(error_of_trace("llm:pipeline=16,chunks=4,micro-batches=16").find("at most 32 stages and chunks") !=
        std::string::npos);
  CHECK(error_of_trace("llm:order=tp-dp-pp").find("expected tp, cp, dp and pp, in any order") != std::string::npos);
  CHECK(error_of_trace("llm:order=tp-tp-dp-pp").find("expected tp, cp, dp and pp, in any order") != std::string::npos);
  CHECK(error_of_trace("llm:model=gpt5").find("expected gpt-1.7b, gpt-3.6b") != std::string::npos);
  CHECK(error_of_trace("llm:tensor=32,context=128,data=1024,pipeline=32").find("expected at most 1048576") !=
        std::string::npos);
}

}  // namespace
}  // namespace toroid::workloads

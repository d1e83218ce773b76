// What a step of a training computes again, does at once, evaluates, and keeps in memory, against sums by hand.

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <set>

#include "tests/support/support.hpp"
#include "tests/workloads/errors.hpp"
#include "tests/workloads/operations.hpp"
#include "toroid/workloads/summary.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/generators/llm/models.hpp"

namespace toroid::workloads {
namespace {

// gpt-22b: hidden size 6144, sequences of 2048, 51200 words.
const std::string small = "llm:model=gpt-22b,layers=3,tensor=4,data=2,pipeline=1,micro-batches=1";
constexpr double tokens = 2 * 2048.0, width = 6144, layers = 3, length = 2048;
constexpr double attention = tokens * layers * 4 * width * length;

double flops(const std::string& keys) {
  return summarize(*open_trace(small + keys)).flops;
}

/// Bytes of rank 3's collectives and messages.
std::uint64_t bytes(const Trace& trace) {
  std::uint64_t sum = 0;
  const auto stream = trace.open(3);
  for (Operation op; stream->next(op);) sum += op.bytes;
  return sum;
}

TEST_CASE("A policy computes as many matrices again as its name says") {
  CHECK(flops(",recompute=attention") - flops("") == Approx(attention));
  CHECK(flops(",recompute=mlp-in") - flops("") == Approx(attention + tokens * layers * 2 * 4 * width * width));
  CHECK(flops(",recompute=full") - flops("") == Approx(attention + tokens * layers * 2 * 12 * width * width));
  CHECK(flops(",recompute=yes") == flops(",recompute=full"));
  // None but the whole layer sends more.
  const auto sent = bytes(*open_trace(small));
  CHECK(bytes(*open_trace(small + ",recompute=mlp-in")) == sent);
  CHECK(bytes(*open_trace(small + ",recompute=attention")) == sent);
  CHECK(bytes(*open_trace(small + ",recompute=full")) > sent);
}

TEST_CASE("Causal attention takes half of its operations, and the training says so") {
  CHECK(flops("") - flops(",attention=causal") == Approx(3 * attention / 2));
  CHECK(open_trace(small)->training()->attention == "full");
  CHECK(open_trace(small + ",attention=causal")->training()->attention == "causal");
  CHECK(open_trace(small + ",attention=causal")->training()->flops == Approx(flops(",attention=causal")));
}

// 5 layers of 6 of Gemma 3 look back 1024 tokens; of gpt-oss each other layer 128.
TEST_CASE("Windows shorten what is attended to, causal alone") {
  for (const auto& [name, model] : llm::models()) {
    CAPTURE(name);
    const double before = static_cast<double>(model.sequence) / 2;
    const double expected = name.starts_with("gemma") ? before / 6 + 1024 * 5 / 6.0
                            : name == "gpt-oss-120b"  ? before / 2 + 64
                                                      : before;
    CHECK(model.attended(true) == Approx(expected));
    CHECK(model.attended(false) == 2 * before);
  }
}

// DeepSeek-V3: 37e9 of its 671e9 weights a token, with its 8 experts and the one that all share; heads of 192 numbers
// where queries meet keys, of 128 behind that.
TEST_CASE("A token meets its experts and the shared one, and heads are as wide as each product has them") {
  const auto work = *open_trace("llm:model=deepseek-v3,tensor=1,data=1,pipeline=1,micro-batches=1")->training();
  const double attended = 61 * 128.0 * 2 * (192 + 128) * 4096;
  CHECK((work.flops / work.tokens - 3 * attended) / 6 == Approx(37e9).epsilon(0.015));
}

TEST_CASE("A rate of matrices is that of layers alone, and no operation of the model less") {
  const double matrices = 3 * tokens * layers * 2 * 12 * width * width;
  CHECK(flops("") - flops(",matmul-rate=2") == Approx(matrices / 2));
  CHECK(open_trace(small + ",matmul-rate=2")->training()->flops == open_trace(small)->training()->flops);
}

// The same is computed and sent; all that begins is waited for; and less time is waited, the more is done at once.
TEST_CASE("Overlap changes when collectives are, and nothing else") {
  for (const std::string keys : {"", ",fsdp=2", ",recompute=full,micro-batch=2", ",sequence-parallel=no"}) {
    double before = 0;
    for (const std::string overlap : {",overlap=none", ",overlap=gathers", ",overlap=all"}) {
      CAPTURE(keys, overlap);
      const auto trace = open_trace(small + keys + overlap), plain = open_trace(small + keys);
      CHECK(summarize(*trace).flops == Approx(summarize(*plain).flops));
      CHECK(bytes(*trace) == bytes(*plain));
      std::set<RequestHandle> open;
      const auto stream = trace->open(3);
      for (Operation op; stream->next(op);) {
        if (op.kind == OpKind::wait) CHECK(open.erase(op.request) == 1);
        if (op.kind == OpKind::waitall)
          for (const auto handle : op.requests) open.erase(handle);
        if (is_collective(op.kind) && op.request != no_handle) CHECK(open.insert(op.request).second);
      }
      CHECK(open.empty());
      netsim::ReplayOptions with_computation;
      with_computation.compute_scale = 1;
      const double seconds =
          test::simulate("torus:4x2,bandwidth=50GBps,speed=200Tf", *trace, with_computation, {}, "fluid")
              .at("runtime_s");
      if (before > 0) CHECK(seconds <= before * (1 + 1e-9));
      before = seconds;
    }
    CHECK(before >= flops(keys) / 8 / 200e12);
  }
}

// 5 sequences on two copies, one each at a time: three batches, of which the last is padded.
TEST_CASE("Evaluation is forward only, in whole batches, behind the steps") {
  const double forward = length * (layers * (2 * 12 * width * width + 4 * width * length) + 2 * width * 51200);
  CHECK(flops(",evaluation=5") - flops("") == Approx(6 * forward));
  CHECK(flops(",evaluation=5,evaluation-batch=8") - flops("") == Approx(16 * forward));
  CHECK(flops(",steps=0,evaluation=5") == Approx(6 * forward));
  const auto work = *open_trace(small + ",evaluation=5")->training();
  CHECK(work.tokens == tokens);
  CHECK(work.flops - open_trace(small)->training()->flops == Approx(5 * forward));
  for (const std::string keys :
       {"pipeline=1,evaluation=3,fsdp=2", "pipeline=1,evaluation=3,fsdp=2,reshard=no,overlap=all",
        "pipeline=3,evaluation=9", "pipeline=3,layers=6,chunks=2,micro-batches=3,evaluation=4,recompute=yes,steps=2"}) {
    CAPTURE(keys);
    const auto trace = open_trace("llm:model=gpt-22b,tensor=4,data=2," + keys);
    CHECK(unmatched_channels(*trace).empty());
    CHECK(test::simulate(fmt::format("torus:{}", trace->ranks()), *trace, {}, {}, "fluid").contains("runtime_s"));
  }
}

TEST_CASE("Memory is that of the published formulas") {
  const auto memory = [](const std::string& spec) { return open_trace("llm:" + spec)->training()->memory; };
  // Korthikanti et al. 2022, section 4: 34 s b h bytes of a layer without dropout's masks, which are 2, and without the
  // attention's matrix; with tensor parallelism (10 - 2 + 24 / t), with sequence parallelism too all over t.
  const double sbh = 2048 * 6144.0;
  const auto layers_of = [&](const std::string& keys) {
    const std::string spec = "model=gpt-22b,data=1,pipeline=1,micro-batches=1" + keys;
    return memory(spec + ",layers=5").activations - memory(spec + ",layers=4").activations;
  };
  CHECK(layers_of(",tensor=1") == Approx(32 * sbh));
  CHECK(layers_of(",tensor=8,sequence-parallel=no") == Approx((8 + 24 / 8.0) * sbh));
  CHECK(layers_of(",tensor=8") == Approx(32 * sbh / 8));
  CHECK(layers_of(",tensor=1,recompute=full") == Approx(2 * sbh));
  // GPT-3 on 2,048 chips: of 16 sequences 3 h / 8 and 3 h / 8 numbers are saved of each token, 58 GB in 96 layers.
  const auto gpt3 =
      memory("model=gpt3-175b,tensor=8,data=256,fsdp=64,pipeline=1,micro-batches=1,micro-batch=16,recompute=mlp-in");
  CHECK(gpt3.activations == Approx(58.0e9).epsilon(0.06));  // one layer being computed and the logits beside it
  CHECK(gpt3.activations > 58.0e9);
  const double weights = 96 * 12 * 12288.0 * 12288 + 51200 * 12288.0;
  CHECK(gpt3.optimizer == Approx(12 * weights / 8 / 64));
  // All weights, their gradients in 4 bytes, and the optimizer's 12: the 18 bytes of Megatron-LM.
  const auto whole = memory("model=gpt3-175b,tensor=8,data=2,pipeline=1,micro-batches=1");
  CHECK(whole.weights + whole.gradients + whole.optimizer == Approx(18 * weights / 8));
  // The first stage keeps as many micro-batches as there are stages behind it, itself included.
  const auto one = memory("model=gpt-22b,tensor=1,data=1,pipeline=4,micro-batches=1");
  const auto four = memory("model=gpt-22b,tensor=1,data=1,pipeline=4,micro-batches=8");
  CHECK(four.activations == Approx(12 * 4 * 32 * sbh));
  CHECK(one.activations < four.activations / 3);
  // Experts are shared out in any way among the ranks that share weights: each has an eighth of all.
  const auto experts = [&](const std::string& expert) {
    return memory("model=mixtral-8x7b,tensor=1,data=8,fsdp=8,pipeline=1,expert=" + expert).optimizer;
  };
  for (const auto* expert : {"2", "4", "8"}) CHECK(experts(expert) == Approx(experts("1")));
}

// A layer keeps 32 s b h bytes while it is computed, and logits take 4 bytes each.
TEST_CASE("Memory is that of an evaluation where its batches take more") {
  const std::string keys = "llm:model=gpt-22b,layers=2,tensor=1,data=1,pipeline=1,recompute=full,evaluation=64";
  const auto memory = [&](const std::string& more) { return open_trace(keys + more)->training()->memory; };
  const auto trained = memory(""), evaluated = memory(",evaluation-batch=64");
  CHECK(trained.gradients > 0);
  CHECK(evaluated.activations == Approx(64 * 2048 * (32 * 6144.0 + 4 * 51200)));
  CHECK(evaluated.gradients == 0);
  CHECK(evaluated.optimizer == trained.optimizer);
  CHECK(evaluated.weights == trained.weights);
}

TEST_CASE("Fewer layers than published are told") {
  const auto work = *open_trace(small)->training();
  CHECK(work.layers == 3);
  CHECK(work.published == 48);
}

TEST_CASE("Unknown ways are errors that say what there is") {
  CHECK(error_of_trace("llm:recompute=some").find("expected no, attention, mlp-in, full or yes") != std::string::npos);
  CHECK(error_of_trace("llm:overlap=some").find("expected none, gathers or all") != std::string::npos);
  CHECK(error_of_trace("llm:matmul-rate=0").find("matmul-rate=0") != std::string::npos);
  CHECK(error_of_trace("llm:model=gpt3-175b,sequence=1000000000,number=16,evaluation-batch=10000").find("10^18") !=
        std::string::npos);
  CHECK(error_of_trace("llm:evaluation=-1").find("evaluation=-1") != std::string::npos);
}

}  // namespace
}  // namespace toroid::workloads

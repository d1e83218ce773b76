#include "workloads/generators/llm/models.hpp"

#include <algorithm>
#include <initializer_list>

#include "toroid/core/parameter.hpp"

namespace toroid::workloads::llm {
namespace {

constexpr std::string_view korthikanti = "Korthikanti et al. 2022, Table 3";
constexpr std::string_view llama3 = "Grattafiori et al. 2024, Table 4";

Configuration narayanan(std::string_view model, int tensor, int pipeline, int data, int micro_batches) {
  return {"Narayanan et al. 2021, Table 1",
          fmt::format("model={},tensor={},pipeline={},data={},micro-batches={},sequence-parallel=no", model, tensor,
                      pipeline, data, micro_batches)};
}

/// The product of the values of such keys; a key that is not given counts as 1.
std::int64_t product(std::string_view keys, std::initializer_list<std::string_view> names) {
  const auto spec = core::Spec::parse(fmt::format("llm:{}", keys));
  std::int64_t product = 1;
  for (const auto name : names) product *= core::parse_number<std::int64_t>(spec.find(name).value_or("1")).value();
  return product;
}

}  // namespace

std::int64_t Model::weights() const {
  const auto layer = dense_weights() + (experts > 1 ? experts * expert_weights() : 0);
  return layers * layer + (tied ? 1 : 2) * vocabulary_weights();
}

double Model::attended(bool causal) const {
  const auto all = static_cast<double>(sequence);
  if (!causal) return all;
  const double before = all / 2;
  if (window == 0) return before;
  const double of_windows = 1 - 1 / static_cast<double>(whole_each);
  return before - of_windows * std::max(before - static_cast<double>(window), 0.0);
}

const std::vector<std::pair<std::string_view, Model>>& models() {
  static const std::vector<std::pair<std::string_view, Model>> all{
      {"gpt-1.7b", {24, 2304, 24, 24, 4 * 2304, false, 51200, true, 2048}},
      {"gpt-3.6b", {30, 3072, 32, 32, 4 * 3072, false, 51200, true, 2048}},
      {"gpt-7.5b", {36, 4096, 32, 32, 4 * 4096, false, 51200, true, 2048}},
      {"gpt-18b", {40, 6144, 48, 48, 4 * 6144, false, 51200, true, 2048}},
      {"gpt-22b", {48, 6144, 64, 64, 4 * 6144, false, 51200, true, 2048}},
      {"gpt-39b", {48, 8192, 64, 64, 4 * 8192, false, 51200, true, 2048}},
      {"gpt-76b", {60, 10240, 80, 80, 4 * 10240, false, 51200, true, 2048}},
      {"gpt-146b", {80, 12288, 96, 96, 4 * 12288, false, 51200, true, 2048}},
      {"gpt3-175b", {96, 12288, 96, 96, 4 * 12288, false, 51200, true, 2048}},
      {"gpt-310b", {96, 16384, 128, 128, 4 * 16384, false, 51200, true, 2048}},
      {"gpt-530b", {105, 20480, 128, 128, 4 * 20480, false, 51200, true, 2048}},
      {"gpt-1t", {128, 25600, 160, 160, 4 * 25600, false, 51200, true, 2048}},
      {"opt-175b", {96, 12288, 96, 96, 4 * 12288, false, 50272, true, 2048}},
      {"bloom-176b", {70, 14336, 112, 112, 4 * 14336, false, 250880, true, 2048}},
      {"palm-540b", {118, 18432, 48, 1, 4 * 18432, true, 256000, true, 2048, 1, 1, 256, true}},
      {"llama2-7b", {32, 4096, 32, 32, 11008, true, 32000, false, 4096}},
      {"llama2-13b", {40, 5120, 40, 40, 13824, true, 32000, false, 4096}},
      {"llama2-70b", {80, 8192, 64, 8, 28672, true, 32000, false, 4096}},
      {"llama3-8b", {32, 4096, 32, 8, 14336, true, 128256, false, 8192}},
      {"llama3-70b", {80, 8192, 64, 8, 28672, true, 128256, false, 8192}},
      {"llama3-405b", {126, 16384, 128, 8, 53248, true, 128256, false, 8192}},
      {"mixtral-8x7b", {32, 4096, 32, 8, 14336, true, 32000, false, 8192, 8, 2}},
      {"mixtral-8x22b", {56, 6144, 48, 8, 16384, true, 32768, false, 8192, 8, 2}},
      {"gemma3-12b", {48, 3840, 16, 8, 15360, true, 262144, true, 8192, 1, 1, 256, false, 1024, 6}},
      // Layers that attend to all have wider heads, and fewer of keys, which are counted as the others' here.
      {"gemma4-26b", {30, 2816, 16, 8, 704, true, 262144, true, 4096, 128, 8, 256, false, 1024, 6, 3}},
      {"gemma4-31b", {60, 5376, 32, 16, 21504, true, 262144, true, 8192, 1, 1, 256, false, 1024, 6}},
      // Three layers without experts, of which each token meets as many weights, are counted as the others.
      {"deepseek-v3",
       {61, 7168, 128, 128, 2048, true, 129280, false, 4096, 256, 8, 128, false, 0, 1, 1,
        7168 * (1536 + 512 + 64) + 128 * (1536 * 192 + 512 * 256), 192}},
      {"qwen3-235b-a22b", {94, 4096, 64, 4, 1536, true, 151936, false, 4096, 128, 8, 128}},
      {"gpt-oss-120b", {36, 2880, 64, 8, 2880, true, 201088, false, 8192, 128, 4, 64, false, 128, 2}}};
  return all;
}

std::int64_t Configuration::ranks() const {
  return product(keys, {"tensor", "context", "pipeline", "data"});
}

std::int64_t Configuration::sequences() const {
  return product(keys, {"data", "micro-batches", "micro-batch"});
}

const std::vector<std::pair<std::string_view, Configuration>>& configurations() {
  static const std::vector<std::pair<std::string_view, Configuration>> all{
      // D. Narayanan et al., Efficient large-scale language model training on GPU clusters using Megatron-LM (SC 2021),
      // Table 1. Micro-batches are the batch over the copies, for micro-batches of one sequence.
      {"narayanan-1.7b", narayanan("gpt-1.7b", 1, 1, 32, 16)},
      {"narayanan-3.6b", narayanan("gpt-3.6b", 2, 1, 32, 16)},
      {"narayanan-7.5b", narayanan("gpt-7.5b", 4, 1, 32, 16)},
      {"narayanan-18b", narayanan("gpt-18b", 8, 1, 32, 32)},
      {"narayanan-39b", narayanan("gpt-39b", 8, 2, 32, 48)},
      {"narayanan-76b", narayanan("gpt-76b", 8, 4, 32, 56)},
      {"narayanan-146b", narayanan("gpt-146b", 8, 8, 24, 96)},
      {"narayanan-310b", narayanan("gpt-310b", 8, 16, 15, 144)},
      {"narayanan-530b", narayanan("gpt-530b", 8, 35, 9, 280)},
      {"narayanan-1t", narayanan("gpt-1t", 8, 64, 6, 512)},
      // V. Korthikanti et al., Reducing activation recomputation in large transformer models (2022), Table 3.
      {"korthikanti-22b", {korthikanti, "model=gpt-22b,tensor=8,pipeline=1,data=1,micro-batches=1,micro-batch=4"}},
      {"korthikanti-175b", {korthikanti, "model=gpt3-175b,tensor=8,pipeline=8,chunks=3,data=1,micro-batches=64"}},
      {"korthikanti-530b", {korthikanti, "model=gpt-530b,tensor=8,pipeline=35,chunks=3,data=1,micro-batches=280"}},
      {"korthikanti-1t", {korthikanti, "model=gpt-1t,tensor=8,pipeline=64,data=1,micro-batches=512"}},
      // S. Smith et al., Using DeepSpeed and Megatron to train Megatron-Turing NLG 530B (2022), on 2,240 GPUs.
      {"mt-nlg-530b",
       {"Smith et al. 2022", "model=gpt-530b,tensor=8,pipeline=35,data=8,micro-batches=240,sequence-parallel=no"}},
      // T. Le Scao et al., BLOOM (2022): copies sum up gradients as ZeRO does in its first stage.
      {"bloom-176b",
       {"Le Scao et al. 2022",
        "model=bloom-176b,tensor=4,pipeline=12,data=8,micro-batches=128,micro-batch=2,sequence-parallel=no,"
        "gradients=reduce-scatter"}},
      // S. Zhang et al., OPT (2022): 992 GPUs, two million tokens.
      {"opt-175b",
       {"Zhang et al. 2022",
        "model=opt-175b,tensor=8,pipeline=1,data=124,fsdp=124,micro-batches=1,micro-batch=8,sequence-parallel=no"}},
      // A. Chowdhery et al., PaLM (2022): two pods of 3,072 TPU v4, each with all weights; the batch of the last phase.
      {"palm-540b",
       {"Chowdhery et al. 2022",
        "model=palm-540b,tensor=12,pipeline=1,data=512,fsdp=256,micro-batches=1,micro-batch=4,sequence-parallel=no"}},
      // A. Grattafiori et al., The Llama 3 herd of models (2024), Table 4 and section 3.3.2: the order of the axes, and
      // weights that stay gathered.
      {"llama3-405b-8k-8192",
       {llama3,
        "model=llama3-405b,tensor=8,pipeline=16,data=64,fsdp=64,reshard=no,micro-batches=32,order=tp-cp-pp-dp"}},
      {"llama3-405b-8k",
       {llama3,
        "model=llama3-405b,tensor=8,pipeline=16,data=128,fsdp=128,reshard=no,micro-batches=16,order=tp-cp-pp-dp"}},
      {"llama3-405b-128k",
       {llama3,
        "model=llama3-405b,sequence=131072,tensor=8,context=16,pipeline=16,data=8,fsdp=8,reshard=no,micro-batches=16,"
        "order=tp-cp-pp-dp"}}};
  return all;
}

}  // namespace toroid::workloads::llm

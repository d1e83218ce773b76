#include "workloads/generators/llm/configurations.hpp"

#include <fmt/format.h>

#include <initializer_list>

#include "core/parameter.hpp"
#include "core/text.hpp"

namespace toroid::workloads::llm {
namespace {

constexpr std::string_view narayanan = "Narayanan et al. 2021, Table 1";
constexpr std::string_view korthikanti = "Korthikanti et al. 2022, Table 3";
constexpr std::string_view llama3 = "Grattafiori et al. 2024, Table 4";

/// The product of the values of such keys; a key that is not given counts as 1.
std::int64_t product(std::string_view keys, std::initializer_list<std::string_view> names) {
  const auto spec = core::Spec::parse(fmt::format("llm:{}", keys));
  std::int64_t product = 1;
  for (const auto name : names) product *= core::parse_number<std::int64_t>(spec.find(name).value_or("1")).value();
  return product;
}

}  // namespace

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
      {"narayanan-1.7b",
       {narayanan, "model=gpt-1.7b,tensor=1,pipeline=1,data=32,micro-batches=16,sequence-parallel=no"}},
      {"narayanan-3.6b",
       {narayanan, "model=gpt-3.6b,tensor=2,pipeline=1,data=32,micro-batches=16,sequence-parallel=no"}},
      {"narayanan-7.5b",
       {narayanan, "model=gpt-7.5b,tensor=4,pipeline=1,data=32,micro-batches=16,sequence-parallel=no"}},
      {"narayanan-18b", {narayanan, "model=gpt-18b,tensor=8,pipeline=1,data=32,micro-batches=32,sequence-parallel=no"}},
      {"narayanan-39b", {narayanan, "model=gpt-39b,tensor=8,pipeline=2,data=32,micro-batches=48,sequence-parallel=no"}},
      {"narayanan-76b", {narayanan, "model=gpt-76b,tensor=8,pipeline=4,data=32,micro-batches=56,sequence-parallel=no"}},
      {"narayanan-146b",
       {narayanan, "model=gpt-146b,tensor=8,pipeline=8,data=24,micro-batches=96,sequence-parallel=no"}},
      {"narayanan-310b",
       {narayanan, "model=gpt-310b,tensor=8,pipeline=16,data=15,micro-batches=144,sequence-parallel=no"}},
      {"narayanan-530b",
       {narayanan, "model=gpt-530b,tensor=8,pipeline=35,data=9,micro-batches=280,sequence-parallel=no"}},
      {"narayanan-1t", {narayanan, "model=gpt-1t,tensor=8,pipeline=64,data=6,micro-batches=512,sequence-parallel=no"}},
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

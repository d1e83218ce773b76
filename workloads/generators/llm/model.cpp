#include "workloads/generators/llm/model.hpp"

namespace toroid::workloads::llm {

std::int64_t Model::weights() const {
  const auto layer = attention_weights() + experts * expert_weights() + router_weights();
  return layers * layer + (tied ? 1 : 2) * vocabulary_weights();
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
      {"mixtral-8x22b", {56, 6144, 48, 8, 16384, true, 32768, false, 8192, 8, 2}}};
  return all;
}

}  // namespace toroid::workloads::llm

#pragma once
// Transformers by name: their sizes, and what follows from these; and published trainings: which model, divided how.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace toroid::workloads::llm {

struct Model {
  std::int64_t layers, hidden, heads, key_heads;  ///< heads: of queries; key_heads: of keys and values
  std::int64_t inner;                             ///< width of the feed-forward part (of one expert)
  bool gated;                                     ///< three matrices in the feed-forward part, not two
  std::int64_t vocabulary;
  bool tied;  ///< whether one matrix serves both embedding and output
  std::int64_t sequence;
  std::int64_t experts = 1, experts_per_token = 1;
  std::int64_t head = 0;  ///< width of one head; 0: hidden / heads
  bool parallel = false;  ///< attention and feed-forward part have the same input, and their outputs are summed at once
  std::int64_t window = 0;  ///< tokens before it that one attends to in all but each `whole_each`-th layer; 0: all
  std::int64_t whole_each = 1;
  std::int64_t shared = 0;  ///< experts that all tokens pass through, besides those that each goes to
  /// Where queries, keys and values are made from latent vectors: all weights of that, and the width of a head where
  /// queries meet keys. 0: there are none, and it is that of values.
  std::int64_t latent = 0, met_head = 0;

  std::int64_t head_width() const { return head > 0 ? head : hidden / heads; }
  std::int64_t query_width() const { return head_width() * heads; }
  std::int64_t key_width() const { return head_width() * key_heads; }

  /// The weights of the attention in one layer, without biases and norms: of queries, keys and values, and of the
  /// output.
  std::int64_t attention_in_weights() const { return latent > 0 ? latent : hidden * (query_width() + 2 * key_width()); }
  std::int64_t attention_out_weights() const { return hidden * query_width(); }
  std::int64_t attention_weights() const { return attention_in_weights() + attention_out_weights(); }
  std::int64_t expert_weights() const { return (gated ? 3 : 2) * hidden * inner; }
  std::int64_t router_weights() const { return experts > 1 ? hidden * experts : 0; }
  /// The weights of a layer that all of its copies have, and of the feed-forward part those that one token meets.
  std::int64_t dense_weights() const {
    return attention_weights() + (experts > 1 ? router_weights() + shared * expert_weights() : expert_weights());
  }
  std::int64_t met_experts() const { return experts_per_token + shared; }
  std::int64_t met_weights() const { return router_weights() + met_experts() * expert_weights(); }
  std::int64_t met_out_weights() const { return met_experts() * hidden * inner; }
  std::int64_t met_in_weights() const { return met_weights() - met_out_weights(); }
  std::int64_t vocabulary_weights() const { return hidden * vocabulary; }
  std::int64_t weights() const;

  /// To how many tokens each one attends, on average over layers: to all of its sequence, or, causal, to those before,
  /// and in windows, which count in this case alone.
  double attended(bool causal) const;
  /// The operations of a token with each one that it attends to.
  double flops_of_pair() const {
    return 2.0 * static_cast<double>(query_width() + heads * (met_head > 0 ? met_head : head_width()));
  }
  double output_flops() const { return 2.0 * static_cast<double>(vocabulary_weights()); }
};

/// The models by name, from D. Narayanan et al. 2021 and V. Korthikanti et al. 2022 (gpt), S. Zhang et al. 2022 (opt),
/// T. Le Scao et al. 2022 (bloom), A. Chowdhery et al. 2022 (palm), H. Touvron et al. 2023 (llama2), A. Grattafiori et
/// al. 2024 (llama3), A. Jiang et al. 2024 (mixtral), Gemma Team 2025 (gemma3; gemma4 by the shapes in
/// AI-Hypercomputer/maxtext), A. Yang et al. 2025 (qwen3), OpenAI 2025 (gpt-oss), DeepSeek-AI 2024 (deepseek-v3).
const std::vector<std::pair<std::string_view, Model>>& models();

/// A training as it was published.
struct Configuration {
  std::string_view source;  ///< who published it
  std::string keys;         ///< keys of the generator `llm`

  /// Ranks, and sequences of a step over all copies.
  std::int64_t ranks() const;
  std::int64_t sequences() const;
};

/// The configurations by name. Their keys stand for published figures alone; what is not published, such as how many
/// pieces a stage has, stays at its default.
const std::vector<std::pair<std::string_view, Configuration>>& configurations();

}  // namespace toroid::workloads::llm

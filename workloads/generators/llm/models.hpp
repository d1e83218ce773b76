#pragma once
// Transformers by name: their sizes, and what follows from these; and published trainings: which model, divided how.

#include <cstdint>
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

  std::int64_t head_width() const { return head > 0 ? head : hidden / heads; }
  std::int64_t query_width() const { return head_width() * heads; }
  std::int64_t key_width() const { return head_width() * key_heads; }

  /// The weights of the attention in one layer, without biases and norms.
  std::int64_t attention_weights() const { return 2 * hidden * (query_width() + key_width()); }
  std::int64_t expert_weights() const { return (gated ? 3 : 2) * hidden * inner; }
  std::int64_t router_weights() const { return experts > 1 ? hidden * experts : 0; }
  /// The weights of a layer's feed-forward part that one token passes through.
  std::int64_t met_weights() const { return router_weights() + experts_per_token * expert_weights(); }
  std::int64_t vocabulary_weights() const { return hidden * vocabulary; }
  std::int64_t weights() const;

  double output_flops() const { return 2.0 * static_cast<double>(vocabulary_weights()); }
};

/// The models by name, from D. Narayanan et al. 2021 and V. Korthikanti et al. 2022 (gpt), S. Zhang et al. 2022 (opt),
/// T. Le Scao et al. 2022 (bloom), A. Chowdhery et al. 2022 (palm), H. Touvron et al. 2023 (llama2), A. Grattafiori et
/// al. 2024 (llama3), A. Jiang et al. 2024 (mixtral).
const std::vector<std::pair<std::string_view, Model>>& models();

/// A training as it was published.
struct Configuration {
  std::string_view source;  ///< who published it
  std::string_view keys;    ///< keys of the generator `llm`

  /// Ranks, and sequences of a step over all copies.
  std::int64_t ranks() const;
  std::int64_t sequences() const;
};

/// The configurations by name. Their keys stand for published figures alone; what is not published, such as how many
/// pieces a stage has, stays at its default.
const std::vector<std::pair<std::string_view, Configuration>>& configurations();

}  // namespace toroid::workloads::llm

// What a rank of a training keeps in its memory. Activations are those of V. Korthikanti and others, Reducing
// activation recomputation in large transformer models (2022), section 4, without dropout; attention keeps its inputs
// and output, not its matrix (T. Dao and others, FlashAttention, 2022).

#include "workloads/generators/llm/training.hpp"

namespace toroid::workloads::llm {
namespace {

constexpr double logit_bytes = 4;

}  // namespace

/// Bytes that one layer keeps of a micro-batch. A layer that computes nothing again keeps the inputs of both norms, of
/// both blocks, of the attention, of its last matrix, of the function between the feed-forward part's matrices, and of
/// the last of these.
double Training::activations_of_layer(Recompute recompute) const {
  const auto& model = setup_.model;
  const double slices = setup_.layout.size(Axis::tensor);
  const double whole = static_cast<double>(model.hidden) / (setup_.sequence_parallel ? slices : 1);
  const double queries = static_cast<double>(model.query_width()) / slices;
  const double attention = queries + 2 * static_cast<double>(model.key_width()) / slices;
  const double inner = static_cast<double>(model.met_experts() * model.inner) / slices;
  const double first = (model.gated ? 2 : 1) * inner;
  const auto numbers = [&] {
    switch (recompute) {
      case Recompute::all:
        return whole;
      case Recompute::first_matrices:
        return 3 * whole + attention;
      case Recompute::attention:
        return 3 * whole + attention + first;
      case Recompute::nothing:
        break;
    }
    return 4 * whole + attention + queries + first + inner;
  };
  return numbers() * tokens_ * static_cast<double>(setup_.number_bytes);
}

/// Bytes of the layer that a micro-batch is in, and of the logits.
double Training::activations_at_once(bool is_last_stage) const {
  const double logits = logit_bytes * tokens_ * static_cast<double>(setup_.model.vocabulary);
  return activations_of_layer(Recompute::nothing) + (is_last_stage ? logits / setup_.layout.size(Axis::tensor) : 0);
}

TrainingMemory Training::memory_of_stage(std::int32_t stage) const {
  const auto& pipeline = setup_.pipeline;
  const auto& layout = setup_.layout;
  double layers = 0;
  for (std::int32_t chunk = 0; chunk < pipeline.chunks(); ++chunk)
    layers += layers_of(chunk * pipeline.stages() + stage);
  const bool is_first = stage == 0, is_last = stage == pipeline.stages() - 1;
  const double words = static_cast<double>(words_) * ((is_first ? 1 : 0) + (is_last && !one_matrix_ ? 1 : 0));
  const double dense = layers * static_cast<double>(layer_weights_[0]) + words;
  const double experts = layers * static_cast<double>(layer_weights_[1]);
  const bool is_shared = setup_.sharding || setup_.scattered_gradients;
  const double sharing = is_shared ? static_cast<double>(layout.size(Axis::context)) * layout.size(Axis::copy) : 1;
  const double shares = (dense / (is_shared ? layout.size(Axis::expert) : 1) + experts) / sharing;
  const double all = dense + experts;
  const double layer =
      std::max(static_cast<double>(layer_weights_[0] + layer_weights_[1]), static_cast<double>(words_));
  TrainingMemory memory;
  const bool keeps_all = !setup_.sharding || !setup_.sharding->reshard;
  memory.weights = static_cast<double>(setup_.number_bytes) *
                   (keeps_all ? all : std::min(all, (1 + ahead()) * layer) + (setup_.frozen ? shares : 0));
  if (!setup_.frozen) {
    memory.optimizer = static_cast<double>(setup_.optimizer_bytes) * shares;
    memory.gradients =
        static_cast<double>(setup_.gradient_bytes) * (keeps_all ? all : std::min(all, shares + 2 * layer));
  }
  // Passes under way when the first one comes back, each through one piece of the stage.
  std::int32_t under_way = 0, most = 1;
  for (std::int32_t number = 0; number < pipeline.passes(); ++number)
    most = std::max(most, under_way += pipeline.pass(stage, number).forward ? 1 : -1);
  const double kept = activations_of_layer(setup_.recompute);
  memory.activations = kept * layers / pipeline.chunks() * most - kept + activations_at_once(is_last);
  if (!evaluation_) return memory;
  // An evaluation has no gradients, and keeps nothing of the layers behind it.
  const double evaluated = evaluation_->activations_at_once(is_last);
  if (evaluated > memory.gradients + memory.activations) {
    memory.gradients = 0;
    memory.activations = evaluated;
  }
  return memory;
}

/// The memory of the stage that keeps most.
TrainingMemory Training::memory() const {
  auto most = memory_of_stage(0);
  for (std::int32_t stage = 1; stage < setup_.pipeline.stages(); ++stage)
    if (const auto its = memory_of_stage(stage); its.total() > most.total()) most = its;
  return most;
}

}  // namespace toroid::workloads::llm

// Weights and gradients that are sharded over the copies, as PyTorch FSDP has them: the weights of a layer are gathered
// before it is computed, in both passes, and its gradients are summed and scattered behind its backward pass.

#include "workloads/generators/llm/training.hpp"

namespace toroid::workloads::llm {
namespace {

constexpr std::array weight_groups{Group::weights, Group::expert_weights};

}  // namespace

/// The matrix of the vocabulary is needed first and last in each pass. Where it is the same for embedding and output,
/// it stays gathered for the pass.
void Training::plan_gathers(std::int32_t link) {
  for (const bool forward : {false, true}) {
    auto& planned = gathers_[static_cast<std::size_t>(link)][forward ? 1 : 0];
    const auto plan = [&](std::int32_t part, const Weights& weights) {
      const auto slot = static_cast<RequestHandle>(planned.size() % (static_cast<std::size_t>(ahead()) + 1));
      const auto handle = first_gather + static_cast<RequestHandle>(weight_groups.size()) * slot;
      planned.push_back({part, weights, handle});
    };
    const bool starts = link == 0, ends = link == links() - 1;
    if (one_matrix_ || (forward ? starts : ends)) plan(0, {words_, 0});
    for (std::int32_t layer = 1; layer <= layers_of(link); ++layer) plan(layer, layer_weights_);
    if (!one_matrix_ && (forward ? ends : starts)) plan(most_layers_ + 1, {words_, 0});
  }
}

/// Weights that are kept until the end of the step are gathered for the first micro-batch alone.
bool Training::gathers_in(const Pass& pass) const {
  return setup_.sharding && (setup_.sharding->reshard || (pass.forward && pass.micro_batch == 0));
}

/// Waits for the weights of a part, if it has any; then begins to gather those that come `ahead` later.
void Training::take_weights(Rank rank, const Pass& pass, std::int32_t part, Out& out) const {
  if (!gathers_in(pass)) return;
  const auto& planned = gathers(rank, pass);
  const auto at = std::ranges::lower_bound(planned, part, {}, &Gather::part);
  if (at == planned.end() || at->part != part) return;
  const bool is_first = at == planned.begin();
  if (ahead() == 0 && !is_first) gather(rank, *at, out);
  for (std::size_t i = 0; i < weight_groups.size(); ++i)
    if (at->weights[i] > 0 && is_shared(rank, weight_groups[i]))
      out.push_back({.kind = OpKind::wait, .request = at->first_request + static_cast<RequestHandle>(i)});
  const auto left = planned.end() - at - 1;
  for (auto next = is_first ? 1 : std::max(ahead(), 1); next <= std::min<std::ptrdiff_t>(ahead(), left); ++next)
    gather(rank, at[next], out);
}

void Training::gather(Rank rank, const Gather& planned, Out& out) const {
  for (std::size_t i = 0; i < weight_groups.size(); ++i)
    if (planned.weights[i] > 0)
      collective(rank, weight_groups[i], OpKind::allgather,
                 share(rank, weight_groups[i], planned.weights[i]) * setup_.number_bytes, out,
                 planned.first_request + static_cast<RequestHandle>(i));
}

/// Where weights are kept until the end of the step, gradients are summed over micro-batches before they are scattered.
bool Training::scatters_in(const Pass& pass) const {
  return !pass.forward && (setup_.sharding->reshard || is_last_micro_batch(pass));
}

/// Scatters the gradients of a part, once those of the part before it are scattered: no rank has whole gradients of
/// more than two.
void Training::scatter_gradients(Rank rank, std::int32_t number, std::int32_t part, Out& out) const {
  const auto pass = setup_.pipeline.pass(stage_of(rank), number);
  if (!scatters_in(pass)) return;
  const auto& planned = reductions(link(rank, pass));
  const auto first = std::ranges::lower_bound(planned, part, {}, &Reduction::part);
  if (first == planned.end() || first->part != part) return;
  if (first != planned.begin())
    finish_scatters(rank, pass, std::prev(first)->part, out);
  else
    finish_last_scatters(rank, number, out);
  for (auto each = first; each != planned.end() && each->part == part; ++each)
    collective(rank, each->group, OpKind::reduce_scatter,
               share(rank, each->group, each->weights) * setup_.gradient_bytes, out, each->request);
}

/// Waits for the gradients of a part. Then replicas sum up what they have in the end, each its share.
void Training::finish_scatters(Rank rank, const Pass& pass, std::int32_t part, Out& out) const {
  for (const auto& planned : reductions(link(rank, pass))) {
    if (planned.part != part) continue;
    if (is_shared(rank, planned.group)) out.push_back({.kind = OpKind::wait, .request = planned.request});
    if (is_last_micro_batch(pass))
      collective(rank, Group::replicas, OpKind::allreduce,
                 share(rank, planned.group, planned.weights) * setup_.gradient_bytes, out, planned.request);
  }
}

/// Waits for what the last pass before pass `number` scattered at its end.
void Training::finish_last_scatters(Rank rank, std::int32_t number, Out& out) const {
  while (number-- > 0) {
    const auto pass = setup_.pipeline.pass(stage_of(rank), number);
    if (!scatters_in(pass)) continue;
    const auto& planned = reductions(link(rank, pass));
    if (!planned.empty()) finish_scatters(rank, pass, planned.back().part, out);
    return;
  }
}

}  // namespace toroid::workloads::llm

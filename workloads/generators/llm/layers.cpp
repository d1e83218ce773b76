// What a rank of a training does in a layer, forward and backward: multiplications, attention, collectives of its
// tensor group and of its experts.

#include "workloads/generators/llm/training.hpp"

namespace toroid::workloads::llm {
namespace {

constexpr RequestHandle ring_receive = 2, ring_send = 3;
constexpr RequestHandle tensor_gather = 4, tensor_sum = 5;

}  // namespace

/// Multiplies what the rank has of each token by so many weights of a layer, of all ranks of the tensor group.
void Training::multiply(double weights, Out& out) const {
  compute(2.0 * weights * tokens_ / setup_.layout.size(Axis::tensor) / setup_.matmul_rate, out);
}

/// With sequence parallelism the input is gathered first, or beside its multiplication.
void Training::gather_and_multiply(Rank rank, std::uint64_t scale, double weights, Out& out) const {
  const bool at_once = setup_.overlap != Overlap::none && setup_.sequence_parallel;
  if (setup_.sequence_parallel) gather_activations(rank, scale, out, at_once ? tensor_gather : no_handle);
  multiply(weights, out);
  if (at_once) out.push_back({.kind = OpKind::wait, .request = tensor_gather});
}

void Training::multiply_and_sum(Rank rank, std::uint64_t scale, double weights, Out& out) const {
  const bool at_once = setup_.overlap == Overlap::all && is_shared(rank, Group::tensor);
  if (at_once) sum_activations(rank, scale, out, tensor_sum);
  multiply(weights, out);
  if (at_once)
    out.push_back({.kind = OpKind::wait, .request = tensor_sum});
  else
    sum_activations(rank, scale, out);
}

/// Without overlap it does not matter which multiplication stands where between two collectives: one has all.
void Training::forward_layer(Rank rank, Out& out) const {
  const auto& model = setup_.model;
  const auto copies = static_cast<std::uint64_t>(model.experts_per_token);
  const auto split = [&](std::int64_t in, std::int64_t behind) {
    return setup_.overlap == Overlap::none ? std::pair(static_cast<double>(in + behind), 0.0)
                                           : std::pair(static_cast<double>(in), static_cast<double>(behind));
  };
  const auto [attention_in, attention_out] = split(model.attention_in_weights(), model.attention_out_weights());
  const auto [met_in, met_out] = split(model.met_in_weights(), model.met_out_weights());
  gather_and_multiply(rank, 1, attention_in, out);
  attend(rank, true, out);
  if (model.parallel) {
    multiply(attention_out + met_in, out);
  } else {
    multiply_and_sum(rank, 1, attention_out, out);
    exchange_tokens(rank, out);
    gather_and_multiply(rank, copies, met_in, out);
  }
  multiply_and_sum(rank, copies, met_out, out);
  exchange_tokens(rank, out);
}

/// The backward pass of a layer. With sequence parallelism a block's input, of which only a part was kept, is gathered
/// again, besides the gradient of its output: the one is multiplied for the gradients of weights, the other one first,
/// by the block's last matrix.
void Training::backward_layer(Rank rank, Out& out) const {
  if (setup_.recompute == Recompute::all) forward_layer(rank, out);
  const auto& model = setup_.model;
  const auto copies = static_cast<std::uint64_t>(model.experts_per_token);
  const double share = backward_share();
  // What is multiplied beside the gather of the gradient, beside that of the input, and beside the sum.
  const auto split = [&](std::int64_t in, std::int64_t behind) {
    const auto first = static_cast<double>(in), last = static_cast<double>(behind);
    return setup_.overlap == Overlap::none ? std::array{0.0, 0.0, share * (first + last)}
                                           : std::array{share * last, (share - 1) * first, first};
  };
  const auto met = split(model.met_in_weights(), model.met_out_weights());
  const auto attention = split(model.attention_in_weights(), model.attention_out_weights());
  exchange_tokens(rank, out);
  gather_and_multiply(rank, copies, met[0], out);
  gather_and_multiply(rank, copies, met[1], out);
  if (setup_.recompute == Recompute::first_matrices) multiply(static_cast<double>(model.met_in_weights()), out);
  if (model.parallel) {
    multiply(met[2] + attention[0], out);
  } else {
    multiply_and_sum(rank, copies, met[2], out);
    exchange_tokens(rank, out);
    gather_and_multiply(rank, 1, attention[0], out);
    gather_and_multiply(rank, 1, attention[1], out);
  }
  if (setup_.recompute == Recompute::first_matrices || setup_.recompute == Recompute::attention)
    attend(rank, true, out);
  attend(rank, false, out);
  if (model.parallel) multiply(attention[1], out);
  multiply_and_sum(rank, 1, attention[2], out);
}

/// Each rank of the tensor group has a part of the sequence, and gets all.
void Training::gather_activations(Rank rank, std::uint64_t scale, Out& out, RequestHandle request) const {
  collective(rank, Group::tensor, OpKind::allgather, activations_ * scale / slices(), out, request);
}

/// The ranks of the tensor group have summands, and get the sum: all of it, or each its part of the sequence.
void Training::sum_activations(Rank rank, std::uint64_t scale, Out& out, RequestHandle request) const {
  if (setup_.sequence_parallel)
    collective(rank, Group::tensor, OpKind::reduce_scatter, activations_ * scale / slices(), out, request);
  else
    collective(rank, Group::tensor, OpKind::allreduce, activations_ * scale, out, request);
}

/// Each token goes to its experts, or back from them; all experts get as many.
void Training::exchange_tokens(Rank rank, Out& out) const {
  if (setup_.model.experts == 1) return;
  const auto parts = sequence_parts() * static_cast<std::uint64_t>(setup_.layout.size(Axis::expert));
  collective(rank, Group::experts, OpKind::alltoall,
             activations_ * static_cast<std::uint64_t>(setup_.model.experts_per_token) / parts, out);
}

/// Attention of the rank's part of a sequence to all parts, whose keys and values come around a ring; backward also
/// their gradients, which go once more, home.
void Training::attend(Rank rank, bool forward, Out& out) const {
  const auto parts = setup_.layout.size(Axis::context);
  const auto flops = attention_flops() * tokens_ / setup_.layout.size(Axis::tensor) * (forward ? 1 : 2);
  for (std::int32_t part = 1; part < parts; ++part) rotate(rank, forward ? keys_ : 2 * keys_, flops / parts, out);
  compute(flops / parts, out);
  if (!forward && parts > 1) rotate(rank, keys_, 0, out);
}

/// Sends to the next rank of the context group, while something is computed.
void Training::rotate(Rank rank, std::uint64_t bytes, double flops, Out& out) const {
  static constexpr std::array ring{ring_receive, ring_send};
  const auto id = comm(rank, Group::context);
  const auto me = setup_.layout.at(rank, Axis::context), size = setup_.layout.size(Axis::context);
  out.push_back(
      {.kind = OpKind::irecv, .comm = id, .from = (me + size - 1) % size, .request = ring_receive, .bytes = bytes});
  out.push_back({.kind = OpKind::isend, .comm = id, .to = (me + 1) % size, .request = ring_send, .bytes = bytes});
  compute(flops, out);
  out.push_back({.kind = OpKind::waitall, .requests = ring});
}

}  // namespace toroid::workloads::llm

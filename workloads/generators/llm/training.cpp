#include "workloads/generators/llm/training.hpp"

namespace toroid::workloads::llm {
namespace {

constexpr RequestHandle pass_requests = 0;  ///< two, for passes in turn
constexpr RequestHandle ring_receive = 2, ring_send = 3;

/// What a rank has of a layer.
Weights layer_weights(const Setup& setup) {
  const auto& model = setup.model;
  const auto slices = setup.layout.size(Axis::tensor);
  const bool has_experts = model.experts > 1;
  const auto dense = model.attention_weights() + (has_experts ? model.router_weights() : model.expert_weights());
  const auto experts = has_experts ? model.experts / setup.layout.size(Axis::expert) * model.expert_weights() : 0;
  return {static_cast<std::uint64_t>(dense / slices), static_cast<std::uint64_t>(experts / slices)};
}

}  // namespace

Training::Training(const Setup& setup)
    : GeneratedTrace(setup.name, setup.layout.ranks()),
      setup_(setup),
      tokens_(static_cast<double>(setup.micro_batch) * static_cast<double>(setup.model.sequence) /
              setup.layout.size(Axis::context)),
      activations_(static_cast<std::uint64_t>(tokens_) * static_cast<std::uint64_t>(setup.model.hidden) *
                   setup.number_bytes),
      keys_(static_cast<std::uint64_t>(tokens_) * 2 * setup.number_bytes *
            static_cast<std::uint64_t>(
                setup.model.head_width() *
                std::max<std::int64_t>(1, setup.model.key_heads / setup.layout.size(Axis::tensor)))),
      layer_weights_(layer_weights(setup)),
      words_(static_cast<std::uint64_t>(setup.model.vocabulary_weights() / setup.layout.size(Axis::tensor))),
      one_matrix_(setup.model.tied && links() == 1),
      reductions_(static_cast<std::size_t>(links())),
      gathers_(static_cast<std::size_t>(links())),
      in_flight_(static_cast<std::size_t>(setup.pipeline.stages())) {
  add_groups(Group::tensor, {Axis::tensor});
  add_groups(Group::context, {Axis::context});
  add_groups(Group::experts, {Axis::expert});
  add_groups(Group::stages, {Axis::stage});
  add_groups(Group::weights, {Axis::context, Axis::expert, Axis::copy});
  add_groups(Group::expert_weights, {Axis::context, Axis::copy});
  add_groups(Group::replicas, {Axis::replica});
  if (setup_.model.tied && setup_.pipeline.stages() > 2) {
    // The two ends of the pipeline, which both have the matrix of the vocabulary.
    auto& ends = comms_[static_cast<std::size_t>(Group::vocabulary)];
    ends.assign(ranks(), world);
    const auto last = setup_.pipeline.stages() - 1;
    for (const Rank rank : core::ids<Rank>(ranks()))
      if (stage_of(rank) == 0) {
        const auto other = setup_.layout.with(rank, Axis::stage, last);
        ends[rank] = ends[other] = add_group(Group::vocabulary, Communicator({rank, other}));
      }
  } else if (setup_.model.tied) {
    add_groups(Group::vocabulary, {Axis::stage});
  }
  for (std::int32_t l = 0; l < links(); ++l) most_layers_ = std::max(most_layers_, layers_of(l));
  for (std::int32_t l = 0; l < links(); ++l) {
    plan_reductions(l);
    if (setup_.sharding) plan_gathers(l);
  }
}

void Training::add_groups(Group group, const std::vector<Axis>& axes) {
  auto& comms = comms_[static_cast<std::size_t>(group)];
  comms.assign(ranks(), world);
  for (const Rank rank : core::ids<Rank>(ranks())) {
    const auto is_first = [&](Axis axis) { return setup_.layout.at(rank, axis) == 0; };
    if (!std::all_of(axes.begin(), axes.end(), is_first)) continue;
    const auto id = add_group(group, setup_.layout.group(rank, axes));
    const auto& members = communicator(id);
    for (CommRank member = 0; member < members.size(); ++member) comms[members.member(member)] = id;
  }
}

CommId Training::add_group(Group group, Communicator members) {
  groups_.push_back(group);
  return add_communicator(std::move(members));
}

/// The words are those of the keys, where there is one.
std::string_view Training::purpose(CommId comm) const {
  if (comm == world) return "norm";
  switch (groups_.at(comm.index() - 1)) {
    case Group::tensor:
      return "tensor";
    case Group::context:
      return "context";
    case Group::experts:
      return "expert";
    case Group::stages:
      return "pipeline";
    case Group::weights:
    case Group::expert_weights:
      return setup_.sharding ? "fsdp" : "data";
    case Group::replicas:
      return "data";
    case Group::vocabulary:
      return "vocabulary";
  }
  return {};
}

std::optional<TrainingWork> Training::training() const {
  const auto& model = setup_.model;
  const double sequences = static_cast<double>(setup_.steps) * setup_.pipeline.micro_batches() * setup_.micro_batch *
                           setup_.layout.size(Axis::expert) * setup_.layout.size(Axis::copy) *
                           setup_.layout.size(Axis::replica);
  const double tokens = sequences * static_cast<double>(model.sequence);
  const double attention = 4.0 * static_cast<double>(model.query_width()) * static_cast<double>(model.sequence);
  const double weights = 2.0 * static_cast<double>(model.attention_weights() + model.met_weights());
  const double of_token =
      (1 + backward_share()) * (static_cast<double>(model.layers) * weights + model.output_flops()) +
      3 * static_cast<double>(model.layers) * attention;
  return TrainingWork{tokens, tokens * of_token};
}

/// The backward pass goes from the last layer to the first: part 0 is what comes behind the layers, parts 1, 2, ... are
/// layers, the last part is what comes before them.
void Training::plan_reductions(std::int32_t link) {
  const auto [dense, experts] = layer_weights_;
  const auto of_layer = std::max<std::uint64_t>(1, (dense + experts) * setup_.gradient_bytes);
  const auto bucket = setup_.sharding ? 0 : setup_.bucket;
  const auto layers_of_bucket =
      static_cast<std::int32_t>(std::clamp<std::uint64_t>((bucket + of_layer - 1) / of_layer, 1, 1U << 30U));
  const auto first_reduction = first_gather + 2 * (static_cast<RequestHandle>(ahead()) + 1);
  if (setup_.frozen) return;
  auto& planned = reductions_[static_cast<std::size_t>(link)];
  auto& requests = in_flight_[static_cast<std::size_t>(link % setup_.pipeline.stages())];
  const auto plan = [&](std::int32_t part, Group group, std::uint64_t amount) {
    if (amount == 0 || (!is_shared(0, group) && !is_shared(0, Group::replicas))) return;
    const auto request = static_cast<RequestHandle>(first_reduction + requests.size());
    planned.push_back({part, group, amount, request});
    requests.push_back(request);
  };
  const auto layers = layers_of(link);
  if (link == links() - 1 && !one_matrix_) plan(0, Group::weights, words_);
  for (std::int32_t done = 1; done <= layers; ++done) {
    if (done % layers_of_bucket != 0 && done != layers) continue;
    const auto count = static_cast<std::uint64_t>((done - 1) % layers_of_bucket + 1);
    plan(done, Group::weights, count * dense);
    plan(done, Group::expert_weights, count * experts);
  }
  if (link == 0) plan(most_layers_ + 1, Group::weights, words_);
}

bool Training::step(Rank rank, std::uint64_t step, Out& out) const {
  const auto parts = parts_of_pass(), in_step = steps_of_training_step();
  if (step / in_step >= static_cast<std::uint64_t>(setup_.steps)) return false;
  const auto at = step % in_step;
  if (at == in_step - 1) {
    finish_step(rank, out);
    return true;
  }
  const auto number = static_cast<std::int32_t>(at / parts), part = static_cast<std::int32_t>(at % parts);
  const auto pass = setup_.pipeline.pass(stage_of(rank), number);
  if (part == 0) {
    post_receives(rank, number, out);
    begin_gathers(rank, pass, out);
  }
  take_weights(rank, pass, part, out);
  if (part == 0)
    before_layers(rank, number, out);
  else if (part == most_layers_ + 1)
    after_layers(rank, pass, out);
  else if (part <= layers_of(link(rank, pass)))
    pass.forward ? forward_layer(rank, out) : backward_layer(rank, out);
  if (setup_.sharding)
    scatter_gradients(rank, number, part, out);
  else
    reduce(rank, pass, part, out);
  if (part == most_layers_ + 1) send(rank, pass, out);
  return true;
}

/// The receive of the next pass is posted before this pass begins, so that its message may come meanwhile.
void Training::post_receives(Rank rank, std::int32_t number, Out& out) const {
  if (number == 0) post_receive(rank, 0, out);
  if (number + 1 < setup_.pipeline.passes()) post_receive(rank, number + 1, out);
}

void Training::before_layers(Rank rank, std::int32_t number, Out& out) const {
  const auto pass = setup_.pipeline.pass(stage_of(rank), number);
  const auto at = link(rank, pass);
  if (at != (pass.forward ? 0 : links() - 1) && setup_.pipeline.stages() > 1)
    out.push_back({.kind = OpKind::wait, .request = pass_requests + static_cast<RequestHandle>(number % 2)});
  if (pass.forward && at == 0) sum_activations(rank, 1, out);  // the embedding
  if (!pass.forward && at == links() - 1) {                    // the output
    compute(backward_share() * setup_.model.output_flops() * tokens_ / setup_.layout.size(Axis::tensor), out);
    sum_activations(rank, 1, out);
  }
}

void Training::after_layers(Rank rank, const Pass& pass, Out& out) const {
  const auto at = link(rank, pass);
  if (pass.forward && at == links() - 1) {
    if (setup_.sequence_parallel) gather_activations(rank, 1, out);
    compute(setup_.model.output_flops() * tokens_ / setup_.layout.size(Axis::tensor), out);
  }
  if (!pass.forward && at == 0 && setup_.sequence_parallel) gather_activations(rank, 1, out);
}

void Training::forward_layer(Rank rank, Out& out) const {
  const auto slices = setup_.layout.size(Axis::tensor);
  if (setup_.sequence_parallel) gather_activations(rank, 1, out);
  compute(2.0 * static_cast<double>(setup_.model.attention_weights()) * tokens_ / slices, out);
  attend(rank, true, out);
  const auto copies = static_cast<std::uint64_t>(setup_.model.experts_per_token);
  if (!setup_.model.parallel) {
    sum_activations(rank, 1, out);
    exchange_tokens(rank, out);
    if (setup_.sequence_parallel) gather_activations(rank, copies, out);
  }
  compute(2.0 * static_cast<double>(setup_.model.met_weights()) * tokens_ / slices, out);
  sum_activations(rank, copies, out);
  exchange_tokens(rank, out);
}

/// The backward pass of a layer. With sequence parallelism a block's input, of which only a part was kept, is gathered
/// again, besides the gradient of its output.
void Training::backward_layer(Rank rank, Out& out) const {
  if (setup_.recompute) forward_layer(rank, out);
  const auto slices = setup_.layout.size(Axis::tensor);
  const auto copies = static_cast<std::uint64_t>(setup_.model.experts_per_token);
  const auto gather_both = [&](std::uint64_t scale) {
    for (int i = 0; i < 2 && setup_.sequence_parallel; ++i) gather_activations(rank, scale, out);
  };
  exchange_tokens(rank, out);
  gather_both(copies);
  compute(2 * backward_share() * static_cast<double>(setup_.model.met_weights()) * tokens_ / slices, out);
  if (!setup_.model.parallel) {
    sum_activations(rank, copies, out);
    exchange_tokens(rank, out);
    gather_both(1);
  }
  attend(rank, false, out);
  compute(2 * backward_share() * static_cast<double>(setup_.model.attention_weights()) * tokens_ / slices, out);
  sum_activations(rank, 1, out);
}

/// All gradients are there; then the copies of the matrix of the vocabulary, the norm, and the new weights.
void Training::finish_step(Rank rank, Out& out) const {
  const auto stage = stage_of(rank);
  if (setup_.sharding) finish_last_scatters(rank, setup_.pipeline.passes(), out);
  const auto& requests = in_flight_[static_cast<std::size_t>(stage)];
  if (!requests.empty()) out.push_back({.kind = OpKind::waitall, .requests = requests});
  const bool has_words = stage == 0 || stage == setup_.pipeline.stages() - 1;
  if (setup_.model.tied && has_words && !setup_.frozen)
    collective(rank, Group::vocabulary, OpKind::allreduce,
               (setup_.sharding ? share(rank, Group::weights, words_) : words_) * setup_.gradient_bytes, out);
  out.push_back({.kind = OpKind::allreduce, .bytes = 8});
  if (setup_.sharding || !setup_.scattered_gradients || requests.empty()) return;
  for (std::int32_t chunk = 0; chunk < setup_.pipeline.chunks(); ++chunk)
    for (const auto& [part, group, weights, request] : reductions(chunk * setup_.pipeline.stages() + stage))
      collective(rank, group, OpKind::allgather, share(rank, group, weights) * setup_.number_bytes, out, request);
  out.push_back({.kind = OpKind::waitall, .requests = requests});
}

/// Begins what is planned after this part of the last micro-batch's backward pass.
void Training::reduce(Rank rank, const Pass& pass, std::int32_t part, Out& out) const {
  if (pass.forward || !is_last_micro_batch(pass)) return;
  for (const auto& planned : reductions(link(rank, pass))) {
    if (planned.part != part) continue;
    if (!setup_.scattered_gradients)
      collective(rank, planned.group, OpKind::allreduce, planned.weights * setup_.gradient_bytes, out, planned.request);
    else
      collective(rank, planned.group, OpKind::reduce_scatter,
                 share(rank, planned.group, planned.weights) * setup_.gradient_bytes, out, planned.request);
  }
}

/// Sends to the next link, or to the one before. The tag says which link and micro-batch the message is for.
void Training::send(Rank rank, const Pass& pass, Out& out) const {
  const auto at = link(rank, pass);
  if (at == (pass.forward ? links() - 1 : 0) || setup_.pipeline.stages() == 1) return;
  const auto to = pass.forward ? at + 1 : at - 1;
  const auto slices = setup_.sequence_parallel ? static_cast<std::uint64_t>(setup_.layout.size(Axis::tensor)) : 1;
  out.push_back({.kind = OpKind::isend,
                 .comm = comm(rank, Group::stages),
                 .to = to % setup_.pipeline.stages(),
                 .tag = 2 * (pass.micro_batch * links() + to) + (pass.forward ? 0 : 1),
                 .bytes = activations_ / slices});
}

void Training::post_receive(Rank rank, std::int32_t number, Out& out) const {
  const auto pass = setup_.pipeline.pass(stage_of(rank), number);
  const auto at = link(rank, pass);
  if (at == (pass.forward ? 0 : links() - 1) || setup_.pipeline.stages() == 1) return;
  const auto from = (pass.forward ? at - 1 : at + 1) % setup_.pipeline.stages();
  const auto slices = setup_.sequence_parallel ? static_cast<std::uint64_t>(setup_.layout.size(Axis::tensor)) : 1;
  out.push_back({.kind = OpKind::irecv,
                 .comm = comm(rank, Group::stages),
                 .from = from,
                 .tag = 2 * (pass.micro_batch * links() + at) + (pass.forward ? 0 : 1),
                 .request = pass_requests + static_cast<RequestHandle>(number % 2),
                 .bytes = activations_ / slices});
}

void Training::collective(Rank rank, Group group, OpKind kind, std::uint64_t bytes, Out& out,
                          RequestHandle request) const {
  const auto id = comm(rank, group);
  if (communicator(id).size() > 1) out.push_back({.kind = kind, .comm = id, .request = request, .bytes = bytes});
}

/// Each rank of the tensor group has a part of the sequence, and gets all.
void Training::gather_activations(Rank rank, std::uint64_t scale, Out& out) const {
  const auto slices = static_cast<std::uint64_t>(setup_.layout.size(Axis::tensor));
  collective(rank, Group::tensor, OpKind::allgather, activations_ * scale / slices, out);
}

/// The ranks of the tensor group have summands, and get the sum: all of it, or each its part of the sequence.
void Training::sum_activations(Rank rank, std::uint64_t scale, Out& out) const {
  const auto slices = static_cast<std::uint64_t>(setup_.layout.size(Axis::tensor));
  if (setup_.sequence_parallel)
    collective(rank, Group::tensor, OpKind::reduce_scatter, activations_ * scale / slices, out);
  else
    collective(rank, Group::tensor, OpKind::allreduce, activations_ * scale, out);
}

/// Each token goes to its experts, or back from them; all experts get as many.
void Training::exchange_tokens(Rank rank, Out& out) const {
  if (setup_.model.experts == 1) return;
  const auto slices = setup_.sequence_parallel ? setup_.layout.size(Axis::tensor) : 1;
  const auto parts = static_cast<std::uint64_t>(slices) * static_cast<std::uint64_t>(setup_.layout.size(Axis::expert));
  collective(rank, Group::experts, OpKind::alltoall,
             activations_ * static_cast<std::uint64_t>(setup_.model.experts_per_token) / parts, out);
}

/// Attention of the rank's part of a sequence to all parts, whose keys and values come around a ring; backward also
/// their gradients, which go once more, home.
void Training::attend(Rank rank, bool forward, Out& out) const {
  const auto parts = setup_.layout.size(Axis::context);
  const auto flops = 4.0 * static_cast<double>(setup_.model.query_width()) *
                     static_cast<double>(setup_.model.sequence) * tokens_ / setup_.layout.size(Axis::tensor) *
                     (forward ? 1 : 2);
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

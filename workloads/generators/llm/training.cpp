#include "workloads/generators/llm/training.hpp"

namespace toroid::workloads::llm {
namespace {

constexpr RequestHandle pass_requests = 0;  ///< two, for passes in turn

/// The groups in their order: what they are for, in the words of the keys where there is one, and the axes along which
/// their members differ.
const std::array<std::pair<std::string_view, std::vector<Axis>>, group_count> groups{
    {{"tensor", {Axis::tensor}},
     {"context", {Axis::context}},
     {"expert", {Axis::expert}},
     {"pipeline", {Axis::stage}},
     {"data", {Axis::context, Axis::expert, Axis::copy}},
     {"data", {Axis::context, Axis::copy}},
     {"data", {Axis::replica}},
     {"vocabulary", {}}}};

/// What a rank has of a layer.
Weights layer_weights(const Setup& setup) {
  const auto& model = setup.model;
  const auto slices = setup.layout.size(Axis::tensor);
  const auto experts = model.experts > 1 ? model.experts / setup.layout.size(Axis::expert) * model.expert_weights() : 0;
  return {static_cast<std::uint64_t>(model.dense_weights() / slices), static_cast<std::uint64_t>(experts / slices)};
}

double copies(const Layout& layout) {
  return static_cast<double>(layout.size(Axis::expert)) * layout.size(Axis::copy) * layout.size(Axis::replica);
}

/// The passes of an evaluation: steps without a backward pass, and so without gradients.
Setup evaluation_of(Setup setup) {
  const auto& pipeline = setup.pipeline;
  const auto micro_batches = pipeline.chunks() > 1 ? pipeline.stages() : 1;
  const double batch = copies(setup.layout) * setup.evaluation.batch * micro_batches;
  setup.pipeline = {pipeline.stages(), pipeline.chunks(), micro_batches, true};
  setup.micro_batch = setup.evaluation.batch;
  setup.steps = static_cast<std::int32_t>(std::ceil(static_cast<double>(setup.evaluation.sequences) / batch));
  setup.frozen = true;
  setup.evaluation = {};
  return setup;
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
  for (std::size_t group = 0; group < group_count; ++group)
    if (!groups[group].second.empty()) add_groups(static_cast<Group>(group), groups[group].second);
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
  if (setup.evaluation.sequences > 0) evaluation_ = std::make_unique<Training>(evaluation_of(setup));
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

std::string_view Training::purpose(CommId comm) const {
  if (comm == world) return "norm";
  const auto group = groups_.at(comm.index() - 1);
  if (setup_.sharding && (group == Group::weights || group == Group::expert_weights)) return "fsdp";
  return groups[static_cast<std::size_t>(group)].first;
}

std::optional<TrainingWork> Training::training() const {
  const auto& model = setup_.model;
  const double sequences =
      static_cast<double>(setup_.steps) * setup_.pipeline.micro_batches() * setup_.micro_batch * copies(setup_.layout);
  const double layers = static_cast<double>(model.layers), sequence = static_cast<double>(model.sequence);
  const double attention = layers * attention_flops();
  const double weights =
      2.0 * layers * static_cast<double>(model.attention_weights() + model.met_weights()) + model.output_flops();
  const double evaluated = static_cast<double>(setup_.evaluation.sequences);
  return TrainingWork{.tokens = sequences * sequence,
                      .flops = sequences * sequence * ((1 + backward_share()) * weights + 3 * attention) +
                               evaluated * sequence * (weights + attention),
                      .attention = setup_.causal ? "causal" : "full",
                      .layers = model.layers,
                      .published = setup_.published_layers,
                      .memory = memory()};
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
  if (step >= all_steps()) return evaluation_ && evaluation_->step(rank, step - all_steps(), out);
  const auto at = step % in_step;
  if (at == in_step - 1) {
    finish_step(rank, out);
    return true;
  }
  const auto number = static_cast<std::int32_t>(at / parts), part = static_cast<std::int32_t>(at % parts);
  const auto pass = setup_.pipeline.pass(stage_of(rank), number);
  if (part == 0) {
    // The receive of the next pass is posted before this pass begins, so that its message may come meanwhile.
    if (number == 0) post_receive(rank, 0, out);
    if (number + 1 < setup_.pipeline.passes()) post_receive(rank, number + 1, out);
    // A pass begins with the gathering of its first weights, whatever else it waits for.
    if (gathers_in(pass)) gather(rank, gathers(rank, pass).front(), out);
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
  out.push_back({.kind = OpKind::isend,
                 .comm = comm(rank, Group::stages),
                 .to = to % setup_.pipeline.stages(),
                 .tag = 2 * (pass.micro_batch * links() + to) + (pass.forward ? 0 : 1),
                 .bytes = activations_ / sequence_parts()});
}

void Training::post_receive(Rank rank, std::int32_t number, Out& out) const {
  const auto pass = setup_.pipeline.pass(stage_of(rank), number);
  const auto at = link(rank, pass);
  if (at == (pass.forward ? 0 : links() - 1) || setup_.pipeline.stages() == 1) return;
  const auto from = (pass.forward ? at - 1 : at + 1) % setup_.pipeline.stages();
  out.push_back({.kind = OpKind::irecv,
                 .comm = comm(rank, Group::stages),
                 .from = from,
                 .tag = 2 * (pass.micro_batch * links() + at) + (pass.forward ? 0 : 1),
                 .request = pass_requests + static_cast<RequestHandle>(number % 2),
                 .bytes = activations_ / sequence_parts()});
}

void Training::collective(Rank rank, Group group, OpKind kind, std::uint64_t bytes, Out& out,
                          RequestHandle request) const {
  const auto id = comm(rank, group);
  if (communicator(id).size() > 1) out.push_back({.kind = kind, .comm = id, .request = request, .bytes = bytes});
}

}  // namespace toroid::workloads::llm

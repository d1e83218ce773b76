#pragma once
// One step of the training of a large language model, as Megatron-LM does it (docs/reference/llm.md says what is sent
// when).

#include "workloads/generators/generated_trace.hpp"
#include "workloads/generators/llm/models.hpp"

namespace toroid::workloads::llm {

// Which rank has which part of a model, and when: the axes of parallelism, in the order in which ranks are numbered
// along them, and the order in which a stage of a pipeline does the forward and backward passes of its micro-batches.

/// The axes along which a model and its data are divided: slices of matrices, parts of sequences, experts, copies,
/// replicas, stages of the pipeline. What is called data parallelism is experts times copies times replicas: copies sum
/// up gradients, or share the weights if these are sharded; replicas are further sets of such copies.
enum class Axis : std::size_t { tensor, context, expert, copy, replica, stage };
inline constexpr std::size_t axis_count = 6;

class Layout {
 public:
  /// `order` has all axes; successive ranks differ along its first one.
  Layout(const std::array<std::int32_t, axis_count>& sizes, const std::vector<Axis>& order);

  std::int32_t ranks() const;
  std::int32_t size(Axis axis) const { return sizes_[index(axis)]; }
  std::int32_t at(Rank rank, Axis axis) const { return rank.value() / strides_[index(axis)] % size(axis); }
  /// The rank that has another place along one axis.
  Rank with(Rank rank, Axis axis, std::int32_t place) const {
    return Rank(rank.value() + (place - at(rank, axis)) * strides_[index(axis)]);
  }
  /// The ranks that differ from `rank` along these axes alone, in order along the first, then the second, ...
  Communicator group(Rank rank, const std::vector<Axis>& axes) const;

 private:
  static std::size_t index(Axis axis) { return static_cast<std::size_t>(axis); }

  std::array<std::int32_t, axis_count> sizes_, strides_{};
};

/// A pass of one micro-batch through one chunk of a stage.
struct Pass {
  bool forward;
  std::int32_t chunk, micro_batch;
};

/// The passes of a pipeline: one forward, one backward, with the layers in one piece or, interleaved, in several
/// chunks. D. Narayanan et al., Efficient large-scale language model training on GPU clusters using Megatron-LM, SC
/// 2021, section 2.2.
class Pipeline {
 public:
  /// With several chunks the number of micro-batches must be a multiple of the number of stages.
  Pipeline(std::int32_t stages, std::int32_t chunks, std::int32_t micro_batches, bool forward_only = false)
      : stages_(stages), chunks_(chunks), micro_batches_(micro_batches), forward_only_(forward_only) {
    TOROID_ASSERT(chunks == 1 || micro_batches % stages == 0);
  }

  std::int32_t stages() const { return stages_; }
  std::int32_t chunks() const { return chunks_; }
  std::int32_t micro_batches() const { return micro_batches_; }
  bool forward_only() const { return forward_only_; }
  /// The number of passes of a stage, forward and backward.
  std::int32_t passes() const { return (forward_only_ ? 1 : 2) * micro_batches_ * chunks_; }
  /// The `number`-th pass (0, 1, ...) of a stage.
  Pass pass(std::int32_t stage, std::int32_t number) const;

 private:
  Pass nth(bool forward, std::int32_t number) const;

  std::int32_t stages_, chunks_, micro_batches_;
  bool forward_only_;
};

/// Fully sharded data parallel: no rank keeps all weights of its part of the model. S. Rajbhandari and others, ZeRO
/// (SC 2020), its third stage; Y. Zhao and others, PyTorch FSDP (VLDB 2023).
struct Sharding {
  std::int32_t ahead;  ///< layers whose weights are gathered while one is computed
  bool reshard;        ///< gathered weights are given up after each pass; otherwise at the end of the step
};

/// What the backward pass of a layer computes again, instead of keeping it: nothing; the attention of the queries to
/// the keys; that, and the feed-forward part's first matrices; all of the layer, with its collectives.
enum class Recompute : std::uint8_t { nothing, attention, first_matrices, all };

/// Which collectives of the tensor group go on beside a matrix's multiplication, as XLA's collective matmul has it:
/// none; gathers beside the multiplication of what they gather; sums, too, beside that of what they sum.
enum class Overlap : std::uint8_t { none, gathers, all };

/// Sequences that are evaluated behind the steps, forward only: in whole batches, the last of which is padded.
struct Evaluation {
  std::int64_t sequences = 0;
  std::int32_t batch = 1;  ///< sequences of a copy of the model
};

/// The parameters of a training.
struct Setup {
  std::string name;
  Model model;
  Layout layout;
  Pipeline pipeline;
  std::int32_t micro_batch;  ///< sequences
  std::int32_t steps;
  bool sequence_parallel;
  Recompute recompute;
  Overlap overlap;
  bool causal;         ///< attention to what comes before alone: half of the operations
  double matmul_rate;  ///< how many times as fast as other operations matrices of layers are multiplied: int8, fp8
  bool frozen;         ///< weights stay as they are: no gradients of theirs
  std::optional<Sharding> sharding;
  bool scattered_gradients;  ///< without sharding: whether gradients are scattered, and then new weights gathered
  std::uint64_t bucket, number_bytes, gradient_bytes, optimizer_bytes;
  std::int64_t published_layers;  ///< layers of the model by that name
  Evaluation evaluation;
};

/// The kinds of communicators, by the axes along which their members differ.
enum class Group : std::size_t { tensor, context, experts, stages, weights, expert_weights, replicas, vocabulary };
constexpr std::size_t group_count = 8;

/// Numbers of weights at one rank: those that all copies have, and those of its experts.
using Weights = std::array<std::uint64_t, 2>;

/// Handles of gathers begin here; two stay in use for each layer that is ahead. Handles of reductions follow.
inline constexpr RequestHandle first_gather = 6;

/// A gathering of weights that are sharded: a part of a pass waits for it.
struct Gather {
  std::int32_t part;
  Weights weights;
  RequestHandle first_request;  ///< request of the weights that all copies have; the next one is that of the experts
};

/// A sum of gradients over ranks: it begins when a rank has done part `part` of its last backward pass.
struct Reduction {
  std::int32_t part;
  Group group;
  std::uint64_t weights;  ///< weights of one rank whose gradients are summed
  RequestHandle request;
};

/// The trace of a training. A step of its stream is a part of a pass: what comes before the layers, one layer, or what
/// comes after them.
class Training final : public GeneratedTrace {
 public:
  explicit Training(const Setup& setup);

  bool step(Rank rank, std::uint64_t step, std::vector<Operation>& out) const override;
  Loop loop() const override { return {0, all_steps(), steps_of_training_step()}; }
  CollectiveWorld collectives() const override { return CollectiveWorld::torus; }
  std::string_view purpose(CommId comm) const override;
  /// The operations are those of A. Chowdhery and others, PaLM (2022), appendix B; those of sequences that are
  /// evaluated count, without padding, and their tokens do not.
  std::optional<TrainingWork> training() const override;

 private:
  using Out = std::vector<Operation>;

  TrainingMemory memory() const;
  TrainingMemory memory_of_stage(std::int32_t stage) const;
  double activations_of_layer(Recompute recompute) const;
  double activations_at_once(bool is_last_stage) const;

  std::uint64_t all_steps() const { return static_cast<std::uint64_t>(setup_.steps) * steps_of_training_step(); }
  std::uint64_t parts_of_pass() const { return static_cast<std::uint64_t>(most_layers_) + 2; }
  std::uint64_t steps_of_training_step() const {
    return static_cast<std::uint64_t>(setup_.pipeline.passes()) * parts_of_pass() + 1;
  }

  bool is_last_micro_batch(const Pass& pass) const { return pass.micro_batch == setup_.pipeline.micro_batches() - 1; }

  // Stages and what they have.
  std::int32_t stage_of(Rank rank) const { return setup_.layout.at(rank, Axis::stage); }
  /// The number of links: the chunks of all stages, in the order in which data passes through them.
  std::int32_t links() const { return setup_.pipeline.stages() * setup_.pipeline.chunks(); }
  std::int32_t link(Rank rank, const Pass& pass) const {
    return pass.chunk * setup_.pipeline.stages() + stage_of(rank);
  }
  std::int32_t layers_of(std::int32_t link) const {
    const auto before = [&](std::int64_t count) { return setup_.model.layers * count / links(); };
    return static_cast<std::int32_t>(before(link + 1) - before(link));
  }
  void plan_reductions(std::int32_t link);
  void plan_gathers(std::int32_t link);
  void add_groups(Group group, const std::vector<Axis>& axes);
  CommId add_group(Group group, Communicator members);
  const std::vector<Reduction>& reductions(std::int32_t link) const {
    return reductions_[static_cast<std::size_t>(link)];
  }

  // Parts of a pass.
  void before_layers(Rank rank, std::int32_t number, Out& out) const;
  void after_layers(Rank rank, const Pass& pass, Out& out) const;
  void forward_layer(Rank rank, Out& out) const;
  void backward_layer(Rank rank, Out& out) const;
  void finish_step(Rank rank, Out& out) const;
  void reduce(Rank rank, const Pass& pass, std::int32_t part, Out& out) const;
  void send(Rank rank, const Pass& pass, Out& out) const;
  void post_receive(Rank rank, std::int32_t number, Out& out) const;

  // Weights and gradients that are sharded (sharding.cpp).
  std::int32_t ahead() const { return setup_.sharding ? setup_.sharding->ahead : 0; }
  const std::vector<Gather>& gathers(Rank rank, const Pass& pass) const {
    return gathers_[static_cast<std::size_t>(link(rank, pass))][pass.forward ? 1 : 0];
  }
  bool gathers_in(const Pass& pass) const;
  void take_weights(Rank rank, const Pass& pass, std::int32_t part, Out& out) const;
  void gather(Rank rank, const Gather& planned, Out& out) const;
  bool scatters_in(const Pass& pass) const;
  void scatter_gradients(Rank rank, std::int32_t number, std::int32_t part, Out& out) const;
  void finish_scatters(Rank rank, const Pass& pass, std::int32_t part, Out& out) const;
  void finish_last_scatters(Rank rank, std::int32_t number, Out& out) const;

  std::uint64_t slices() const { return static_cast<std::uint64_t>(setup_.layout.size(Axis::tensor)); }
  /// How many parts a sequence has, one for each rank of a tensor group, between what these share.
  std::uint64_t sequence_parts() const { return setup_.sequence_parallel ? slices() : 1; }

  /// The operations of a backward pass over those of its forward pass, for what multiplies weights: the gradients of
  /// the input, and those of the weights.
  double backward_share() const { return setup_.frozen ? 1 : 2; }

  /// The operations of a token's attention in one layer, forwards.
  double attention_flops() const { return setup_.model.flops_of_pair() * setup_.model.attended(setup_.causal); }

  // Operations.
  CommId comm(Rank rank, Group group) const { return comms_[static_cast<std::size_t>(group)][rank]; }
  void collective(Rank rank, Group group, OpKind kind, std::uint64_t bytes, Out& out,
                  RequestHandle request = no_handle) const;
  bool is_shared(Rank rank, Group group) const { return communicator(comm(rank, group)).size() > 1; }
  /// What each rank of a group has if they share `count` evenly, rounded up.
  std::uint64_t share(Rank rank, Group group, std::uint64_t count) const {
    const auto members = static_cast<std::uint64_t>(communicator(comm(rank, group)).size());
    return (count + members - 1) / members;
  }
  void gather_activations(Rank rank, std::uint64_t scale, Out& out, RequestHandle request = no_handle) const;
  void sum_activations(Rank rank, std::uint64_t scale, Out& out, RequestHandle request = no_handle) const;
  void multiply(double weights, Out& out) const;
  void gather_and_multiply(Rank rank, std::uint64_t scale, double weights, Out& out) const;
  void multiply_and_sum(Rank rank, std::uint64_t scale, double weights, Out& out) const;
  void exchange_tokens(Rank rank, Out& out) const;
  void attend(Rank rank, bool forward, Out& out) const;
  void rotate(Rank rank, std::uint64_t bytes, double flops, Out& out) const;
  void compute(double flops, Out& out) const {
    if (flops > 0) out.push_back({.kind = OpKind::compute, .amount = flops});
  }

  Setup setup_;
  double tokens_;              ///< tokens of a micro-batch at a rank
  std::uint64_t activations_;  ///< bytes of the activations of a micro-batch at a rank, without sequence parallelism
  std::uint64_t keys_;         ///< bytes of the keys and values of a micro-batch at a rank
  Weights layer_weights_;      ///< weights of a layer at a rank
  std::uint64_t words_;        ///< weights of the matrix of the vocabulary at a rank
  bool one_matrix_;            ///< whether a rank has one matrix for embedding and output
  std::array<core::IdVector<Rank, CommId>, group_count> comms_;
  std::vector<Group> groups_;                                ///< group of each communicator but the world
  std::vector<std::vector<Reduction>> reductions_;           ///< reductions of each link, in order of their parts
  std::vector<std::array<std::vector<Gather>, 2>> gathers_;  ///< gathers of each link in backward and forward passes
  std::vector<std::vector<RequestHandle>> in_flight_;        ///< requests of all reductions, by stage
  std::int32_t most_layers_ = 0;                             ///< the most layers that a link has
  std::unique_ptr<Training> evaluation_;                     ///< its passes, as steps of a training; null: none
};

}  // namespace toroid::workloads::llm

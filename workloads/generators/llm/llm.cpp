#include "core/units.hpp"
#include "workloads/generators/llm/training.hpp"

namespace toroid::workloads {
namespace llm {
namespace {

core::Type<std::int32_t> degree() {
  return core::whole<std::int32_t>(1, 1 << 16);
}

/// `tp-cp-dp-pp` and the like: each of the four once.
std::optional<std::vector<Axis>> parse_order(std::string_view text, const core::Place&) {
  std::vector<Axis> order;
  auto parts = core::split(text, '-');
  for (const auto part : parts) {
    if (part == "tp") order.push_back(Axis::tensor);
    if (part == "cp") order.push_back(Axis::context);
    if (part == "dp") order.insert(order.end(), {Axis::expert, Axis::copy, Axis::replica});
    if (part == "pp") order.push_back(Axis::stage);
  }
  auto sorted = order;
  std::sort(sorted.begin(), sorted.end());
  const bool each_once = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  return parts.size() == 4 && order.size() == axis_count && each_once ? std::optional(order) : std::nullopt;
}

const core::OptionalParameter<Configuration> configuration{
    "configuration", "a published training, whose keys hold where they are not given", core::one_of(configurations()),
    "none"};
const core::Parameter<Model> model{"model", "the model, by name", core::one_of(models()), "llama2-7b"};
/// A key that gives a model another size.
struct Size {
  core::OptionalParameter<std::int64_t> key;
  std::int64_t Model::*size;
};

const std::vector<Size>& sizes() {
  const auto key = [](std::string_view name, std::string_view help, std::int64_t most, std::int64_t Model::*size) {
    return Size{{name, help, core::whole<std::int64_t>(1, most), "the model's"}, size};
  };
  static const std::vector<Size> all{
      key("layers", "another number of layers", 10'000, &Model::layers),
      key("hidden", "another hidden size", 1 << 16, &Model::hidden),
      key("heads", "another number of heads of attention", 1 << 16, &Model::heads),
      key("key-heads", "another number of heads of keys and values", 1 << 16, &Model::key_heads),
      key("inner", "another width of the feed-forward part, or of that of one expert", 1 << 20, &Model::inner),
      key("experts", "another number of experts in each layer", 1 << 12, &Model::experts),
      key("experts-per-token", "another number of experts that a token goes to", 1 << 12, &Model::experts_per_token),
      key("vocabulary", "another number of words", 1 << 24, &Model::vocabulary),
      key("sequence", "another number of tokens in a sequence", 1 << 30, &Model::sequence)};
  return all;
}

const core::Parameter<std::int32_t> tensor{"tensor", "ranks that share each matrix", degree(), "4"};
const core::Parameter<std::int32_t> context{"context", "ranks that share each sequence", degree(), "1"};
const core::Parameter<std::int32_t> data{"data", "copies of the model that have data of their own", degree(), "4"};
const core::Parameter<std::int32_t> expert{"expert", "ranks among the copies that share the experts", degree(), "1"};
const core::Parameter<std::int32_t> pipeline{"pipeline", "stages, each with a part of the layers", degree(), "4"};
const core::Parameter<std::int32_t> chunks{"chunks", "pieces of a stage that take turns (interleaved pipeline)",
                                           core::whole<std::int32_t>(1, 100), "1"};
const core::Parameter<std::int32_t> micro_batches{"micro-batches", "micro-batches of a step and copy",
                                                  core::whole<std::int32_t>(1, 10'000), "8"};
const core::Parameter<std::int32_t> micro_batch{"micro-batch", "sequences of a micro-batch",
                                                core::whole<std::int32_t>(1, 10'000), "1"};
const core::Parameter<bool> sequence_parallel{"sequence-parallel",
                                              "whether what the tensor ranks do alike is shared along the sequence",
                                              core::yes_or_no(), "yes"};
const core::Parameter<Recompute> recompute{
    "recompute",
    "what the backward pass computes again: nothing (no), the attention's kernel, also the feed-forward part's first "
    "matrices (mlp-in), or the whole layer with its collectives (full or yes)",
    core::one_of<Recompute>({{"no", Recompute::nothing},
                             {"attention", Recompute::attention},
                             {"mlp-in", Recompute::first_matrices},
                             {"full", Recompute::all},
                             {"yes", Recompute::all}}),
    "no"};
const core::Parameter<Overlap> overlap{
    "overlap", "collectives of tensor ranks beside the multiplication of what they gather, or also of what they sum",
    core::one_of<Overlap>({{"none", Overlap::none}, {"gathers", Overlap::gathers}, {"all", Overlap::all}}), "none"};
const core::Parameter<bool> causal{"attention", "to all tokens, or causal, to those before: half of the operations",
                                   core::one_of<bool>({{"full", false}, {"causal", true}}), "full"};
const core::Parameter<double> matmul_rate{
    "matmul-rate",
    "how many times as fast as bf16 the layers' matrices are multiplied: int8 or fp8; attention and "
    "output stay",
    core::real(0.01, 100), "1"};
const core::Parameter<std::int64_t> evaluation{
    "evaluation", "sequences evaluated behind the steps, forward only, in whole batches that are padded",
    core::whole<std::int64_t>(0, 1'000'000'000), "0"};
const core::Parameter<std::int32_t> evaluation_batch{"evaluation-batch", "sequences of a copy in a batch of evaluation",
                                                     core::whole<std::int32_t>(1, 10'000), "1"};
const core::Parameter<bool> frozen{"frozen", "whether weights stay as they are, as with LoRA: no gradients of theirs",
                                   core::yes_or_no(), "no"};
const core::OptionalParameter<std::int32_t> fsdp{
    "fsdp", "ranks among the copies that keep a part of the weights each (fully sharded data parallel)", degree(),
    "each copy has all weights"};
const core::OptionalParameter<bool> reshard{
    "reshard", "with fsdp: whether gathered weights are given up after each pass, not at the end of the step",
    core::yes_or_no(), "yes"};
const core::OptionalParameter<std::int32_t> prefetch{
    "prefetch", "with fsdp: layers whose weights are gathered ahead, during computation",
    core::whole<std::int32_t>(0, 1'000), "1"};
const core::OptionalParameter<bool> gradients{
    "gradients", "how copies sum up gradients; after reduce-scatter the weights are gathered",
    core::one_of<bool>({{"all-reduce", false}, {"reduce-scatter", true}}), "all-reduce, with fsdp reduce-scatter"};
const core::OptionalParameter<std::uint64_t> bucket{"bucket",
                                                    "gradients of so many bytes, in whole layers, are summed at once",
                                                    core::whole_bytes(), "100MB, with fsdp each layer"};
constexpr std::uint64_t usual_bucket = 100'000'000;
const core::Parameter<std::uint64_t> number{"number", "bytes of a weight or an activation",
                                            core::whole<std::uint64_t>(1, 16), "2"};
const core::Parameter<std::uint64_t> gradient{"gradient", "bytes of a gradient", core::whole<std::uint64_t>(1, 16),
                                              "4"};
const core::Parameter<std::uint64_t> optimizer{
    "optimizer", "bytes of a weight's state in the optimizer, its full precision included, for the memory",
    core::whole<std::uint64_t>(0, 64), "12"};
const core::Parameter<std::vector<Axis>> order{"order",
                                               "in which order ranks are numbered, the nearest first",
                                               {"tp, cp, dp and pp, in any order, such as tp-cp-dp-pp", parse_order},
                                               "tp-cp-dp-pp"};
const core::Parameter<std::int32_t> steps{"steps", "training steps", core::whole<std::int32_t>(0, 1'000'000), "1"};

/// The matrix of the vocabulary gets further rows until tensor ranks have as many each, as in Megatron-LM. Throws
/// InputError on sizes that do not go together.
Model model_of(const core::Arguments& arguments) {
  auto chosen = arguments[model];
  for (const auto& [key, size] : sizes()) chosen.*size = arguments[key].value_or(chosen.*size);
  const auto text = core::excerpt(arguments.spec().text());
  if (chosen.head == 0 && chosen.hidden % chosen.heads != 0)
    core::fail_input("'{}': a hidden size of {} cannot be divided evenly by {} heads", text, chosen.hidden,
                     chosen.heads);
  if (chosen.heads % chosen.key_heads != 0)
    core::fail_input("'{}': {} heads cannot be divided evenly by {} of keys", text, chosen.heads, chosen.key_heads);
  if (chosen.experts_per_token > chosen.experts)
    core::fail_input("'{}': {} experts for a token, expected at most {}", text, chosen.experts_per_token,
                     chosen.experts);
  const auto most_bytes = static_cast<double>(chosen.sequence) * static_cast<double>(chosen.hidden) *
                          static_cast<double>(chosen.experts_per_token) *
                          std::max(arguments[micro_batch], arguments[evaluation_batch]) *
                          static_cast<double>(arguments[number]);
  if (most_bytes >= 1e18) core::fail_input("'{}': {} bytes of a batch, expected less than 10^18", text, most_bytes);
  const std::int64_t slices = arguments[tensor];
  chosen.vocabulary = (chosen.vocabulary + slices - 1) / slices * slices;
  return chosen;
}

/// Throws InputError on keys that contradict each other.
std::optional<Sharding> sharding_of(const core::Arguments& arguments) {
  const auto text = core::excerpt(arguments.spec().text());
  if (arguments[frozen] && (arguments[gradients] || arguments[bucket]))
    core::fail_input("'{}': gradients or bucket: expected neither, as frozen weights have no gradients", text);
  if (!arguments[fsdp]) {
    for (const auto& [key, is_given] : {std::pair(reshard.name, arguments[reshard].has_value()),
                                        std::pair(prefetch.name, arguments[prefetch].has_value())})
      if (is_given) core::fail_input("'{}': {}: found no fsdp, expected the ranks that share weights", text, key);
    return std::nullopt;
  }
  if (arguments[gradients] == false)
    core::fail_input("'{}': gradients=all-reduce: expected reduce-scatter, as with fsdp no rank keeps all", text);
  if (arguments[bucket])
    core::fail_input("'{}': bucket: expected none, as with fsdp gradients are summed layer by layer", text);
  return Sharding{.ahead = arguments[prefetch].value_or(1), .reshard = arguments[reshard].value_or(true)};
}

/// Throws InputError unless everything can be divided as is asked for.
Layout layout_of(const core::Arguments& arguments) {
  const auto text = core::excerpt(arguments.spec().text());
  const auto chosen = model_of(arguments);
  const auto divide = [&](std::int64_t whole, std::int64_t parts, std::string_view what) {
    if (whole % parts != 0) core::fail_input("'{}': {} {} cannot be divided evenly by {}", text, whole, what, parts);
  };
  const std::int64_t slices = arguments[tensor];
  divide(chosen.heads, slices, "heads");
  divide(chosen.inner, slices, "columns of the feed-forward part");
  divide(chosen.sequence, arguments[context] * (arguments[sequence_parallel] ? slices : 1), "tokens of a sequence");
  divide(arguments[data], arguments[expert], "copies");
  const auto sharing = arguments[fsdp].value_or(arguments[data]);
  divide(arguments[data], sharing, "copies");
  divide(sharing, arguments[expert], "ranks that share weights");
  divide(chosen.experts, arguments[expert], "experts");
  if (arguments[chunks] > 1) {
    divide(arguments[micro_batches], arguments[pipeline], "micro-batches");
    if (arguments[pipeline] == 1) core::fail_input("'{}': chunks={}: expected a pipeline", text, arguments[chunks]);
  }
  if (arguments[pipeline] * arguments[chunks] > chosen.layers)
    core::fail_input("'{}': expected at most {} stages and chunks, one for each layer", text, chosen.layers);
  const auto ranks = slices * arguments[context] * arguments[data] * arguments[pipeline];
  constexpr std::int64_t most_ranks = 1 << 20;
  if (ranks > most_ranks) core::fail_input("'{}': {} ranks, expected at most {}", text, ranks, most_ranks);
  return Layout({arguments[tensor], arguments[context], arguments[expert], sharing / arguments[expert],
                 arguments[data] / sharing, arguments[pipeline]},
                arguments[order]);
}

std::vector<core::AnyParameter> parameters() {
  std::vector<core::AnyParameter> all{configuration, model};
  for (const auto& size : sizes()) all.push_back(size.key);
  all.insert(all.end(), {tensor,        context,     data,
                         expert,        pipeline,    chunks,
                         micro_batches, micro_batch, sequence_parallel,
                         recompute,     overlap,     causal,
                         matmul_rate,   frozen,      fsdp,
                         reshard,       prefetch,    gradients,
                         bucket,        number,      gradient,
                         optimizer,     evaluation,  evaluation_batch,
                         order,         steps});
  return all;
}

/// The arguments, with the keys of their configuration where they have no such keys themselves.
core::Arguments with_configuration(const core::Arguments& given) {
  const auto& published = given[configuration];
  if (!published) return given;
  auto text = given.spec().text();
  const auto of_published = core::Spec::parse(fmt::format("llm:{}", published->keys));
  for (const auto& [key, value] : of_published.parameters())
    if (!given.spec().find(key)) text += fmt::format(",{}={}", key, value);
  return core::Arguments(core::Spec::parse(text), parameters());
}

std::unique_ptr<Trace> make_training(const core::Arguments& given) {
  const auto arguments = with_configuration(given);
  return std::make_unique<Training>(
      Setup{.name = given.spec().text(),
            .model = model_of(arguments),
            .layout = layout_of(arguments),
            .pipeline = {arguments[pipeline], arguments[chunks], arguments[micro_batches]},
            .micro_batch = arguments[micro_batch],
            .steps = arguments[steps],
            .sequence_parallel = arguments[sequence_parallel] && arguments[tensor] > 1,
            .recompute = arguments[recompute],
            .overlap = arguments[overlap],
            .causal = arguments[causal],
            .matmul_rate = arguments[matmul_rate],
            .frozen = arguments[frozen],
            .sharding = sharding_of(arguments),
            .scattered_gradients = arguments[gradients].value_or(false),
            .bucket = arguments[bucket].value_or(usual_bucket),
            .number_bytes = arguments[number],
            .gradient_bytes = arguments[gradient],
            .optimizer_bytes = arguments[optimizer],
            .published_layers = arguments[model].layers,
            .evaluation = {arguments[evaluation], arguments[evaluation_batch]}});
}

}  // namespace
}  // namespace llm

core::Entry<MakeTrace> llm_generator() {
  return {
      "llm",
      "training of a large language model: data (also fully sharded), tensor, pipeline, sequence, context and expert "
      "parallel",
      llm::make_training, llm::parameters()};
}

}  // namespace toroid::workloads

#pragma once
// Mapping: which rank runs on which node of those a job holds.
//
//   const mapping::Traffic traffic(*trace);  // who sends how much to whom
//   const auto mapping = mapping::make_mapping("auto", {machine, mapping::all_nodes(machine), traffic});

#include <mutex>

#include "toroid/netsim/mapping.hpp"

namespace toroid::netsim {
struct ReplayOptions;
}

namespace toroid::mapping {

using platforms::Machine;
using platforms::NodeId;
using workloads::CommunicationMatrix;

/// Which messages a communication matrix counts.
enum class MatrixKind : std::uint8_t {
  expanded,       ///< all: point-to-point messages and those that collectives are made of
  point_to_point  ///< without collectives
};

/// Reads `expanded` or `p2p`. Throws InputError on anything else.
MatrixKind parse_matrix_kind(std::string_view text);

/// How much each rank sends to each other. The matrix of a trace takes a pass over all its operations, so it is made
/// when a mapper first asks for it, and once: several mappings of one job share a Traffic.
class Traffic {
 public:
  /// The traffic of a trace, which must outlive this object.
  explicit Traffic(const workloads::Trace& trace);
  Traffic(const workloads::Trace& trace, const workloads::CollectiveChoice& collectives,
          MatrixKind kind = MatrixKind::expanded);
  explicit Traffic(CommunicationMatrix matrix);
  ~Traffic();

  std::int32_t ranks() const { return ranks_; }

  /// The bytes and messages between ranks; messages of a rank to itself are left out. Several threads may call it.
  const CommunicationMatrix& matrix() const;
  /// What a run with this mapping sends, where that is not matrix(): where collectives go along the grid in which their
  /// members stand, and a mapper cannot see them before it has placed the ranks.
  std::optional<CommunicationMatrix> placed_matrix(const platforms::Machine& machine,
                                                   const netsim::Mapping& mapping) const;

 private:
  std::int32_t ranks_;
  struct Program;
  std::unique_ptr<const Program> program_;  ///< what the matrix is made of; null if the matrix was given
  mutable std::once_flag made_;
  mutable CommunicationMatrix matrix_;
};

/// What runs, and how: for mappers that simulate it.
struct Program {
  const workloads::Trace& trace;
  const netsim::ReplayOptions& replay;
};

/// What a mapper is asked. A slot is room for one rank; a node that takes k ranks stands k times.
struct MappingProblem {
  const Machine& machine;
  std::vector<NodeId> slots;  ///< the allocation in its order; at least as many as ranks
  const Traffic& traffic;     ///< who sends how much to whom; made when first asked for
  std::uint64_t seed = 1;
  const Program* program = nullptr;  ///< null where only the traffic is known
  /// Where mappers say what they did, a line for each thing, such as the grid that they found. Null if nobody asks.
  std::vector<std::string>* notes = nullptr;

  void note(std::string line) const {
    if (notes != nullptr) notes->push_back(std::move(line));
  }
  std::int32_t ranks() const { return traffic.ranks(); }
};

using netsim::Mapping;

class Mapper {
 public:
  virtual ~Mapper() = default;
  virtual Mapping map(const MappingProblem& problem) const = 0;
  /// Throws InputError where map() would, as far as that is known before any search: a wrong file, a grid that does not
  /// fit. It is quick, so that a study can ask for all its runs beforehand.
  virtual void check(const MappingProblem&) const {}
  /// Whether another seed in the problem may give another mapping.
  virtual bool uses_seed() const { return true; }
  /// Whether the mapper looks at the traffic.
  virtual bool uses_traffic() const { return true; }
  /// The path of the file that the mapper reads, for messages; empty if it reads none.
  virtual std::string file() const { return {}; }
};

using MakeMapper = std::function<std::unique_ptr<Mapper>(const core::Arguments&)>;

/// The mappers, by name.
const core::Registry<MakeMapper>& mappers();

/// Adds a mapper from elsewhere (core::Registry::add). What it maps is checked: InputError says what is wrong with it.
void add_mapper(core::Entry<MakeMapper> entry);

/// A mapper with its settings, or a mapping file, as a user chose it.
using MapperChoice = core::Choice<mappers>;

/// What the mapper makes of the problem, checked. Throws InputError when there are fewer slots than ranks.
Mapping make_mapping(const Mapper& mapper, const MappingProblem& problem);

/// Does what make_mapping(*mapper.make(), problem) does: for a mapper that is used once.
Mapping make_mapping(const MapperChoice& mapper, const MappingProblem& problem);

/// Throws InputError, prefixed with `source`, unless every rank has a node and no node more ranks than slots.
void check_mapping(const Mapping& mapping, const MappingProblem& problem, const std::string& source);

/// A mapping file: one node number a line, in rank order; empty lines and # comments are skipped.
Mapping read_mapping(const std::string& path);
std::string mapping_text(const Mapping& mapping);

/// Every node of the machine that computes, in order: the allocation of a job that has it to itself.
std::vector<NodeId> all_nodes(const Machine& machine);

/// Parses a list of nodes such as `0-15,20,24-27`, or `nid[001-016]` where nodes have names, in its order. A box,
/// `(0-5,0,0)` or `z=0`, has the nodes there that compute, by their numbers. `@FILE` stands for the lists on the lines
/// of a file; a node that comes again, as in PBS's files, counts once there. Throws InputError on anything else, on
/// nodes that the machine does not have or that do not compute, and on a node given twice.
std::vector<NodeId> parse_nodes(const std::string& text, const Machine& machine);

/// Throws InputError when a node of the machine cannot take so many ranks, one to each of its cores.
void check_ranks_per_node(const platforms::Machine& machine, std::int32_t ranks_per_node);

/// The slots of a MappingProblem: every node `ranks_per_node` times, in the order of the nodes.
std::vector<platforms::NodeId> slots_on(std::span<const platforms::NodeId> nodes, std::int32_t ranks_per_node);

/// Throws InputError when there are more ranks than slots.
void check_room(const platforms::Machine& machine, std::int32_t ranks, std::size_t slots);

/// The mapper with that key set, which it must take and not have yet.
MapperChoice with_key(const MapperChoice& map, std::string_view key, std::string_view value);

/// The mapper, whose mappings are checked: InputError, which names the mapper, says what is wrong with one.
std::unique_ptr<Mapper> checked_mapper(std::string name, std::unique_ptr<Mapper> mapper);

/// Makes a mapper of class M, for its entry.
template <class M>
std::unique_ptr<Mapper> make(const core::Arguments& arguments) {
  if constexpr (std::is_constructible_v<M, const core::Arguments&>)
    return std::make_unique<M>(arguments);
  else
    return std::make_unique<M>();
}

/// The key `seed`; without it a mapper uses the problem's seed.
extern const core::OptionalParameter<std::uint64_t> seed_parameter;

/// A mapper with keys. Unless it says otherwise, seed_parameter is one of them.
class KeyedMapper : public Mapper {
 public:
  explicit KeyedMapper(core::Arguments arguments) : arguments_(std::move(arguments)) {}
  bool uses_seed() const override { return !arguments_[seed_parameter]; }

 protected:
  const core::Spec& spec() const { return arguments_.spec(); }
  /// What a key was set to, or its default.
  template <class Key>
  const auto& value(const Key& key) const {
    return arguments_[key];
  }
  std::uint64_t seed(const MappingProblem& problem) const { return value(seed_parameter).value_or(problem.seed); }

 private:
  core::Arguments arguments_;
};

/// The type of keys whose value is another mapper: SPEC, (SPEC) or the path of a mapping file.
core::Type<std::shared_ptr<const Mapper>> mapper_in_parentheses();

}  // namespace toroid::mapping

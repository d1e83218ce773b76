#include "toroid/mapping/mapper.hpp"

#include <unordered_set>

#include "core/file.hpp"
#include "platforms/names.hpp"
#include "toroid/workloads/collectives/choice.hpp"

namespace toroid::mapping {
namespace {

/// As many slots on a node as it has cores, at most.
void check_slots(const MappingProblem& problem) {
  const auto& machine = problem.machine;
  std::unordered_map<NodeId, std::int32_t> slots_on;
  for (const NodeId node : problem.slots) {
    if (node < 0 || node.value() >= machine.node_count() || !machine.computes(node))
      core::fail_input("the job's nodes: found node {}, expected one of {} that computes", node, machine.name());
    if (++slots_on[node] > machine.parameters().cores)
      core::fail_input("the job's nodes: node {} is given {} times; {} allows 1 to {} ranks per node (its cores)", node,
                       slots_on[node], machine.name(), machine.parameters().cores);
  }
}

/// What is wrong with the mapping of a mapper that read none from a file is our fault, not the user's.
void check_own(const Mapping& mapping, const MappingProblem& problem) {
  try {
    check_mapping(mapping, problem, "mapping");
  } catch (const core::InputError& error) {
    throw core::ContractError(error.what());
  }
}

/// Nodes in the order in which they are listed.
class NodeList {
 public:
  explicit NodeList(const Machine& machine) : machine_(machine), names_(machine.description()) {}

  /// Adds the nodes of a list; `what` is its text or place, for messages. A box has the nodes there that compute.
  void add(std::string_view list, const std::string& what, bool may_repeat) {
    for (const auto part : platforms::split_host_list(list)) {
      const bool is_box = platforms::is_box_name(core::trim(part));
      bool any = false;
      for (const NodeId node : platforms::nodes_called(machine_, names_, part, what)) {
        if (is_box && !machine_.computes(node)) continue;
        any = true;
        if (!machine_.computes(node))
          core::fail_input("{}: node {} of {} does not compute", what, node, machine_.name());
        if (seen_.insert(node).second)
          nodes_.push_back(node);
        else if (!may_repeat)
          core::fail_input("{}: node {} is given twice{}", what, node, hint(list));
      }
      if (!any) core::fail_input("{}: no node at {} of {} computes", what, core::trim(part), machine_.name());
    }
  }

  /// Adds the nodes of a file: on each line lists, and then what is for others (`slots=4`).
  void add_file(const std::string& path) {
    core::LineReader reader(path);
    while (const auto line = reader.next()) {
      const auto what = fmt::format("{}:{}", path, reader.line());
      auto words = platforms::split_host_list(line->substr(0, line->find('#')), " \t");
      std::erase(words, "");
      bool is_over = false;
      for (std::size_t i = 0; i < words.size(); ++i) {
        auto word = words[i];
        is_over = is_over || (i > 0 && is_for_others(word));
        if (is_over && !is_for_others(word))
          core::fail_input("{}: found '{}' after key=value, expected lists of nodes before", what, core::excerpt(word));
        if (word.ends_with(',') && i + 1 < words.size()) word.remove_suffix(1);  // `0-3, 8-11`
        if (!is_over) add(word, what, true);
      }
    }
    if (nodes_.empty()) core::fail_input("{}: found no nodes", path);
  }

  std::vector<NodeId> take() { return std::move(nodes_); }

 private:
  /// Whether a word is key=value, and no plane of the machine such as z=0.
  bool is_for_others(std::string_view word) const {
    const auto key = word.substr(0, word.find('='));
    const auto& dimensions = machine_.description().dimensions;
    return key.size() < word.size() && key.find('(') == std::string_view::npos &&
           std::ranges::none_of(dimensions, [&](const auto& d) { return d.name == key; });
  }

  /// What may have been meant by `0-3,0,0`, whose parentheses whatever it stood in has taken away.
  std::string hint(std::string_view list) const try {
    const auto box = fmt::format("({})", list);
    platforms::parse_box(machine_.description(), box, "box");
    return fmt::format("; a box has parentheses of its own, {}", box);
  } catch (const core::InputError&) {
    return {};
  }

  const Machine& machine_;
  platforms::NodeNames names_;
  std::vector<NodeId> nodes_;
  std::unordered_set<NodeId> seen_;
};

}  // namespace

Mapping make_mapping(const Mapper& mapper, const MappingProblem& problem) {
  check_room(problem.machine, problem.ranks(), problem.slots.size());
  check_slots(problem);
  mapper.check(problem);
  auto mapping = mapper.map(problem);
  if (mapper.file().empty())
    check_own(mapping, problem);
  else
    check_mapping(mapping, problem, mapper.file());
  return mapping;
}

Mapping make_mapping(const MapperChoice& mapper, const MappingProblem& problem) {
  return make_mapping(*mapper.make(), problem);
}

void check_mapping(const Mapping& mapping, const MappingProblem& problem, const std::string& source) {
  if (mapping.size() != static_cast<std::size_t>(problem.ranks()))
    core::fail_input("{}: found nodes for {} ranks, expected {}", source, mapping.size(), problem.ranks());
  std::unordered_map<NodeId, std::int32_t> room;
  for (const NodeId node : problem.slots) ++room[node];
  std::unordered_map<NodeId, std::int32_t> used;
  for (const workloads::Rank rank : mapping.ids()) {
    const NodeId node = mapping[rank];
    const auto slots = room.find(node);
    if (slots == room.end())
      core::fail_input("{}: rank {} is on node {}, which is not among the job's nodes", source, rank, node);
    if (++used[node] > slots->second)
      core::fail_input("{}: rank {} is the {}. rank on node {}, which takes {}", source, rank, used[node], node,
                       slots->second);
  }
}

std::vector<NodeId> all_nodes(const Machine& machine) {
  const auto nodes = machine.compute_nodes();
  return {nodes.begin(), nodes.end()};
}

std::vector<NodeId> parse_nodes(const std::string& text, const Machine& machine) {
  NodeList list(machine);
  if (text.starts_with('@'))
    list.add_file(text.substr(1));
  else
    list.add(text, fmt::format("'{}'", text), false);
  return list.take();
}

void check_ranks_per_node(const platforms::Machine& machine, std::int32_t ranks_per_node) {
  const auto cores = machine.parameters().cores;
  if (ranks_per_node > cores)
    core::fail_input("{} ranks per node: {} allows 1 to {} (its cores; the platform key is cores)", ranks_per_node,
                     machine.name(), cores);
}

std::vector<platforms::NodeId> slots_on(std::span<const platforms::NodeId> nodes, std::int32_t ranks_per_node) {
  std::vector<platforms::NodeId> slots;
  for (const auto node : nodes) slots.insert(slots.end(), static_cast<std::size_t>(ranks_per_node), node);
  return slots;
}

void check_room(const platforms::Machine& machine, std::int32_t ranks, std::size_t slots) {
  if (static_cast<std::size_t>(ranks) > slots)
    core::fail_input(
        "{} ranks do not fit on {} slots of {}; expected a larger machine, more nodes or more ranks per node "
        "(--ranks-per-node)",
        ranks, slots, machine.name());
}

MapperChoice with_key(const MapperChoice& map, std::string_view key, std::string_view value) {
  const bool is_first = map.arguments().spec().parameters().empty();
  return fmt::format("{}{}{}={}", map.text(), is_first ? ':' : ',', key, value);
}

MatrixKind parse_matrix_kind(std::string_view text) {
  if (text == "expanded") return MatrixKind::expanded;
  if (text == "p2p") return MatrixKind::point_to_point;
  core::fail_input("unknown matrix '{}'{}", text, core::valid_instead(text, {"expanded", "p2p"}));
}

struct Traffic::Program {
  const workloads::Trace& trace;
  workloads::CollectiveChoice collectives;
  MatrixKind kind;
};

Traffic::Traffic(const workloads::Trace& trace) : Traffic(trace, {}) {}

Traffic::Traffic(const workloads::Trace& trace, const workloads::CollectiveChoice& collectives, MatrixKind kind)
    : ranks_(trace.ranks()), program_(new Program{trace, collectives, kind}) {}

Traffic::Traffic(CommunicationMatrix matrix)
    : ranks_(static_cast<std::int32_t>(matrix.rows.size())), matrix_(std::move(matrix)) {}

Traffic::~Traffic() = default;

const CommunicationMatrix& Traffic::matrix() const {
  if (program_ == nullptr) return matrix_;
  std::call_once(made_, [this] {
    const auto& [trace, collectives, kind] = *program_;
    matrix_ = kind == MatrixKind::expanded ? workloads::communication_matrix(trace, collectives)
                                           : workloads::point_to_point_matrix(trace);
  });
  return matrix_;
}

std::optional<CommunicationMatrix> Traffic::placed_matrix(const platforms::Machine& machine,
                                                          const netsim::Mapping& mapping) const {
  if (program_ == nullptr || program_->kind != MatrixKind::expanded) return {};
  const auto collectives = program_->collectives.for_program(program_->trace);
  if (!collectives.may_use_grid()) return {};
  return netsim::placed_matrix(machine, program_->trace, collectives, mapping);
}

}  // namespace toroid::mapping

#include "views/documents/run_difference.hpp"

#include <cmath>
#include <map>

#include "core/blame.hpp"
#include "views/documents/page.hpp"

namespace toroid::views {
namespace {

constexpr u1 first_port = 254;  // kinds of links below are of the grid

/// A whole number of a document, where the library's conversion would make some number of any other.
std::int64_t whole_number(const Json& value) {
  const auto* large = value.get_ptr<const Json::number_unsigned_t*>();
  if (!value.is_number_integer() || (large != nullptr && !std::in_range<std::int64_t>(*large)))
    throw Json::type_error::create(302, "type must be whole number, but is " + core::json_text(value), &value);
  return value.get<std::int64_t>();
}

/// Reads what a difference takes of a document besides columns. Throws InputError unless the document is that of a run
/// of one program, and has all that.
RunSummary summary_of(const ColumnsFile& file) {
  const auto read = [&meta = file.meta()] {
    const auto& parts = meta.at("parts_s");
    if (meta.contains("jobs")) core::fail_input("found a run of several jobs, expected one of a single program");
    RunSummary run;
    for (const auto& [key, text] :
         {std::pair("platform", &run.platform), {"trace", &run.trace}, {"map", &run.map}, {"engine", &run.engine}})
      *text = meta.at(key).get<std::string>();
    for (const auto* part : {"compute", "latency", "bandwidth", "sharing"}) run.parts.push_back({part, parts.at(part)});
    for (const auto* key : {"messages", "lost_s"}) meta.at(key).get<double>();  // which the page tells
    run.runtime = meta.at("runtime_s");
    run.bytes = meta.at("bytes");
    run.hops_per_byte = meta.at("hops_per_byte");
    run.is_of_communication = meta.value("computation_is_left_out", false);
    run.nodes_per_router = whole_number(meta.at("nodes_per_router"));
    for (const auto& d : meta.at("dimensions"))
      run.dimensions.push_back({d.at("name"), whole_number(d.at("extent")), d.at("shared")});
    return run;
  };
  return core::in_context(
      file.path(), [&] { return core::read_document("that of a run, as toroid simulate --columns writes it", read); });
}

/// Whether a reader of both pages finds the machines alike: extents, names of dimensions, nodes.
bool have_one_shape(const RunSummary& one, const RunSummary& other) {
  return one.nodes_per_router == other.nodes_per_router &&
         std::ranges::equal(one.dimensions, other.dimensions,
                            [](const auto& a, const auto& b) { return a.name == b.name && a.extent == b.extent; });
}

void check_lengths(const ColumnsFile& file, std::string_view what, std::initializer_list<std::size_t> lengths) {
  if (std::ranges::adjacent_find(lengths, std::not_equal_to<>()) != lengths.end())
    core::fail_input("{}: found columns of {} of different lengths", file.path(), what);
}

std::string shape_text(const RunSummary& run) {
  std::string text;
  for (const auto& d : run.dimensions) text += fmt::format("{}{}", text.empty() ? "" : "x", d.extent);
  return text;
}

/// What the page tells of a run as a whole: fields of its document, as they stand there.
Json run_meta(const ColumnsFile& file) {
  Json meta = Json::object();
  for (const auto* key :
       {"platform", "trace", "map", "engine", "runtime_s", "parts_s", "messages", "bytes", "hops_per_byte", "lost_s"})
    meta[key] = file.meta()[key];
  meta["computation_is_left_out"] = file.meta().value("computation_is_left_out", false);
  meta["file"] = file.path();
  return meta;
}

}  // namespace

RunDifference::RunDifference(const ColumnsFile& before, const ColumnsFile& after)
    : files_{&before, &after}, summaries_{summary_of(before), summary_of(after)} {
  if (!have_one_shape(summaries_[0], summaries_[1]))
    core::fail_input("{}: found a machine of {}, expected one of {} with the same nodes per router as in {}",
                     after.path(), shape_text(summaries_[1]), shape_text(summaries_[0]), before.path());
  for (const std::size_t side : {0U, 1U}) add_links(side);
  for (const std::size_t side : {0U, 1U}) {
    add_loads(side);
    add_waits(side);
  }
}

/// Gives the links of a document their numbers here: a link is known by its kind and by where it begins.
void RunDifference::add_links(std::size_t side) {
  const auto& file = *files_[side];
  std::map<std::pair<u1, u4>, u4> known;
  for (std::size_t i = 0; i < links_.size(); ++i) known[{links_[i].kind, links_[i].from}] = static_cast<u4>(i);
  const auto from = file.column<u4>("link_from"), to = file.column<u4>("link_to");
  const auto kind = file.column<u1>("link_kind"), failed = file.column<u1>("link_failed");
  const auto bandwidth = file.column<f4>("link_bandwidth");
  check_lengths(file, "links", {from.size(), to.size(), kind.size(), failed.size(), bandwidth.size()});
  const auto dimensions = summaries_[0].dimensions.size(), routers = file.column<u4>("router_first_node").size();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (kind[i] < first_port && (kind[i] / 2U >= dimensions || from[i] >= routers || to[i] >= routers))
      core::fail_input("{}: link {} is of a dimension or router that there is not", file.path(), i);
    const auto [it, is_new] = known.try_emplace({kind[i], from[i]}, static_cast<u4>(links_.size()));
    numbers_[side].push_back(it->second);
    if (is_new)
      links_.push_back({from[i], to[i], kind[i], failed[i], bandwidth[i]});
    else if (failed[i] != 0)
      links_[it->second].failed = 1;
  }
}

void RunDifference::add_loads(std::size_t side) {
  const auto& file = *files_[side];
  const auto& numbers = numbers_[side];
  const auto use = file.column<f4>("link_mean");
  const auto bytes = file.column<f8>("link_bytes");
  const auto loss_link = file.column<u4>("loss_link");
  const auto loss = file.column<f8>("loss_link_s");
  check_lengths(file, "links", {numbers.size(), use.size(), bytes.size()});
  check_lengths(file, "links", {loss.size(), loss_link.size()});
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    links_[numbers[i]].use[side] = use[i];
    links_[numbers[i]].bytes[side] = bytes[i];
  }
  for (std::size_t i = 0; i < loss.size(); ++i) {
    if (loss_link[i] >= numbers.size()) core::fail_input("{}: a loss is on a link that there is not", file.path());
    links_[numbers[loss_link[i]]].lost_s[side] += loss[i];
  }
}

/// Adds how long the ranks on each node wait, on average; -1 where no rank runs.
void RunDifference::add_waits(std::size_t side) {
  const auto& file = *files_[side];
  const auto node = file.column<u4>("rank_node");
  const auto transfer = file.column<f8>("rank_transfer"), wait = file.column<f8>("rank_wait");
  const auto nodes = file.column<u1>("node_state").size();
  const double runtime = summaries_[side].runtime;
  std::vector<f4> ranks(nodes, 0);
  wait_[side].assign(nodes, -1);
  check_lengths(file, "ranks", {node.size(), transfer.size(), wait.size()});
  for (std::size_t r = 0; r < node.size(); ++r) {
    if (node[r] >= nodes) core::fail_input("{}: a rank is on a node that there is not", file.path());
    auto& share = wait_[side][node[r]];
    const auto own = static_cast<f4>(runtime > 0 ? (transfer[r] + wait[r]) / runtime : 0);
    share = (std::max(share, 0.0F) * ranks[node[r]] + own) / (ranks[node[r]] + 1);
    ++ranks[node[r]];
  }
}

std::string RunDifference::name_of(const Link& link) const {
  const auto first = files_[0]->column<u4>("router_first_node");
  const auto router = [&](u4 r) {
    return before().nodes_per_router == 1 ? fmt::format("n{}", first.at(r)) : fmt::format("r{}", r);
  };
  const auto& d = before().dimensions.at(link.kind / 2);
  if (d.is_shared) return fmt::format("line of {} ({})", router(link.from), d.name);
  return fmt::format("{} -> {} ({}{})", router(link.from), router(link.to), link.kind % 2 == 0 ? "+" : "-", d.name);
}

std::vector<LinkChange> RunDifference::changes(std::size_t most) const {
  std::vector<const Link*> changed;
  for (const auto& link : links_)
    if (link.kind < first_port && link.use[0] != link.use[1]) changed.push_back(&link);
  std::ranges::stable_sort(changed, std::greater<>(),
                           [](const Link* link) { return std::abs(link->use[1] - link->use[0]); });
  if (changed.size() > most) changed.resize(most);
  std::vector<LinkChange> changes;
  for (const auto* link : changed)
    changes.push_back({name_of(*link), link->use[0], link->use[1], link->bytes[0], link->bytes[1]});
  return changes;
}

/// Adds the lines that are drawn of shared lines; those that only the second machine has come after those of the first.
void RunDifference::add_segments(Columns& columns) const {
  struct Segment {
    u4 link, from, to;
  };
  std::vector<Segment> segments;
  std::vector<char> is_drawn(links_.size(), 0);
  for (const std::size_t side : {0U, 1U}) {
    const auto& file = *files_[side];
    const auto link = file.column<u4>("segment_link"), from = file.column<u4>("segment_from"),
               to = file.column<u4>("segment_to");
    check_lengths(file, "segments", {link.size(), from.size(), to.size()});
    const auto first = segments.size();
    for (std::size_t i = 0; i < link.size(); ++i) {
      if (link[i] >= numbers_[side].size())
        core::fail_input("{}: a segment is of a link that there is not", file.path());
      const auto number = numbers_[side][link[i]];
      if (is_drawn[number] == 0) segments.push_back({number, from[i], to[i]});
    }
    for (auto i = first; i < segments.size(); ++i) is_drawn[segments[i].link] = 1;
  }
  columns.add<u4>("segment_link", segments, &Segment::link);
  columns.add<u4>("segment_from", segments, &Segment::from);
  columns.add<u4>("segment_to", segments, &Segment::to);
}

Columns RunDifference::columns() const {
  const auto& file = *files_[0];
  Columns columns;
  columns.meta = {{"before", run_meta(file)}, {"after", run_meta(*files_[1])}};
  for (const auto* key : {"machine", "dimensions", "numbering", "nodes_per_router"})
    columns.meta[key] = file.meta().value(key, Json());
  columns.add("router_at", file.column<u2>("router_at"));
  columns.add("router_first_node", file.column<u4>("router_first_node"));
  columns.add("node_state", file.column<u1>("node_state"));
  columns.add<u4>("link_from", links_, &Link::from);
  columns.add<u4>("link_to", links_, &Link::to);
  columns.add<u1>("link_kind", links_, &Link::kind);
  columns.add<u1>("link_failed", links_, &Link::failed);
  columns.add<f4>("link_bandwidth", links_, &Link::bandwidth);
  add_segments(columns);
  for (const std::size_t side : {0U, 1U}) {
    const std::string name = side == 0 ? "before" : "after";
    columns.add<f4>(name + "_use", links_, [&](const Link& link) { return link.use[side]; });
    columns.add<f8>(name + "_bytes", links_, [&](const Link& link) { return link.bytes[side]; });
    columns.add<f8>(name + "_lost_s", links_, [&](const Link& link) { return link.lost_s[side]; });
    columns.add(name + "_wait", wait_[side]);
  }
  return columns;
}

std::string difference_page(const Columns& difference) {
  const auto name = [&](const char* side) {
    const auto& run = difference.meta[side];
    return fmt::format("{} on {}", run["trace"].get<std::string>(), run["platform"].get<std::string>());
  };
  return page(fmt::format("{} against {}", name("after"), name("before")), difference, web::diff);
}

}  // namespace toroid::views

#include "views/documents/run_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/context.hpp"
#include "core/error.hpp"
#include "core/json.hpp"
#include "views/documents/page.hpp"

namespace toroid::views {
namespace {

using core::Json;

constexpr std::uint8_t first_port = 254;  // kinds of links below are of the grid

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
    run.nodes_per_router = meta.at("nodes_per_router");
    for (const auto& d : meta.at("dimensions"))
      run.dimensions.push_back({d.at("name"), d.at("extent"), d.at("shared")});
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

RunDifference::RunDifference(const ColumnsFile& before, const ColumnsFile& after) : before_(before), after_(after) {
  summaries_[0] = summary_of(before);
  summaries_[1] = summary_of(after);
  if (!have_one_shape(summaries_[0], summaries_[1]))
    core::fail_input("{}: found a machine of {}, expected one of {} with the same nodes per router as in {}",
                     after.path(), shape_text(summaries_[1]), shape_text(summaries_[0]), before.path());
  add_links(before);
  add_links(after);
  sides_[0] = side(before);
  sides_[1] = side(after);
}

/// Gives the links of a document their numbers here: a link is known by its kind and by where it begins.
void RunDifference::add_links(const ColumnsFile& file) {
  std::map<std::pair<std::uint8_t, std::uint32_t>, std::uint32_t> known;
  for (std::size_t i = 0; i < from_.size(); ++i) known[{kind_[i], from_[i]}] = static_cast<std::uint32_t>(i);
  const auto from = file.column<std::uint32_t>("link_from"), to = file.column<std::uint32_t>("link_to");
  const auto kind = file.column<std::uint8_t>("link_kind"), failed = file.column<std::uint8_t>("link_failed");
  const auto bandwidth = file.column<float>("link_bandwidth");
  if (to.size() != from.size() || kind.size() != from.size() || failed.size() != from.size() ||
      bandwidth.size() != from.size())
    core::fail_input("{}: found columns of links of different lengths", file.path());
  const auto dimensions = summaries_[0].dimensions.size(),
             routers = file.column<std::uint32_t>("router_first_node").size();
  for (std::size_t i = 0; i < from.size(); ++i)
    if (kind[i] < first_port && (kind[i] / 2U >= dimensions || from[i] >= routers || to[i] >= routers))
      core::fail_input("{}: link {} is of a dimension or router that there is not", file.path(), i);
  auto& numbers = numbers_.emplace_back();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto [it, is_new] = known.try_emplace({kind[i], from[i]}, static_cast<std::uint32_t>(from_.size()));
    numbers.push_back(it->second);
    if (!is_new) {
      failed_[it->second] = failed_[it->second] != 0 || failed[i] != 0 ? 1 : 0;
      continue;
    }
    from_.push_back(from[i]);
    to_.push_back(to[i]);
    kind_.push_back(kind[i]);
    failed_.push_back(failed[i]);
    bandwidth_.push_back(bandwidth[i]);
  }
}

RunDifference::Side RunDifference::side(const ColumnsFile& file) const {
  const auto& numbers = numbers_[&file == &before_ ? 0 : 1];
  Side side{std::vector<float>(from_.size(), 0),
            std::vector<double>(from_.size(), 0),
            std::vector<double>(from_.size(), 0),
            {}};
  const auto use = file.column<float>("link_mean");
  const auto bytes = file.column<double>("link_bytes");
  const auto loss_link = file.column<std::uint32_t>("loss_link");
  const auto loss = file.column<double>("loss_link_s");
  if (use.size() != numbers.size() || bytes.size() != numbers.size() || loss.size() != loss_link.size())
    core::fail_input("{}: found columns of links of different lengths", file.path());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    side.use[numbers[i]] = use[i];
    side.bytes[numbers[i]] = bytes[i];
  }
  for (std::size_t i = 0; i < loss.size(); ++i) {
    if (loss_link[i] >= numbers.size()) core::fail_input("{}: a loss is on a link that there is not", file.path());
    side.lost_s[numbers[loss_link[i]]] += loss[i];
  }
  const auto node = file.column<std::uint32_t>("rank_node");
  const auto transfer = file.column<double>("rank_transfer"), wait = file.column<double>("rank_wait");
  const auto nodes = file.column<std::uint8_t>("node_state").size();
  const double runtime = summaries_[&file == &before_ ? 0 : 1].runtime;
  std::vector<float> ranks(nodes, 0);
  side.wait.assign(nodes, -1);  // where no rank runs
  if (transfer.size() != node.size() || wait.size() != node.size())
    core::fail_input("{}: found columns of ranks of different lengths", file.path());
  for (std::size_t r = 0; r < node.size(); ++r) {
    if (node[r] >= nodes) core::fail_input("{}: a rank is on a node that there is not", file.path());
    auto& share = side.wait[node[r]];
    const auto own = static_cast<float>(runtime > 0 ? (transfer[r] + wait[r]) / runtime : 0);
    share = (std::max(share, 0.0F) * ranks[node[r]] + own) / (ranks[node[r]] + 1);
    ++ranks[node[r]];
  }
  return side;
}

std::string RunDifference::name_of(std::size_t link) const {
  const auto first = before_.column<std::uint32_t>("router_first_node");
  const auto router = [&](std::uint32_t r) {
    return before().nodes_per_router == 1 ? fmt::format("n{}", first.at(r)) : fmt::format("r{}", r);
  };
  const auto& d = before().dimensions.at(kind_[link] / 2);
  if (d.is_shared) return fmt::format("line of {} ({})", router(from_[link]), d.name);
  return fmt::format("{} -> {} ({}{})", router(from_[link]), router(to_[link]), kind_[link] % 2 == 0 ? "+" : "-",
                     d.name);
}

std::vector<LinkChange> RunDifference::changes(std::size_t most) const {
  std::vector<std::size_t> links;
  for (std::size_t i = 0; i < from_.size(); ++i)
    if (kind_[i] < first_port && sides_[0].use[i] != sides_[1].use[i]) links.push_back(i);
  std::stable_sort(links.begin(), links.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(sides_[1].use[a] - sides_[0].use[a]) > std::abs(sides_[1].use[b] - sides_[0].use[b]);
  });
  if (links.size() > most) links.resize(most);
  std::vector<LinkChange> changes;
  for (const auto i : links)
    changes.push_back({name_of(i), sides_[0].use[i], sides_[1].use[i], sides_[0].bytes[i], sides_[1].bytes[i]});
  return changes;
}

Columns RunDifference::columns() const {
  Columns columns;
  columns.meta = {{"before", run_meta(before_)}, {"after", run_meta(after_)}};
  for (const auto* key : {"machine", "dimensions", "numbering", "nodes_per_router"})
    columns.meta[key] = before_.meta().value(key, Json());
  columns.add("router_at", before_.column<std::uint16_t>("router_at"));
  columns.add("router_first_node", before_.column<std::uint32_t>("router_first_node"));
  columns.add("node_state", before_.column<std::uint8_t>("node_state"));
  columns.add("link_from", from_);
  columns.add("link_to", to_);
  columns.add("link_kind", kind_);
  columns.add("link_failed", failed_);
  columns.add("link_bandwidth", bandwidth_);
  // Lines of links that only the second machine has come after those of the first.
  std::vector<std::uint32_t> segment_link, segment_from, segment_to;
  std::vector<char> is_drawn(from_.size(), 0);
  for (const auto* file : {&before_, &after_}) {
    const auto& numbers = numbers_[file == &before_ ? 0 : 1];
    const auto link = file->column<std::uint32_t>("segment_link"), from = file->column<std::uint32_t>("segment_from"),
               to = file->column<std::uint32_t>("segment_to");
    if (from.size() != link.size() || to.size() != link.size())
      core::fail_input("{}: found columns of segments of different lengths", file->path());
    std::vector<std::uint32_t> drawn_now;
    for (std::size_t i = 0; i < link.size(); ++i) {
      if (link[i] >= numbers.size()) core::fail_input("{}: a segment is of a link that there is not", file->path());
      const auto number = numbers[link[i]];
      if (is_drawn[number] != 0) continue;
      segment_link.push_back(number);
      segment_from.push_back(from[i]);
      segment_to.push_back(to[i]);
      drawn_now.push_back(number);
    }
    for (const auto number : drawn_now) is_drawn[number] = 1;
  }
  columns.add("segment_link", segment_link);
  columns.add("segment_from", segment_from);
  columns.add("segment_to", segment_to);
  for (const auto& [name, side] : {std::pair("before", &sides_[0]), std::pair("after", &sides_[1])}) {
    columns.add(fmt::format("{}_use", name), side->use);
    columns.add(fmt::format("{}_bytes", name), side->bytes);
    columns.add(fmt::format("{}_lost_s", name), side->lost_s);
    columns.add(fmt::format("{}_wait", name), side->wait);
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

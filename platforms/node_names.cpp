#include <algorithm>

#include "platforms/names.hpp"
#include "toroid/core/error.hpp"

namespace toroid::platforms {
namespace {

using core::fail_input;
using Text = std::string_view;

constexpr std::size_t most_digits = 9;

/// Numbers of a bracket, `001-032`, with as many digits as the first has.
std::vector<std::string> expand_range(Text text, Text what, std::int64_t most) {
  const auto dash = text.find('-');
  const auto first = text.substr(0, dash), last = dash == Text::npos ? first : text.substr(dash + 1);
  const auto low = core::parse_number<std::int32_t>(first), high = core::parse_number<std::int32_t>(last);
  if (!low || !high || *low < 0 || *high < *low || first.size() > most_digits || last.size() > most_digits)
    fail_input("{}: found '[{}]', expected numbers such as [001-032,040]", what, core::excerpt(text));
  if (*high - *low >= most) fail_input("{}: more than {} nodes", what, most);
  std::vector<std::string> all;
  for (auto number = *low; number <= *high; ++number) all.push_back(fmt::format("{:0{}}", number, first.size()));
  return all;
}

/// What one part of a list stands for, which may have several brackets: the last one counts fastest.
std::vector<std::string> expand_part(Text part, Text what, std::int64_t most) {
  std::vector<std::string> names{""};
  while (!part.empty()) {
    const auto open = part.find('[');
    std::vector<std::string> next{std::string(part.substr(0, open))};
    if (next[0].find(']') != std::string::npos)
      fail_input("{}: found '{}', expected names such as nid[001-032]", what, core::excerpt(part));
    part.remove_prefix(std::min(open, part.size()));
    if (open == 0) {
      const auto close = part.find(']');
      if (close == Text::npos) fail_input("{}: found '{}', expected a closing bracket", what, core::excerpt(part));
      next.clear();
      for (const auto range : core::split(part.substr(1, close - 1), ','))
        for (auto& number : expand_range(range, what, most)) next.push_back(std::move(number));
      part.remove_prefix(close + 1);
    }
    if (static_cast<std::int64_t>(names.size() * next.size()) > most) fail_input("{}: more than {} nodes", what, most);
    std::vector<std::string> longer;
    for (const auto& name : names)
      for (const auto& end : next) longer.push_back(name + end);
    names = std::move(longer);
  }
  return names;
}

/// A name as a prefix and a number of so many digits.
struct Numbered {
  Text prefix, digits;
  std::int64_t number() const { return core::parse_number<std::int64_t>(digits).value_or(-1); }
  bool is_followed_by(const Numbered& next) const {
    return prefix == next.prefix && digits.size() == next.digits.size() && number() + 1 == next.number();
  }
};

Numbered numbered(Text name) {
  std::size_t digits = 0;
  while (digits < std::min(name.size(), most_digits) && name[name.size() - 1 - digits] >= '0' &&
         name[name.size() - 1 - digits] <= '9')
    ++digits;
  return {name.substr(0, name.size() - digits), name.substr(name.size() - digits)};
}

std::optional<NodeRange> by_number(Text part) {
  const auto dash = part.find('-', std::min<std::size_t>(1, part.size()));
  const auto first = parse_node_name(part.substr(0, dash));
  const auto last = dash == Text::npos ? first : parse_node_name(part.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return NodeRange{*first, *last};
}

}  // namespace

std::vector<Text> split_host_list(Text text, Text separators) {
  std::vector<Text> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size()) depth += (text[i] == '[' || text[i] == '(') - (text[i] == ']' || text[i] == ')');
    if (i < text.size() && (separators.find(text[i]) == Text::npos || depth > 0)) continue;
    parts.push_back(core::trim(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

std::vector<std::string> expand_host_list(Text text, Text what, std::int64_t most) {
  std::vector<std::string> names;
  for (const auto part : split_host_list(text)) {
    if (part.empty() || part.find(' ') != Text::npos)
      fail_input("{}: found '{}', expected names with commas between them, such as nid[001-032]", what,
                 core::excerpt(text));
    if (part == "-") {
      names.emplace_back();
      continue;
    }
    for (auto& name : expand_part(part, what, most)) names.push_back(std::move(name));
    if (static_cast<std::int64_t>(names.size()) > most) fail_input("{}: more than {} nodes", what, most);
  }
  return names;
}

std::string host_list(const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < names.size();) {
    const auto first = numbered(names[i]);
    // Ranges with the same prefix, one after the other: nid[001-032,040].
    std::vector<std::string> ranges;
    std::size_t end = i;
    while (end < names.size() && !first.digits.empty()) {
      const auto begin = numbered(names[end]);
      if (begin.prefix != first.prefix || begin.digits.empty()) break;
      std::size_t last = end;
      while (last + 1 < names.size() && numbered(names[last]).is_followed_by(numbered(names[last + 1]))) ++last;
      ranges.push_back(last == end ? std::string(begin.digits)
                                   : fmt::format("{}-{}", begin.digits, numbered(names[last]).digits));
      end = last + 1;
    }
    if (end <= i + 1) {
      parts.push_back(names[i].empty() ? "-" : names[i]);
      ++i;
      continue;
    }
    parts.push_back(fmt::format("{}[{}]", first.prefix, core::join(ranges, ",")));
    i = end;
  }
  return core::join(parts, ",");
}

NodeNames::NodeNames(const Description& m) : m_(m) {
  for (std::size_t i = 0; i < m.node_names.size(); ++i)
    if (!m.node_names[i].empty()) called_.emplace(m.node_names[i], NodeId(i));
}

std::vector<NodeSet> NodeNames::read(Text part, Text what) const {
  part = core::trim(part);
  if (is_box_name(part)) return {parse_box(m_, part, what)};
  const auto numbers = by_number(part);
  if (m_.node_names.empty() && part.find('[') != Text::npos)
    fail_input(
        "{}: '{}': the nodes of {} have no names; expected nodes such as 0-15, or a machine whose nodes have names, as "
        "with --set 'node-names=nid[00000-00063]'",
        what, core::excerpt(part), m_.name.empty() ? "the machine" : m_.name);
  const bool is_number = numbers && (m_.node_names.empty() || (part[0] >= '0' && part[0] <= '9'));
  if (is_number) return {*numbers};
  if (m_.node_names.empty() || part.empty())
    fail_input("{}: found '{}', expected nodes such as 0-15, or a box such as (0-5,0,0)", what, core::excerpt(part));
  std::vector<NodeSet> nodes;
  for (const auto& name : expand_host_list(part, what, most_routers)) {
    const auto found = called_.find(name);
    if (found == called_.end()) {
      if (numbers) return {*numbers};
      fail_input("{}: '{}': no node is called '{}'", what, core::excerpt(part), core::excerpt(name));
    }
    const NodeId node = found->second;
    if (const auto number = parse_node_name(name); number && *number != node)
      fail_input("{}: '{}' is the name of node {}, and n and the number of another; expected {} or {}", what,
                 core::excerpt(name), node, node, *number);
    if (auto* last = nodes.empty() ? nullptr : &std::get<NodeRange>(nodes.back());
        last != nullptr && last->second.value() + 1 == node.value())
      last->second = node;
    else
      nodes.emplace_back(NodeRange(node, node));
  }
  return nodes;
}

std::string node_name(const Description& m, NodeId node) {
  const bool has_name = node.index() < m.node_names.size() && !m.node_names[node.index()].empty();
  return has_name ? m.node_names[node.index()] : fmt::format("n{}", node);
}

std::vector<NodeId> nodes_called(const Machine& machine, const NodeNames& names, std::string_view part,
                                 std::string_view what) {
  std::vector<NodeId> nodes;
  for (const auto& set : names.read(part, what)) {
    if (const auto* box = std::get_if<Box>(&set)) {
      const auto begin = nodes.size();
      for (const auto& place : places_in(machine.grid().dimension_count(), *box))
        for (const NodeId node : machine.nodes_on(machine.grid().router_at(place))) nodes.push_back(node);
      std::sort(nodes.begin() + static_cast<std::ptrdiff_t>(begin), nodes.end());
      continue;
    }
    const auto& [first, last] = std::get<NodeRange>(set);
    for (NodeId node = first; node <= last; ++node) {
      if (node < 0 || node.value() >= machine.node_count())
        core::fail_input("{}: node {} does not exist; {} has nodes 0 to {}", what, node, machine.name(),
                         machine.node_count() - 1);
      nodes.push_back(node);
    }
  }
  return nodes;
}

std::vector<NodeId> nodes_called(const Machine& machine, std::string_view part, std::string_view what) {
  return nodes_called(machine, NodeNames(machine.description()), part, what);
}

bool is_node_list(std::string_view text, const std::vector<std::string>& others) {
  constexpr std::string_view digits = "0123456789";
  if (text.starts_with('@')) return true;
  if (text.starts_with('('))
    return text.size() > 1 && (digits.find(text[1]) != std::string_view::npos || text[1] == '*');
  if (text.find_first_of(digits) == (text.starts_with('n') ? 1U : 0U)) return true;
  const auto mark = text.find_first_of(":=[");
  if (mark != std::string_view::npos) return text[mark] != ':';
  const bool is_other = std::ranges::find(others, text) != others.end();
  return !is_other && text.find_first_of(digits) != std::string_view::npos && !core::nearest(text, others);
}

}  // namespace toroid::platforms

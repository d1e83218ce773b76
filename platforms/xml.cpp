#include "platforms/xml.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "core/file.hpp"
#include "platforms/check.hpp"
#include "platforms/names.hpp"
#include "platforms/simgrid_elements.hpp"
#include "platforms/values.hpp"

namespace toroid::platforms {
namespace {

constexpr std::size_t most_findings = 100;  ///< more help nobody, and each costs time and memory
constexpr std::string_view wanted_root = "<platform version=\"4.1\"> with one <zone id=\"...\" routing=\"Full\">";

class Reader {
 public:
  Reader(const std::string& text, const Choose& choose) : text_(text), choose_(choose) {}

  CheckedXml run() {
    pugi::xml_document document;
    const auto parsed = document.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
    const auto root = document.document_element();
    const SimgridElements elements(root);
    const auto stopped_at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(parsed.offset, 0));
    if (const auto open = parsed ? pugi::xml_node() : unclosed(document, stopped_at))
      add(offset_of(open),
          fmt::format("<{0}> is not closed; expected <{0} .../> or </{0}>", core::excerpt(open.name())));
    else if (!parsed)
      add(stopped_at, fmt::format("this is no XML here ({}); expected {}", lower(parsed.description()), wanted_root));
    else if (std::string_view(root.name()) == "platform" && elements.torus())
      read_cluster(elements.torus());
    else if (std::string_view(root.name()) == "platform" && elements.first && !has_shape(root.child("zone")))
      add(offset_of(elements.first), elements.why_no_grid());
    else if (const auto zone = find_zone(document))
      read_zone(zone);
    std::ranges::stable_sort(result_.findings, [](const Finding& a, const Finding& b) {
      return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    });
    return std::move(result_);
  }

 private:
  static std::string lower(std::string text) {
    if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return text;
  }

  static std::size_t offset_of(pugi::xml_node node) {
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0));
  }

  /// The element without an end that is why an end tag does not fit where parsing stopped: the last one inside of the
  /// element that the tag names. Empty where that is not the reason.
  pugi::xml_node unclosed(const pugi::xml_document& document, std::size_t stopped_at) const {
    const std::string_view text = text_;
    const auto tag = text.rfind("</", stopped_at);
    if (tag == std::string_view::npos) return {};
    const auto name = core::trim(text.substr(tag + 2, text.find('>', tag) - tag - 2));
    pugi::xml_node named;
    for (auto node = document.last_child(); node; node = node.last_child())
      if (name == node.name()) named = node;
    const auto last = named.last_child();
    if (last.type() != pugi::node_element || offset_of(last) > tag) return {};
    const auto inside = text.substr(offset_of(last), tag - offset_of(last));
    const bool is_closed = inside.substr(0, inside.find('>')).ends_with('/') ||
                           inside.find(fmt::format("</{}", last.name())) != std::string_view::npos;
    return is_closed ? pugi::xml_node() : last;
  }

  void add(std::size_t offset, std::string message, bool is_error = true) {
    if (is_full()) return;
    offset = std::min(offset, text_.size());
    const auto before = text_.begin() + static_cast<std::ptrdiff_t>(offset);
    const auto line = static_cast<std::size_t>(std::count(text_.begin(), before, '\n')) + 1;
    const auto start = offset == 0 ? std::string::npos : text_.rfind('\n', offset - 1);
    const auto column = start == std::string::npos ? offset + 1 : offset - start;
    const bool is_known = std::ranges::any_of(result_.findings, [&](const auto& finding) {
      return finding.line == line && finding.column == column && finding.message == message;
    });
    if (!is_known) result_.findings.push_back({is_error, line, column, std::move(message)});
  }

  bool is_full() const { return result_.findings.size() >= most_findings; }

  /// `<name>`, or the text that stands where an element should.
  static std::string shown(pugi::xml_node node) {
    if (node.type() == pugi::node_element) return fmt::format("<{}>", core::excerpt(node.name()));
    return fmt::format("the text '{}'", core::excerpt(core::trim(node.value())));
  }

  pugi::xml_node find_zone(const pugi::xml_document& document) {
    const auto root = document.document_element();
    for (auto other = root.next_sibling(); other; other = other.next_sibling())
      add(offset_of(other), fmt::format("found {} after the end of <{}>", shown(other), core::excerpt(root.name())));
    if (std::string_view(root.name()) != "platform") {
      add(offset_of(root), fmt::format("found <{}>, expected {}", core::excerpt(root.name()), wanted_root));
      return {};
    }
    check_attributes(root, {"version"});  // which tells a missing version
    if (const std::string_view version = root.attribute("version").value(); !version.empty() && version != "4.1")
      add(offset_of(root), fmt::format("platform version: found '{}', expected 4.1", core::excerpt(version)));
    pugi::xml_node zone;
    for (const auto child : root.children()) {
      if (std::string_view(child.name()) == "config" && is_export(root.child("zone"))) continue;
      const bool is_zone = std::string_view(child.name()) == "zone";
      if (!is_zone || zone)
        add(offset_of(child),
            fmt::format("found {}{}, expected {}", is_zone ? "a second " : "", shown(child), wanted_root));
      else
        zone = child;
    }
    if (!zone && result_.findings.empty()) add(offset_of(root), fmt::format("no zone; expected {}", wanted_root));
    return zone;
  }

  static bool has_shape(pugi::xml_node zone) { return zone.find_child_by_attribute("prop", "id", "shape"); }

  /// Whether a zone is what `platform export --to simgrid` writes: the machine's properties beside SimGrid's hosts.
  static bool is_export(pugi::xml_node zone) {
    return std::string_view(zone.attribute("id").value()) == "toroid" && has_shape(zone) && zone.child("host");
  }

  void read_cluster(pugi::xml_node cluster) {
    result_.description.name = cluster.attribute("id").value();
    try {
      for (const auto& [name, value] : torus_properties(cluster)) set_property(result_.description, name, value);
    } catch (const core::InputError& error) {
      return add(offset_of(cluster), error.what());
    }
    check_whole(cluster);
  }

  void check_attributes(pugi::xml_node node, const std::vector<std::string>& valid) {
    for (const auto attribute : node.attributes()) {
      if (std::ranges::find(valid, attribute.name()) == valid.end())
        add(offset_of(node), fmt::format("<{}> has no attribute '{}'; valid: {}", node.name(),
                                         core::excerpt(attribute.name()), core::join(valid)));
      else if (node.attribute(attribute.name()) != attribute)
        add(offset_of(node), fmt::format("<{}> has the attribute '{}' twice", node.name(), attribute.name()));
    }
    for (const auto& name : valid)
      if (std::string_view(node.attribute(name.c_str()).value()).empty())
        add(offset_of(node), fmt::format("<{}> needs the attribute '{}'", node.name(), name));
  }

  void read_zone(pugi::xml_node zone) {
    check_attributes(zone, {"id", "routing"});
    auto& m = result_.description;
    m.name = zone.attribute("id").value();
    const std::string_view routing = zone.attribute("routing").value();
    if (is_export(zone))
      add(offset_of(zone.child("host")), "hosts, links and routes are SimGrid's; the properties before them count",
          false);
    else if (!routing.empty() && routing != "Full")
      add(offset_of(zone),
          fmt::format("routing: found '{}', expected Full: messages go as the machine's own properties say",
                      core::excerpt(routing)),
          false);
    std::vector<pugi::xml_node> props;
    for (const auto child : zone.children()) {
      if (std::string_view(child.name()) != "prop" && is_export(zone)) continue;
      if (std::string_view(child.name()) != "prop")
        add(offset_of(child), fmt::format("found {}, expected <prop id=\"...\" value=\"...\"/>: the machine is "
                                          "described by properties alone",
                                          shown(child)));
      else if (is_new(child))
        props.push_back(child);
    }
    // The shape first, then names of dimensions and nodes: others need them.
    for (const char* first : {"shape", "dimensions", "node-names"}) {
      const auto rank = [&](pugi::xml_node p) { return std::string_view(p.attribute("id").value()) != first; };
      const auto found = std::ranges::find_if_not(props, rank);
      if (found == props.end()) continue;
      set(*found);
      props.erase(found);
    }
    if (m.dimensions.empty()) {
      if (result_.findings.empty()) add(offset_of(zone), "no shape; expected <prop id=\"shape\" value=\"8x8\"/>");
      return;
    }
    for (const auto prop : props)
      if (!is_full()) set(prop);
    check_whole(zone);
  }

  bool is_new(pugi::xml_node prop) {
    check_attributes(prop, {"id", "value"});
    const std::string id = prop.attribute("id").value();
    if (prop.first_child()) add(offset_of(prop.first_child()), "a property has no content; its value is an attribute");
    const auto [place, is_new] = places_.try_emplace(canonical_property(id), offset_of(prop));
    if (!is_new) add(offset_of(prop), fmt::format("the property '{}' is given twice", core::excerpt(id)));
    return is_new && !id.empty() && !std::string_view(prop.attribute("value").value()).empty();
  }

  void set(pugi::xml_node prop) {
    note_units(prop);
    try {
      const std::string name = prop.attribute("id").value();
      set_property(result_.description, name, chosen(name, prop.attribute("value").value(), choose_));
    } catch (const core::InputError& error) {
      add(offset_of_value(prop), error.what());
    }
  }

  /// Where the text of an attribute begins: pugixml knows the places of elements only.
  std::size_t offset_of_value(pugi::xml_node prop) const {
    const auto start = offset_of(prop);
    const auto element = std::string_view(text_).substr(start, text_.find('>', start) - start);
    const auto quote = element.find_first_of("\"'", element.find("value"));
    return quote == std::string_view::npos ? start : start + quote + 1;
  }

  /// What only all properties together can tell.
  void check_whole(pugi::xml_node zone) {
    const auto at = [&](const std::string& property) {
      // The property itself, the one that speaks for all dimensions, or the one that adds to a list of failures.
      for (const auto& name :
           {property, property.substr(property.find('.') + 1),
            property.starts_with("failed-") ? "fail-" + property.substr(7, property.size() - 8) : ""})
        if (const auto place = places_.find(name); place != places_.end()) return place->second;
      return offset_of(zone);
    };
    check_machine(result_.description,
                  [&](const std::string& property, const std::string& message) { add(at(property), message); });
    check_plausible(result_.description, [&](const std::string& property, const std::string& message) {
      add(at(property), message, false);
    });
    if (!bits_.empty() && !bytes_.empty())
      add(bits_place_,
          fmt::format("{} is in bits, and {} in bytes, eight times as much: was that meant?", bits_, bytes_), false);
    check_links(at("failed-links"));
    const auto& m = result_.description;
    if (result_.has_errors()) return;
    // What remains to be found out takes the machine itself: what failed may cut it, or leave no node.
    if (m.failed_links.empty() && m.failed_routers.empty() && m.failed.empty() && m.service.empty() && m.absent.empty())
      return;
    try {
      Machine machine(m);
    } catch (const core::InputError& error) {
      add(at("failed-links"), error.what());
    }
  }

  /// Whether the links that failed join neighbours, whatever else is wrong with the machine.
  void check_links(std::size_t place) {
    const auto& m = result_.description;
    if (m.failed_links.empty()) return;
    Description bare;
    bare.name = m.name;
    bare.dimensions = m.dimensions;
    bare.routing = m.routing;
    bare.nodes_per_router = m.nodes_per_router;
    bare.numbering = m.numbering;
    bare.cabling = m.cabling;
    bool fits = true;
    check_machine(bare, [&](const std::string&, const std::string&) { fits = false; });
    if (!fits) return;
    const Machine machine(bare);
    for (const auto& link : m.failed_links) {
      if (is_full()) return;
      bool has_ends = true;
      check_failed_link(bare, link, [&](const std::string&, const std::string&) { has_ends = false; });
      if (!has_ends) continue;  // The fault is told already.
      try {
        machine.links_named(link);
      } catch (const core::InputError& error) {
        add(place, error.what());
      }
    }
  }

  /// Remembers a bandwidth in bits and one in bytes.
  void note_units(pugi::xml_node prop) {
    if (!canonical_property(prop.attribute("id").value()).ends_with("bandwidth")) return;
    for (const auto& part : split_dimensions(prop.attribute("value").value())) {
      if (bits_.empty() && part.ends_with("bps")) {
        bits_ = part;
        bits_place_ = offset_of_value(prop);
      }
      if (bytes_.empty() && part.ends_with("Bps")) bytes_ = part;
    }
  }

  const std::string& text_;
  const Choose& choose_;
  CheckedXml result_;
  std::map<std::string, std::size_t> places_;  ///< the places of properties
  std::string bits_, bytes_;                   ///< the first bandwidths in either; empty: none
  std::size_t bits_place_ = 0;
};

constexpr std::uint64_t most_xml_bytes = std::uint64_t{16} << 20U;

}  // namespace

bool CheckedXml::has_errors() const {
  return std::ranges::any_of(findings, [](const Finding& finding) { return finding.is_error; });
}

CheckedXml check_xml(const std::string& text, const Choose& choose) {
  return Reader(text, choose).run();
}

CheckedXml check_xml_file(const std::string& path) {
  return check_xml(core::text_of_file(path, most_xml_bytes));
}

Description parse_xml(const std::string& text, const std::string& file, const Choose& choose) {
  auto checked = check_xml(text, choose);
  const auto errors = std::ranges::count_if(checked.findings, [](const Finding& finding) { return finding.is_error; });
  for (const auto& finding : checked.findings)
    if (finding.is_error)
      core::fail_input("{}:{}:{}: {}{}", file, finding.line, finding.column, finding.message,
                       errors > 1 ? fmt::format(" (and {} more: toroid platform check)", errors - 1) : "");
  return std::move(checked.description);
}

Description read_xml(const std::string& path, const Choose& choose) {
  return parse_xml(core::text_of_file(path, most_xml_bytes), path, choose);
}

std::string xml_text(const Description& description, const std::vector<PropertyInterval>& intervals) {
  pugi::xml_document document;
  document.append_child(pugi::node_declaration).append_attribute("version") = "1.0";
  document.append_child(pugi::node_doctype).set_value("platform SYSTEM \"https://simgrid.org/simgrid.dtd\"");
  auto platform = document.append_child("platform");
  platform.append_attribute("version") = "4.1";
  auto zone = platform.append_child("zone");
  zone.append_attribute("id") = description.name.c_str();
  zone.append_attribute("routing") = "Full";
  const auto add = [&](const std::string& name, const std::string& value) {
    auto prop = zone.append_child("prop");
    prop.append_attribute("id") = name.c_str();
    prop.append_attribute("value") = value.c_str();
  };
  const auto is_interval = [&](const std::string& name) {
    return std::ranges::any_of(intervals, [&](const PropertyInterval& i) { return i.property == name; });
  };
  for (const auto& [name, value] : properties(description))
    if (!is_interval(name)) add(name, value);
  for (const auto& interval : intervals) add(interval.property, interval.text());  // after what they may set again
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

}  // namespace toroid::platforms

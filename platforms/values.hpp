#pragma once
// The values of properties as texts, read and written; properties.cpp says which property has which. Whatever is
// written reads back as the same. `what` is the property's name, with which the InputErrors begin.

#include <ranges>

#include "toroid/platforms/description.hpp"

namespace toroid::platforms {

using core::fail_input;
using Text = std::string_view;

/// What `text_of` says of each item, one after the other.
template <class Items, class TextOf>
std::string joined(const Items& items, std::string_view separator, TextOf text_of) {
  return fmt::format("{}", fmt::join(std::views::transform(items, text_of), separator));
}

std::int32_t parse_count(std::string_view text, std::string_view what, std::int32_t low, std::int32_t high);
/// Reads a text of one line.
std::string parse_line(std::string_view text, std::string_view what);
bool parse_yes_no(std::string_view text, std::string_view what);
Wrap parse_wrap(std::string_view text, std::string_view what);

/// Reads a quantity of one kind, as those of core/units.hpp do.
using ParseQuantity = double (*)(std::string_view text, std::string_view what);
/// Reads a factor: 0.5 from `x0.5`. Returns 0 where the text is no factor but a value.
double parse_factor(std::string_view text, std::string_view what);
/// Reads a quantity with `parse`, or a factor by which `now`, its present value, is multiplied.
double parse_quantity(std::string_view text, std::string_view what, double now, ParseQuantity parse);
/// Reads a bandwidth in bytes/s; `none` is an infinite one.
double parse_limit(std::string_view text, std::string_view what);
std::string limit_text(double bandwidth);

/// Sets the extents of the dimensions from a shape such as `12x8`. A folded cabling is folded anew.
void set_shape(Description& description, std::string_view text, std::string_view what);
/// Sets the names of the dimensions: `x y z`.
void set_names(Description& description, std::string_view text, std::string_view what);
std::string names_text(const Description& description);

/// Reads nodes: `0-15 20`, by their names, or by boxes, `(0-5,0,0) z=1`.
std::vector<NodeSet> parse_nodes(const Description& description, std::string_view text, std::string_view what);
std::string nodes_text(const Description& description, const std::vector<NodeSet>& nodes);

/// Reads the names of the nodes, in their order: `nid[001-032]`.
std::vector<std::string> parse_node_names(std::string_view text, std::string_view what);

/// Reads placements: `2x2x1 4x4x2 spacing=2x2x2 seed=0x0x1`, each with what is said of it behind it; semicolons stand
/// between those of several tori.
std::vector<std::vector<Placement>> parse_placements(std::string_view text, std::string_view what);
std::string placements_text(const std::vector<std::vector<Placement>>& placements);

/// Reads the order of the dimensions on a route: `y x`.
std::vector<std::size_t> parse_routing(const Description& description, std::string_view text, std::string_view what);
std::string routing_text(const Description& description);

/// Reads the digits of the routers' numbers: `y:4 z:8 y:3 z:2 x`.
std::vector<NumberingDigit> parse_numbering(const Description& description, std::string_view text,
                                            std::string_view what);
std::string numbering_text(const Description& description);

/// Reads the cabling of a dimension: `folded`, `straight`, or places such as `0 2 4 3 1`.
Cabling parse_cabling(std::int32_t extent, std::string_view text, std::string_view what);
std::string cabling_text(const Description& description, std::size_t d);

/// Reads how far a twisted dimension moves along the others: `z+4 y-2`.
Coordinates parse_twist(const Description& description, std::string_view text, std::string_view what);
std::string twist_text(const Description& description, const Coordinates& twist);

/// Reads the links of a dimension that differ from the others: `1-15/2 z=0 bandwidth=3GBps; 7 latency=1us`.
std::vector<LinkException> parse_exceptions(const Description& description, std::string_view text,
                                            std::string_view what);
std::string exceptions_text(const Description& description, const std::vector<LinkException>& exceptions);

/// The values of dimensions that a text has one after the other: 4GBps and 2GB/s of `4GBps/2GB/s`, whose units may come
/// back as `GBps`.
std::vector<std::string> split_dimensions(std::string_view text);

}  // namespace toroid::platforms

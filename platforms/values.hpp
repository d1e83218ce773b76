#pragma once
// The values of properties as texts, read and written; properties.cpp says which property has which. Whatever is
// written reads back as the same. `what` is the property's name, with which the InputErrors begin.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/description.hpp"

namespace toroid::platforms {

std::int32_t parse_count(std::string_view text, std::string_view what, std::int32_t low, std::int32_t high);
/// Text that stays on a line.
std::string parse_line(std::string_view text, std::string_view what);
bool parse_yes_no(std::string_view text, std::string_view what);
Wrap parse_wrap(std::string_view text, std::string_view what);

/// Reads a quantity of one kind, as those of core/units.hpp do.
using ParseQuantity = double (*)(std::string_view text, std::string_view what);
/// The factor of `x0.5`; 0 where the text is no factor but a value.
double parse_factor(std::string_view text, std::string_view what);
/// A quantity, or a factor of what it is now.
double parse_quantity(std::string_view text, std::string_view what, double now, ParseQuantity parse);
/// A bandwidth, or `none`: infinite.
double parse_limit(std::string_view text, std::string_view what);
std::string limit_text(double bandwidth);

/// `12x8`, into the dimensions and what goes with their extents.
void set_shape(Description& description, std::string_view text, std::string_view what);
/// `x y z`
void set_names(Description& description, std::string_view text, std::string_view what);
std::string names_text(const Description& description);

/// `0-15 20`
std::vector<NodeRange> parse_nodes(std::string_view text, std::string_view what);
std::string nodes_text(const std::vector<NodeRange>& ranges);

/// Dimensions in an order: `y x`.
std::vector<std::size_t> parse_routing(const Description& description, std::string_view text, std::string_view what);
std::string routing_text(const Description& description);

/// `y:4 z:8 y:3 z:2 x`
std::vector<NumberingDigit> parse_numbering(const Description& description, std::string_view text,
                                            std::string_view what);
std::string numbering_text(const Description& description);

/// `folded`, `straight`, or places: `0 2 4 3 1`.
Cabling parse_cabling(std::int32_t extent, std::string_view text, std::string_view what);
std::string cabling_text(const Description& description, std::size_t d);

/// `z+4 y-2`
Coordinates parse_twist(const Description& description, std::string_view text, std::string_view what);
std::string twist_text(const Description& description, const Coordinates& twist);

/// `1-15/2 z=0 bandwidth=3GBps; 7 latency=1us`
std::vector<LinkException> parse_exceptions(const Description& description, std::string_view text,
                                            std::string_view what);
std::string exceptions_text(const Description& description, const std::vector<LinkException>& exceptions);

/// The dimension of that name.
std::size_t find_dimension(const Description& description, std::string_view name, std::string_view what);

}  // namespace toroid::platforms

#include "views/machine_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/text.hpp"
#include "core/units.hpp"
#include "platforms/names.hpp"
#include "platforms/survey.hpp"
#include "platforms/values.hpp"
#include "views/plane_drawing.hpp"

namespace toroid::views {
namespace {

using platforms::LinkId;
using platforms::Machine;
using platforms::RouterId;

std::string legend_lines(const Plane& plane, const Slice& slice, const std::string& drawn) {
  std::vector<std::string> parts{plane.machine().grid().name(slice.across) + " to the right"};
  if (slice.down != slice.across) parts.push_back(plane.machine().grid().name(slice.down) + " down");
  if (const auto at = where(plane.machine(), slice); !at.empty()) parts.push_back("at " + at);
  for (const auto& [letter, meaning] :
       {std::pair{'o', "o computes"}, {'s', "s service"}, {'.', ". no node"}, {'x', "x failed"}, {'~', "~ wraps"}})
    if (drawn.find(letter) != std::string::npos) parts.emplace_back(meaning);
  if (drawn.find('=') != std::string::npos) parts.emplace_back("= shared by the line");
  for (const auto& [letter, meaning] :
       {std::pair{'>', "> one way"}, {'<', "< one way"}, {'v', "v one way"}, {'^', "^ one way"}})
    if (drawn.find(letter) != std::string::npos) parts.emplace_back(meaning);
  return core::join(parts, ", ") + "\n";
}

/// A line of signs between rows, or over the first and under the last one.
std::string between_rows(const Plane& plane, std::int32_t row) {
  std::string line = "  ";
  for (std::int32_t column = 0; column < plane.columns(); ++column) {
    const bool is_wrap = row < 0 || row + 1 >= plane.rows();
    const auto from = plane.router(column, row < 0 ? plane.rows() - 1 : row);
    auto sign = plane.sign(from, plane.down(), {"|", "v", "^", "=", " "});
    if (is_wrap && sign == "|") sign = "~";
    line += sign + "  ";
  }
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string with_links(const Plane& plane) {
  std::string text;
  const bool wraps_down = plane.rows() > 1;
  if (wraps_down) text += between_rows(plane, -1);
  for (std::int32_t row = 0; row < plane.rows(); ++row) {
    const auto last = plane.router(plane.columns() - 1, row);
    const auto wrap = plane.sign(last, plane.across(), {"~", ">", "<", "=", " "});
    std::string line = wrap + " ";
    for (std::int32_t column = 0; column < plane.columns(); ++column) {
      const auto router = plane.router(column, row);
      line += platforms::symbol(plane.machine(), router);
      if (column + 1 < plane.columns()) line += plane.sign(router, plane.across(), {"--", "->", "<-", "==", "  "});
    }
    line += wrap == " " ? "" : " " + wrap;
    text += line + "\n";
    if (plane.rows() > 1) text += between_rows(plane, row);
  }
  return text;
}

std::string without_links(const Plane& plane) {
  std::string text;
  for (std::int32_t row = 0; row < plane.rows(); ++row) {
    for (std::int32_t column = 0; column < plane.columns(); ++column)
      text += platforms::symbol(plane.machine(), plane.router(column, row));
    text += "\n";
  }
  return text;
}

/// Links by their bandwidths.
class Bandwidths final : public Looks {
 public:
  explicit Bandwidths(const Machine& machine) : machine_(machine) {}

  LinkLook of_link(LinkId link) override {
    const double bandwidth = machine_.link_bandwidth(link);
    colours_.try_emplace(bandwidth, colours_.size());
    return {colour(bandwidth), 2, core::format_bandwidth(bandwidth)};
  }
  const std::vector<RouterLook>& router_looks() const override {
    static const std::vector<RouterLook> looks{{"#dde6f0", "computes"}};
    return looks;
  }
  std::vector<std::size_t> of_router(RouterId) const override { return {0}; }
  void add_legend(Svg& svg, double x, double y) const override {
    for (const auto& [bandwidth, index] : colours_) {
      svg.shape(
          "line",
          {{"x1", x}, {"y1", y}, {"x2", x + 20}, {"y2", y}, {"stroke", colour(bandwidth)}, {"stroke-width", 3.0}});
      svg.text(x + 25, y + 4, core::format_bandwidth(bandwidth), {{"class", "label"}});
      x += legend_step;
    }
  }

 private:
  /// A colour for each bandwidth, in the order in which they came.
  std::string colour(double bandwidth) const {
    static constexpr std::array colours{"#4477aa", "#228833", "#aa7733", "#aa3377", "#66a0b0", "#777777"};
    return colours[std::min(colours_.at(bandwidth), colours.size() - 1)];
  }

  const Machine& machine_;
  std::map<double, std::size_t> colours_;
};

/// What a plane does not show of links along its axes: `wraps of x also move z+4`, `a line of y is one link`.
std::string notes_of_axes(const Machine& machine, const Slice& slice) {
  const auto& description = machine.description();
  std::vector<std::string> notes;
  for (const auto d : slice.across == slice.down ? std::vector{slice.across} : std::vector{slice.across, slice.down}) {
    const auto& dimension = description.dimensions[d];
    const auto& name = machine.grid().name(d);
    if (dimension.is_twisted())
      notes.push_back(
          fmt::format("wraps of {} also move {}", name, platforms::twist_text(description, dimension.twist)));
    if (dimension.shared) notes.push_back(fmt::format("a line of {} is one link", name));
  }
  return core::join(notes);
}

}  // namespace

std::string machine_text(const Machine& machine, const Slice& slice) {
  constexpr std::int32_t widest = 120, tallest = 60, most_rows = 200;
  const Plane plane(machine, slice);
  if (plane.columns() > widest || plane.rows() > most_rows)
    return fmt::format("{} x {} routers are too many to draw here; a picture (SVG) has room for them\n",
                       plane.columns(), plane.rows());
  const bool small = 3 * plane.columns() + 2 <= widest && 2 * plane.rows() + 1 <= tallest;
  const auto drawn = small ? with_links(plane) : without_links(plane);
  return drawn + "\n" + legend_lines(plane, slice, drawn);
}

std::string machine_svg(const Machine& machine, const Slice& slice) {
  const Plane plane(machine, slice);
  Bandwidths bandwidths(machine);
  return plane_svg(plane, bandwidths, fmt::format("{} {}", machine.name(), where(machine, slice)),
                   notes_of_axes(machine, slice));
}

}  // namespace toroid::views

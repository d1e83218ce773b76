#include <numeric>

#include <fmt/ranges.h>

#include "alloc/curves/curve.hpp"

namespace toroid::alloc {
namespace {

using MakeOrder = Order (*)(const Extents&, const Axes&);

const core::Parameter<MakeOrder> curve_order{
    "order", "the curve: line by line, back and forth, Hilbert's curves side by side, or Hilbert's as Zoltan has it",
    core::one_of<MakeOrder>(
        {{"row", row_order}, {"snake", snake_order}, {"hilbert", hilbert_order}, {"zoltan", zoltan_order}}),
    "snake"};
const core::Parameter<std::string> run{
    "run",
    "the dimension along which it runs first, or several in their order",
    {"short, long, or dimensions such as y or y/x",
     [](std::string_view text, const core::Place&) -> std::optional<std::string> { return std::string(text); }},
    "short"};
const core::Parameter<Fit> curve_fit{
    "fit", "where a job goes",
    core::one_of<Fit>({{"freelist", free_list}, {"first", first_fit}, {"best", best_fit}, {"sumsq", sum_of_squares}}),
    "best"};
const core::OptionalParameter<Extents> block{"block", "routers of a page: only whole pages are allocated",
                                             core::extents(platforms::max_dimensions, platforms::most_routers),
                                             "no pages"};

/// The dimensions from the shortest to the longest; of those as long, the later ones are shorter.
Axes short_first(const platforms::Grid& grid) {
  Axes axes(grid.dimension_count());
  std::iota(axes.begin(), axes.end(), 0U);
  std::ranges::stable_sort(axes, [&](auto a, auto b) { return grid.dimension(a).extent > grid.dimension(b).extent; });
  std::ranges::reverse(axes);
  return axes;
}

/// The dimensions in the order that `run` asks for. Dimensions that `run` does not name come last, the shortest first.
Axes axes_of(const platforms::Grid& grid, const core::Arguments& arguments) {
  Axes axes = short_first(grid);
  if (arguments[run] == "short") return axes;
  if (arguments[run] == "long") return {axes.rbegin(), axes.rend()};
  std::size_t named = 0;
  for (const auto name : core::split(arguments[run], '/')) {
    const auto found = std::find_if(axes.begin() + static_cast<std::ptrdiff_t>(named), axes.end(),
                                    [&](std::size_t d) { return grid.name(d) == name; });
    if (found == axes.end())
      core::fail_input("'{}': run={}: expected short, long, or some of the machine's dimensions, each once",
                       core::excerpt(arguments.spec().text()), core::excerpt(arguments[run]));
    std::rotate(axes.begin() + static_cast<std::ptrdiff_t>(named), found, found + 1);
    ++named;
  }
  return axes;
}

/// The routers of each page, in the order of the machine's routers. Pages at the far ends are smaller where the extents
/// are no multiples of the page's.
std::vector<std::vector<RouterId>> pages(const platforms::Grid& grid, const Extents& page, const Extents& page_counts) {
  std::vector<std::vector<RouterId>> all(static_cast<std::size_t>(
      std::accumulate(page_counts.begin(), page_counts.end(), std::int64_t{1}, std::multiplies<>())));
  for (const RouterId router : grid.routers()) {
    std::size_t number = 0;
    for (std::size_t d = page.size(); d-- > 0;)
      number = number * static_cast<std::size_t>(page_counts[d]) +
               static_cast<std::size_t>(grid.coordinate(router, d) / page[d]);
    all[number].push_back(router);
  }
  return all;
}

/// The nodes that compute, as units in the order of the curve. Others have no place on it.
Units units_along(const Machine& machine, const core::Arguments& arguments) {
  const auto& grid = machine.grid();
  Extents page = arguments[block].value_or(Extents{}), page_counts;
  if (page.size() > grid.dimension_count())
    core::fail_input("'{}': block={}: {} has {} dimensions", core::excerpt(arguments.spec().text()),
                     fmt::join(page, "x"), machine.name(), grid.dimension_count());
  page.resize(grid.dimension_count(), 1);
  for (std::size_t d = 0; d < page.size(); ++d)
    page_counts.push_back((grid.dimension(d).extent + page[d] - 1) / page[d]);
  const auto routers = pages(grid, page, page_counts);
  Units units;
  for (const auto number : arguments[curve_order](page_counts, axes_of(grid, arguments))) {
    std::vector<NodeId> nodes;
    for (const RouterId router : routers[static_cast<std::size_t>(number)])
      for (const NodeId node : machine.nodes_on(router))
        if (machine.computes(node)) nodes.push_back(node);
    if (arguments[block]) {
      if (!nodes.empty()) units.push_back(nodes);
    } else {
      for (const NodeId node : nodes) units.push_back({node});
    }
  }
  return units;
}

/// Nodes in the order of a curve; a job gets an interval of it if there is one that is large enough.
class CurveAllocator final : public LocalAllocator {
 public:
  CurveAllocator(const Site& site, const core::Arguments& arguments)
      : LocalAllocator(site),
        fit_(arguments[curve_fit]),
        has_pages_(arguments[block]),
        curve_(site.free, units_along(site.machine(), arguments)) {}

  /// A job gets all of its last page.
  bool counting_suffices() const override { return !has_pages_; }

 private:
  std::optional<Allocation> find(const Request& request) override {
    if (curve_.free_nodes() < request.nodes) return std::nullopt;  // too few whole pages
    if (auto start = fit_(curve_, request.nodes)) return curve_.nodes_from(*start, request.nodes);
    return curve_.nodes_from(least_span(curve_, request.nodes), request.nodes);
  }

  Fit fit_;
  bool has_pages_;
  Curve curve_;
};

}  // namespace

core::Entry<MakeAllocator> curve_allocator() {
  return {"curve",
          "an interval of a curve through the machine, or the shortest stretch with enough free nodes",
          make<CurveAllocator>,
          {curve_order, run, curve_fit, block}};
}

}  // namespace toroid::alloc

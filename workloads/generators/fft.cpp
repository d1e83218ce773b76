#include "workloads/generators/iterated_trace.hpp"

namespace toroid::workloads {
namespace {

const core::Parameter<std::vector<std::int32_t>> points{"points", "points of the grid in space",
                                                        core::extents(3, 1LL << 48U), "256x256x256"};
const core::Parameter<std::vector<std::int32_t>> grid{
    "grid", "rows and columns of the grid of ranks, rank = column + columns * row; with one row slabs, else pencils",
    core::extents(2, 1 << 24U), "1x64"};
const core::Parameter<std::int32_t> fields{"fields", "fields that are transformed, to and fro, in a step",
                                           core::whole<std::int32_t>(1, 1000), "3"};
const core::Parameter<std::int32_t> steps{"steps", "time steps", core::whole<std::int32_t>(0, 1'000'000'000), "5"};
const core::Parameter<std::uint64_t> bytes{"bytes", "bytes of a complex number", core::whole<std::uint64_t>(1, 64),
                                           "16"};
const core::Parameter<double> flops{"flops", "computation for each point, field and step", core::flops(), "300f"};

/// Throws InputError unless the axes can be divided as the grid of ranks asks for.
const core::Arguments& checked(const core::Arguments& arguments) {
  const auto& extents = arguments[points];
  const auto& ranks = arguments[grid];
  const auto text = core::excerpt(arguments.spec().text());
  if (extents.size() != 3) core::fail_input("'{}': points: expected three axes", text);
  if (ranks.size() != 2) core::fail_input("'{}': grid: expected rows and columns, such as 1x64 or 8x8", text);
  const auto divide = [&](std::size_t axis, std::int32_t parts) {
    if (extents[axis] % parts != 0)
      core::fail_input("'{}': {} points along {} cannot be divided evenly among {} ranks", text, extents[axis],
                       "xyz"[axis], parts);
  };
  // Transposed among the ranks of a row: z and y of slabs, y and x of pencils; then among those of a column.
  divide(1, ranks[1]);
  divide(ranks[0] == 1 ? 2 : 0, ranks[1]);
  divide(1, ranks[0]);
  divide(2, ranks[0]);
  return arguments;
}

double points_of_rank(const core::Arguments& arguments) {
  double product = 1;
  for (const auto extent : arguments[points]) product *= extent;
  return product / arguments[grid][0] / arguments[grid][1];
}

/// A spectral code: in each step fields are transformed to Fourier space and back, by 3-D fast Fourier transforms.
/// Slabs: each rank has planes, and all ranks transpose. Pencils: each has lines, and first the ranks of a row
/// transpose, then those of a column. Turbulence was computed so: P. Yeung, S. Pope, B. Sawford, Reynolds number
/// dependence of Lagrangian statistics in large numerical simulations of isotropic turbulence, J. Turbulence 7, 2006.
class SpectralCode final : public IteratedTrace {
 public:
  explicit SpectralCode(const core::Arguments& arguments)
      : IteratedTrace(arguments, checked(arguments)[grid][0] * arguments[grid][1], arguments[steps],
                      points_of_rank(arguments) * arguments[flops] * arguments[fields]),
        bytes_(arguments[bytes] * static_cast<std::uint64_t>(points_of_rank(arguments))) {}

 private:
  void iterate(Rank rank, std::int32_t, Script& script) const override {
    for (const bool forward : {true, false})
      for (std::int32_t field = 0; field < fields_; ++field) transform(rank, forward, 0.5 / fields_, script);
  }

  /// 1-D transforms along an axis, a transposition, along the next axis, ...
  void transform(Rank rank, bool forward, double part, Script& script) const {
    if (rows_ == 1) {
      script.compute(part * 2 / 3);
      transpose(world, columns_, script);
      script.compute(part / 3);
      return;
    }
    const auto row = grid_.row(rank), column = grid_.column(rank);
    script.compute(part / 3);
    transpose(forward ? row : column, forward ? columns_ : rows_, script);
    script.compute(part / 3);
    transpose(forward ? column : row, forward ? rows_ : columns_, script);
    script.compute(part / 3);
  }

  void transpose(CommId comm, CommRank members, Script& script) const {
    if (members > 1)
      script.add({.kind = OpKind::alltoall, .comm = comm, .bytes = bytes_ / static_cast<std::uint64_t>(members)});
  }

  std::int32_t rows_ = given(grid)[0], columns_ = given(grid)[1], fields_ = given(fields);
  std::uint64_t bytes_;  ///< bytes of a field at each rank
  CommGrid grid_ = rows_ > 1 ? add_grid(rows_, columns_) : CommGrid();
};

}  // namespace

core::Entry<MakeTrace> fft_generator() {
  return {"fft",
          "3-D Fourier transforms, by slabs or pencils",
          make_trace<SpectralCode>,
          {points, grid, fields, steps, bytes, flops}};
}

}  // namespace toroid::workloads

#include "workloads/generators/npb/benchmark.hpp"

namespace toroid::workloads::npb {
namespace {

struct Size {
  std::int32_t x, y, z, iterations;

  double points() const { return 1.0 * x * y * z; }
};
constexpr ByClass<Size> sizes(Size{64, 64, 64, 6}, Size{128, 128, 32, 6}, Size{256, 256, 128, 6},
                              Size{512, 256, 256, 20}, Size{512, 512, 512, 20}, Size{2048, 1024, 1024, 25});
constexpr std::uint64_t complex = 2 * word;

const Cost setup{"setup", "initial values: for each point of a rank", core::flops(), "19.6f"};
const Cost fft{"fft", "a transform: for each point of a rank and doubling of the points of the whole", core::flops(),
               "2.02f"};

/// 3-D fast Fourier transforms. Each rank has a slab of planes (one transposition by an all-to-all of all ranks), or,
/// where there are more ranks than planes, pencils (two transpositions, in the rows and the columns of a grid of
/// ranks).
class FourierTransform : public Benchmark {
 public:
  explicit FourierTransform(const Request& request) : Benchmark(request, sizes[request.problem].iterations) {}

 private:
  void begin(Rank rank, Script& script) const override {
    for (int parameter = 0; parameter < 5; ++parameter) script.collective(OpKind::bcast, integer);
    script.compute(setup_);
    transform(rank, true, script);
    script.collective(OpKind::barrier);
    script.compute(setup_);
    transform(rank, true, script);  // timed, but no iteration
  }
  void iterate(Rank rank, std::int32_t, Script& script) const override {
    transform(rank, false, script);
    script.collective(OpKind::reduce, complex);  // a checksum
  }

  /// The axes between transpositions have equal parts of the computation.
  void transform(Rank rank, bool forward, Script& script) const {
    if (rows_ == 1) {
      script.compute(transform_ / 2);
      if (columns_ > 1) transpose(rank, world, columns_, script);
      script.compute(transform_ / 2);
      return;
    }
    const auto row = grid_.row(rank), column = grid_.column(rank);
    script.compute(transform_ / 3);
    transpose(rank, forward ? column : row, forward ? rows_ : columns_, script);
    script.compute(transform_ / 3);
    transpose(rank, forward ? row : column, forward ? columns_ : rows_, script);
    script.compute(transform_ / 3);
  }

  void transpose(Rank rank, CommId comm, CommRank size, Script& script) const {
    all_to_all(rank, comm, bytes_ / static_cast<std::uint64_t>(size), script);
  }

  /// `bytes` from each member of the communicator to each.
  virtual void all_to_all(Rank, CommId comm, std::uint64_t bytes, Script& script) const {
    script.add({.kind = OpKind::alltoall, .comm = comm, .bytes = bytes});
  }

  Size size_ = sizes[problem()];
  std::int32_t rows_ = ranks() > size_.z ? size_.z : 1, columns_ = ranks() / rows_;
  /// Bytes of the field at each rank.
  std::uint64_t bytes_ = complex * static_cast<std::uint64_t>(size_.points()) / static_cast<std::uint64_t>(ranks());
  CommGrid grid_ = rows_ > 1 ? add_grid(rows_, columns_) : CommGrid();
  // Flops of a rank.
  double setup_ = given(setup) * size_.points() / ranks();
  double transform_ = given(fft) * size_.points() / ranks() * std::log2(size_.points());
};

/// FT with messages in the place of all-to-alls: in step s each rank sends to the one s further on.
class PairwiseTransform final : public FourierTransform {
 public:
  using FourierTransform::FourierTransform;

 private:
  void all_to_all(Rank rank, CommId comm, std::uint64_t bytes, Script& script) const override {
    constexpr std::int32_t tag = 77;
    constexpr RequestHandle receive = 0, send = 1;
    const auto& members = communicator(comm);
    const auto me = members.rank_of(rank), n = members.size();
    for (CommRank s = 1; s < n; ++s) {
      script.add({.kind = OpKind::irecv,
                  .comm = comm,
                  .from = (me - s + n) % n,
                  .tag = tag,
                  .request = receive,
                  .bytes = bytes});
      script.add(
          {.kind = OpKind::isend, .comm = comm, .to = (me + s) % n, .tag = tag, .request = send, .bytes = bytes});
      script.wait(receive);
      script.wait(send);
    }
  }
};

bool runs_on(std::int32_t ranks, ProblemClass problem) {
  const auto& size = sizes[problem];
  return std::has_single_bit(static_cast<std::uint32_t>(ranks)) && ranks / size.z <= std::min(size.y, size.z);
}

constexpr std::string_view ranks_in_words = "a power of two up to the number of pencils";

}  // namespace

Kind ft_benchmark() {
  return {
      "ft", "NPB: 3-D fast Fourier transforms", ranks_in_words, runs_on, make<FourierTransform>, all_costs<setup, fft>};
}

Kind ft_pair_benchmark() {
  return {"ft-pair",
          "NPB: FT with pairwise messages for its all-to-alls",
          ranks_in_words,
          runs_on,
          make<PairwiseTransform>,
          all_costs<setup, fft>};
}

}  // namespace toroid::workloads::npb

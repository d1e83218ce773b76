#include "workloads/compact_trace.hpp"
#include "workloads/generators/npb/benchmark.hpp"

namespace toroid::workloads::npb {
namespace {

struct Size {
  int log_keys, log_greatest, log_buckets;
};
constexpr ByClass<Size> sizes(Size{16, 11, 9}, Size{20, 16, 10}, Size{23, 19, 10}, Size{25, 21, 10}, Size{27, 23, 10},
                              Size{31, 27, 10});
constexpr std::int32_t most_iterations = 10;

const Cost make_key{"make-key", "making the keys: for each key of a rank", core::flops(), "150f"};
const Cost count_key{"count-key", "an iteration: for each key that a rank has before and after the exchange",
                     core::flops(), "3.6f"};
const Cost verify_key{"verify-key", "sorting and verifying at the end: for each key of a rank", core::flops(), "7.4f"};
const Cost piece{"piece", "what each piece of computation between collectives takes besides", core::flops(), "2.75kf"};

/// The random numbers of the benchmarks: x' = a x mod 2^46.
class Random {
 public:
  std::uint64_t next() { return x_ = x_ * 1220703125 & ((std::uint64_t{1} << 46U) - 1); }

 private:
  std::uint64_t x_ = 314159265;
};

/// How many keys go from each rank to each, in each iteration: the keys are in buckets by their leading bits, and each
/// rank gets as many buckets as it takes to have its part of all keys.
class Distribution {
 public:
  Distribution(const Size& size, std::int32_t ranks, std::int32_t iterations)
      : size_(size),
        ranks_(static_cast<std::size_t>(ranks)),
        buckets_(std::size_t{1} << size.log_buckets),
        in_bucket_(ranks_ * buckets_) {
    fill_buckets();
    for (std::int32_t iteration = 1; iteration <= iterations; ++iteration) {
      alter_keys(iteration);
      count();
    }
    in_bucket_ = {};  // all that was to be known of the keys
  }

  /// Bytes to (from) each rank in iteration 1, 2, ...
  std::span<const std::uint64_t> sent(Rank rank, std::int32_t iteration) const { return sent_[row(rank, iteration)]; }
  std::span<const std::uint64_t> received(Rank rank, std::int32_t iteration) const {
    return received_[row(rank, iteration)];
  }

 private:
  std::size_t row(Rank rank, std::int32_t iteration) const {
    return static_cast<std::size_t>(iteration - 1) * ranks_ + rank.index();
  }

  /// A key is the mean of four random numbers; its leading bits are those of their sum.
  void fill_buckets() {
    Random random;
    const auto keys = (std::uint64_t{1} << size_.log_keys) / ranks_;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      auto* mine = &in_bucket_[rank * buckets_];
      for (std::uint64_t key = 0; key < keys; ++key) {
        std::uint64_t sum = 0;
        for (int i = 0; i < 4; ++i) sum += random.next();
        const auto bucket = static_cast<std::size_t>(sum >> (48 - size_.log_buckets));
        ++mine[bucket];
        if (rank == 0 && key <= 2 * most_iterations) first_keys_.push_back(bucket);
      }
    }
  }

  /// Iteration i sets key i of rank 0 to i, and key i + 10 to the greatest less i.
  void alter_keys(std::int32_t iteration) {
    const auto i = static_cast<std::size_t>(iteration);
    const auto shift = size_.log_greatest - size_.log_buckets;
    const auto alter = [&](std::size_t index, std::size_t key) {
      --in_bucket_[first_keys_[index]];
      first_keys_[index] = key >> shift;
      ++in_bucket_[first_keys_[index]];
    };
    alter(i, i);
    alter(i + most_iterations, (std::size_t{1} << size_.log_greatest) - i);
  }

  /// The rank that gets each bucket.
  std::vector<std::size_t> owners() const {
    const auto keys = (std::uint64_t{1} << size_.log_keys) / ranks_;
    std::vector<std::size_t> owners(buckets_);
    std::uint64_t sum = 0;
    std::size_t owner = 0;
    for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
      owners[bucket] = owner;
      for (std::size_t rank = 0; rank < ranks_; ++rank) sum += in_bucket_[rank * buckets_ + bucket];
      if (sum >= (owner + 1) * keys && owner + 1 < ranks_) ++owner;
    }
    return owners;
  }

  void count() {
    const auto owner = owners();
    std::vector<std::vector<std::uint64_t>> sent(ranks_, std::vector<std::uint64_t>(ranks_)), received = sent;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      for (std::size_t bucket = 0; bucket < buckets_; ++bucket)
        sent[rank][owner[bucket]] += integer * in_bucket_[rank * buckets_ + bucket];
      for (std::size_t to = 0; to < ranks_; ++to) received[to][rank] = sent[rank][to];
    }
    for (auto& row : sent) sent_.push_back(rows_.keep(std::move(row)));
    for (auto& row : received) received_.push_back(rows_.keep(std::move(row)));
  }

  Size size_;
  std::size_t ranks_, buckets_;
  std::vector<std::uint32_t> in_bucket_;  ///< keys of each rank in each bucket
  std::vector<std::size_t> first_keys_;   ///< buckets of the first keys of rank 0, which the iterations alter
  /// The rows of all iterations, of which a few change from one to the next.
  SharedLists<std::uint64_t> rows_;
  std::vector<std::span<const std::uint64_t>> sent_, received_;  ///< bytes in each iteration, a row for each rank
};

/// Integer sort: ranks tell each other how many keys are in which bucket, and give each bucket to the rank that sorts
/// it.
class IntegerSort final : public Benchmark {
 public:
  explicit IntegerSort(const Request& request) : Benchmark(request, most_iterations) {}

 private:
  void begin(Rank rank, Script& script) const override {
    script.collective(OpKind::bcast, integer);
    script.compute(make_key_ * keys_);
    iterate(rank, 1, script);
  }

  void iterate(Rank rank, std::int32_t iteration, Script& script) const override {
    constexpr std::uint64_t test_values = 5;
    script.compute(count_key_ * keys_ + piece_);
    script.collective(OpKind::allreduce, (buckets_ + test_values) * integer);
    script.compute(piece_);
    script.collective(OpKind::alltoall, integer);
    script.compute(piece_);
    script.add({.kind = OpKind::alltoallv,
                .send_counts = distribution_.sent(rank, iteration),
                .recv_counts = distribution_.received(rank, iteration)});
    script.compute(count_key_ * received_keys(rank, iteration));
  }

  /// The time, and whether the greatest key of each rank is below those of the next.
  void finish(Rank rank, Script& script) const override {
    constexpr std::int32_t tag = 1000;
    const bool first = rank == 0, last = rank.value() == ranks() - 1;
    script.collective(OpKind::reduce, word);
    script.compute(verify_key_ * received_keys(rank, iterations()));
    if (!first) script.irecv(rank.value() - 1, tag, integer, 0);
    if (!last) script.send(rank.value() + 1, tag, integer);
    if (!first) script.wait(0);
    script.collective(OpKind::reduce, integer);
  }

  /// Each sorts other keys.
  Same same_iterations() const override { return {1, 0}; }

  /// The keys that a rank has to rank after the exchange.
  double received_keys(Rank rank, std::int32_t iteration) const {
    const auto bytes = distribution_.received(rank, iteration);
    return static_cast<double>(std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0})) / integer;
  }

  double keys_ = std::ldexp(1.0, sizes[problem()].log_keys) / ranks();  ///< number of keys that a rank makes
  std::uint64_t buckets_ = std::uint64_t{1} << sizes[problem()].log_buckets;
  Distribution distribution_{sizes[problem()], ranks(), iterations()};
  double make_key_ = given(make_key), count_key_ = given(count_key), verify_key_ = given(verify_key),
         piece_ = given(piece);
};

bool runs_on(std::int32_t ranks, ProblemClass problem) {
  const std::int32_t least = problem == ProblemClass::D ? 4 : 1, most = problem == ProblemClass::S ? 128 : 1024;
  return std::has_single_bit(static_cast<std::uint32_t>(ranks)) && ranks >= least && ranks <= most;
}

}  // namespace

Kind is_benchmark() {
  return {"is",    "NPB: integer sort", "a power of two up to 1024 (class S: up to 128; D: 4 and more)",
          runs_on, make<IntegerSort>,   all_costs<make_key, count_key, verify_key, piece>};
}

}  // namespace toroid::workloads::npb

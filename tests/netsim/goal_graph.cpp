#include "tests/netsim/goal_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <queue>
#include <set>
#include <tuple>

namespace toroid::test {

std::string GoalGraph::text() const {
  auto text = fmt::format("num_ranks {}\n", size());
  for (int rank = 0; rank < size(); ++rank) {
    text += fmt::format("rank {} {{\n", rank);
    std::string requirements;  // behind all operations: they may stand in any order
    for (std::size_t i = 0; i < of(rank).size(); ++i) {
      const auto& op = of(rank)[i];
      text += fmt::format("o{}: ", i);
      if (op.kind == Operation::Kind::calculate)
        text += fmt::format("calc {}", op.amount);
      else
        text += fmt::format("{} {}b {} {} tag {}", op.kind == Operation::Kind::send ? "send" : "recv", op.amount,
                            op.kind == Operation::Kind::send ? "to" : "from", op.peer, op.tag);
      text += op.cpu == 0 ? "\n" : fmt::format(" cpu {}\n", op.cpu);
      for (const auto other : op.ended) requirements += fmt::format("o{} requires o{}\n", i, other);
      for (const auto other : op.begun) requirements += fmt::format("o{} irequires o{}\n", i, other);
    }
    text += requirements + "}\n";
  }
  return text;
}

namespace {

/// A run of a graph, event by event.
class Run {
 public:
  Run(const GoalGraph& graph, double latency, double per_byte)
      : graph_(graph), latency_(latency), per_byte_(per_byte), ranks_(static_cast<std::size_t>(graph.size())) {
    for (int rank = 0; rank < graph.size(); ++rank) ranks_[index(rank)].states.resize(graph.of(rank).size());
  }

  double time() {
    for (int rank = 0; rank < graph_.size(); ++rank)
      for (std::size_t i = 0; i < graph_.of(rank).size(); ++i) look_at(rank, i);
    for (int rank = 0; rank < graph_.size(); ++rank) go_on(rank);
    while (!events_.empty()) {
      const auto [time, order, rank, number] = events_.top();
      events_.pop();
      now_ = time;
      if (const auto& op = graph_.of(rank)[number]; op.kind == Kind::calculate)
        ranks_[index(rank)].cpus[op.cpu].busy = false;
      end(rank, number);
      go_on(rank);
    }
    for (int rank = 0; rank < graph_.size(); ++rank)
      for (const auto& state : ranks_[index(rank)].states)
        if (!state.ended) return -1;
    return now_;
  }

 private:
  using Kind = GoalGraph::Operation::Kind;
  struct State {
    bool next = false, begun = false, ended = false;
  };
  struct Cpu {
    std::set<std::size_t> messages;                         ///< that can begin
    std::set<std::pair<double, std::size_t>> calculations;  ///< the same, by since when
    bool busy = false;
  };
  struct OfRank {
    std::vector<State> states;
    std::map<int, Cpu> cpus;
  };
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

  /// Whether the operation can begin now and could not before.
  void look_at(int rank, std::size_t i) {
    auto& mine = ranks_[index(rank)];
    const auto& op = graph_.of(rank)[i];
    const auto has_ended = [&](std::size_t other) { return mine.states[other].ended; };
    const auto has_begun = [&](std::size_t other) { return mine.states[other].begun; };
    if (mine.states[i].next || !std::ranges::all_of(op.ended, has_ended) || !std::ranges::all_of(op.begun, has_begun))
      return;
    mine.states[i].next = true;
    if (op.kind != Kind::calculate) {
      mine.cpus[op.cpu].messages.insert(i);
    } else if (op.amount > 0) {
      mine.cpus[op.cpu].calculations.emplace(now_, i);
    } else {
      begin(rank, i);
      end(rank, i);
    }
  }
  void look_at_all(int rank) {
    for (std::size_t i = 0; i < graph_.of(rank).size(); ++i) look_at(rank, i);
  }
  void begin(int rank, std::size_t i) {
    ranks_[index(rank)].states[i].begun = true;
    look_at_all(rank);
  }
  void end(int rank, std::size_t i) {
    ranks_[index(rank)].states[i].ended = true;
    look_at_all(rank);
  }

  void go_on(int rank) {
    auto& mine = ranks_[index(rank)];
    while (true) {
      Cpu *with_message = nullptr, *with_calculation = nullptr;
      for (auto& [number, cpu] : mine.cpus) {
        if (cpu.busy) continue;
        if (!cpu.messages.empty() && (!with_message || *cpu.messages.begin() < *with_message->messages.begin()))
          with_message = &cpu;
        if (!cpu.calculations.empty() && !with_calculation) with_calculation = &cpu;
      }
      if (with_message != nullptr) {
        const auto i = *with_message->messages.begin();
        with_message->messages.erase(i);
        post(rank, i);
      } else if (with_calculation != nullptr) {
        const auto i = with_calculation->calculations.begin()->second;
        with_calculation->calculations.erase(with_calculation->calculations.begin());
        with_calculation->busy = true;
        begin(rank, i);
        events_.emplace(now_ + static_cast<double>(graph_.of(rank)[i].amount) * 1e-9, order_++, rank, i);
      } else {
        return;
      }
    }
  }

  void post(int rank, std::size_t i) {
    const auto& op = graph_.of(rank)[i];
    begin(rank, i);
    if (op.kind == Kind::send) {
      const double arrival = now_ + latency_ + per_byte_ * static_cast<double>(op.amount);
      auto& channel = channels_[{rank, op.peer, op.tag}];
      if (channel.receives.empty()) {
        channel.arrivals.push_back(arrival);
      } else {
        events_.emplace(arrival, order_++, op.peer, channel.receives.front());
        channel.receives.pop_front();
      }
      end(rank, i);
      return;
    }
    auto& channel = channels_[{op.peer, rank, op.tag}];
    if (channel.arrivals.empty()) {
      channel.receives.push_back(i);
      return;
    }
    const double arrival = channel.arrivals.front();
    channel.arrivals.pop_front();
    if (arrival <= now_)
      end(rank, i);
    else
      events_.emplace(arrival, order_++, rank, i);
  }

  struct Channel {
    std::deque<double> arrivals;       ///< of messages that nobody has received
    std::deque<std::size_t> receives;  ///< that nobody has sent to
  };
  using Event = std::tuple<double, std::uint64_t, int, std::size_t>;

  const GoalGraph& graph_;
  double latency_, per_byte_;
  std::vector<OfRank> ranks_;
  std::map<std::tuple<int, int, int>, Channel> channels_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  double now_ = 0;
  std::uint64_t order_ = 0;
};

// --- patterns ---

int around(int rank, int ranks) {
  return ((rank % ranks) + ranks) % ranks;
}

/// Rank r is the child of r without its highest bit.
int highest_bit(int rank) {
  int bit = 1;
  while (2 * bit <= rank) bit *= 2;
  return bit;
}

/// Down the binomial tree in which a parent serves its near children first.
GoalGraph binomial_bcast(int ranks, std::uint64_t bytes) {
  GoalGraph graph(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const int got = rank == 0 ? -1 : graph.receive(rank, rank - highest_bit(rank), bytes);
    for (int bit = rank == 0 ? 1 : 2 * highest_bit(rank); rank + bit < ranks; bit *= 2)
      graph.require(rank, graph.send(rank, rank + bit, bytes), got);
  }
  return graph;
}

GoalGraph binomial_reduce(int ranks, std::uint64_t bytes) {
  GoalGraph graph(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<int> got;
    for (int bit = rank == 0 ? 1 : 2 * highest_bit(rank); rank + bit < ranks; bit *= 2)
      got.push_back(graph.receive(rank, rank + bit, bytes));
    if (rank == 0) continue;
    const int sent = graph.send(rank, rank - highest_bit(rank), bytes);
    for (const int receive : got) graph.require(rank, sent, receive);
  }
  return graph;
}

GoalGraph binary_bcast(int ranks, std::uint64_t bytes) {
  GoalGraph graph(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const int got = rank == 0 ? -1 : graph.receive(rank, (rank - 1) / 2, bytes);
    for (const int child : {2 * rank + 1, 2 * rank + 2})
      if (child < ranks) graph.require(rank, graph.send(rank, child, bytes), got);
  }
  return graph;
}

GoalGraph scatter(int ranks, std::uint64_t bytes) {
  GoalGraph graph(ranks);
  for (int rank = 1; rank < ranks; ++rank) {
    graph.send(0, rank, bytes);
    graph.receive(rank, 0, bytes);
  }
  return graph;
}

GoalGraph gather(int ranks, std::uint64_t bytes) {
  GoalGraph graph(ranks);
  for (int rank = 1; rank < ranks; ++rank) {
    graph.receive(0, rank, bytes);
    graph.send(rank, 0, bytes);
  }
  return graph;
}

/// All report to a counter, and are released by it.
GoalGraph linear_barrier(int ranks, std::uint64_t /*bytes*/) {
  GoalGraph graph(ranks);
  const int all = graph.calculate(0, 0);
  for (int rank = 1; rank < ranks; ++rank) {
    graph.require(0, all, graph.receive(0, rank, 1));
    graph.require(0, graph.send(0, rank, 1), all);
    graph.send(rank, 0, 1);
    graph.receive(rank, 0, 1);
  }
  return graph;
}

/// One dissemination of a rank, with operations that require `begin` first. Returns the last receive.
int disseminate(GoalGraph& graph, int rank, std::uint64_t bytes, int tag, int begin) {
  int got = begin;
  for (int distance = 1; distance < graph.size(); distance *= 2) {
    graph.require(rank, graph.send(rank, around(rank + distance, graph.size()), bytes, tag), got);
    const int receive = graph.receive(rank, around(rank - distance, graph.size()), bytes, tag);
    graph.require(rank, receive, begin);
    got = receive;
  }
  return got;
}

GoalGraph dissemination(int ranks, std::uint64_t bytes) {
  GoalGraph graph(ranks);
  for (int rank = 0; rank < ranks; ++rank) disseminate(graph, rank, bytes, 0, -1);
  return graph;
}

/// To w (n+1)^r ranks further on for w = 1 ... n in round r; what comes in is added up before the next round.
GoalGraph nway_dissemination(int ranks, std::uint64_t bytes) {
  constexpr int ways = 2;
  GoalGraph graph(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<int> got;
    for (int distance = 1; distance < ranks; distance *= ways + 1) {
      std::vector<int> sent;
      for (int way = 1; way <= ways; ++way)
        sent.push_back(graph.send(rank, around(rank + way * distance, ranks), bytes));
      if (!got.empty()) {
        int sum = got[0];
        for (std::size_t way = 1; way < got.size(); ++way) {
          const int next = graph.calculate(rank, bytes);
          graph.require(rank, next, got[way]);
          graph.require(rank, next, sum);
          sum = next;
        }
        const int last = graph.calculate(rank, bytes);
        graph.require(rank, last, got[0]);
        graph.require(rank, sent.back(), sum);
        for (const int send : sent) graph.require(rank, send, last);
      }
      got.clear();
      for (int way = 1; way <= ways; ++way)
        got.push_back(graph.receive(rank, around(rank - way * distance, ranks), bytes));
    }
  }
  return graph;
}

GoalGraph pipeline(int ranks, std::uint64_t bytes, bool dependent) {
  constexpr int segments = 5;
  GoalGraph graph(ranks);
  for (int rank = 0; rank < ranks; ++rank)
    for (int segment = 0, sent = -1; segment < segments; ++segment) {
      const int got = rank == 0 ? -1 : graph.receive(rank, rank - 1, bytes / segments);
      if (dependent) graph.require(rank, got, sent);
      sent = rank + 1 == ranks ? -1 : graph.send(rank, rank + 1, bytes / segments);
      graph.require(rank, sent, got);
    }
  return graph;
}
GoalGraph pipelined_ring(int ranks, std::uint64_t bytes) {
  return pipeline(ranks, bytes, false);
}
GoalGraph dependent_pipelined_ring(int ranks, std::uint64_t bytes) {
  return pipeline(ranks, bytes, true);
}

/// Once round the ring, and once the other way round, both begun by rank 0.
GoalGraph double_ring(int ranks, std::uint64_t bytes) {
  GoalGraph graph(ranks);
  for (int rank = 0; rank < ranks; ++rank)
    for (const int way : {1, -1}) {
      const int sent = graph.send(rank, around(rank + way, ranks), bytes);
      const int got = graph.receive(rank, around(rank - way, ranks), bytes);
      if (rank > 0) graph.require(rank, sent, got);
    }
  return graph;
}

/// A rank of one half, of a shuffled deck of ranks, with one of the other half.
std::vector<std::pair<int, int>> pairs_of(int ranks) {
  std::vector<int> deck;
  for (int rank = 0; rank < ranks; ++rank)
    deck.push_back(around(rank * 7 + 3, ranks));  // 7 divides no size that is used
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t i = 0; i < deck.size() / 2; ++i) pairs.emplace_back(deck[i], deck[i + deck.size() / 2]);
  return pairs;
}
GoalGraph bisection(int ranks, std::uint64_t bytes) {
  GoalGraph graph(ranks);
  for (const auto& [from, to] : pairs_of(ranks)) {
    graph.send(from, to, bytes);
    graph.receive(to, from, bytes);
  }
  return graph;
}
GoalGraph bisection_both_ways(int ranks, std::uint64_t bytes) {
  GoalGraph graph(ranks);
  for (const auto& [a, b] : pairs_of(ranks)) {
    graph.send(a, b, bytes);
    graph.receive(a, b, bytes);
    graph.receive(b, a, bytes);
    graph.send(b, a, bytes);
  }
  return graph;
}

GoalGraph alltoall_of(int ranks, std::uint64_t (*size)(int from, int to, std::uint64_t), std::uint64_t bytes) {
  GoalGraph graph(ranks);
  for (int rank = 0; rank < ranks; ++rank)
    for (int step = 1; step < ranks; ++step) {
      const int to = around(rank + step, ranks), from = around(rank - step, ranks);
      graph.send(rank, to, size(rank, to, bytes));
      graph.receive(rank, from, size(from, rank, bytes));
    }
  return graph;
}
GoalGraph alltoall(int ranks, std::uint64_t bytes) {
  return alltoall_of(
      ranks, [](int, int, std::uint64_t each) { return each; }, bytes);
}
GoalGraph alltoallv(int ranks, std::uint64_t bytes) {
  return alltoall_of(
      ranks,
      [](int from, int to, std::uint64_t most) {
        return 1 + most * static_cast<std::uint64_t>((from * 5 + to * 3) % 11) / 11;
      },
      bytes);
}

/// Recursive halving, and doubling.
GoalGraph recursive_doubling(int ranks, std::uint64_t bytes) {
  GoalGraph graph(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    int got = -1;
    const auto swap = [&](int mask, std::uint64_t size) {
      graph.require(rank, graph.send(rank, rank ^ mask, size), got);
      got = graph.receive(rank, rank ^ mask, size);
    };
    std::uint64_t size = bytes;
    int mask = 1;
    for (; mask < ranks; mask *= 2) swap(mask, size /= 2);
    for (; mask > 1; size *= 2) swap(mask /= 2, size);
  }
  return graph;
}

GoalGraph ring_allreduce(int ranks, std::uint64_t bytes) {
  GoalGraph graph(ranks);
  for (int rank = 0; rank < ranks; ++rank)
    for (int step = 0, got = -1; step < 2 * (ranks - 1); ++step) {
      graph.require(rank, graph.send(rank, around(rank + 1, ranks), bytes / static_cast<std::uint64_t>(ranks)), got);
      got = graph.receive(rank, around(rank - 1, ranks), bytes / static_cast<std::uint64_t>(ranks));
    }
  return graph;
}

/// A training step: computations one after the other, and a collective beside them for each that has ended.
GoalGraph training(int ranks, std::uint64_t bytes) {
  GoalGraph graph(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const int forward = graph.calculate(rank, 119000);
    for (int layer = 0; layer < 10; ++layer) {
      const int backward = graph.calculate(rank, 23800);
      graph.require(rank, backward, forward);
      const int done = graph.calculate(rank, 0);
      graph.require(rank, done, backward);
      disseminate(graph, rank, bytes + static_cast<std::uint64_t>(layer), 100 + layer, done);
    }
  }
  return graph;
}

}  // namespace

double GoalGraph::time(double latency, double per_byte) const {
  return Run(*this, latency, per_byte).time();
}

const std::vector<GoalPattern>& goal_patterns() {
  static const std::vector<GoalPattern> patterns{{"binary tree bcast", binary_bcast},
                                                 {"binomial tree bcast", binomial_bcast},
                                                 {"binomial tree reduce", binomial_reduce},
                                                 {"n-way dissemination", nway_dissemination},
                                                 {"pipelined ring", pipelined_ring},
                                                 {"pipelined ring, dependent", dependent_pipelined_ring},
                                                 {"double ring", double_ring},
                                                 {"gather", gather},
                                                 {"scatter", scatter},
                                                 {"linear barrier", linear_barrier},
                                                 {"dissemination", dissemination},
                                                 {"random bisection", bisection},
                                                 {"random bisection, both ways", bisection_both_ways},
                                                 {"linear alltoall", alltoall},
                                                 {"linear alltoallv", alltoallv},
                                                 {"allreduce by recursive doubling", recursive_doubling},
                                                 {"allreduce by a ring", ring_allreduce},
                                                 {"training step", training}};
  return patterns;
}

}  // namespace toroid::test

#include "toroid/workloads/summary.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <sstream>

#include "tests/support/support.hpp"
#include "toroid/core/json.hpp"
#include "toroid/core/text.hpp"
#include "workloads/formats/formats.hpp"

namespace toroid::workloads {
namespace {

using test::shared_data;
using test::trace_of;

TEST_CASE("A matrix has the bytes from row to column") {
  const auto matrix = point_to_point_matrix(
      *trace_of("0 send 1 0 10 6\n0 isend 2 0 5 6\n0 send 1 9 1 0\n1 recv 0 0 10 6\n2 send 0 0 0 6\n"));
  CHECK(matrix_csv(matrix) == "0,18,5\n0,0,0\n0,0,0\n");
  CHECK(matrix_csv(matrix, true) == "0,2,1\n0,0,0\n1,0,0\n");
  CHECK(matrix.total_bytes() == 23);
  CHECK(matrix.total_messages() == 4);
}

TEST_CASE("The send of a send-receive counts, its receive does not") {
  CHECK(matrix_csv(point_to_point_matrix(*trace_of("0 sendRecv 10 1 99 2 6 6\n1 barrier\n2 barrier\n"))) ==
        "0,10,0\n0,0,0\n0,0,0\n");
}

TEST_CASE("Messages to oneself and to no process are not in the matrix") {
  const auto matrix = point_to_point_matrix(*trace_of("0 send 0 0 10 6\n0 send -333 0 10 6\n1 barrier\n"));
  CHECK(matrix.total_messages() == 0);
  CHECK(matrix_csv(matrix) == "0,0\n0,0\n");
}

TEST_CASE("Rows list the receivers in ascending order") {
  const auto matrix =
      point_to_point_matrix(*trace_of("0 send 3 0 1 6\n0 send 1 0 1 6\n0 send 2 0 1 6\n1 barrier\n"
                                      "2 barrier\n3 barrier\n"));
  std::vector<Rank> receivers;
  for (const auto& cell : matrix.rows[0]) receivers.push_back(cell.to);
  CHECK(receivers == std::vector<Rank>{1, 2, 3});
}

TEST_CASE("Ranks of a communicator are counted as world ranks") {
  CompactTrace trace(4);
  trace.add_communicator(Communicator({3, 2}));
  trace.add(2, {.kind = OpKind::send, .comm = 1, .to = 0, .bytes = 8});
  trace.finish();
  CHECK(matrix_csv(point_to_point_matrix(trace)) == "0,0,0,0\n0,0,0,0\n0,0,0,8\n0,0,0,0\n");
}

TEST_CASE("A collective adds the messages of its algorithm") {
  const auto trace = trace_of("0 bcast 10 0 6\n1 bcast 10 0 6\n2 bcast 10 0 6\n3 bcast 10 0 6\n");
  CHECK(point_to_point_matrix(*trace).total_messages() == 0);
  CHECK(matrix_csv(communication_matrix(*trace, CollectiveChoice::parse("default:bcast=binomial"))) ==
        "0,10,10,0\n0,0,0,0\n0,0,0,10\n0,0,0,0\n");
  CHECK(matrix_csv(communication_matrix(*trace, CollectiveChoice::parse("default:bcast=linear"))) ==
        "0,10,10,10\n0,0,0,0\n0,0,0,0\n0,0,0,0\n");
}

TEST_CASE("A collective of a communicator adds messages between its members only") {
  CompactTrace trace(4);
  const auto comm = trace.add_communicator(Communicator({3, 1}));
  for (const Rank r : std::vector<Rank>{1, 3})
    trace.add(r, {.kind = OpKind::bcast, .comm = comm, .root = 0, .bytes = 8});
  trace.finish();
  CHECK(matrix_csv(communication_matrix(trace, CollectiveChoice::parse("default"))) ==
        "0,0,0,0\n0,0,0,0\n0,0,0,0\n0,8,0,0\n");
}

TEST_CASE("Collectives and messages add up") {
  const auto trace = trace_of("0 send 1 0 3 6\n0 bcast 10 0 6\n1 recv 0 0 3 6\n1 bcast 10 0 6\n");
  CHECK(matrix_csv(communication_matrix(*trace, CollectiveChoice::parse("default"))) == "0,13\n0,0\n");
}

TEST_CASE("A summary counts operations, messages, bytes and partners") {
  const auto s = summarize(*trace_of(
      "0 compute 5\n0 send 1 0 10 6\n0 send 1 0 10 6\n0 isend 2 0 7 6\n0 send 0 0 2 6\n0 send -333 0 9 6\n0 sleep 0.5\n"
      "1 compute 2.5\n1 sendRecv 4 0 4 0 6 6\n1 recv 0 0 10 6\n2 barrier\n"));
  CHECK(s.ranks == 3);
  CHECK(s.operations == 11);
  CHECK(s.by_kind[static_cast<std::size_t>(OpKind::send)] == 4);
  CHECK(s.by_kind[static_cast<std::size_t>(OpKind::sendrecv)] == 1);
  CHECK(s.by_kind[static_cast<std::size_t>(OpKind::barrier)] == 1);
  CHECK(s.messages == 5);
  CHECK(s.self_messages == 1);
  CHECK(s.bytes == 33);
  CHECK(s.bytes_max_rank == 29);
  CHECK(s.flops == 7.5);
  CHECK(s.slept_seconds == 0.5);
  CHECK(s.partners_min == 0);
  CHECK(s.partners_max == 2);
  CHECK(s.partners_mean == 1);
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The CSV text with the cells on its diagonal at 0: messages of ranks to themselves.
std::string without_diagonal(const std::string& csv) {
  std::istringstream rows(csv);
  std::string text, row;
  for (std::size_t r = 0; std::getline(rows, row); ++r) {
    const auto cells = core::split(row, ',');
    for (std::size_t c = 0; c < cells.size(); ++c)
      text += (c == 0 ? "" : ",") + (c == r ? std::string("0") : std::string(cells[c]));
    text += "\n";
  }
  return text;
}

TEST_CASE("Matrices and summaries of captured traces are those of an independent program") {
  for (const std::string name : {"cg.A.64", "mg.A.64", "is.A.64", "bt.S.16", "lu.S.16"}) {
    const auto path = shared_data("traces/" + name + "/trace.ti.zst");
    if (path.empty()) return;
    CAPTURE(name);
    const auto trace = read_ti(path);
    const bool same_matrix = matrix_csv(point_to_point_matrix(*trace)) ==
                             without_diagonal(text_of(shared_data("traces/" + name + "/matrix.csv")));
    CHECK(same_matrix);
    const auto stats = core::Json::parse(text_of(shared_data("traces/" + name + "/stats.json")));
    const auto s = summarize(*trace);
    CHECK(s.ranks == stats["ranks"].get<std::int32_t>());
    CHECK(s.messages == stats["sends"].get<std::uint64_t>());
    CHECK(s.bytes == stats["p2p_bytes"].get<std::uint64_t>());
    CHECK(s.flops == Approx(stats["compute_flops"].get<double>()).epsilon(1e-5));
    for (std::size_t k = 0; k < op_kind_count; ++k) {
      const std::string action(to_string(static_cast<OpKind>(k)));
      CAPTURE(action);
      CHECK(s.by_kind[k] == stats["actions"].value(action, std::uint64_t{0}));
    }
    if (s.self_messages > 0) continue;  // stats.json counts a rank as its own partner
    CHECK(s.partners_min == stats["degree_min"].get<std::size_t>());
    CHECK(s.partners_max == stats["degree_max"].get<std::size_t>());
    CHECK(s.partners_mean == Approx(stats["degree_avg"].get<double>()).margin(5e-4));
  }
}

TEST_CASE("The diagonal ranks of CG send to themselves") {
  const auto path = shared_data("traces/cg.A.64/trace.ti.zst");
  if (path.empty()) return;
  CHECK(summarize(*read_ti(path)).self_messages == 8 * 416);
}

}  // namespace
}  // namespace toroid::workloads

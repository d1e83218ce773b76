#include "workloads/matrices/matrices.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <sstream>
#include <tuple>

#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::workloads {
namespace {

using test::Scratch;

/// The matrix in a file of that name with that text.
CommunicationMatrix read(const std::string& name, const std::string& text) {
  const Scratch scratch;
  const auto path = scratch.write(name, text);
  const auto* format = matrix_format_of(path);
  REQUIRE(format != nullptr);
  return format->make.read(path);
}

/// The message for such a file, without the path in front.
std::string error_of_matrix(const std::string& name, const std::string& text) {
  const Scratch scratch;
  const auto path = scratch.write(name, text);
  const auto error = test::error_of([&] {
    const auto* format = matrix_format_of(path);
    if (format != nullptr) format->make.read(path);
  });
  CHECK(error.starts_with(path));
  CHECK(error.find('\n') == std::string::npos);
  return error.size() > path.size() ? error.substr(path.size() + 1) : error;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Ranks, and who sends how much in how many messages.
std::string text_of(const CommunicationMatrix& matrix) {
  return matrix_formats().find(core::Spec::parse("list")).make.text(matrix);
}

TEST_CASE("A table has the bytes from row to column") {
  CHECK(matrix_csv(read("m.csv", "0,18,5\n0,0,0\n# comment\n\n 1, 2 ,0\r\n")) == "0,18,5\n0,0,0\n1,2,0\n");
  CHECK(matrix_csv(read("m.csv", "0")) == "0\n");
}

TEST_CASE("A list has a line for each pair; pairs may stand again and then add up") {
  CHECK(text_of(read("m", "# made by hand\nfrom,to,bytes\n0,2,10\n2,1,1e3\n0,2,5\n0,1,0\n")) ==
        "from,to,bytes,messages\n0,1,0,1\n0,2,15,2\n2,1,1000,1\n");
  CHECK(text_of(read("m", "from,to,bytes,messages\n1,0,10,4\n1,0,1,3\n")) == "from,to,bytes,messages\n1,0,11,7\n");
}

TEST_CASE("The last rank of a list need not communicate") {
  const auto matrix = read("m.csv", "from,to,bytes,messages\n0,1,8,1\n3,3,0,0\n");
  CHECK(matrix.rows.size() == 4);
  CHECK(text_of(matrix) == "from,to,bytes,messages\n0,1,8,1\n3,3,0,0\n");
}

TEST_CASE("Messages to oneself are left out") {
  CHECK(read("m.csv", "9,1\n0,9\n").total_bytes() == 1);
  CHECK(read("m.csv", "from,to,bytes\n0,0,9\n0,1,1\n").total_messages() == 1);
}

/// Some matrix; symmetric ones as graphs are.
CommunicationMatrix some_matrix(core::Random& random, bool symmetric) {
  CommunicationMatrix matrix;
  matrix.rows.resize(1 + random.below(12));
  const auto ranks = matrix.rows.size();
  for (const Rank from : core::ids<Rank>(ranks))
    for (const Rank to : core::ids<Rank>(ranks))
      if (symmetric ? from < to : from != to)
        if (random.unit() < 0.3) {
          const auto bytes = 1 + random.below(1U << 30U);
          matrix.rows[from].push_back({to, bytes, 1 + random.below(9)});
          if (symmetric) matrix.rows[to].push_back({from, bytes, 1});
        }
  return matrix;
}

/// A name by which files of a format are known.
std::string name_for(std::string_view format) {
  const std::map<std::string_view, std::string> names{{"table", "m.csv"}, {"metis", "m.graph"}, {"qaplib", "m.dat"}};
  const auto found = names.find(format);
  return found == names.end() ? "m" : found->second;
}

TEST_CASE("What is written is read again as it was") {
  core::Random random(1, "test/matrices");
  for (int round = 0; round < 20; ++round)
    for (const auto& format : matrix_formats().entries()) {
      const auto matrix = some_matrix(random, format.name == "metis");
      INFO(format.name << " with " << matrix.rows.size() << " ranks");
      const auto again = read(name_for(format.name), format.make.text(matrix));
      CHECK(matrix_csv(again) == matrix_csv(matrix));
      if (format.name == "list") CHECK(text_of(again) == text_of(matrix));
    }
}

TEST_CASE("Dense formats are written line by line") {
  CommunicationMatrix matrix;
  matrix.rows.resize(300);
  for (const auto& format : matrix_formats().entries()) {
    if (!format.make.is_dense) continue;
    CAPTURE(format.name);
    std::size_t longest = 0, all = 0;
    format.make.write(matrix, [&](std::string_view part) {
      longest = std::max(longest, part.size());
      all += part.size();
    });
    CHECK(all >= 2 * 300 * 300);
    CHECK(longest <= 2 * 300);
  }
  CHECK(matrix_formats().find("table").make.is_dense);
}

TEST_CASE("A graph has what two ranks send each other, both ways together") {
  const auto matrix = read("m.csv", "0,5,0,0\n2,0,0,0\n0,9,0,0\n0,0,0,0\n");
  const auto written = [&](std::string_view format) { return matrix_formats().find(format).make.text(matrix); };
  CHECK(written("metis") == "4 2 001\n2 7\n1 7 3 9\n2 9\n\n");
  CHECK(matrix_csv(read("m.graph", written("metis"))) == "0,4,0,0\n3,0,5,0\n0,4,0,0\n0,0,0,0\n");
  CHECK(written("qaplib") == "4\n\n0 5 0 0\n2 0 0 0\n0 9 0 0\n0 0 0 0\n\n0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0\n");
}

TEST_CASE("Graphs may have no weights, weights of vertices and comments") {
  CHECK(matrix_csv(read("m.graph", "% made by hand\n3 2\n2\n1 3\n2\n")) == "0,1,0\n0,0,1\n0,0,0\n");
  CHECK(matrix_csv(read("m.graph", "2 1 111 2\n7 8 9 2 10\n7 8 9 1 10\n")) == "0,5\n5,0\n");
}

TEST_CASE("Graphs that are none are errors") {
  CHECK(contains(error_of_matrix("m.graph", ""), "the graph is empty"));
  CHECK(error_of_matrix("m.graph", "2 1 2\n") == "1: found '2 1 2', expected VERTICES EDGES [FORMAT [WEIGHTS]]");
  CHECK(contains(error_of_matrix("m.graph", "2 1\n2\n"), "found 1 vertices, expected 2"));
  CHECK(contains(error_of_matrix("m.graph", "2 1 1\n2\n1\n"), "2: found 1 numbers"));
  CHECK(contains(error_of_matrix("m.graph", "2 1\n3\n1\n"), "2: found '3', expected a vertex, 1 to 2"));
  CHECK(contains(error_of_matrix("m.graph", "2 1\n1\n1\n"), "2: found an edge of a vertex to itself"));
  CHECK(contains(error_of_matrix("m.graph", "2 1\n2\n\n"), "the edge from vertex 0 to 1 has the weight 1, and back 0"));
  CHECK(contains(error_of_matrix("m.graph", "2 2\n2\n1\n"), "found 1 edges, expected 2"));
  CHECK(contains(error_of_matrix("m.graph", "1 0\n\n7\n"), "3: found another line"));
  CHECK(contains(error_of_matrix("m.dat", "2\n0 1 1 0\n0 0 0\n"), "found 7 numbers, expected two matrices of 4"));
  CHECK(contains(error_of_matrix("m.dat", "1\n0 0 0\n"), "2: found '0' after two matrices"));
  CHECK(contains(error_of_matrix("m.dat", "\n"), "the problem is empty"));
}

TEST_CASE("Problems of QAPLIB say which matrix is first, or are asked") {
  const std::string hops = "0 10 10 20 10 0 20 10 10 20 0 10 20 10 10 0\n", none = "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
                    traffic = "0 5 0 0 2 0 0 0 0 9 0 0 0 0 0 0\n", other = "0 1 4 2 1 0 3 5 4 3 0 1 2 5 1 0\n";
  const std::string expected = "0,5,0,0\n2,0,0,0\n0,9,0,0\n0,0,0,0\n";
  CHECK(matrix_csv(read("m.dat", "4\n" + none + traffic)) == expected);
  CHECK(matrix_csv(read("m.dat", "4\n" + traffic + none)) == expected);
  const Scratch scratch;
  const auto with = [&](const std::string& text, const std::string& order) {
    const auto argument = scratch.write("q.dat", "4\n" + text) + order;
    const auto* format = matrix_format_of(argument);
    REQUIRE(format != nullptr);
    return matrix_csv(format->make.read(argument));
  };
  for (const auto& both : {other + traffic, traffic + hops}) {
    const auto error = test::error_of([&] { with(both, ""); });
    CHECK(contains(error, "q.dat: found two matrices that may both be the traffic"));
    CHECK(contains(error, "q.dat:order=flows-first or "));
  }
  CHECK(with(other + traffic, ":order=distances-first") == expected);
  CHECK(with(traffic + other, ":order=flows-first") == expected);
  CHECK(with(traffic + hops, ":order=distances-first") == "0,10,10,20\n10,0,20,10\n10,20,0,10\n20,10,10,0\n");
  CHECK(contains(test::error_of([&] { with(other + traffic, ":order=flows"); }),
                 "found 'flows', expected flows-first or distances-first"));
}

TEST_CASE("The published solutions of QAPLIB have their published costs with the traffic of the file") {
  // The cost of a mapping in a machine's hops is the objective, whose value is published.
  for (const auto& [name, columns, best] :
       {std::tuple("nug12", 4, 578.0), {"nug20", 5, 2570.0}, {"sko42", 7, 15812.0}, {"sko81", 9, 90998.0}}) {
    const auto path = test::shared_data(std::string("qaplib/") + name + ".dat");
    if (path.empty()) return;
    const auto matrix = matrix_format_of(path)->make.read(path + ":order=distances-first");
    std::istringstream solution(test::content(path.substr(0, path.size() - 3) + "sln"));
    std::size_t n = 0;
    double value = 0;
    solution >> n >> value;
    std::vector<std::size_t> place(n), rank_at(n);
    for (std::size_t i = 0; i < n; ++i) {
      solution >> rank_at[i];
      place[--rank_at[i]] = i;
    }
    const auto cost = [&](const std::vector<std::size_t>& at) {
      double sum = 0;
      for (const Rank from : core::ids<Rank>(n))
        for (const auto& cell : matrix.rows[from]) {
          const auto a = static_cast<int>(at[from.index()]), b = static_cast<int>(at[cell.to.index()]);
          sum += static_cast<double>(cell.bytes) *
                 (std::abs(a % columns - b % columns) + std::abs(a / columns - b / columns));
        }
      return sum;
    };
    CAPTURE(name);
    CHECK((cost(place) == best || cost(rank_at) == best));  // files differ in the direction of the permutation
  }
}

TEST_CASE("Compressed matrices are read") {
  CHECK(matrix_csv(read("m.csv.zst", test::zstd_compressed("0,1\n2,0\n"))) == "0,1\n2,0\n");
  CHECK(matrix_csv(read("m", test::zstd_compressed("from,to,bytes\n0,1,3\n"))) == "0,3\n0,0\n");
}

TEST_CASE("Matrices are told from traces, generators and other files") {
  const Scratch scratch;
  CHECK(matrix_format_of("cg:ranks=16") == nullptr);
  CHECK(matrix_format_of(scratch.path("missing.csv")) == nullptr);
  CHECK(matrix_format_of(scratch.path("")) == nullptr);
  CHECK(matrix_format_of(scratch.write("a", "0 init\n")) == nullptr);
  CHECK(matrix_format_of(scratch.write("b", "rank0.ti\n")) == nullptr);
  CHECK(matrix_format_of(scratch.write("c", "")) == nullptr);
  CHECK(matrix_format_of(scratch.write("d", "0,1\n"))->name == "table");
  CHECK(matrix_format_of(scratch.write("e", "from,to,bytes\n"))->name == "list");
}

TEST_CASE("A matrix is no trace") {
  const Scratch scratch;
  const auto path = scratch.write("m.csv", "0,1\n1,0\n");
  CHECK(test::error_of([&] { open_trace(path); }) == path + ": is a communication matrix (table); expected a trace");
}

TEST_CASE("Weights are whole numbers of 0 to 2^53") {
  for (const std::string weight : {"nan", "-nan", "inf", "-1", "1.5", "x", "", "1e16", "9007199254740993e1", "0x10",
                                   "+1", "1;2", "1 2", "--1", "1e400"}) {
    CAPTURE(weight);
    const auto found = ": found '" + weight + "', expected a whole number of 0 to 2^53";
    CHECK(error_of_matrix("m.csv", "0,1\n" + weight + ",0\n") == "2" + found);
    CHECK(error_of_matrix("m.csv", "from,to,bytes\n1,0," + weight + "\n") == "2" + found);
    CHECK(error_of_matrix("m.csv", "from,to,bytes,messages\n1,0,1," + weight + "\n") == "2" + found);
  }
  CHECK(error_of_matrix("m.csv", "0,9007199254740992\n1,0\n") ==
        "2: the matrix has more than 2^53 bytes or messages in all");
}

TEST_CASE("A table is square") {
  CHECK(error_of_matrix("m.csv", "0,1\n0\n") == "2: found 1 numbers, expected 2 as in the first line");
  CHECK(error_of_matrix("m.csv", "0,1\n0,1,\n") == "2: found 3 numbers, expected 2 as in the first line");
  CHECK(error_of_matrix("m.csv", "0,1\n") == " found 1 lines of numbers, expected 2, as many as there are columns");
  CHECK(error_of_matrix("m.csv", "0,1\n1,0\n1,1\n") ==
        "3: found another line, expected 2, as many as there are columns");
  CHECK(error_of_matrix("m.csv", "") == " the matrix is empty; expected p lines of p numbers");
  CHECK(error_of_matrix("m.csv", "# nothing\n\n") == " the matrix is empty; expected p lines of p numbers");
  CHECK(error_of_matrix("m.csv", "source,target,weight\n0,1,2\n") ==
        "1: found 'source,target,weight', expected numbers, or the header from,to,bytes[,messages]");
}

TEST_CASE("A list has ranks and as many fields as its header") {
  CHECK(error_of_matrix("m.csv", "from,to,size\n") ==
        "1: found the header 'from,to,size', expected from,to,bytes[,messages]");
  CHECK(error_of_matrix("m.csv", "from,to,bytes\n0,1,2,3\n") == "2: found 4 fields, expected 3 as in the header");
  CHECK(error_of_matrix("m.csv", "from,to,bytes,messages\n0,1,2\n") ==
        "2: found 3 fields, expected 4 as in the header");
  CHECK(error_of_matrix("m.csv", "from,to,bytes\n-1,1,2\n") == "2: found '-1', expected a rank, 0 to 1048575");
  CHECK(error_of_matrix("m.csv", "from,to,bytes\n0,1048576,2\n") ==
        "2: found '1048576', expected a rank, 0 to 1048575");
  CHECK(error_of_matrix("m.csv", "from,to,bytes\n0.5,1,2\n") == "2: found '0.5', expected a rank, 0 to 1048575");
  CHECK(error_of_matrix("m.csv", "from,to,bytes\n99999999999999999999,1,2\n") ==
        "2: found '99999999999999999999', expected a rank, 0 to 1048575");
  CHECK(error_of_matrix("m.csv", "from,to,bytes,messages\n0,1,2,0\n") ==
        "2: found 2 bytes in 0 messages, expected a message at least");
  CHECK(error_of_matrix("m.csv", "from,to,bytes\n") == " the matrix is empty; expected lines from,to,bytes[,messages]");
}

TEST_CASE("Damaged files are errors") {
  std::string noise = "\x7f";
  for (int i = 0; i < 1000; ++i) noise += static_cast<char>(i * 37);
  CHECK(contains(error_of_matrix("m.csv", noise), "expected numbers, or the header"));
  std::string table;
  for (int i = 0; i < 200; ++i) table += std::to_string(i * i) + (i < 199 ? "," : "\n");
  const auto packed = test::zstd_compressed(table);
  CHECK(contains(error_of_matrix("m.csv.zst", packed.substr(0, packed.size() / 2)), "truncated"));
  CHECK(contains(error_of_matrix("m", packed.substr(0, packed.size() / 2)), "truncated"));
}

}  // namespace
}  // namespace toroid::workloads

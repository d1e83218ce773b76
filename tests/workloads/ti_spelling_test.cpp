// Computations in the spelling of tracers, `RANK compute AMOUNT`, are read without cutting the line into fields. With
// two blanks, a line takes the general path: both must say the same, or fail with the same message.

#include <fmt/format.h>

#include <bit>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/operations.hpp"
#include "toroid/core/error.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/formats/ti/actions.hpp"

namespace toroid::workloads {
namespace {

using test::Scratch;

/// All operations of the trace with their places and the bits of their amounts, or the message of the error.
std::string outcome(const std::string& path) {
  try {
    const auto trace = read_ti(path);
    std::string text;
    for (const Rank r : core::ids<Rank>(trace->ranks())) {
      const auto stream = trace->open(r);
      Operation op;
      for (std::uint64_t i = 0; stream->next(op); ++i)
        text += fmt::format("{}: {} {} {:x}\n", r, trace->locate(r, i), describe(op),
                            std::bit_cast<std::uint64_t>(op.amount));
    }
    return text;
  } catch (const core::InputError& error) {
    return std::string("error: ") + error.what();
  }
}

std::string with_two_blanks(std::string text) {
  for (std::size_t at = 0; (at = text.find(" compute", at)) != std::string::npos; at += 2) text.insert(at, " ");
  return text;
}

/// The outcome for a text, which must be the same with two blanks.
std::string outcome_of_text(const Scratch& scratch, const std::string& text) {
  const auto general = outcome(scratch.write("t.ti", with_two_blanks(text)));
  const auto plain = outcome(scratch.write("t.ti", text));
  CHECK(plain == general);
  return plain;
}

const std::vector<std::string>& spellings_of_amounts() {
  static const std::vector<std::string> spellings{"0",
                                                  "5",
                                                  "007",
                                                  "00",
                                                  "000000000000000",
                                                  "0000000000000000000005",
                                                  "65535",
                                                  "65536",
                                                  "4294967295",
                                                  "4294967296",
                                                  "999999999999999",
                                                  "9999999999999999",
                                                  "9007199254740993",
                                                  "18446744073709551616",
                                                  "123456789012345678901234567890",
                                                  "1e3",
                                                  "1E3",
                                                  "1e+3",
                                                  "1e-3",
                                                  "6.65007e+07",
                                                  "2.5",
                                                  ".5",
                                                  "5.",
                                                  "5.0",
                                                  "0.1",
                                                  "1e308",
                                                  "5e-324",
                                                  "0.30000000000000004"};
  return spellings;
}

TEST_CASE("An amount is the same number in every spelling") {
  const Scratch scratch;
  for (const auto& amount : spellings_of_amounts()) {
    CAPTURE(amount);
    const auto expected = std::bit_cast<std::uint64_t>(std::strtod(amount.c_str(), nullptr));
    for (const std::string line_end : {"\n", "\r\n", ""}) {
      const auto found = outcome_of_text(scratch, "0 barrier\n0 compute " + amount + line_end);
      CHECK(found.ends_with(fmt::format(" {:x}\n", expected)));
    }
    const auto computation = ti::plain_computation("17 compute " + amount);
    REQUIRE(computation);
    CHECK(computation->rank == 17);
    CHECK(std::bit_cast<std::uint64_t>(computation->amount) == expected);
  }
}

TEST_CASE("Minus zero is an amount of zero") {
  const Scratch scratch;
  CHECK(outcome_of_text(scratch, "0 barrier\n0 compute -0\n").find("compute 8000000000000000") != std::string::npos);
}

TEST_CASE("Blanks and tabs anywhere mean the same as single blanks") {
  const Scratch scratch;
  const auto expected = outcome(scratch.write("t.ti", "0 barrier\n0 compute 5\n"));
  for (const std::string line : {"0 compute 5 ", "0 compute 5\t", "0\tcompute\t5", "0 compute\t5", "0 compute  5",
                                 " 0 compute 5", "\t0 compute 5  ", "00 compute 5", "0000000 compute 5",
                                 "0000000000 compute 5", "-0 compute 5", "0 compute 05", "0 compute 5 \r"}) {
    CAPTURE(line);
    CHECK(outcome_of_text(scratch, "0 barrier\n" + line + "\n") == expected);
  }
}

TEST_CASE("What is no amount is the same error in every spelling") {
  const Scratch scratch;
  const auto error_of = [&](const std::string& line) {
    const auto found = outcome_of_text(scratch, "0 barrier\n" + line + "\n");
    const auto start = "error: " + scratch.path("t.ti") + ":2: compute: ";
    return found.starts_with(start) ? found.substr(start.size()) : found;
  };
  CHECK(error_of("0 compute -1") == "found the negative amount '-1', expected 0 or more");
  CHECK(error_of("0 compute -1e-9") == "found the negative amount '-1e-9', expected 0 or more");
  for (const std::string amount : {"+5", "inf", "-inf", "nan", "infinity", "0x10", "1e", "e5", "5x", "x5", "1,5",
                                   "1e309", "1e-400", "5\r\r", ".", "-", "1 000 ", "'5'", "#"}) {
    CAPTURE(amount);
    const auto error = error_of("0 compute " + amount);
    CHECK(error.find(amount[1] == ' ' ? "found 2 fields after the action, expected AMOUNT" : "', expected a number") !=
          std::string::npos);
  }
  CHECK(error_of("0 compute") == "found 0 fields after the action, expected AMOUNT");
  CHECK(error_of("0 compute ") == "found 0 fields after the action, expected AMOUNT");
  CHECK(error_of("0 compute 5 6") == "found 2 fields after the action, expected AMOUNT");
  CHECK(error_of("0 compute 5 #") == "found 2 fields after the action, expected AMOUNT");
}

TEST_CASE("Words that begin with compute are other actions") {
  const Scratch scratch;
  CHECK(outcome_of_text(scratch, "0 barrier\n0 computed 5\n").ends_with(":2: computed: unknown action"));
  CHECK(outcome_of_text(scratch, "0 barrier\n0 compute5\n").ends_with(":2: compute5: unknown action"));
  CHECK(outcome_of_text(scratch, "0 barrier\n0 Compute 5\n").ends_with(":2: Compute: unknown action"));
}

TEST_CASE("A computation that comes in a wrong place is an error") {
  const Scratch scratch;
  CHECK(outcome_of_text(scratch, "0 init\n0 compute 5\n0 finalize\n0 compute 5\n")
            .ends_with(":4: compute: the line comes after the 'finalize' of rank 0"));
  CHECK(outcome_of_text(scratch, "0 compute 5\n0 finalize\n0 compute 5\n")
            .ends_with(":3: compute: the line comes after the 'finalize' of rank 0"));
  CHECK(outcome_of_text(scratch, "0 compute 5\n2 compute 5\n")
            .ends_with(" rank 1 has no line; expected every rank from 0 to 2"));
  CHECK(outcome_of_text(scratch, "0 compute 5\n100000 compute 5\n")
            .ends_with(":2: compute: found rank 100000, far above the 1 ranks before it"));
  for (const std::string rank : {"16777216", "99999999", "4294967296", "-1", "x"})
    CHECK(outcome_of_text(scratch, "0 compute 5\n" + rank + " compute 5\n")
              .ends_with(":2: compute: found '" + rank + "' at the start of the line, expected a rank"));
}

TEST_CASE("A computation of another rank in a rank's file is an error") {
  const Scratch scratch;
  const auto a = scratch.write("a", "0 compute 1\n0 compute 2\n"), b = scratch.path("b");
  const auto top = scratch.write("top", a + "\n" + b + "\n");
  for (const std::string line : {"0 compute 5", "0  compute 5", "2 compute 5"}) {
    scratch.write("b", "1 compute 3\n" + line + "\n");
    CHECK(outcome(top) ==
          "error: " + b + ":2: compute: the line belongs to rank " + line[0] + ", but this is the file of rank 1");
  }
  scratch.write("b", "1 compute 3\n");
  CHECK(program(*read_ti(top), 1) == std::vector<std::string>{"compute amount=3"});
}

TEST_CASE("A rank may begin with a computation, in a file of all ranks or of its own") {
  const Scratch scratch;
  const auto trace = read_ti(scratch.write("t.ti", "1 compute 5\n0 compute 6\n1 compute 7\n\n# two\n1 compute 8\n"));
  CHECK(program(*trace, 0) == std::vector<std::string>{"compute amount=6"});
  CHECK(program(*trace, 1) == std::vector<std::string>{"compute amount=5", "compute amount=7", "compute amount=8"});
  CHECK(trace->locate(0, 0) == scratch.path("t.ti") + ":2");
  CHECK(trace->locate(1, 1) == scratch.path("t.ti") + ":3");
  CHECK(trace->locate(1, 2) == scratch.path("t.ti") + ":6");
  CHECK(trace->files() == std::vector<std::string>{scratch.path("t.ti")});
}

TEST_CASE("Random traces are read the same on both paths", "[slow]") {
  const Scratch scratch;
  core::Random random(1, "spellings");
  const std::vector<std::string> others{"init",       "init 1",      "finalize",    "barrier",   "send 1 0 5 6",
                                        "bcast 8",    "recv 0 0 5",  "sleep 2",     "compute",   "",
                                        "wait 0 1 0", "isend 1 0 5", "comm_size 2", "waitall 1", "gatherv 1 1 2"};
  const auto pick = [&](const std::vector<std::string>& from) { return from[random.below(from.size())]; };
  int good = 0, bad = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = "0 barrier\n";
    const auto ranks = 1 + random.below(3);
    for (auto left = random.below(16); left > 0; --left) {
      const auto rank = std::to_string(random.below(40) == 0 ? random.below(5) : random.below(ranks));
      const bool is_computation = random.below(3) != 0;
      auto line = rank + " " + (is_computation ? "compute " + pick(spellings_of_amounts()) : pick(others));
      if (random.below(60) == 0) line[random.below(line.size())] = "0 -.xe9#"[random.below(8)];
      text += line + (random.below(10) == 0 ? "\r\n" : "\n");
      if (random.below(10) == 0) text += "\n";
    }
    CAPTURE(text);
    (outcome_of_text(scratch, text).starts_with("error: ") ? bad : good)++;
  }
  CHECK(good > 300);
  CHECK(bad > 300);
}

}  // namespace
}  // namespace toroid::workloads

#include "workloads/formats/dumpi/rank.hpp"

#include <algorithm>

namespace toroid::workloads::dumpi {

const std::string& Call::text(std::string_view argument) const {
  const auto found = arguments.find(argument);
  if (found == arguments.end()) fail("found no argument '{}', expected one", argument);
  return found->second;
}

std::int64_t Call::integer(std::string_view argument) const {
  const auto& all = text(argument);
  const auto number = core::parse_number<std::int64_t>(std::string_view(all).substr(0, all.find(' ')));
  if (!number) fail("found {}={}, expected a whole number", argument, core::excerpt(all));
  return *number;
}

std::int64_t Call::count(std::string_view argument) const {
  const auto number = integer(argument);
  if (number < 0) fail("found {}={}, expected 0 or more", argument, number);
  return number;
}

std::vector<std::int64_t> Call::list(std::string_view argument) const {
  const auto& all = text(argument);
  std::vector<std::int64_t> numbers;
  if (all == "<IGNORED>" || all == "[]") return numbers;
  if (!all.starts_with('[') || !all.ends_with(']'))
    fail("found {}={}, expected a list [...]", argument, core::excerpt(all));
  for (const auto part : core::split(std::string_view(all).substr(1, all.size() - 2), ',')) {
    const auto number = core::parse_number<std::int64_t>(core::trim(part));
    if (!number) fail("found '{}' in {}, expected a whole number", core::excerpt(part), argument);
    numbers.push_back(*number);
  }
  return numbers;
}

std::vector<std::int64_t> Call::list(std::string_view argument, std::int64_t length) const {
  auto numbers = list(argument);
  const auto expected = static_cast<std::size_t>(std::max<std::int64_t>(0, length));
  if (numbers.size() != expected) fail("found {} {}, expected {}", numbers.size(), argument, expected);
  return numbers;
}

const Call* CallReader::next() {
  while (const auto line = lines_.next()) {
    if (enters(*line)) {
      if (other_line_ != 0)
        core::fail_input_at(lines_.path(), other_line_, "found '{}' between calls, expected a call",
                            core::excerpt(other_text_));
      has_begun_ = true;
      call_.line = lines_.line();
      call_.arguments.clear();
      call_.entered = begin(*line, " entering at walltime ", call_.name);
      std::string returning;
      while (const auto inner = lines_.next()) {
        if (inner->find(" returning at walltime ") == std::string_view::npos) {
          read_argument(*inner);
          continue;
        }
        call_.returned = begin(*inner, " returning at walltime ", returning);
        if (returning != call_.name)
          lines_.fail("found that {} returns, expected {}", core::excerpt(returning), core::excerpt(call_.name));
        if (call_.returned < call_.entered)
          call_.fail("found that it returns before it is entered, expected times that do not go back");
        return &call_;
      }
      call_.fail("found the end, expected that it returns: the file is truncated");
    }
    const auto text = core::trim(*line);
    if (!has_begun_ || other_line_ != 0 || text.empty() || text.starts_with("Perfcounters:")) continue;
    other_line_ = lines_.line();
    other_text_ = text;
  }
  return nullptr;
}

/// `NAME entering at walltime SECONDS, cputime ... seconds in thread N.`: the time, and the name.
std::int64_t CallReader::begin(std::string_view line, std::string_view separator, std::string& name) const {
  const auto at = line.find(separator);
  name = line.substr(0, at);
  const auto rest = line.substr(at + separator.size());
  const auto thread = rest.rfind(" in thread ");
  const auto comma = rest.find(',');
  if (comma == std::string_view::npos || thread == std::string_view::npos)
    lines_.fail("found '{}', expected NAME{}SECONDS, cputime ... in thread 0.", core::excerpt(line), separator);
  auto number = core::trim(rest.substr(thread + std::string_view(" in thread ").size()));
  if (number.ends_with('.')) number.remove_suffix(1);
  if (number != "0")
    lines_.fail("found thread {}, expected 0: a rank with several threads is no one program", core::excerpt(number));
  return time(rest.substr(0, comma));
}

/// Seconds with up to nine digits behind the point, in nanoseconds.
std::int64_t CallReader::time(std::string_view text) const {
  constexpr std::size_t digits = 9;
  constexpr std::int64_t nanoseconds = 1'000'000'000, most_seconds = std::int64_t{1} << 33U;
  const auto point = text.find('.');
  const auto seconds = core::parse_number<std::int64_t>(text.substr(0, point));
  std::string fraction(point == std::string_view::npos ? std::string_view("0") : text.substr(point + 1));
  const bool plain =
      !fraction.empty() && fraction.size() <= digits && fraction.find_first_not_of("0123456789") == std::string::npos;
  if (!seconds || *seconds < 0 || *seconds > most_seconds || !plain)
    lines_.fail("found '{}', expected a time in seconds", core::excerpt(text));
  fraction.resize(digits, '0');
  return *seconds * nanoseconds + *core::parse_number<std::int64_t>(fraction);
}

/// `TYPE NAME=VALUE` or `TYPE NAME[LENGTH]=VALUE`. Other lines belong to arguments that nobody asks for.
void CallReader::read_argument(std::string_view line) {
  const auto equals = line.find('=');
  if (equals == std::string_view::npos) return;
  auto name = line.substr(0, equals);
  name = name.substr(0, name.find('['));
  const auto blank = name.rfind(' ');
  if (blank == std::string_view::npos) return;
  call_.arguments.emplace(name.substr(blank + 1), core::trim(line.substr(equals + 1)));
}

Totals read_totals(const std::string& path) {
  Totals totals;
  core::LineReader lines(path);
  while (const auto line = lines.next()) {
    const auto words = core::split(*line, ' ');
    const auto last_is_number = core::parse_number<std::uint64_t>(words.back());
    // Datatype 28 (user-defined-datatype) has size 24
    if (words.size() >= 5 && words[0] == "Datatype" && words[words.size() - 2] == "size" && last_is_number)
      if (const auto number = core::parse_number<std::int64_t>(words[1]))
        totals.datatype_sizes[*number] = *last_is_number;
    // MPI_Send called 12 times and ignored 0 times
    if (words.size() == 8 && words[1] == "called" && words[5] == "ignored") {
      const auto ignored = core::parse_number<std::uint64_t>(words[6]);
      if (ignored && *ignored > 0) totals.ignored[std::string(words[0])] = lines.line();
    }
  }
  return totals;
}

}  // namespace toroid::workloads::dumpi

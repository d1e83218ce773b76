#include "study/calibration/times.hpp"

#include <array>

#include "core/csv.hpp"
#include "core/file.hpp"

namespace toroid::study {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 4> time_columns{
    {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};

/// Where the columns of a file are.
struct TimesColumns {
  std::vector<std::optional<std::size_t>> named;
  std::optional<std::size_t> bytes, time;
  double unit = 1e-6;  ///< seconds
  bool is_table = false;
};

class TimesFile {
 public:
  TimesFile(const std::string& path, const TimesReader& reader) : lines_(path), reader_(reader) {}

  void read() {
    bool is_empty = true;
    while (const auto line = lines_.next()) {
      const auto text = core::trim(*line);
      if (text.empty()) continue;
      try {
        is_empty = !take(text) && is_empty;
      } catch (const core::InputError& error) {
        core::fail_input_at(lines_.path(), lines_.line(), "{}", error.what());
      }
    }
    if (is_empty) core::fail_input("{}: no measurement in it; expected {}", lines_.path(), reader_.expected);
  }

 private:
  /// Whether the line has a measurement.
  bool take(std::string_view text) {
    if (text.front() == '#') {
      reader_.hear(text);
      for (const auto& benchmark : reader_.benchmarks)
        if (text.find(benchmark.comment) != std::string_view::npos) {
          begin({std::vector<std::optional<std::size_t>>(reader_.columns.size()), benchmark.bytes, benchmark.time});
          break;
        }
      return false;
    }
    if (!columns_) {
      begin(header(text));
      return false;
    }
    std::vector<std::string> fields;
    if (columns_->is_table)
      fields = core::csv_fields(text);
    else
      for (const auto word : core::words(text)) fields.emplace_back(word);
    TimedLine line;
    for (const auto& column : columns_->named) line.named.push_back(column ? field(fields, *column) : std::string());
    const auto size = field(fields, *columns_->bytes), time = field(fields, *columns_->time);
    const auto bytes = core::parse_number<std::uint64_t>(size);
    if (!bytes) core::fail_input("found '{}', expected a number of bytes", core::excerpt(size));
    line.bytes = *bytes;
    line.seconds = core::parse_number<double>(time).value_or(0) * columns_->unit;
    if (!(line.seconds >= 1e-12 && line.seconds <= 1e6))  // beyond, squares of relative deviations have no numbers
      core::fail_input("found '{}', expected a time above 0: 1 ps at least, 1000000 s at most", core::excerpt(time));
    reader_.take(line);
    return true;
  }

  TimesColumns header(std::string_view text) const {
    TimesColumns columns{std::vector<std::optional<std::size_t>>(reader_.columns.size()), {}, {}};
    columns.is_table = true;
    const auto names = core::csv_fields(text);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto name = core::trim(names[i]);
      const auto known = std::find(reader_.columns.begin(), reader_.columns.end(), name);
      if (known != reader_.columns.end()) columns.named[static_cast<std::size_t>(known - reader_.columns.begin())] = i;
      if (name == "bytes") columns.bytes = i;
      for (const auto& [unit, seconds] : time_columns)
        if (name == unit) {
          columns.time = i;
          columns.unit = seconds;
        }
    }
    if (!columns.bytes || !columns.time)
      core::fail_input("found '{}', expected a header; the file may be {}", core::excerpt(text), reader_.expected);
    return columns;
  }

  void begin(const TimesColumns& columns) {
    std::vector<bool> has;
    for (const auto& column : columns.named) has.push_back(column.has_value());
    reader_.begin(has);
    columns_ = columns;
  }

  static std::string field(const std::vector<std::string>& fields, std::size_t column) {
    if (column >= fields.size()) core::fail_input("found {} columns, expected more", fields.size());
    return std::string(core::trim(fields[column]));
  }

  core::LineReader lines_;
  const TimesReader& reader_;
  std::optional<TimesColumns> columns_;
};

}  // namespace

void read_times(const std::string& path, const TimesReader& reader) {
  TimesFile(path, reader).read();
}

}  // namespace toroid::study

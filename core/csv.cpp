#include "core/csv.hpp"

namespace toroid::core {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

std::string csv_of(const Json& rows) {
  std::string text;
  const auto add_line = [&](const auto& object, const auto& field_of) {
    bool first = true;
    for (const auto& [key, value] : object.items()) {
      if (!first) text += ',';
      first = false;
      text += csv_field(field_of(key, value));
    }
    text += '\n';
  };
  if (rows.empty()) return text;
  add_line(rows[0], [](const std::string& key, const Json&) { return key; });
  for (const auto& row : rows)
    add_line(row, [](const std::string&, const Json& value) {
      if (value.is_null()) return std::string();
      return value.is_string() ? value.template get<std::string>() : json_text(value);
    });
  return text;
}

}  // namespace toroid::core

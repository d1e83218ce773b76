#include "core/csv.hpp"

namespace toroid::core {

namespace {

/// Whether spreadsheets would compute it. Numbers are what they are, and a sign alone is none.
bool is_formula(std::string_view text) {
  return text.size() > 1 && std::string_view("=+-@").find(text[0]) != std::string_view::npos &&
         !parse_number<double>(text.substr(text[0] == '+' ? 1 : 0));
}

std::string_view behind_apostrophes(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of('\''), text.size()));
  return text;
}

}  // namespace

std::string csv_field(const std::string& given) {
  auto text = excerpt(given, std::string::npos);
  // With one more where there are some already, they can be told from those of a name.
  if (is_formula(behind_apostrophes(text))) text.insert(text.begin(), '\'');
  if (text.find_first_of(",\"") == std::string::npos) return text;
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
  for (auto& field : fields)
    if (field.starts_with('\'') && is_formula(behind_apostrophes(field))) field.erase(0, 1);
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
  for (const auto& row : rows) {
    TOROID_ASSERT(row.size() == rows[0].size());  // all have the keys of the first one
    add_line(row, [](const std::string&, const Json& value) {
      if (value.is_null()) return std::string();
      return value.is_string() ? value.template get<std::string>() : json_text(value);
    });
  }
  return text;
}

}  // namespace toroid::core

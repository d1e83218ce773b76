#include "python/arguments.hpp"

#include "cli/arguments.hpp"

namespace toroid::python {

namespace {

std::map<std::string, std::function<void(py::dict&)>>& functions() {
  static auto& all = *new std::map<std::string, std::function<void(py::dict&)>>;
  return all;
}

const py::int_& noted() {
  static const auto& key = *new py::int_(0);  // a number, as keywords are texts
  return key;
}

/// Throws InputError where something is given that the option does not take.
template <class T>
void check_value(const cli::Option& option, const T& given) {
  if constexpr (std::is_arithmetic_v<T>) {
    if (const auto& range = option.type.range)
      if (const auto number = static_cast<double>(given); !(number >= range->first && number <= range->second))
        core::fail_input("{}: found {}, expected a number from {} to {}", option.key, given,
                         static_cast<T>(range->first), static_cast<T>(range->second));
  } else if (option.type.are_all) {
    const auto words = option.type.words();
    if (std::ranges::find(words, given) == words.end())
      core::fail_input("{}: found '{}', expected {}", option.key, given, core::either(words));
  }
}

void take_one(py::dict& keywords, const cli::Option& option) {
  const char* name = option.key.c_str();
  const auto take_into = [&]<class V>(const V& set) {
    if constexpr (std::is_same_v<V, cli::Meant>) {
      TOROID_ASSERT(!set.are_many);
      if (const auto text = take_text(keywords, name, ""); !text.empty()) set.set({text});
    } else {
      using T = std::remove_pointer_t<V>;
      T given = *set;
      if constexpr (std::is_same_v<T, std::string>)
        given = take_text(keywords, name, given);
      else
        given = take<T>(keywords, name, given);
      if constexpr (std::is_same_v<T, std::string> || std::is_arithmetic_v<T>)
        if (given != *set) check_value(option, given);
      *set = std::move(given);
    }
  };
  std::visit(take_into, option.value);
}

}  // namespace

void note_keyword(py::dict& keywords, const char* name, const char* hint) {
  keywords.attr("setdefault")(noted(), py::dict())[name] = hint;
}

void note_function(const std::string& function, std::function<void(py::dict& keywords)> take) {
  functions()[function] = std::move(take);
}

py::dict keywords_of(const std::string& function) {
  py::dict none;
  functions().at(function)(none);
  return none[noted()];
}

std::string take_text(py::dict& keywords, const char* name, const std::string& otherwise) {
  note_keyword(keywords, name, "Text");
  if (!keywords.contains(name)) return otherwise;
  const py::object value = keywords.attr("pop")(name);
  return value.is_none() ? otherwise : py::isinstance<py::str>(value) ? text_of(value, name) : shown(value);
}

std::vector<std::string> take_texts(py::dict& keywords, const char* name, std::vector<std::string> otherwise) {
  if (keywords.contains(name) && py::isinstance<py::str>(keywords[name])) return {take_text(keywords, name, "")};
  auto texts = take(keywords, name, std::move(otherwise));
  note_keyword(keywords, name, "Texts");
  return texts;
}

mapping::MatrixKind take_matrix(py::dict& keywords, const char* name) {
  return mapping::parse_matrix_kind(take_text(keywords, name, "expanded"));
}

void take(py::dict& keywords, const cli::Options& options) {
  for (const auto& option : options)
    if (option.is_setting) take_one(keywords, option);
}

netsim::ReplayOptions take_replay(py::dict& keywords) {
  netsim::ReplayTexts texts;
  take(keywords, cli::replay_options(texts));
  return texts.options();
}

cosim::Placement take_placement(py::dict& keywords) {
  cosim::Placement placement;
  if (keywords.contains("nodes") && !keywords["nodes"].is_none() && !py::isinstance<py::str>(keywords["nodes"])) {
    const auto numbers = whole_numbers(keywords.attr("pop")("nodes"), "nodes");
    if (numbers.empty()) core::fail_input("nodes: found none, expected at least one");
    placement.nodes = fmt::format("{}", fmt::join(numbers, ","));
  }
  take(keywords, cli::placement_options(placement));
  note_keyword(keywords, "nodes", "Union[str, Nodes]");
  if (placement.alloc && !placement.nodes.empty()) core::fail_input("alloc: found nodes as well, expected one of them");
  return placement;
}

void check_empty(const py::dict& keywords) {
  for (const auto& [key, value] : keywords) {
    if (key.equal(noted())) continue;
    const auto name = key.cast<std::string>();
    std::vector<std::string> known;
    for (const auto& [keyword, hint] : keywords[noted()].cast<py::dict>()) known.push_back(keyword.cast<std::string>());
    const auto meant = core::nearest(name, known);
    throw py::type_error(fmt::format("unexpected keyword argument '{}'{}", name,
                                     meant ? fmt::format("; did you mean '{}'?", *meant) : ""));
  }
}

}  // namespace toroid::python

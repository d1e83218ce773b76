#pragma once
// What there is to choose from: every registry, as rows for `toroid list`, its JSON and the reference; the reference of
// the documentation as Markdown, made from these and from the parser; and how the parser names its commands and
// options.

#include "cli/option.hpp"

namespace toroid::cli {

/// One thing that can be named.
struct CatalogEntry {
  std::string name;       ///< what a user writes, with what must follow its colon: `file:PATH`
  std::string help;       ///< one line
  std::string kind = {};  ///< what it belongs to, where that differs within a section: the collective of an algorithm
  std::vector<core::AnyParameter> keys = {};
  std::string type = {};  ///< what the value of a field is
  std::string from = {};  ///< the plug-in that added it; empty: toroid's own
};

/// One kind of things.
struct CatalogSection {
  std::string_view name;   ///< what `toroid list` calls it: "mappers"
  std::string_view about;  ///< what the things are, for people: a noun phrase
  std::string_view one;    ///< what one of them is called, as the heading of a table: "mapper"
  std::vector<CatalogEntry> (*entries)();
  int width = 16;                  ///< width of the column of names in text
  std::string_view one_kind = {};  ///< what a kind is called, where entries have kinds: "collective"
  std::string_view note = {};      ///< what holds for all entries
  std::vector<core::AnyParameter> (*shared_keys)() = nullptr;  ///< which all entries take besides their own
  std::string_view help = "what it is";                        ///< the heading of the help of entries
};

/// The entries of that kind, or else of that name, without what follows its colon: `allreduce`, `rings`. Throws
/// InputError if there are none.
std::vector<CatalogEntry> entries_of(const CatalogSection& section, std::string_view name);

/// All sections, in the order in which a job meets them: from the machine to the engine.
const std::vector<CatalogSection>& catalog();

std::vector<const CLI::App*> subcommands(const CLI::App& app);
std::vector<const CLI::Option*> options(const CLI::App& app);

/// Whether the option is followed by a value.
bool takes_value(const CLI::Option& option);

/// `-o` and `--output`; the name alone where the option is known by its place.
Names spellings(const CLI::Option& option);
/// `-o, --output`
std::string spelling(const CLI::Option& option);

/// Tables of things in Markdown: what each is and its keys, and the keys that all of them take besides. A single thing
/// that has keys gives the table of its keys. Kinds are lines above their entries if these are of several.
std::string catalog_tables(const CatalogSection& section, const std::vector<CatalogEntry>& entries);

/// The JSON Schema of all documents, with a definition for each kind of object.
std::string json_schema(const CLI::App& app);

/// A page with a section for each command and a line for each of its options.
std::string commands_reference(const CLI::App& app);

/// A page with the keys of all things that `toroid list` has.
std::string catalog_reference(const CLI::App& app);

}  // namespace toroid::cli

#pragma once
// The reference of the documentation as Markdown, made from the parser and the registries, and what the manual page and
// the completion share with it: how the parser names its commands and options.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/catalog.hpp"

namespace toroid::cli {

std::vector<const CLI::App*> subcommands(const CLI::App& app);
std::vector<const CLI::Option*> options(const CLI::App& app);

/// Whether the option is followed by a value.
bool takes_value(const CLI::Option& option);

/// `-o, --output`; the name alone where the option is known by its place.
std::string spelling(const CLI::Option& option);

/// Tables of things in Markdown: what each is and its keys, and the keys that all of them take besides. A single thing
/// that has keys gives the table of its keys. Kinds are a column if entries are of several.
std::string catalog_tables(const CatalogSection& section, const std::vector<CatalogEntry>& entries);

/// A page with a section for each command and a line for each of its options.
std::string commands_reference(const CLI::App& app);

/// A page with a section for each kind of things that `toroid list` has.
std::string catalog_reference(const CLI::App& app);

}  // namespace toroid::cli

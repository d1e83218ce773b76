#pragma once
// Names that fit into a picture.

#include <string>
#include <string_view>
#include <vector>

namespace toroid::views {

/// Each name short enough to tell it from the others: paths lose the folders, and the file name, that they share with
/// all other paths. `a/cg.A/trace.ti a/mg.A/trace.ti cg` become `cg.A mg.A cg`.
std::vector<std::string> short_names(const std::vector<std::string>& names);

/// The text in at most `most` characters, which is at least 3: an ellipsis replaces the middle of a longer one.
std::string shortened(const std::string& text, std::size_t most);

/// The texts shortened so; those that would look alike begin with what tells them apart.
std::vector<std::string> shortened_apart(const std::vector<std::string>& texts, std::size_t most);

/// An estimate, on the safe side, of the width of a text in a font of `size`, both in pixels.
double text_width(std::string_view text, double size);

/// The text shortened until it is no wider than `width` pixels, as text_width() estimates it; texts as
/// shortened_apart() does.
std::string fitted(const std::string& text, double size, double width);
std::vector<std::string> fitted_apart(const std::vector<std::string>& texts, double size, double width);

}  // namespace toroid::views

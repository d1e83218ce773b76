#pragma once
// Results for people: columns aligned, numbers to the right.

#include <string>
#include <vector>

namespace toroid::core {

class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// The table as text; a column whose cells all start with a digit or sign is aligned to the right.
  std::string text() const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace toroid::core

#include "tests/cli/arguments.hpp"

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "toroid/core/text.hpp"

namespace toroid::test {

std::vector<std::string> arguments_of(const std::string& command) {
  const Scratch scratch;
  const auto config = scratch.write(
      "config", R"({"manifest": {"command": ")" + command + R"(", "arguments": {"no-such-argument": 1}}})");
  const auto message = run_toroid(command + " --config " + config).err;
  const std::string_view before = "valid: ";
  const auto at = message.find(before);
  REQUIRE(at != std::string::npos);
  std::vector<std::string> names;
  for (const auto name : core::split(core::trim(std::string_view(message).substr(at + before.size())), ','))
    names.emplace_back(core::trim(name));
  REQUIRE(names.size() > 10);
  return names;
}

}  // namespace toroid::test

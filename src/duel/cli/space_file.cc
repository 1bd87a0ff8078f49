#include "duel/cli/space_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "duel/continuous/space.h"
#include "duel/core/whole_file.h"
#include "duel/study/toml_document.h"

namespace duel::cli {
namespace {

constexpr std::size_t kMostBytes = 1'000'000;

Result<Json> dimension_of(const TomlDocument& document, const toml::table& table) {
  Json dimension = Json::object();
  for (const auto& [key, node] : table) {
    const std::string name = document.spelled(key.str());
    if (const auto number = node.value<double>(); number && node.is_number()) {
      dimension.add(name, *number);
    } else if (const auto text = node.value<std::string>(); text && node.is_string()) {
      dimension.add(name, document.spelled(*text));
    } else {
      return Error::invalid_argument(fmt::format("'{}' is neither a number nor a text", name),
                                     document.where(node.source()));
    }
  }
  return dimension;
}

}  // namespace

Result<Json> read_space_file(const std::string& file) {
  DUEL_ASSIGN(const std::string text, read_whole_file(file, kMostBytes));
  DUEL_ASSIGN(const TomlDocument document, TomlDocument::parse(text, file));
  struct Read {
    toml::source_position at;
    std::string name;
    Json dimension;
  };
  std::vector<Read> dimensions;
  for (const auto& [key, node] : document.table()) {
    const std::string name = document.spelled(key.str());
    const toml::table* const table = node.as_table();
    if (table == nullptr) {
      return Error::invalid_argument(fmt::format("'{}' stands outside a dimension", name),
                                     document.where(node.source()),
                                     "a table for each: [weight], then low = 0.0 and so on");
    }
    DUEL_ASSIGN(Json dimension, dimension_of(document, *table));
    dimensions.push_back({key.source().begin, name, std::move(dimension)});
  }
  // A table keeps its keys by name; people wrote them in an order of their own.
  std::ranges::stable_sort(dimensions, [](const Read& a, const Read& b) {
    return std::pair(a.at.line, a.at.column) < std::pair(b.at.line, b.at.column);
  });
  Json space = Json::object();
  for (Read& one : dimensions) space.add(std::move(one.name), std::move(one.dimension));
  // What is wrong with it is said with the file's name.
  if (auto made = Space::from_json(space); !made.ok()) {
    Error error = made.error();
    error.where = error.field.empty() ? file : fmt::format("{}: {}", file, error.field);
    error.field.clear();
    return error;
  }
  return space;
}

}  // namespace duel::cli

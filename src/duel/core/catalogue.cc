#include "duel/core/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "duel/core/check.h"
#include "duel/core/spelling.h"

namespace duel {

CatalogueNames::CatalogueNames(std::string noun, std::string sought)
    : noun_(std::move(noun)), sought_(sought.empty() ? noun_ : std::move(sought)) {}

std::vector<std::string> CatalogueNames::names() const {
  std::vector<std::string> names;
  for (const auto& [place, name] : entries_) names.push_back(name);
  return names;
}

Error CatalogueNames::unknown(std::string_view name, const std::vector<std::string>& known) const {
  return Error::invalid_argument(fmt::format("there is no {} '{}'", sought_, name))
      .with_hint(spelling_hint(name, known));
}

std::size_t CatalogueNames::insert(const std::string& name, int place) {
  DUEL_CHECK(!knows(name));
  std::pair<int, std::string> entry(place, name);
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), entry);
  const auto index = static_cast<std::size_t>(at - entries_.begin());
  entries_.insert(at, std::move(entry));
  return index;
}

std::optional<std::size_t> CatalogueNames::position(std::string_view name) const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].second == name) return i;
  }
  return std::nullopt;
}

bool means_file(std::string_view text, std::string_view name) {
  std::error_code ignored;
  return text == "-" || name.find_first_of("/.") != std::string_view::npos ||
         std::filesystem::exists(text, ignored);
}

}  // namespace duel

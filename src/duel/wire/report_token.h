// A signed, self-contained proof that a duel was served: with it a browser can report what it saw
// without an API token, also where a power failure took the serve's record.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "duel/experiment/experiment.h"

namespace duel {

// "<key id>.<payload>.<signature>", of letters that need no escape in a URL or JSON.
class ReportTokens {
 public:
  ReportTokens(std::string key_id, std::string key)
      : key_id_(std::move(key_id)), key_(std::move(key)) {}

  std::string sign(const Proof& duel) const;
  // Nothing where it was not signed with this key, whatever else is wrong with it.
  std::optional<Proof> verify(std::string_view token) const;

 private:
  std::string key_id_;
  std::string key_;
};

}  // namespace duel

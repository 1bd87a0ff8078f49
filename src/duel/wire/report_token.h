// A signed, self-contained proof that a duel was served: with it a browser can report its answer
// without an API token, even if a loss of power has taken the serve's record. Whoever holds it can
// read it, so it does not say in words why the duel was served: of several contests the arm that is
// in all of them leads. Any thread may call.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "duel/experiment/experiment.h"

namespace duel {

// "<key id>.<payload>.<signature>", in characters that need no escape in a URL or in JSON.
class ReportTokens {
 public:
  ReportTokens(std::string key_id, std::string key)
      : key_id_(std::move(key_id)), key_(std::move(key)) {}

  std::string sign(const Proof& duel) const;
  // Nothing if it was not signed with this key, or is malformed.
  std::optional<Proof> verify(std::string_view token) const;

 private:
  // Stands for a word of Serving, or for `fallback`; only the holder of the key can tell which.
  std::string sealed(std::string_view serving, const Proof& duel) const;

  std::string key_id_;
  std::string key_;
};

}  // namespace duel

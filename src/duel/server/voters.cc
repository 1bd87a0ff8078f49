#include "duel/server/voters.h"

#include <arpa/inet.h>

#include <array>

#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/secrets.h"

namespace duel {
namespace {

constexpr std::string_view kPrefix = "b.";  // of a browser
constexpr std::size_t kNameBytes = 12, kSignatureBytes = 16;

// Several texts as one, so that no other texts give the same.
std::string listed(std::initializer_list<std::string_view> texts) {
  std::string list;
  for (const std::string_view text : texts) append_json_text(list, text);
  return list;
}

bool is_of_this_machine(const std::string& address) {
  return address.empty() || address == "::1" || address.starts_with("127.") ||
         address.starts_with("::ffff:127.");
}

}  // namespace

std::string address_of_client(const HttpRequest& request, std::string_view proxy_header) {
  std::string address = request.peer;
  if (!proxy_header.empty()) {
    // A caller may send the header, too; what the proxy adds comes last.
    for (const auto& [name, value] : request.headers) {
      if (name == proxy_header)
        address = trimmed(std::string_view(value).substr(value.rfind(',') + 1));
    }
  } else if (is_of_this_machine(address)) {
    return {};
  }
  std::array<unsigned char, 16> bytes{};
  if (inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1) return address;
  constexpr std::size_t kNetworkBytes = 8;
  std::fill(bytes.begin() + kNetworkBytes, bytes.end(), 0);
  std::array<char, INET6_ADDRSTRLEN> text{};
  return inet_ntop(AF_INET6, bytes.data(), text.data(), text.size());
}

std::string Voters::signature(std::string_view experiment_id, std::string_view link,
                              std::string_view name) const {
  return base64url(
      hmac_sha256(key_, listed({"subject", experiment_id, link, name})).substr(0, kSignatureBytes));
}

std::string Voters::made_for(std::string_view experiment_id, std::string_view link,
                             std::string_view duel_id) const {
  const std::string name =
      base64url(duel_id.empty() ? random_bytes(kNameBytes)
                                : hmac_sha256(key_, listed({"name", experiment_id, link, duel_id}))
                                      .substr(0, kNameBytes));
  return std::string(kPrefix) + name + "." + signature(experiment_id, link, name);
}

bool Voters::knows(std::string_view experiment_id, std::string_view link,
                   std::string_view subject) const {
  const std::size_t dot = subject.rfind('.');
  if (!subject.starts_with(kPrefix) || dot < kPrefix.size()) return false;
  const std::string_view name = subject.substr(kPrefix.size(), dot - kPrefix.size());
  return equal_in_constant_time(subject.substr(dot + 1), signature(experiment_id, link, name));
}

bool Voters::count(const std::string& link, const std::string& address, const std::string& subject,
                   std::uint64_t most, std::int64_t now_ms) {
  constexpr std::int64_t kDayMs = 86'400'000;
  constexpr std::size_t kMostCounted = 1'000'000;
  if (address.empty()) return true;
  const std::lock_guard lock(mutex_);
  // Who has many addresses could fill the memory. To forget all counts lets them begin again, and
  // the cap of the link itself, which is kept in the log, still holds.
  if (now_ms / kDayMs != day_ || counted_ >= kMostCounted) {
    day_ = now_ms / kDayMs;
    counted_ = 0;
    subjects_.clear();
  }
  std::set<std::string>& known = subjects_[listed({link, address})];
  if (known.contains(subject)) return true;
  if (known.size() >= most) return false;
  known.insert(subject);
  ++counted_;
  return true;
}

}  // namespace duel

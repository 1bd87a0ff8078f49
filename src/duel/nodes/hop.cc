#include "duel/nodes/hop.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "duel/core/digest.h"
#include "duel/core/numbers.h"
#include "duel/core/secrets.h"

namespace duel {
namespace {

// How long a signed hop is valid. A header that leaks (from a log, say) is useless after that.
constexpr std::int64_t kFreshMs = 60'000;

}  // namespace

std::string Hops::signature(std::string_view text, std::string_view method,
                            std::string_view target) const {
  return hmac_sha256_hex(key_, fmt::format("{}\n{} {}", text, method, target));
}

std::string Hops::sign(const Hop& hop, std::string_view method, std::string_view target,
                       std::string_view body) const {
  // Ids contain no semicolon (check_id), so the fields cannot run into each other. The last two
  // make each hop of each node another one.
  const std::string text =
      fmt::format("{};{};{};{};{};{};{};{}", hop.experiment, hop.owner, hop.epoch, nodes_.now_ms(),
                  hop.token_id, sha256_hex(body), nodes_.self().node_id, ++signed_);
  return text + ";" + signature(text, method, target);
}

std::optional<Hop> Hops::verify(const HttpRequest& request) const {
  std::optional<Hop> hop = verify_head(request);
  if (hop && hop->body_sha256 != sha256_hex(request.content())) hop.reset();
  return hop;
}

std::optional<Hop> Hops::verify_head(const HttpRequest& request) const {
  const std::string* header = request.header(kHeader);
  if (header == nullptr) return std::nullopt;
  const std::size_t last = header->rfind(';');
  if (last == std::string::npos) return std::nullopt;
  const std::string_view text = std::string_view(*header).substr(0, last);
  const std::string expected = signature(text, to_word(request.method), request.target);
  if (!equal_in_constant_time(expected, std::string_view(*header).substr(last + 1))) {
    return std::nullopt;
  }
  std::array<std::string_view, 6> fields;
  std::string_view rest = text;
  for (std::string_view& field : fields) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    field = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const auto epoch = parse_count(fields[2]);
  const auto at_ms = parse_count(fields[3]);
  if (!epoch.ok() || !at_ms.ok()) return std::nullopt;
  if (std::abs(nodes_.now_ms() - static_cast<std::int64_t>(*at_ms)) > kFreshMs) return std::nullopt;
  return Hop{std::string(fields[0]), std::string(fields[1]), *epoch, std::string(fields[4]),
             std::string(fields[5])};
}

std::string Hops::sign_answer(std::string_view hop, HttpMethod method,
                              const HttpResponse& answer) const {
  // The other headers only say how to read the body; what they could change is not worth forging.
  const bool unsure = answer.header(kLeaseHeader) != nullptr;
  const std::string_view body = method == HttpMethod::head ? "" : answer.text();
  return hmac_sha256_hex(
      key_, fmt::format("answer\n{}\n{} {}\n{}", hop, answer.status, unsure ? 1 : 0, body));
}

bool Hops::is_signed(std::string_view hop, HttpMethod method, const HttpResponse& answer) const {
  const std::string* header = answer.header(kAnswerHeader);
  return header != nullptr && equal_in_constant_time(sign_answer(hop, method, answer), *header);
}

std::string Hops::signed_event(std::string_view hop, std::uint64_t number,
                               std::string_view event) const {
  return fmt::format(":{}\n{}",
                     hmac_sha256_hex(key_, fmt::format("event\n{}\n{}\n{}", hop, number, event)),
                     event);
}

std::optional<std::string_view> Hops::verified_event(std::string_view hop, std::uint64_t number,
                                                     std::string_view signed_one) const {
  const std::size_t end = signed_one.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view event = signed_one.substr(end + 1);
  if (!equal_in_constant_time(signed_event(hop, number, event), signed_one)) return std::nullopt;
  return event;
}

bool Hops::is_here(const Hop& hop) const {
  return hop.owner == nodes_.self().node_id && nodes_.epoch(hop.experiment) == hop.epoch;
}

}  // namespace duel

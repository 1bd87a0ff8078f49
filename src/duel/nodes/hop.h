// A request that one node forwards to another: one hop, from the node that was asked to the owner.
//
// The header `Duel-Hop` names the experiment, its owner, the epoch that the sender knows of and the
// caller's token by its id, and is signed with a key that only the nodes of a store have. It proves
// that the request comes from a node, and keeps it from going round in circles. The token itself
// stays where it came in: a program that listens at a dead node's address must not get it. The
// owner looks the id up and checks what it may do.
//
// The header `Duel-Answer` signs an answer to such a request, so that such a program cannot answer
// in the owner's place. In a stream of events each has its signature in front. Any thread may call
// `Hops`.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "duel/http/http.h"
#include "duel/store/nodes.h"

namespace duel {

// Marks an answer that no append backs and that was given without a lease (engine.h, Delivery).
inline constexpr const char* kLeaseHeader = "duel-lease";

// On a forwarded request: the address of the client, as the node saw it that was asked.
inline constexpr const char* kClientHeader = "duel-client";

struct Hop {
  std::string experiment;
  std::string owner;  // node id
  std::uint64_t epoch = 0;
  std::string token_id{};     // of the caller; empty: it has shown none
  std::string body_sha256{};  // as it was signed; signing computes it
};

class Hops {
 public:
  static constexpr std::string_view kHeader = "duel-hop";
  static constexpr std::string_view kAnswerHeader = "duel-answer";

  Hops(Nodes& nodes, std::string key) : nodes_(nodes), key_(std::move(key)) {}

  std::string sign(const Hop& hop, std::string_view method, std::string_view target,
                   std::string_view body = "") const;
  // Nothing if the header is missing, or was not signed by a node for this very method, target and
  // body within a minute of the store's clock.
  std::optional<Hop> verify(const HttpRequest& request) const;
  // The same before the body has come. It may still turn out to be another one.
  std::optional<Hop> verify_head(const HttpRequest& head) const;
  // For `kAnswerHeader`. `hop` is the header of the request, which no two requests share, so that
  // an answer that was overheard fits no other request.
  std::string sign_answer(std::string_view hop, HttpMethod method,
                          const HttpResponse& answer) const;
  bool is_signed(std::string_view hop, HttpMethod method, const HttpResponse& answer) const;
  // An event of the stream that answers the hop, or a comment, with a line in front that signs it:
  // `:<signature>`. `number` counts them from 0, so that none can be left out or come again.
  std::string signed_event(std::string_view hop, std::uint64_t number,
                           std::string_view event) const;
  // The event without that line; nothing if it is not so signed.
  std::optional<std::string_view> verified_event(std::string_view hop, std::uint64_t number,
                                                 std::string_view signed_one) const;
  // Whether this node is the owner that the hop names, in that epoch.
  bool is_here(const Hop& hop) const;

 private:
  std::string signature(std::string_view text, std::string_view method,
                        std::string_view target) const;

  Nodes& nodes_;
  std::string key_;
  mutable std::atomic<std::uint64_t> signed_ = 0;
};

}  // namespace duel

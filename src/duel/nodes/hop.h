// A request that one node forwards to another: one hop, from the node that was asked to the owner.
//
// The header `Duel-Hop` names the experiment, its owner and the epoch that the sender knows of, and
// is signed with a key that only the nodes of a store have. It proves that the request comes from a
// node, and keeps it from going round in circles. It gives no right to do anything: the caller's
// own token goes along and is checked again. Any thread may call `Hops`.
#pragma once

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

struct Hop {
  std::string experiment;
  std::string owner;  // node id
  std::uint64_t epoch = 0;
  bool operator==(const Hop&) const = default;
};

class Hops {
 public:
  static constexpr std::string_view kHeader = "duel-hop";

  Hops(Nodes& nodes, std::string key) : nodes_(nodes), key_(std::move(key)) {}

  std::string sign(const Hop& hop, std::string_view method, std::string_view target) const;
  // Nothing if the header is missing, or was not signed by a node for this very method and target
  // within a minute of the store's clock.
  std::optional<Hop> verify(const HttpRequest& request) const;
  // Whether this node is the owner that the hop names, in that epoch.
  bool is_here(const Hop& hop) const;

 private:
  std::string signature(std::string_view text, std::string_view method,
                        std::string_view target) const;

  Nodes& nodes_;
  std::string key_;
};

}  // namespace duel

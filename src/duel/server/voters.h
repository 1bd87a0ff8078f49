// The people who vote by share links. A link may be in anybody's hands, and a holder who could name
// the subject of each vote could vote as often as there are names. So the server makes the
// subjects, one for each browser that begins to vote, signed for the link, and counts how many come
// from one address.
//
// The counts of addresses are of this process and of today. They are kept in memory only, since
// nobody should find addresses in a log. Any thread may call it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "duel/core/text_map.h"
#include "duel/http/http.h"

namespace duel {

// From where a request comes: the client's address, an IPv6 one without its last 64 bits, which a
// client chooses itself. Where `proxy_header` is not empty, it is the last in that header: the one
// that the proxy before this server has added. Empty if it says nothing: for a connection from this
// machine, which may be a proxy's, and any number of people come through that.
std::string address_of_client(const HttpRequest& request, std::string_view proxy_header);

class Voters {
 public:
  explicit Voters(std::string key) : key_(std::move(key)) {}

  // The subject of a browser that begins to vote with this duel. The same request, sent again
  // because the answer was lost, gets the same.
  std::string made_for(std::string_view experiment_id, std::string_view link,
                       std::string_view duel_id) const;
  // Whether this server has made the subject for that link.
  bool knows(std::string_view experiment_id, std::string_view link, std::string_view subject) const;
  // Counts the subject. False, and it is not counted, if `most` others have come from that address
  // by that link today.
  bool count(const std::string& link, const std::string& address, const std::string& subject,
             std::uint64_t most, std::int64_t now_ms);

 private:
  std::string signature(std::string_view experiment_id, std::string_view link,
                        std::string_view name) const;

  const std::string key_;
  std::mutex mutex_;  // guards the rest
  std::int64_t day_ = 0;
  std::size_t counted_ = 0;
  TextMap<std::set<std::string>> subjects_;  // by link and address
};

}  // namespace duel

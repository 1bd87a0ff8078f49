#include "duel/ranking/interleaving/methods.h"

#include <fmt/format.h>

#include "duel/core/spelling.h"

namespace duel {

Catalogue<InterleaverKind>& interleaver_catalogue() {
  static Catalogue<InterleaverKind> all("method", "method named");
  return all;
}

Catalogue<MultileaverKind>& multileaver_catalogue() {
  static Catalogue<MultileaverKind> all("method", "method named");
  return all;
}

std::vector<std::string> interleaving_method_names() {
  std::vector<std::string> names = interleaver_catalogue().names();
  for (std::string& name : multileaver_catalogue().names()) names.push_back(std::move(name));
  return names;
}

InterleaverKind::Made configure_interleaver(const CallSpec& call) {
  const auto& all = interleaver_catalogue();
  if (all.knows(call.name)) return all.configure(call);
  if (!multileaver_catalogue().knows(call.name)) {
    return all.unknown(call.name, interleaving_method_names());
  }
  return Error::invalid_argument(
             fmt::format(
                 "method '{}' multileaves; two rankings that duel need one that interleaves",
                 call.name))
      .with_hint(spelling_hint(call.name, all.names()));
}

InterleaverKind::Made configure_interleaver(std::string_view text) {
  DUEL_ASSIGN(const CallSpec call, parse_call(text));
  return configure_interleaver(call);
}

MultileaverKind::Made configure_multileaver(const CallSpec& call) {
  const auto& all = multileaver_catalogue();
  if (all.knows(call.name)) return all.configure(call);
  if (!interleaver_catalogue().knows(call.name)) {
    return all.unknown(call.name, interleaving_method_names());
  }
  return Error::invalid_argument(fmt::format("method '{}' merges exactly two rankings", call.name))
      .with_hint(spelling_hint(call.name + "-multileave", all.names()));
}

MultileaverKind::Made configure_multileaver(std::string_view text) {
  DUEL_ASSIGN(const CallSpec call, parse_call(text));
  return configure_multileaver(call);
}

}  // namespace duel

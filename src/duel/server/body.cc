#include "duel/server/body.h"

namespace duel::body_detail {

std::string pointer_part(std::string_view name) {
  std::string part = "/";
  for (const char c : name) {
    if (c == '~') {
      part += "~0";
    } else if (c == '/') {
      part += "~1";
    } else {
      part += c;
    }
  }
  return part;
}

}  // namespace duel::body_detail

// SHA-256, for the chain of a log and for the payloads of arms.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace duel {

// Holds what hashing needs, fetched once, so that a million short lines cost a million hashes and
// nothing else. Not to be used by two threads at once.
class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  ~Sha256();

  // 64 lower-case hexadecimal digits of the digest of `first` followed by `second`.
  std::string hex(std::string_view first, std::string_view second = {});
  // The same into 64 characters at `out`.
  void hex_to(char* out, std::string_view first, std::string_view second);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_hex(std::string_view text);

// Two lower-case hexadecimal digits for each byte.
std::string to_hex(std::string_view bytes);

inline constexpr std::size_t kHexDigits = 64;
bool is_sha256_hex(std::string_view text);

}  // namespace duel

#include "duel/client/remote_api.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace duel {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

milliseconds pause_after(std::size_t failed_tries) {
  constexpr std::size_t kMostDoublings = 6;
  const auto doubled = milliseconds(100) * (1 << std::min(failed_tries - 1, kMostDoublings));
  return std::min<milliseconds>(doubled, milliseconds(5'000));
}

RemoteApi::RemoteApi(std::string url, HttpClient http, milliseconds patience)
    : url_(std::move(url)), http_(std::move(http)), patience_(patience) {}

Result<std::unique_ptr<RemoteApi>> RemoteApi::make(const std::string& url, const std::string& token,
                                                   milliseconds patience) {
  HttpClientOptions options;
  options.token = token;
  DUEL_ASSIGN(HttpClient http, HttpClient::make(url, std::move(options)));
  return std::unique_ptr<RemoteApi>(new RemoteApi(url, std::move(http), patience));
}

template <class Attempt>
Result<HttpResponse> RemoteApi::try_for_a_while(Repeat repeat, const Attempt& attempt) {
  const auto deadline = Clock::now() + patience_;
  out_of_reach_ = false;
  for (std::size_t tries = 1;; ++tries) {
    Result<HttpResponse> response = attempt();
    if (response.ok() && !is_temporary(response->status)) return response;
    const auto pause = pause_after(tries);
    // A refusal was read and nothing was done; a lost answer may have been a success.
    const bool may_repeat = repeat == Repeat::safe || response.ok();
    if (may_repeat && Clock::now() + pause < deadline) {
      std::this_thread::sleep_for(pause);
      continue;
    }
    out_of_reach_ = true;
    return response;
  }
}

Result<HttpResponse> RemoteApi::send(HttpMethod method, const std::string& target,
                                     const std::string& body, const std::string& media_type,
                                     Repeat repeat) {
  HttpFields headers;
  if (!media_type.empty()) headers.emplace_back("Content-Type", media_type);
  return try_for_a_while(repeat, [&] { return http_.send(method, target, body, headers); });
}

Result<HttpResponse> RemoteApi::stream(const std::string& target, const Sink& sink) {
  // What went to the sink cannot be taken back: only what brought nothing is tried again.
  bool begun = false;
  const auto noting = [&](std::string_view piece) {
    begun = true;
    return sink(piece);
  };
  Result<HttpResponse> response = try_for_a_while(Repeat::safe, [&]() -> Result<HttpResponse> {
    Result<HttpResponse> one = http_.stream(target, noting);
    if (one.ok() || !begun) return one;
    HttpResponse broken;
    broken.status = 0;
    return broken;
  });
  if (response.ok() && response->status == 0) {
    out_of_reach_ = true;
    return Error::io("the connection was lost in the middle of the answer", url_);
  }
  return response;
}

}  // namespace duel

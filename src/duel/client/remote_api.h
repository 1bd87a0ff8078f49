// A server that is asked over HTTP, and asked again for a while where it does not answer.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "duel/client/api_client.h"
#include "duel/core/result.h"
#include "duel/http/http_client.h"

namespace duel {

class RemoteApi final : public ApiClient {
 public:
  // For `patience` what may be repeated is asked again, after pauses that grow; zero: once.
  static Result<std::unique_ptr<RemoteApi>> make(const std::string& url, const std::string& token,
                                                 std::chrono::milliseconds patience);

  Result<HttpResponse> send(HttpMethod method, const std::string& target, const std::string& body,
                            const std::string& media_type, Repeat repeat) override;
  Result<HttpResponse> stream(const std::string& target, const Sink& sink) override;
  std::string place() const override { return url_; }

 private:
  RemoteApi(std::string url, HttpClient http, std::chrono::milliseconds patience);

  template <class Attempt>
  Result<HttpResponse> try_for_a_while(Repeat repeat, const Attempt& attempt);

  std::string url_;
  HttpClient http_;
  std::chrono::milliseconds patience_;
};

// The pause before the next try: 100 ms, doubled each time, at most 5 s.
std::chrono::milliseconds pause_after(std::size_t failed_tries);

}  // namespace duel

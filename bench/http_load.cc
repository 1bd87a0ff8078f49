#include "bench/http_load.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <deque>

#include "duel/core/check.h"

namespace duel {
namespace {

using Clock = std::chrono::steady_clock;

struct Client {
  int descriptor = -1;
  std::string input;
  std::string body;
  Clock::time_point due;
  bool measured = true;
};

// How long a whole response at the front of the text is; 0 where it is not there yet. The server
// under test gives every answer a Content-Length.
std::size_t response_length(const std::string& text, std::size_t& body_at) {
  const std::size_t end = text.find("\r\n\r\n");
  if (end == std::string::npos) return 0;
  body_at = end + 4;
  constexpr std::string_view kLength = "Content-Length: ";
  const std::size_t field = text.find(kLength);
  if (field == std::string::npos || field > end) return body_at;
  std::size_t length = 0;
  std::from_chars(text.data() + field + kLength.size(), text.data() + end, length);
  return text.size() < body_at + length ? 0 : body_at + length;
}

}  // namespace

double HttpLoadResult::quantile(double share) const {
  DUEL_CHECK(!latencies.empty());
  const auto at = static_cast<std::size_t>(share * static_cast<double>(latencies.size()));
  return latencies[std::min(at, latencies.size() - 1)];
}

HttpLoadResult run(const HttpLoad& load) {
  const int queue = ::epoll_create1(EPOLL_CLOEXEC);
  std::vector<Client> clients(load.connections);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(load.address.port);
  DUEL_CHECK(::inet_pton(AF_INET, load.address.host.c_str(), &to.sin_addr) == 1);
  for (std::size_t k = 0; k < clients.size(); ++k) {
    clients[k].descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    DUEL_CHECK(::connect(clients[k].descriptor, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
    const int yes = 1;
    ::setsockopt(clients[k].descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = k;
    DUEL_CHECK(::epoll_ctl(queue, EPOLL_CTL_ADD, clients[k].descriptor, &event) == 0);
  }
  HttpLoadResult result;
  std::size_t sent = 0, open = 0;
  std::deque<std::size_t> waiting;  // connections whose turn has not come, the next one first
  const Clock::time_point begin = Clock::now();
  const auto send_now = [&](std::size_t k) {
    Client& client = clients[k];
    const std::string text = load.next(k, client.body);
    client.measured = !load.measured || load.measured(text);
    DUEL_CHECK(::send(client.descriptor, text.data(), text.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(text.size()));
    ++open;
  };
  const auto send_next = [&](std::size_t k) {
    const Clock::time_point now = Clock::now();
    if (sent == load.most_requests || now - begin > load.most_time) return;
    const auto turn = static_cast<double>(sent++);
    clients[k].due = now;
    if (load.rate > 0) {
      const std::chrono::duration<double> after(turn / load.rate);
      clients[k].due = begin + std::chrono::duration_cast<Clock::duration>(after);
      if (clients[k].due > now) return waiting.push_back(k);
    }
    send_now(k);
  };
  for (std::size_t k = 0; k < clients.size(); ++k) send_next(k);
  std::array<epoll_event, 256> events{};
  std::array<char, 65'536> bytes{};
  while (open > 0 || !waiting.empty()) {
    int timeout_ms = 30'000;
    while (!waiting.empty() && clients[waiting.front()].due <= Clock::now()) {
      send_now(waiting.front());
      waiting.pop_front();
    }
    if (!waiting.empty()) timeout_ms = 1;
    const int ready =
        ::epoll_wait(queue, events.data(), static_cast<int>(events.size()), timeout_ms);
    DUEL_CHECK(ready > 0 || !waiting.empty());
    for (int e = 0; e < ready; ++e) {
      const auto k = static_cast<std::size_t>(events[static_cast<std::size_t>(e)].data.u64);
      Client& client = clients[k];
      const ssize_t got = ::recv(client.descriptor, bytes.data(), bytes.size(), MSG_DONTWAIT);
      DUEL_CHECK(got > 0);
      client.input.append(bytes.data(), static_cast<std::size_t>(got));
      std::size_t body_at = 0;
      const std::size_t length = response_length(client.input, body_at);
      if (length == 0) continue;
      if (client.measured) {
        result.latencies.push_back(
            std::chrono::duration<double>(Clock::now() - client.due).count());
      }
      ++result.requests;
      if (client.input.compare(9, 3, "429") == 0) {  // "HTTP/1.1 200"
        ++result.refused;
      } else if (client.input[9] >= '3') {
        if (++result.failures == 1) result.first_failure = client.input;
      }
      client.body = client.input.substr(body_at, length - body_at);
      client.input.erase(0, length);
      --open;
      send_next(k);
    }
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  for (const Client& client : clients) ::close(client.descriptor);
  ::close(queue);
  std::ranges::sort(result.latencies);
  return result;
}

}  // namespace duel

#include "duel/http/router.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "duel/core/check.h"
#include "duel/http/http_text.h"

namespace duel {
namespace {

std::vector<std::string_view> pattern_segments(std::string_view pattern) {
  DUEL_CHECK(pattern.starts_with('/'));
  std::vector<std::string_view> segments;
  for (;;) {
    pattern.remove_prefix(1);
    const std::size_t end = std::min(pattern.find('/'), pattern.size());
    segments.push_back(pattern.substr(0, end));
    pattern.remove_prefix(end);
    if (pattern.empty()) return segments;
  }
}

bool is_parameter(std::string_view segment) {
  return segment.size() > 2 && segment.starts_with('{') && segment.ends_with('}');
}

}  // namespace

const std::string& PathParameters::at(std::string_view name) const {
  const auto found = std::ranges::find(
      values_, name, [](const auto& field) -> const std::string& { return field.first; });
  DUEL_CHECK(found != values_.end());
  return found->second;
}

// A tree over the segments of patterns. A node has what can follow the segments that led to it.
struct Router::Node {
  std::map<std::string, Node, std::less<>> literals;
  std::unique_ptr<Node> parameter;
  struct Ending {
    const Route* route = nullptr;
    std::vector<std::pair<std::size_t, std::string>> parameters;  // by the number of their segment
  };
  std::map<HttpMethod, Ending> routes;  // those whose patterns end here

  // Calls `visit` for the nodes where the path ends, those with literal segments first, until it
  // returns true.
  template <class Visit>
  bool ends(std::span<const std::string> path, const Visit& visit) const {
    if (path.empty()) return !routes.empty() && visit(*this);
    const auto literal = literals.find(path.front());
    if (literal != literals.end() && literal->second.ends(path.subspan(1), visit)) return true;
    return parameter != nullptr && !path.front().empty() && parameter->ends(path.subspan(1), visit);
  }
};

Router::Router(std::vector<Route> routes)
    : routes_(std::move(routes)), root_(std::make_unique<Node>()) {
  for (const Route& route : routes_) {
    Node* node = root_.get();
    std::set<std::string_view> names;
    Node::Ending ending{&route, {}};
    const auto segments = pattern_segments(route.pattern);
    for (std::size_t k = 0; k < segments.size(); ++k) {
      const std::string_view segment = segments[k];
      if (is_parameter(segment)) {
        DUEL_CHECK(names.insert(segment).second);
        ending.parameters.emplace_back(k, segment.substr(1, segment.size() - 2));
        if (node->parameter == nullptr) node->parameter = std::make_unique<Node>();
        node = node->parameter.get();
      } else {
        node = &node->literals[std::string(segment)];
      }
    }
    DUEL_CHECK(node->routes.emplace(route.method, std::move(ending)).second);
  }
}

Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;
Router::~Router() = default;

Router::Match Router::match(HttpMethod method, std::string_view path) const {
  Match match;
  auto segments = path_segments(path);
  if (!segments) {
    match.refusal = problem(400, "the path cannot be decoded");
    return match;
  }
  const HttpMethod wanted = method == HttpMethod::head ? HttpMethod::get : method;
  std::set<std::string_view> allowed;
  const Node::Ending* ending = nullptr;
  root_->ends(*segments, [&](const Node& node) {
    const auto own = node.routes.find(method);
    const auto found = own == node.routes.end() ? node.routes.find(wanted) : own;
    if (found != node.routes.end()) {
      ending = &found->second;
      return true;
    }
    for (const auto& [other, unused] : node.routes) {
      allowed.insert(to_word(other));
      if (other == HttpMethod::get) allowed.insert(to_word(HttpMethod::head));
    }
    return false;
  });
  if (ending != nullptr) {
    match.route = ending->route;
    HttpFields values;
    values.reserve(ending->parameters.size());
    for (const auto& [segment, name] : ending->parameters) {
      values.emplace_back(name, std::move((*segments)[segment]));
    }
    match.parameters = PathParameters(std::move(values));
    return match;
  }
  if (allowed.empty()) {
    match.refusal = problem(404, "there is nothing at this path");
    return match;
  }
  allowed.insert(to_word(HttpMethod::options));
  std::string allow;
  for (const std::string_view word : allowed) {
    if (!allow.empty()) allow += ", ";
    allow += word;
  }
  if (method == HttpMethod::options) {
    match.refusal.status = 204;
  } else {
    match.refusal = problem(405, "the path takes these methods: " + allow);
  }
  match.refusal.headers.emplace_back("Allow", allow);
  return match;
}

void Router::handle(HttpRequest&& request, HttpReply reply) const {
  Match found = match(request.method, request.path);
  if (found.route == nullptr) {
    reply.send(std::move(found.refusal));
    return;
  }
  found.route->handler(std::move(request), std::move(found.parameters), std::move(reply));
}

}  // namespace duel

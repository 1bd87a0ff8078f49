// Routes as a table: method, pattern, name, handler. Immutable once made: any thread may call it.
//
//   PUT  /v1/experiments/{eid}/duels/{did}/outcome   outcome
//
// `{name}` stands for exactly one segment that is not empty. A literal segment wins over a
// parameter at the same place, so `/v1/experiments/{eid}/start` and `/v1/experiments/{eid}/{verb}`
// can stand side by side.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/result.h"
#include "duel/http/http.h"

namespace duel {

// The segments that stand for the parameters of a pattern, percent-decoded but otherwise unchecked:
// they may hold any byte, a slash and a NUL too. Handlers check them.
class PathParameters {
 public:
  PathParameters() = default;
  explicit PathParameters(HttpFields values) : values_(std::move(values)) {}
  // REQUIRES: the pattern has it.
  const std::string& at(std::string_view name) const;
  const HttpFields& all() const { return values_; }

 private:
  HttpFields values_;
};

using RouteHandler =
    std::function<void(HttpRequest&& request, PathParameters&& parameters, HttpReply reply)>;

struct Route {
  HttpMethod method = HttpMethod::get;
  std::string pattern;
  std::string name;  // for metrics, where a label for each path would be too many
  RouteHandler handler;
};

// Decides which route a request takes. HEAD takes the route of GET; the server drops the body.
class Router {
 public:
  // REQUIRES: patterns begin with '/', parameters have distinct names, and no two routes have the
  // same method and shape.
  explicit Router(std::vector<Route> routes);
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;
  ~Router();

  struct Match {
    const Route* route = nullptr;  // null: `refusal` is the answer
    PathParameters parameters;
    HttpResponse refusal;  // 400 for a path that cannot be decoded, 404, 405 with Allow
  };
  Match match(HttpMethod method, std::string_view path) const;

  // Answers: by the handler of the route, or with the refusal. OPTIONS without a route of its own
  // is answered 204 with Allow.
  void handle(HttpRequest&& request, HttpReply reply) const;

  const std::vector<Route>& routes() const { return routes_; }

 private:
  struct Node;

  std::vector<Route> routes_;
  std::unique_ptr<Node> root_;
};

}  // namespace duel

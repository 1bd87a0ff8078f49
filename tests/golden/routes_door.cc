#include "tests/golden/routes_door.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <regex>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>

#include "duel/core/digest.h"
#include "tests/golden/golden.h"

namespace duel::golden {
namespace {

const std::string kBelow = "/v1/experiments/";
const std::string kE = kBelow + "e";

std::string path_of(const std::string& target) {
  return target.starts_with('/') ? target : kBelow + target;
}

// Headers that say something about this answer and not about all.
bool is_told(std::string_view name) {
  static const std::set<std::string, std::less<>> told{"ETag", "Idempotent-Replayed", "Location",
                                                       "Retry-After"};
  return told.contains(name);
}

// The server makes up ids of chance for fallbacks that the caller did not name. They are in no log.
std::string masked(std::string body) {
  static const std::regex made_up(R"("f\.[0-9a-hjkmnp-tv-z]{26}")");
  if (!std::regex_search(body, made_up)) return body;
  static const std::regex token(R"re("report_token":"[^"]*")re");
  body = std::regex_replace(body, made_up, R"("f.<chance>")");
  return std::regex_replace(body, token, R"("report_token":"<of it>")");
}

// A store around the one on disk fails on demand.
std::unique_ptr<Store> around(std::unique_ptr<Store> store, FaultyStore*& seen) {
  auto faulty = std::make_unique<FaultyStore>(std::move(store));
  seen = faulty.get();
  return faulty;
}

std::string text_of(const Json& json, std::string_view name) {
  return json.at(name).get<std::string>();
}

constexpr long long kTimeoutMs = 1'800'000;  // of a duel, where nothing else was asked for

}  // namespace

// The requests of the door itself are not limited by the token that the script uses.
class RoutesDoor::AsAdmin {
 public:
  explicit AsAdmin(RoutesDoor& door) : door_(door), before_(door.api_->token) {
    const auto admin = door.tokens_.find("admin");
    if (admin != door.tokens_.end()) door.api_->token = admin->second;
  }
  ~AsAdmin() { door_.api_->token = before_; }
  AsAdmin(const AsAdmin&) = delete;
  AsAdmin& operator=(const AsAdmin&) = delete;

 private:
  RoutesDoor& door_;
  std::string before_;
};

RoutesDoor::RoutesDoor() : quick_(use_quick_directory()), api_(std::make_unique<ServedApi>()) {
  // In place of the secret that the first start drew.
  api_->stop();
  {
    const auto store = SqliteStore::open(api_->store_file(), {});
    if (!(*store)->put("secret", "server", "thirty-two bytes for the goldens").ok()) {
      throw std::runtime_error("the secret cannot be written");
    }
  }
  api_->around_store = [this](std::unique_ptr<Store> store) {
    return around(std::move(store), store_);
  };
  api_->owners = 1;  // who answers for `nobody` looks for what is due (pass)
  api_->start();
}

HttpResponse RoutesDoor::send(const Asked& asked) {
  HttpFields headers = asked.headers;
  headers.emplace_back("host", "127.0.0.1:7557");
  if (!api_->token.empty()) headers.emplace_back("authorization", "Bearer " + api_->token);
  const bool typed = std::ranges::any_of(
      headers, [](const auto& header) { return header.first == "content-type"; });
  if (!asked.body.empty() && !typed) headers.emplace_back("content-type", "application/json");
  return api_->exchange_with(http_request(asked.method, asked.target, asked.body, headers));
}

Told RoutesDoor::exchange(const Asked& asked) {
  const HttpResponse response = send(asked);
  replies_ += fmt::format("{} {}{}{}\n", to_word(asked.method), asked.target,
                          asked.body.empty() ? "" : " ", asked.body);
  replies_ += fmt::format("{}", response.status);
  for (const auto& [name, value] : response.headers) {
    if (is_told(name)) replies_ += fmt::format(" {}: {}", name, value);
  }
  replies_ += "\n" + masked(response.body);
  if (!replies_.ends_with('\n')) replies_ += "\n";
  replies_ += "\n";
  auto json = Json::parse(response.body);
  if (json) remember(*json);
  return {response.status, json ? *json : Json(), response.headers};
}

// Duels, alone, in a batch or after an outcome, and pages.
void RoutesDoor::remember(const Json& answer) {
  if (const Json* next = answer.find("next")) remember(*next);
  const Json* items = answer.find("items");
  if (answer.contains("batch_id")) {
    for (const Json& item : items->items()) remember(item);
  }
  if (answer.contains("serving")) served_[text_of(answer, "duel_id")] = answer;
  if (answer.contains("subject_id")) {
    subjects_.try_emplace(text_of(answer, "duel_id"), text_of(answer, "subject_id"));
  }
  if (!answer.contains("query_id")) return;
  for (const Json& item : items->items()) {
    pages_[text_of(answer, "query_id")][item.at("ordinal").get<std::uint64_t>()] =
        text_of(item, "object_id");
  }
}

std::string RoutesDoor::arm_of(const std::string& duel_id, const std::string& what) const {
  const Json& duel = served_.at(duel_id);
  const auto arms = duel.at("arms").items();
  const std::string first = text_of(arms[0], "arm_id");
  const std::string second = arms.size() > 1 ? text_of(arms[1], "arm_id") : first;
  if (what == "first") return first;
  if (what == "second") return second;
  if (what == "better") return std::min(first, second);
  if (what == "worse") return std::max(first, second);
  if (what == "token") return text_of(duel, "report_token");
  if (what == "subject") return subjects_.at(duel_id);
  return pages_.at(duel_id).at(std::stoul(what));
}

std::string RoutesDoor::substituted(std::string text) const {
  for (std::size_t at = text.find("${"); at != std::string::npos; at = text.find("${", at)) {
    const std::size_t end = text.find('}', at);
    const std::string name = text.substr(at + 2, end - at - 2);
    const std::size_t dot = name.rfind('.');
    text.replace(at, end + 1 - at, arm_of(name.substr(0, dot), name.substr(dot + 1)));
  }
  return text;
}

// The engine looks for what is due when half a second has passed on its clock, in a moment of its
// own. A request that it answers comes back after that, so that what follows finds it done.
void RoutesDoor::pass(long long ms) {
  api_->pass(ms);
  unseen_ms_ += ms;
  if (unseen_ms_ >= 0 && unseen_ms_ < 500) return;
  unseen_ms_ = 0;
  const AsAdmin admin(*this);
  send({HttpMethod::get, kBelow + "nobody"});
}

void RoutesDoor::play_many(const Step& step) {
  replies_ += step.text + "\n";
  const int count = std::stoi(step.words.at(0));
  std::string members = step.json.empty() ? "" : "," + step.json.substr(1);
  if (const std::string subject = step.value_of("subject"); !subject.empty()) {
    members = fmt::format(R"(,"subject_id":"{}"}})", subject);
  }
  const int from = std::stoi(step.value_of("from", "1"));
  for (int k = from; k < from + count; ++k) {
    const std::string id = step.words.at(1) + std::to_string(k);
    const HttpResponse duel =
        send({HttpMethod::post,
              kE + "/duels",
              {},
              fmt::format(R"({{"duel_id":"{}"{}{})", id, members, members.empty() ? "}" : "")});
    replies_ += fmt::format("{} {} {}", id, duel.status, sha256_hex(duel.body).substr(0, 16));
    const auto json = Json::parse(duel.body);
    if (json) remember(*json);
    const std::string serving = json && json->contains("serving") ? text_of(*json, "serving") : "";
    if (serving.empty() || serving == "fallback" || serving == "exploit" || serving == "done") {
      replies_ += fmt::format(" {}\n\n", serving);
      return;
    }
    std::string word = word_of(said_about(id));
    if (both_orders_) word += "/" + word_of(said_about(id + "/turned"));
    const std::string body = answer_body(id, word).dump();
    const HttpResponse told = send({HttpMethod::put, kE + "/duels/" + id + "/outcome", {}, body});
    replies_ += fmt::format(" {} {} {}\n", word, told.status, sha256_hex(told.body).substr(0, 16));
    pass(1000);
  }
  replies_ += "\n";
}

void RoutesDoor::restart(const Step& step) {
  api_->stop();
  const std::string how = step.words.empty() ? "" : step.words[0];
  if (!how.empty()) {
    auto raw = SqliteConnection::open(api_->store_file(), SQLITE_OPEN_READWRITE);
    std::string sql = "DELETE FROM snapshots;";
    if (how == "power") {
      sql += fmt::format(
          "UPDATE state SET value = 'another boot' WHERE name = 'stop';"
          "UPDATE experiments SET mark = {};",
          step.value_of("synced"));
      if (const std::string kept = step.value_of("kept"); !kept.empty()) {
        sql += fmt::format(
            "DELETE FROM lines WHERE sequence > {0};"
            "UPDATE experiments SET head_sequence = {0}, head_hash = (SELECT substr(text, -66, 64) "
            "FROM lines WHERE sequence = {0});",
            kept);
      }
    }
    if (const Status done = raw->execute(sql.c_str()); !done.ok()) {
      throw std::runtime_error(done.error().to_string());
    }
  }
  api_->start();
  // A certificate waits until the log was checked in the background, for as long as that takes.
  const auto experiments = api_->engine().store().list();
  for (const std::string& id : experiments.value()) (void)api_->engine().audits().check(id);
  unseen_ms_ = 0;
  replies_ += step.text + "\n\n";
}

// The members that every door takes become those of the body; the server's own defaults differ
// from those of a run in what is said here.
void RoutesDoor::open(const Step& step) {
  const Json wanted = *Json::parse(step.json);
  Json body;
  Json arms = Json::array();
  for (const Json& id : wanted.at("arms").items()) arms.push_back({{"arm_id", id}});
  body["arms"] = std::move(arms);
  body["seed"] = wanted.at("seed");
  Json stopping;
  stopping["pairs_independent"] = !wanted.contains("tasks");
  stopping["on_certified"] = "complete";
  if (const Json* alpha = wanted.find("alpha")) stopping["alpha"] = *alpha;
  if (wanted.contains("open_arms")) stopping["arms"] = "open";
  body["stopping"] = std::move(stopping);
  for (const char* same : {"policy", "goal", "top", "epsilon", "about"}) {
    if (const Json* value = wanted.find(same)) body[same] = *value;
  }
  if (const Json* order = wanted.find("order")) {
    body["presentation"]["order"] = *order;
    both_orders_ = order->get<std::string>() == "both";
  }
  if (const Json* size = wanted.find("panel")) body["panel"]["size"] = *size;
  if (const Json* share = wanted.find("audits")) body["audit"]["share"] = *share;
  if (const Json* tasks = wanted.find("tasks")) {
    Json items = Json::array();
    for (const Json& id : tasks->items()) items.push_back({{"task_id", id}, {"payload", id}});
    body["tasks"] = std::move(items);
  }
  exchange({HttpMethod::put, kE, {}, body.dump()});
  exchange({HttpMethod::post, kE + "/start"});
}

// The body of `answer q better`, or as a judge who saw both orders says, `answer q first/second`.
Json RoutesDoor::answer_body(const std::string& id, const std::string& word) const {
  const bool twice = arm_of(id, "first") == arm_of(id, "second");
  const auto said = [&](const std::string& one, bool turned) {
    Json told;
    if (is_score(one)) {
      told["score"] = std::stod(one);
      return told;
    }
    if (one == "tie" || one == "both_bad" || one == "skip" || one == "invalid") {
      told["result"] = one;
      return told;
    }
    // The second time the places are exchanged.
    std::string winner = one;
    if (turned && one == "first") winner = "second";
    if (turned && one == "second") winner = "first";
    told["result"] = "win";
    told["winner"] = arm_of(id, winner);
    if (twice) told["place"] = 1;
    return told;
  };
  Json body;
  if (both_orders_) {
    const std::size_t slash = std::min(word.find('/'), word.size());
    const std::string other = slash == word.size() ? word : word.substr(slash + 1);
    Json judgements = Json::array();
    for (const bool turned : {false, true}) {
      Json judgement;
      judgement["first"] = arm_of(id, turned ? "second" : "first");
      judgement.update(said(turned ? other : word.substr(0, slash), turned));
      judgements.push_back(std::move(judgement));
    }
    body["judgements"] = std::move(judgements);
  } else {
    body = said(word, false);
  }
  body["source"] = {{"type", "judge"}, {"id", "j"}};
  body["response_ms"] = 1;
  return body;
}

// A voter is given the first duel that waits for a person.
void RoutesDoor::audit(const std::string& word) {
  const Told offered = exchange({HttpMethod::post, kE + "/duels", {}, R"({"voter":true})"});
  const std::string id = offered.text("duel_id");
  Json body = answer_body(id, word);
  body["source"] = {{"type", "human"}, {"id", "p"}};
  exchange({HttpMethod::put, kE + "/duels/" + id + "/outcome", {}, body.dump()});
}

// Ids and secrets of tokens are drawn, so that of the answer the status alone is kept. The log
// names the share link of a voter, so that one gets an id that is the same in every run.
void RoutesDoor::make_token(const Step& step) {
  const std::string& scope = step.words.at(1);
  const std::string body = fmt::format(R"({{"scope":"{}"{}}})", scope,
                                       scope == "admin" ? "" : R"(,"experiment_id":"e")");
  const HttpResponse made = send({HttpMethod::post, "/v1/tokens", {}, body});
  replies_ += fmt::format("{}\n{}\n\n", step.text, made.status);
  const Json told = *Json::parse(made.body);
  tokens_[step.words[0]] = text_of(told, "token");
  if (scope != "vote") return;
  const std::string drawn = text_of(told, "token_id"), fixed = "t-" + step.words[0];
  Json kept = *Json::parse(*store_->get("token", drawn).value());
  kept["token_id"] = fixed;
  const bool renamed = store_->erase("token", drawn).ok() &&
                       store_->put("token", fixed, kept.dump()).ok() &&
                       api_->tokens().refresh().ok();
  if (!renamed) throw std::runtime_error("the token cannot be renamed");
}

void RoutesDoor::play(const Step& step) {
  const std::string& verb = step.verb;
  const auto word = [&](std::size_t k) -> const std::string& { return step.words.at(k); };
  if (const HttpMethod method = http_method_of(verb); method != HttpMethod::other) {
    Asked asked{method, path_of(substituted(word(0))), {}, substituted(step.json)};
    for (const std::string& header : std::span(step.words).subspan(1)) {
      const std::size_t colon = header.find(':');
      asked.headers.emplace_back(header.substr(0, colon), header.substr(colon + 1));
    }
    exchange(asked);
    return;
  }
  if (verb == "open") return open(step);
  if (verb == "answer") {
    const std::string body = answer_body(word(0), word(1)).dump();
    exchange({HttpMethod::put, kE + "/duels/" + word(0) + "/outcome", {}, body});
    return;
  }
  if (verb == "add-arm" || verb == "retire-arm") {
    exchange({verb == "add-arm" ? HttpMethod::put : HttpMethod::del, kE + "/arms/" + word(0)});
    return;
  }
  if (verb == "audit") return audit(word(0));
  if (verb == "close-panel") {
    exchange({HttpMethod::post, kE + "/panel/close"});
    return;
  }
  if (verb == "play") return play_many(step);
  if (verb == "restart") return restart(step);
  if (verb == "token") return make_token(step);
  if (verb == "serve") {
    Json body;
    body["duel_id"] = word(0);
    const std::string subject = step.value_of("subject");
    if (!subject.empty()) body["subject_id"] = subject;
    exchange({HttpMethod::post, kE + "/duels", {}, body.dump()});
    return;
  }
  if (verb == "import") {
    // The text of the request is the recorded log, which need not stand here once more.
    const HttpResponse made = send({HttpMethod::post,
                                    kE + "/import",
                                    {{"content-type", "application/x-ndjson"}},
                                    recorded(word(0))});
    replies_ += fmt::format("{}\n{}\n{}\n\n", step.text, made.status, made.body);
    return;
  }
  if (verb == "STREAM") {
    replies_ += fmt::format("{}\n{}\n", step.text, api_->streamed(path_of(word(0))));
    return;
  }
  replies_ += step.text + "\n\n";
  if (verb == "as") {
    api_->token = word(0) == "nobody" ? "" : tokens_.at(word(0));
  } else if (verb == "pass") {
    pass(milliseconds_of(word(0)));
  } else if (verb == "expire") {
    pass(kTimeoutMs + 1000);
  } else if (verb == "snapshots") {
    api_->snapshot_every = std::stoul(word(0));
  } else if (verb == "refuse") {
    store_->arm(FaultyStore::Call::append, 0);
  } else if (verb != "close" && verb != "complete") {
    throw std::runtime_error("no step of a server: " + step.text);
  }
}

std::string RoutesDoor::log() {
  const AsAdmin admin(*this);
  return api_->streamed(kE + "/export?what=audit");
}

std::string RoutesDoor::result() {
  const AsAdmin admin(*this);
  return send({HttpMethod::get, kE + "/result"}).body + "\n";
}

std::uint64_t RoutesDoor::state_hash() {
  std::promise<std::uint64_t> hash;
  api_->engine().ask<std::uint64_t>(
      "e", AnswerWhen::appended,
      [](const Turn& turn) -> Result<std::uint64_t> { return turn.experiment.live().state_hash(); },
      [&](const Result<std::uint64_t>& answer, const Delivery&) { hash.set_value(*answer); });
  return hash.get_future().get();
}

FoldedStore RoutesDoor::fold_copy_of_store() {
  // Snapshots are written after the answers of a group went out, so before the next one's.
  state_hash();
  const TemporaryDirectory directory;
  const auto check = [](const auto& result) {
    if (!result.ok()) throw std::runtime_error(result.error().to_string());
  };
  check(api_->engine().store().backup(directory / "copy.db"));
  const std::shared_ptr<Store> store =
      std::move(SqliteStore::open(directory / "copy.db", {})).value();
  const auto owned = Experiment::load({.store = store}, "e", 0);
  check(owned);
  FoldedStore folded{.log = {},
                     .sequence = (*owned)->ledger().sequence(),
                     .snapshot = (*owned)->snapshot_sequence(),
                     .state_hash = (*owned)->live().state_hash()};
  check(store->read("e", 0, [&](std::string_view line) -> Status {
    folded.log += std::string(line) + "\n";
    return Done{};
  }));
  return folded;
}

std::string RoutesDoor::certificate() {
  const AsAdmin admin(*this);
  const HttpResponse given = send({HttpMethod::get, kE + "/certificate"});
  return given.status == 200 ? given.body + "\n" : "";
}

}  // namespace duel::golden

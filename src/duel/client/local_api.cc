#include "duel/client/local_api.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <utility>

#include "duel/client/store_location.h"
#include "duel/http/http_text.h"

namespace duel {
namespace {

// What the route answers from its threads, for the one thread that waits for it.
class Mailbox final : public HttpExchange,
                      public HttpStream,
                      public std::enable_shared_from_this<Mailbox> {
 public:
  void send(HttpResponse response) override {
    response.body = std::string(response.text());
    answer(std::move(response), false);
  }
  // The answer ends, perhaps in the middle, when the route lets go of its stream.
  std::shared_ptr<HttpStream> stream(int status, HttpFields headers) override {
    std::shared_ptr<HttpStream> made(
        static_cast<HttpStream*>(this),
        [self = shared_from_this()](HttpStream*) { self->end(false); });
    answer({status, std::move(headers), ""}, true);
    return made;
  }

  bool write(std::string piece) override {
    const std::lock_guard lock(mutex_);
    if (ended_ || left_) return false;
    bytes_ += piece.size();
    pieces_.push_back(std::move(piece));
    changed_.notify_all();
    return true;
  }
  void finish() override { end(true); }
  std::size_t buffered() const override {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }
  bool closed() const override {
    const std::lock_guard lock(mutex_);
    return ended_ || left_;
  }
  std::size_t capacity() const override { return std::size_t{1} << 20; }
  // No route that a command asks waits to be called.
  void on_room(std::function<void()> callback) override { callback(); }
  void on_close(std::function<void()>) override {}

  // Waits for the end; pieces go to the sink, or into the response's body where that says so.
  Result<HttpResponse> collect(const ApiClient::Sink& sink) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return response_.has_value(); });
    for (;;) {
      changed_.wait(lock, [&] { return ended_ || !pieces_.empty(); });
      if (pieces_.empty()) break;
      const std::string piece = std::move(pieces_.front());
      pieces_.pop_front();
      bytes_ -= piece.size();
      if (!sink) {
        response_->body += piece;
        continue;
      }
      lock.unlock();
      const bool goes_on = sink(piece);
      lock.lock();
      if (!goes_on) {
        left_ = true;
        return *response_;
      }
    }
    if (!whole_) return Error::io("the answer was cut short", "the store");
    return std::move(*response_);
  }

 private:
  // `whole` is false where the stream was dropped in the middle.
  void end(bool whole) {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    ended_ = true;
    whole_ = whole;
    changed_.notify_all();
  }
  void answer(HttpResponse response, bool streams) {
    const std::lock_guard lock(mutex_);
    response_ = std::move(response);
    ended_ = !streams;
    whole_ = ended_;
    changed_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<HttpResponse> response_;
  std::deque<std::string> pieces_;
  std::size_t bytes_ = 0;
  bool ended_ = false;
  bool whole_ = false;
  bool left_ = false;  // nobody reads any more
};

// The experiment that the target names; "" if it names none.
std::string experiment_in(std::string_view target) {
  constexpr std::string_view kBegin = "/v1/experiments/";
  if (!target.starts_with(kBegin)) return "";
  const std::string_view rest = target.substr(kBegin.size());
  return percent_decode(rest.substr(0, rest.find_first_of("/?"))).value_or("");
}

// What the work gives on the experiment, once its records are in the store.
template <class Answer, class Work>
Result<Answer> asked(Engine& engine, const std::string& experiment_id, Work work) {
  std::promise<Result<Answer>> given;
  engine.ask<Answer>(
      experiment_id, AnswerWhen::durable, std::move(work),
      [&given](const Result<Answer>& answer, const Delivery&) { given.set_value(answer); });
  return given.get_future().get();
}

// A server reads the logs of its experiments whole, in the background, and until it has read one,
// the certificate of that experiment waits (service/audits.h). A command is gone by then: where a
// certificate waits, it reads the log itself. Otherwise an experiment that is to end with its
// certificate would never end. The next call reports what failed.
void give_waiting_certificate(Engine& engine, const std::string& experiment_id) {
  const auto waits = asked<bool>(engine, experiment_id, [](const Turn& turn) -> Result<bool> {
    const Ledger& ledger = turn.experiment.ledger();
    return ledger.certificate().has_value() && !ledger.certificate_recorded();
  });
  if (!waits.ok() || !*waits || !engine.audits().check(experiment_id).ok()) return;
  (void)asked<Done>(engine, experiment_id, [](const Turn& turn) -> Status {
    return turn.experiment.pass_audit(turn.moment);
  });
}

}  // namespace

Result<std::unique_ptr<LocalApi>> LocalApi::open(const std::string& location,
                                                 const std::string& token) {
  auto store = open_store(location);
  if (!store.ok()) {
    Error error = store.error();
    if (error.code == ErrorCode::conflict) {
      error.hint = "if that is 'duel serve', use --server URL; otherwise wait until it has ended";
    }
    return error;
  }
  std::unique_ptr<LocalApi> local(new LocalApi(store_file(location), token, *store));
  DUEL_ASSIGN(local->tokens_, ApiTokens::open(*store));
  DUEL_ASSIGN(local->engine_, Engine::start(*store, {.owners = 1}));
  ApiOptions options;
  options.caller_owns_store = true;
  local->api_ = std::make_unique<Api>(*local->engine_, *local->tokens_, std::move(options));
  return local;
}

Result<HttpResponse> LocalApi::exchange(HttpMethod method, const std::string& target,
                                        const std::string& body, const std::string& media_type,
                                        const Sink& sink) {
  HttpRequest request;
  request.method = method;
  request.method_text = to_word(method);
  request.target = target;
  const std::size_t question = std::min(target.find('?'), target.size());
  request.path = target.substr(0, question);
  auto query = parse_query(std::string_view(target).substr(std::min(question + 1, target.size())));
  if (!query) return Error::invalid_argument("the query cannot be read", target);
  request.query = std::move(*query);
  if (!media_type.empty()) request.headers.emplace_back("content-type", media_type);
  if (!token_.empty()) request.headers.emplace_back("authorization", "Bearer " + token_);
  request.body = body;
  const auto mailbox = std::make_shared<Mailbox>();
  api_->handle(std::move(request), HttpReply(mailbox));
  return mailbox->collect(sink);
}

Result<HttpResponse> LocalApi::send(HttpMethod method, const std::string& target,
                                    const std::string& body, const std::string& media_type,
                                    Repeat /*nothing is lost on the way*/) {
  Result<HttpResponse> response = exchange(method, target, body, media_type, {});
  const bool is_report = method == HttpMethod::put && target.find("/outcome") != std::string::npos;
  if (is_report && response.ok() && response->status < 300) {
    give_waiting_certificate(*engine_, experiment_in(target));
  }
  return response;
}

Result<HttpResponse> LocalApi::stream(const std::string& target, const Sink& sink) {
  return exchange(HttpMethod::get, target, "", "", sink);
}

}  // namespace duel

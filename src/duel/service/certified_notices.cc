#include "duel/service/certified_notices.h"

#include <algorithm>
#include <future>
#include <utility>

#include "duel/core/digest.h"
#include "duel/verdict/view.h"

namespace duel {
namespace {

constexpr std::string_view kNoticeSpace = "notice";
constexpr std::chrono::milliseconds kLongestPause{60'000};

// The text of the certificate, or empty if there is none. The engine is asked first, and refuses if
// this node does not own the experiment: only the owner tells, or every node would.
Result<std::string> certificate_of(Engine& engine, const std::string& experiment_id) {
  std::promise<Result<bool>> told;
  engine.ask<bool>(
      experiment_id, AnswerWhen::durable,
      [](const Turn& turn) -> Result<bool> {
        return turn.experiment.ledger().certificate_recorded();
      },
      [&](Result<bool> answer, const Delivery&) { told.set_value(std::move(answer)); });
  DUEL_ASSIGN(const bool certified, told.get_future().get());
  if (!certified) return std::string();
  DUEL_RETURN_IF_ERROR(engine.audits().check(experiment_id));
  DUEL_ASSIGN(const std::unique_ptr<View> view, View::load(engine.shared_store(), experiment_id));
  return view->certificate();
}

}  // namespace

CertifiedNotices::CertifiedNotices(Engine& engine, Deliver deliver,
                                   std::chrono::milliseconds first_pause)
    : engine_(engine),
      deliver_(std::move(deliver)),
      first_pause_(first_pause),
      pause_(first_pause),
      queue_(engine.world().queue()) {
  heard_->notices = this;
  engine_.listen([heard = heard_](const EngineEvent& event) {
    // After `reset` this node is the new owner: the one before may have died before it told.
    if (event.kind != "certified" && event.kind != "reset") return;
    const std::lock_guard lock(heard->mutex);
    CertifiedNotices* const notices = heard->notices;
    if (notices == nullptr) return;
    notices->queue_->post([notices, id = event.experiment_id] { notices->attend(id); });
  });
  queue_->post([this] { begin(); });
}

CertifiedNotices::~CertifiedNotices() {
  {
    const std::lock_guard lock(heard_->mutex);
    heard_->notices = nullptr;
  }
  stopping_ = true;
  queue_->stop();
}

bool CertifiedNotices::is_told(const std::string& experiment_id) const {
  const auto mark = engine_.store().get(kNoticeSpace, experiment_id);
  return mark.ok() && mark->has_value();
}

bool CertifiedNotices::tell(const std::string& experiment_id) {
  if (is_told(experiment_id)) return true;
  const auto text = certificate_of(engine_, experiment_id);
  if (!text.ok()) {
    const auto reason = reason_of(text.error());
    // The experiment is gone or another node's, which tells about its own.
    return reason == Reason::unknown_experiment || reason == Reason::not_ours;
  }
  if (text->empty()) return true;
  Json certificate = Json::parse(*text).value();
  const Json& log = certificate.at("log");
  const std::string id =
      sha256_hex(experiment_id + "/" + log.at("head").get<std::string>()).substr(0, 24);
  Json notice;
  notice["notice_id"] = id;
  notice["experiment_id"] = experiment_id;
  notice["certificate"] = std::move(certificate);
  // A crash between delivery and mark makes the notice come twice; the other order could lose it.
  if (!deliver_(notice, [this] { return stopping_.load(); })) return false;
  return engine_.store().put(kNoticeSpace, experiment_id, id).ok();
}

// Looks for certificates that an earlier process did not get to tell. With nodes this is done for
// each experiment when a node takes it (`reset`).
void CertifiedNotices::begin() {
  if (engine_.store().nodes() != nullptr) return;
  const auto all = engine_.store().list();
  if (!all.ok()) return;
  for (const std::string& id : *all) untold_.push_back(id);
  tell_next();
}

void CertifiedNotices::attend(const std::string& experiment_id) {
  untold_.push_back(experiment_id);
  if (!pausing_) tell_next();
}

// One at a time, and after a failure a pause that doubles: a receiver that is down gets one request
// per pause, no matter how many notices wait.
void CertifiedNotices::tell_next() {
  pausing_ = false;
  while (!untold_.empty() && !stopping_) {
    std::string experiment_id = std::move(untold_.front());
    untold_.pop_front();
    if (tell(experiment_id)) {
      pause_ = first_pause_;
      continue;
    }
    untold_.push_back(std::move(experiment_id));
    pausing_ = true;
    queue_->after(pause_, [this] { tell_next(); });
    pause_ = std::min(2 * pause_, kLongestPause);
    return;
  }
}

}  // namespace duel

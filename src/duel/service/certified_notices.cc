#include "duel/service/certified_notices.h"

#include <algorithm>
#include <future>
#include <memory>
#include <utility>

#include "duel/core/digest.h"
#include "duel/verdict/view.h"

namespace duel {
namespace {

constexpr std::string_view kNoticeSpace = "notice";
constexpr std::chrono::milliseconds kLongestPause{60'000};

// The text of the certificate, or why there is none. Only the owner may tell of it.
Result<std::string> certificate_of(Engine& engine, const std::string& experiment_id) {
  std::promise<Result<bool>> told;
  engine.ask<bool>(
      experiment_id, AnswerWhen::durable,
      [](const Turn& turn) -> Result<bool> {
        return turn.experiment.ledger().certificate().has_value();
      },
      [&](Result<bool> answer, const Delivery&) { told.set_value(std::move(answer)); });
  DUEL_ASSIGN(const bool certified, told.get_future().get());
  if (!certified) return std::string();
  DUEL_ASSIGN(const std::unique_ptr<View> view, View::load(engine.shared_store(), experiment_id));
  return view->history().certificate();
}

}  // namespace

CertifiedNotices::CertifiedNotices(Engine& engine, Deliver deliver,
                                   std::chrono::milliseconds first_pause)
    : engine_(engine), deliver_(std::move(deliver)), first_pause_(first_pause) {
  engine_.listen([heard = heard_](const EngineEvent& event) {
    // A new owner tells what the one before may have left untold.
    if (event.kind != "certified" && event.kind != "reset") return;
    const std::lock_guard lock(heard->mutex);
    heard->experiments.push_back(event.experiment_id);
    heard->arrived.notify_all();
  });
  thread_ = std::thread([this] { run(); });
}

CertifiedNotices::~CertifiedNotices() {
  {
    const std::lock_guard lock(heard_->mutex);
    heard_->stopping = true;
  }
  heard_->arrived.notify_all();
  thread_.join();
}

bool CertifiedNotices::stopping() const {
  const std::lock_guard lock(heard_->mutex);
  return heard_->stopping;
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
    // Another node tells of its own.
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
  if (!deliver_(notice, [this] { return stopping(); })) return false;
  return engine_.store().put(kNoticeSpace, experiment_id, id).ok();
}

void CertifiedNotices::run() {
  // What was certified while nobody was told, by this process or one before it. Where there are
  // several nodes an experiment is told of when one of them takes it.
  if (engine_.store().nodes() == nullptr) {
    if (auto all = engine_.store().list(); all.ok()) {
      const std::lock_guard lock(heard_->mutex);
      heard_->experiments.insert(heard_->experiments.end(), all->begin(), all->end());
    }
  }
  std::chrono::milliseconds pause = first_pause_;
  for (;;) {
    std::string experiment;
    {
      std::unique_lock lock(heard_->mutex);
      heard_->arrived.wait(lock, [&] { return heard_->stopping || !heard_->experiments.empty(); });
      if (heard_->stopping) return;
      experiment = std::move(heard_->experiments.front());
      heard_->experiments.pop_front();
    }
    if (tell(experiment)) {
      pause = first_pause_;
      continue;
    }
    std::unique_lock lock(heard_->mutex);
    heard_->experiments.push_back(std::move(experiment));
    heard_->arrived.wait_for(lock, pause, [&] { return heard_->stopping; });
    pause = std::min(2 * pause, kLongestPause);
  }
}

}  // namespace duel

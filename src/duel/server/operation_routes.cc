#include <fmt/format.h>

#include <string>
#include <utility>

#include "duel/experiment/record.h"
#include "duel/server/answers.h"
#include "duel/server/api.h"
#include "duel/version_info.h"

namespace duel {

void Api::healthz(Call& call) { call.send({200, body_json(StatusAnswer{"ok"}), {}}); }

void Api::readyz(Call& call) {
  if (!engine_.ready()) return call.send(refusal(503, "the store takes no more records", true));
  call.send({200, body_json(StatusAnswer{"ready"}), {}});
}

void Api::metrics(Call& call) {
  const Engine::Counts counts = engine_.counts();
  std::string text = fmt::format(
      "# TYPE duel_build_info gauge\nduel_build_info{{version=\"{}\"}} 1\n"
      "# TYPE duel_store_lines_total counter\nduel_store_lines_total {}\n"
      "# TYPE duel_store_commits_total counter\nduel_store_commits_total {}\n"
      "# TYPE duel_store_syncs_total counter\nduel_store_syncs_total {}\n"
      "# TYPE duel_store_failed_appends_total counter\nduel_store_failed_appends_total {}\n"
      "# TYPE duel_requests_waiting gauge\nduel_requests_waiting {}\n"
      "# TYPE duel_experiments_in_memory gauge\nduel_experiments_in_memory {}\n"
      "# TYPE duel_event_streams gauge\nduel_event_streams {}\n",
      kVersion, counts.appended_lines, counts.commits, counts.syncs, counts.failed_appends,
      counts.waiting, counts.in_memory, streams_->size());
  text += metrics_->text();
  engine_.ask_all(
      AnswerWhen::appended,
      [this](const auto&, std::int64_t) -> Result<ServerAnswer> {
        ServerAnswer answer;
        answer.body["text"] = engine_.experiment_metrics();
        return answer;
      },
      [text, call_stream = call.stream](const ServerAnswer& answer) {
        const auto stream = call_stream(
            200, {{"Content-Type", "text/plain; version=0.0.4"}, {"Cache-Control", "no-store"}});
        stream->write(text + (answer.status == 200 ? answer.body.at("text").get<std::string>()
                                                   : std::string()));
        stream->finish();
      });
}

void Api::show_openapi(Call& call) { call.send({200, openapi(), {}}); }

void Api::version(Call& call) {
  call.send({200, body_json(VersionAnswer{std::string(kVersion), kLogFormat}), {}});
}

}  // namespace duel

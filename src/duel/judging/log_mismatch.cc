#include "duel/judging/log_mismatch.h"

#include <fmt/format.h>

#include <type_traits>

#include "duel/core/numbers.h"

namespace duel {
namespace {

std::string_view differing_field(const Goal& logged, const Goal& wanted) {
  if (logged.kind != wanted.kind) return "goal";
  if (logged.top != wanted.top) return "top";
  return logged.margin != wanted.margin ? "epsilon" : "assume";
}

std::string_view differing_field(const AuditRule& logged, const AuditRule& wanted) {
  if (logged.on() != wanted.on() || logged.auditor != wanted.auditor) return "audit";
  if (logged.give_up_after != wanted.give_up_after) return "audit_give_up";
  return logged.from_seed != wanted.from_seed ? "audit_from_seed" : "audits";
}

template <class Value>
std::string as_text(const Value& value) {
  if constexpr (HasWords<Value>) {
    return std::string(to_word(value));
  } else if constexpr (std::is_same_v<Value, double>) {
    return format_number(value);
  } else {
    return fmt::format("{}", value);
  }
}

}  // namespace

Error other_experiment(const std::string& log, std::string_view field, const std::string& message,
                       const std::string& hint) {
  return Error::invalid_argument("this log belongs to another experiment: " + message, log,
                                 hint.empty() ? "give another `log` to start over" : hint)
      .in_field(field);
}

std::optional<Error> difference(const std::string& log, const ExperimentRecord& logged,
                                ExperimentRecord wanted, bool new_judge) {
  wanted.format = logged.format;
  if (logged.format == 1) {  // it had no place for these
    wanted.tasks = logged.tasks;
    wanted.judge = logged.judge;
    wanted.stopping.shared_causes = logged.stopping.shared_causes;
    wanted.policy = logged.policy;
  }
  const auto differs = [&](std::string_view field, std::string_view what, std::string_view there,
                           std::string_view here) {
    return other_experiment(log, field, fmt::format("its {} is {}, not {}", what, there, here));
  };
  std::optional<Error> found;
  const auto agrees = [&](std::string_view field, const auto& there, const auto& here) {
    if (there != here) found = differs(field, field, as_text(there), as_text(here));
    return !found;
  };
  if (!agrees("name", logged.experiment_id, wanted.experiment_id)) return found;
  if (logged.arms != wanted.arms) return other_experiment(log, "arms", "its arms are different");
  if (logged.space != wanted.space) {
    if (logged.space.dimensions == wanted.space.dimensions) {
      return other_experiment(log, "warmup", "its warm-up is another one");
    }
    return other_experiment(
        log, "space",
        logged.space.dimensions.is_null() ? "it compares arms" : "its space is another one");
  }
  if (logged.goal != wanted.goal) {
    return differs(differing_field(logged.goal, wanted.goal), "goal", describe(logged.goal),
                   describe(wanted.goal));
  }
  if (logged.tasks != wanted.tasks) {
    if (logged.tasks.count == 0 || wanted.tasks.count == 0) {
      return other_experiment(
          log, "tasks",
          logged.tasks.count == 0 ? "it has no tasks" : "it has tasks, and none are given");
    }
    if (logged.tasks.about != wanted.tasks.about) {
      return differs("about", "statement about", to_word(logged.tasks.about),
                     to_word(wanted.tasks.about));
    }
    return other_experiment(log, "tasks", "its tasks were different",
                            "give the tasks that it began with, or another `log` to start over");
  }
  if (logged.about != wanted.about) {
    return differs("about", "statement about", to_word(logged.about), to_word(wanted.about));
  }
  if (logged.panel != wanted.panel) {
    return other_experiment(log, "panel", "its panel is another one");
  }
  // What voters are told may be left out.
  if (wanted.voting == VotingRule()) wanted.voting = logged.voting;
  if (!agrees("question", logged.voting.question, wanted.voting.question) ||
      !agrees("instructions", logged.voting.instructions, wanted.voting.instructions)) {
    return found;
  }
  if (!agrees("alpha", logged.stopping.alpha, wanted.stopping.alpha)) return found;
  // A limit of the experiment itself; that of a run is not in its log.
  if (wanted.stopping.max_duels == 0) wanted.stopping.max_duels = logged.stopping.max_duels;
  if (!agrees("max_duels", logged.stopping.max_duels, wanted.stopping.max_duels) ||
      !agrees("min_decisive_per_pair", logged.stopping.min_decisive_per_pair,
              wanted.stopping.min_decisive_per_pair)) {
    return found;
  }
  if (logged.stopping.shared_causes != wanted.stopping.shared_causes) {
    return other_experiment(log, "pairs_independent",
                            logged.stopping.shared_causes ? "its duels may have common causes"
                                                          : "its duels are independent");
  }
  if (!agrees("aa_rate", logged.aa_rate, wanted.aa_rate)) return found;
  if (logged.stopping.arms_fixed && !wanted.stopping.arms_fixed) {
    return other_experiment(log, "open_arms", "its set of arms is fixed");
  }
  wanted.stopping.arms_fixed = logged.stopping.arms_fixed;  // only its beginning decides
  if (!agrees("order", logged.order, wanted.order) || !agrees("seed", logged.seed, wanted.seed) ||
      !agrees("policy", logged.policy, wanted.policy)) {
    return found;
  }
  if (logged.judge != wanted.judge && !new_judge) {
    return other_experiment(
        log, "judge",
        logged.judge.command == wanted.judge.command
            ? fmt::format("the judge '{}' has changed since", wanted.judge.command)
            : fmt::format("its judge is '{}', not '{}'", logged.judge.command,
                          wanted.judge.command),
        "answers of different judges are not the same thing; give another `log` to start over, or "
        "`allow_new_judge` if several judges share the work");
  }
  // A key that was lost is replaced by another one.
  wanted.audit.key_sha256 = logged.audit.key_sha256;
  if (logged.audit != wanted.audit && !(new_judge && logged.audit.on() && wanted.audit.on())) {
    return other_experiment(
        log, differing_field(logged.audit, wanted.audit),
        logged.audit.on() ? wanted.audit.on() ? "its audits are others" : "people audit its judge"
                          : "nobody audits its judge");
  }
  if (logged.service.on_certified != wanted.service.on_certified) {
    return other_experiment(log, "adopt",
                            logged.service.on_certified == OnCertified::adopt
                                ? "what it certifies comes into use"
                                : "what it certifies does not come into use");
  }
  if (logged != wanted) {
    ExperimentRecord same = wanted;
    same.judge = logged.judge;
    same.audit = logged.audit;
    if (logged != same) return other_experiment(log, "log", "its stopping rule differs");
  }
  return std::nullopt;
}

}  // namespace duel

// What if answers were wrong: how few of them would take a certificate's lead, at what level it
// would hold if a share of them were wrong, and whether it hangs on a single voter.
//
// Of each pair that the certificate needs (inference/overturn.h); what is said is the worst of
// them. Copeland and Borda winners rest on all pairs at once, and nothing is said of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/described.h"
#include "duel/core/result.h"
#include "duel/experiment/ledger.h"
#include "duel/log/experiment_log.h"
#include "duel/verdict/evidence_trail.h"

namespace duel {

struct WrongAnswers {
  std::uint64_t flipped = 0, of = 0;
  std::string winner, loser;
  std::uint64_t missing = 0, missing_of = 0;

  static constexpr std::string_view schema = "WrongAnswers";
  static constexpr FieldList fields{
      required("flipped", &WrongAnswers::flipped, "answers that should have been for the other"),
      required("of", &WrongAnswers::of, "answers of the pair"),
      required("winner", &WrongAnswers::winner, "the pair that needs the fewest"),
      required("loser", &WrongAnswers::loser),
      required("missing", &WrongAnswers::missing, "answers that should not have been given"),
      required("missing_of", &WrongAnswers::missing_of,
               "answers of the pair that needs the fewest of these")};
};

struct LevelIfWrong {
  double share = 0;
  std::uint64_t answers = 0;
  double level = 1;

  static constexpr std::string_view schema = "LevelIfWrong";
  static constexpr FieldList fields{
      required("share", &LevelIfWrong::share, "of a pair's answers that are wrong"),
      required("answers", &LevelIfWrong::answers, "so many of the pair that bears it worst"),
      required("level", &LevelIfWrong::level, "in place of `alpha`, if they are the worst")};
};

struct WithoutVoter {
  std::string voter;
  std::uint64_t answers = 0;
  bool undoes_certificate = false, undoes_lead = false;

  static constexpr std::string_view schema = "WithoutVoter";
  static constexpr FieldList fields{
      required("voter", &WithoutVoter::voter, "a subject, or a source"),
      required("answers", &WithoutVoter::answers, "of the pairs that the certificate needs"),
      required("undoes_certificate", &WithoutVoter::undoes_certificate,
               "without these answers the evidence of a pair falls short"),
      required("undoes_lead", &WithoutVoter::undoes_lead,
               "without these answers the lead in a pair is gone")};
};

struct IfWrong {
  std::string text;
  std::optional<WrongAnswers> reversed_by{}, overturned_by{};
  std::vector<LevelIfWrong> level_if_wrong{};
  std::vector<WithoutVoter> without_voter{};

  static constexpr FieldList fields{
      optional("if_wrong", &IfWrong::text, "what follows, in a sentence"),
      optional("reversed_by", &IfWrong::reversed_by, "the fewest wrong answers that take the lead"),
      optional("level_if_wrong", &IfWrong::level_if_wrong,
               "at which it would hold with a share of the answers wrong in the worst way"),
      optional("overturned_by", &IfWrong::overturned_by,
               "the fewest that keep the evidence of a pair below its threshold; 1 for every test "
               "that stopped as soon as it could"),
      optional("without_voter", &IfWrong::without_voter,
               "those of several voters who gave the most answers, at most ten")};
};

// Of the answers that are in by record number `until`: of a certificate that which gave it.
// REQUIRES: ledger.certificate(); `trail` was made for it and has heard all records until then. A
// panel has no trail: the ledger counts, and it is the state at `until`.
IfWrong if_wrong(const Ledger& ledger, const EvidenceTrail& trail, std::uint64_t until);
// Of a panel. REQUIRES: ledger.certificate(), parts().panel.
IfWrong if_wrong_of_panel(const Ledger& ledger);

// Reads a log from its beginning, for what the ledger has forgotten: gives every record to the
// sink.
using Replay = std::function<Status(const RecordSink&)>;
// Of what the ledger has now. Nothing is said, and nothing read, without a certificate.
Result<IfWrong> if_wrong_now(const Ledger& ledger, const Replay& replay);

}  // namespace duel

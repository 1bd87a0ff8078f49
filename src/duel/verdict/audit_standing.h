// Where people audit a program: how well it knows what they prefer, what it alone would have said,
// and what it saves. Shown beside the verdict, which is about people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/described.h"
#include "duel/experiment/ledger.h"
#include "duel/inference/interval.h"
#include "duel/verdict/interval_fields.h"

namespace duel {

// A pair in which people and the program lean to different arms.
struct AuditedPair {
  std::string first, second;
  double people = 0, program = 0;
  std::uint64_t answers = 0, duels = 0;

  static constexpr std::string_view schema = "AuditedPair";
  static constexpr FieldList fields{
      required("first", &AuditedPair::first),
      required("second", &AuditedPair::second),
      required("people", &AuditedPair::people, "lead of `first`, by answers of people"),
      required("answers", &AuditedPair::answers, "of people"),
      required("program", &AuditedPair::program, "the same by the program's answers"),
      required("duels", &AuditedPair::duels, "that the program answered")};
};

struct AuditStanding {
  std::uint64_t duels = 0, answers = 0, lost = 0, waiting = 0;
  std::uint64_t agreed = 0, comparable = 0;
  std::optional<double> agreement;
  Interval agreement_interval;
  // What the program's answers alone would have certified, with the same threshold.
  std::string program_alone;
  std::optional<std::string> program_winner;
  bool says_the_same = false;
  std::vector<AuditedPair> differing;
  std::vector<std::string> useless;
  // About as many answers of people alone would have said as much.
  std::uint64_t worth = 0;
  std::string text;

  static constexpr std::string_view schema = "AuditStanding";
  static constexpr FieldList fields{
      required("duels", &AuditStanding::duels, "that are evidence, audited or not"),
      required("answers", &AuditStanding::answers, "of people"),
      required("waiting", &AuditStanding::waiting, "duels that were drawn and wait for a person"),
      required("lost", &AuditStanding::lost, "duels that were drawn and given up"),
      required("agreed", &AuditStanding::agreed, "answers in which both name the same arm"),
      required("comparable", &AuditStanding::comparable, "answers in which both name one"),
      required("agreement", &AuditStanding::agreement),
      required("agreement_interval", &AuditStanding::agreement_interval, "95 %, whenever you look"),
      required("program_alone", &AuditStanding::program_alone,
               "what the program's answers alone say, in a sentence"),
      required("program_winner", &AuditStanding::program_winner,
               "the arm that they would have certified; null where there is none"),
      required("says_the_same", &AuditStanding::says_the_same,
               "whether that is what is certified about people"),
      required("differing", &AuditStanding::differing, "pairs with the opposite sign"),
      required("useless", &AuditStanding::useless,
               "pairs about which the program says nothing, or the reverse"),
      required("worth", &AuditStanding::worth,
               "answers of people alone that would say about as much"),
      required("text", &AuditStanding::text, "all this in sentences")};
};

// REQUIRES: ledger.parts().audited.
AuditStanding audit_standing(const Ledger& ledger);

}  // namespace duel

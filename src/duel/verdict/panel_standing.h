// Where a panel stands: who leads among these people, what each rival still needs, and what that
// takes, in people and in questions for each of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/described.h"
#include "duel/core/duel.h"
#include "duel/experiment/ledger.h"

namespace duel {

// A pair of arms as the panel sees it.
struct PanelPair {
  std::string first, second;
  std::uint64_t for_first = 0, for_second = 0, for_neither = 0;
  std::optional<std::uint64_t> unknown{};
  std::string certain{};
  std::optional<std::string> evidence{}, threshold{};

  static constexpr std::string_view schema = "PanelPair";
  static constexpr FieldList fields{
      required("first", &PanelPair::first),
      required("second", &PanelPair::second),
      required("for_first", &PanelPair::for_first, "answers that prefer it"),
      required("for_second", &PanelPair::for_second),
      required("for_neither", &PanelPair::for_neither, "ties, both bad and skips"),
      optional("unknown", &PanelPair::unknown, "answers that have not come"),
      optional("certain", &PanelPair::certain, "of `first`, whatever the others say",
               OneOf("beats", "cannot_beat")),
      optional("evidence", &PanelPair::evidence,
               "that `first` beats `second`, of an early panel before that is certain"),
      optional("threshold", &PanelPair::threshold, "what it has to reach")};
};

// What the panel has said of a pair, from both sides; the sums of PanelPair, for any pair.
struct PanelFacts {
  std::uint64_t for_first = 0, for_second = 0, for_neither = 0;
  std::optional<std::uint64_t> unknown{};
  std::string of_first{}, of_second{};

  static constexpr std::string_view schema = "PanelFacts";
  static constexpr OneOf kCertain{"beats", "shown", "cannot_beat"};
  static constexpr FieldList fields{
      required("for_first", &PanelFacts::for_first, "answers that prefer it"),
      required("for_second", &PanelFacts::for_second),
      required("for_neither", &PanelFacts::for_neither, "ties, both bad and skips"),
      optional("unknown", &PanelFacts::unknown, "answers that have not come"),
      optional("of_first", &PanelFacts::of_first,
               "what is certain of `first`, whatever the others say; `shown`: that it beats "
               "`second`, by the evidence of an early panel",
               kCertain),
      optional("of_second", &PanelFacts::of_second, "the same of `second`", kCertain)};
};

struct PanelStanding {
  std::optional<std::uint64_t> size{};  // members
  std::uint64_t answered = 0;           // of them
  std::uint64_t absent = 0;
  bool closed = false, early = false;
  std::uint64_t tasks = 0;
  std::vector<PanelPair>
      pairs{};  // open ones of the leader; of a decided panel those that decide it

  static constexpr std::string_view schema = "PanelStanding";
  static constexpr FieldList fields{
      required("size", &PanelStanding::size, "members; null before a panel without one is closed"),
      required("answered", &PanelStanding::answered, "members who have answered something"),
      optional("absent", &PanelStanding::absent, "members who will not come"),
      required("closed", &PanelStanding::closed),
      optional("early", &PanelStanding::early, "a verdict may come before counting is certain"),
      optional("tasks", &PanelStanding::tasks, "that each member is asked about"),
      required("pairs", &PanelStanding::pairs,
               "that are open, of the leader; once there is a verdict, those that decide it")};
};

// How much is left for the people of a panel. An estimate, from the answers so far.
struct PanelEffort {
  std::optional<std::uint64_t> people{};
  std::uint64_t questions_each = 0;
  double minutes_each = 0;
};

// REQUIRES: ledger.panel(), of all the functions below.
PanelFacts panel_facts(const Ledger& ledger, Arm i, Arm j);
PanelStanding panel_standing(const Ledger& ledger, const std::optional<Arm>& leader);
// Nothing once the panel is decided, and where nothing more can be asked.
std::optional<PanelEffort> panel_effort(const Ledger& ledger, const std::optional<Arm>& leader);
// Of the arms that may still win the one that is ahead in the most pairs; then the one whose
// smallest lead is largest. Nothing before the first answer for an arm, and where none may win.
std::optional<Arm> panel_leader(const Ledger& ledger);

// "More of these 8 people prefer 'a' to each of the 3 other arms ..": the certificate's sentence.
std::string panel_statement(const Ledger& ledger);
// "Undecided: a leads; 5 of these 8 people have answered; about 2 more people ..".
std::string panel_verdict(const Ledger& ledger, const std::optional<Arm>& leader);
// Whether the certificate rests on counting alone.
bool is_by_counting(const Ledger& ledger);
// Where none wins: arms each of which the next cannot be beaten by .. and so on round.
std::vector<Arm> panel_cycle(const Ledger& ledger);
// What it takes, in words: "about 2 more people, 3 questions for each (about 1 minute)"; "" of
// none.
std::string effort_text(const std::optional<PanelEffort>& effort);

}  // namespace duel

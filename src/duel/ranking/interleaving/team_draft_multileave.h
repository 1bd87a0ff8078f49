// Team-draft multileaving.
// Schuth, Sietsma, Whiteson, Lefortier, de Rijke, CIKM 2014. In each round all rankings, in random
// order, add their best document that is not shown yet. The list ends when one ranking has nothing
// left. For two rankings this is team-draft interleaving.
// Credit     clicks on each team's documents; value(i, j) = c_i - c_j.
// Unbiased   for a user who clicks at random; with more rankings than positions some get no team.
#pragma once

#include "duel/ranking/interleaving/multileaver.h"

namespace duel {

struct TeamDraftMultileaveOptions {
  bool common_prefix = false;
};
const OptionTable<TeamDraftMultileaveOptions>& team_draft_multileave_options();

class TeamDraftMultileaver final : public Multileaver {
 public:
  explicit TeamDraftMultileaver(const TeamDraftMultileaveOptions& options) : options_(options) {}
  std::string canonical() const override;
  void multileave(Rankings rankings, std::size_t length, RoundRng& rng,
                  Multileaving& shown) const override;
  void credit(const Multileaving& shown, std::span<const Position> clicks,
              MultileaveCredit& credit) const override;
  Result<std::vector<WeightedMultileaving>> enumerate(Rankings rankings,
                                                      std::size_t length) const override;

 private:
  TeamDraftMultileaveOptions options_;
};

}  // namespace duel

// A league for people: a table per problem, then the ranking.
#pragma once

#include <string>

#include "duel/cli/command.h"
#include "duel/study/league.h"
#include "duel/study/league_certificates.h"

namespace duel::cli {

std::string league_text(const LeagueResults& results, const Paint& paint);
std::string league_text(const CertificateLeagueResults& results, const Paint& paint);

}  // namespace duel::cli

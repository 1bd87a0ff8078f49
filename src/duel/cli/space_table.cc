#include "duel/cli/space_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "duel/verdict/result_tables.h"

namespace duel::cli {
namespace {

constexpr std::size_t kMostCells = 32;
constexpr std::size_t kFewestCells = 8;
constexpr std::size_t kProofBar = 20;

// Eight heights: of a probability, with one half in the middle.
std::string_view block_of(double probability) {
  static constexpr std::array<std::string_view, 8> kBlocks = {"▁", "▂", "▃", "▄",
                                                              "▅", "▆", "▇", "█"};
  const double place = std::clamp(probability, 0.0, 1.0) * static_cast<double>(kBlocks.size());
  return kBlocks[std::min(kBlocks.size() - 1, static_cast<std::size_t>(place))];
}

std::string picture_of(const Believer& believer, std::size_t dimension, std::size_t cells) {
  if (believer.points == nullptr) return "";
  const auto slice = slice_of(*believer.points, *believer.tuned, dimension, cells);
  if (!slice) return "";
  std::string text;
  for (const SlicePoint& point : *slice) text += block_of(point.beats_in_use);
  return text;
}

}  // namespace

std::string space_table(const SpaceStanding& space, const Believer& believer, std::size_t columns) {
  const bool pictured = !picture_of(believer, 0, 2).empty();
  const auto table_of = [&](std::size_t cells) {
    std::vector<std::string> pictures;
    for (std::size_t k = 0; pictured && k < space.dimensions.size(); ++k) {
      pictures.push_back(picture_of(believer, k, cells));
    }
    return dimensions_table(space, pictures);
  };
  std::size_t cells = kMostCells;
  while (cells > kFewestCells && table_of(cells).width() > columns) cells -= 4;
  return table_of(cells).to_string();
}

std::string picture_legend(const Believer& believer) {
  if (picture_of(believer, 0, 2).empty()) return "";
  return "The pictures show what the learner believes, along each dimension through the best "
         "guess: the higher, the more probably a point there beats the point in use (the "
         "middle is one "
         "half). It proves nothing.";
}

std::string proof_line(const SpaceStanding& space) {
  if (!space.candidate) return "";
  const CandidateStanding& candidate = *space.candidate;
  const double share = std::clamp(*candidate.log_evidence / *candidate.log_threshold, 0.0, 1.0);
  std::string bar;
  for (std::size_t k = 0; k < kProofBar; ++k) {
    bar += k < static_cast<std::size_t>(share * kProofBar) ? "━" : "╌";
  }
  return fmt::format("proof {} {:.0f} %  candidate {}: {} ({}) won {}, lost {}", bar, 100 * share,
                     candidate.number, candidate.point_id, point_text(candidate.point),
                     candidate.wins, candidate.losses);
}

std::string tried_table(const SpaceStanding& space) {
  return space.tried.empty() ? "" : tried_points(space).to_string();
}

}  // namespace duel::cli

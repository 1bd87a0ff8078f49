#include "duel/ranking/learners/document_space_descent.h"

#include <algorithm>

#include "duel/core/vectors.h"

namespace duel {

bool DocumentSpaceDescent::shape_step(std::span<const Position> clicks, std::span<double> step) {
  const std::size_t d = step.size();
  const std::size_t examined =
      std::min<std::size_t>(list().size(), clicks.back() + options_.beyond + 1);
  basis_.clear();
  examined_.clear();
  for (std::size_t i = 0; i < examined; ++i) {
    const auto row = documents().row(list()[i]);
    examined_.insert(examined_.end(), row.begin(), row.end());
    basis_.add(std::span(examined_).subspan(i * d, d));
  }
  std::vector<double>& memory = state().memory;
  for (std::size_t begin = 0; begin < memory.size(); begin += d) {
    basis_.add(std::span(memory).subspan(begin, d));
  }
  memory.insert(memory.end(), examined_.begin(), examined_.end());
  const std::size_t most = options_.recall * d;
  if (memory.size() > most) {
    memory.erase(memory.begin(), memory.end() - static_cast<std::ptrdiff_t>(most));
  }
  basis_.project(step);
  const double length = norm(step);
  if (length == 0) return false;
  scale(step, 1 / length);
  return true;
}

namespace {

const bool document_space_descent_is_registered = ranker_learner_catalogue().add(
    {.name = "dsp",
     .title = "Gradient descent projected on the document space",
     .paper = "Wang, Kim, McCord-Snook, Wu, Wang; Variance reduction in gradient exploration for "
              "online learning to rank; SIGIR 2019",
     .setting = "continuous: linear rankers learned from clicks (duel learn)",
     .guarantee = "variance of the gradient estimate not above that of the unprojected one",
     .departs = "preferences by probabilistic multileaving are exact instead of sampled",
     .status = "tested"},
    descent_options<DocumentSpaceOptions>()
        .count("beyond", &DocumentSpaceOptions::beyond, 0, 1000,
               "places below the last click that count as looked at")
        .count("recall", &DocumentSpaceOptions::recall, 0, 1000,
               "documents of earlier impressions in the span"),
    [](const DocumentSpaceOptions& options, const std::string& canonical,
       const RankerLearnerSetting& setting) -> RankerLearnerKind::Made {
      DUEL_ASSIGN(const auto multileaver, multileaver_of(setting));
      return configured_descent<DocumentSpaceDescent>(canonical, options, multileaver, setting);
    });

}  // namespace
}  // namespace duel

// A response of Solr's learning-to-rank interleaving as an impression. Each document names the
// model that picked it in `[interleaving]`; the two models are those of the parameter `rq`, or
// those that the documents name where Solr does not echo its parameters.
//
// Solr has no field for the id of a page, so these are looked at in this order: `ubi.query_id` (as
// its component for User Behavior Insights answers), `query_id` beside the response, the parameters
// `query_id` and `rid`. A response without any of them is known by its number in the file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "duel/core/result.h"
#include "duel/ranking/click_credit/logged_impression.h"

namespace duel {

class SolrResponses {
 public:
  SolrResponses();
  ~SolrResponses();

  static bool looks_like(std::string_view text);

  // Why nothing can be learned from the page, or an empty text. `where` is for errors. The views of
  // the impression live until the next call.
  Result<std::string> read(std::string_view text, const std::string& where,
                           LoggedImpression& impression);

  // How many responses had no id and were numbered.
  std::uint64_t num_numbered() const { return numbered_; }

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::uint64_t responses_ = 0;
  std::uint64_t numbered_ = 0;
};

}  // namespace duel

// The answers that a certificate rests on, one by one, in the order of serving: what a ledger,
// whose memory is bounded by what is open, has forgotten. A second fold of the log, for a
// certificate that is known, so that only the pairs that it needs are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/text_map.h"
#include "duel/experiment/ledger.h"
#include "duel/inference/certificate.h"
#include "duel/log/record.h"

namespace duel {

// The pairs that the certificate has shown; none for goals that go by scores, and for panels.
// REQUIRES: ledger.certificate().
const std::vector<PairFinding>& needed_findings(const Ledger& ledger);

class EvidenceTrail {
 public:
  // REQUIRES: ledger.certificate().
  explicit EvidenceTrail(const Ledger& ledger);
  EvidenceTrail(EvidenceTrail&&) = default;
  EvidenceTrail& operator=(EvidenceTrail&&) = default;
  EvidenceTrail(const EvidenceTrail&) = delete;  // open duels point into it
  EvidenceTrail& operator=(const EvidenceTrail&) = delete;

  // Every record of the log, from the first on.
  void note(const LogEntry& entry);

  struct Answer {
    double unit = 0;  // 1: the arm asked for won; -1: it lost; 0: neither; or how much
    // Where people audit: whether a person gave it, what it adds to the lead, and what the lead
    // loses at most if the person was wrong.
    bool by_person = true;
    double lead = 0;
    double most_wrong = 0;
    std::uint32_t voter = 0;  // in `voters`
    std::uint64_t asked = 0;  // the record that served it
  };
  // Those that are evidence by record number `until`, of the pair as its first arm sees it.
  std::vector<Answer> answers(const std::string& arm, const std::string& other,
                              std::uint64_t until) const;

  // The subject that a duel was served to, or else the source of its answer; "" of an answer whose
  // giver is not known.
  const std::string& voter(std::uint32_t index) const { return names_[index]; }
  std::size_t num_voters() const { return names_.size(); }

  // About how much memory it takes.
  std::size_t bytes() const { return 48 * kept_; }

 private:
  struct Place {
    double unit = 0;  // of the pair's lower id
    std::uint32_t voter = 0;
    std::uint64_t asked = 0;
    std::uint64_t final_at = 0;              // the record that made it final; 0: it is open
    bool answered = false;                   // it did not expire, and is not invalid
    std::optional<AuditedAnswer> audited{};  // of the pair's lower id
  };
  using Pair = std::vector<Place>;
  struct Open {
    Pair* pair = nullptr;
    std::size_t place = 0;
    std::string first, second, subject;
    AuditState audit{};
  };

  Pair* pair_of(const std::string& first, const std::string& second);
  std::uint32_t number_of(const std::string& voter);
  void fill(Place& place, const std::string& first, const std::string& second,
            const duel::Answer& answer, const std::string& voter, std::uint64_t sequence);

  void take(const LogEntry& entry, const ServeRecord& record);
  void take(const LogEntry& entry, const CandidateRecord& record);
  void take(const LogEntry& entry, const OutcomeRecord& record);
  void take(const LogEntry& entry, const ExpiredRecord& record);
  void take(const LogEntry& entry, const AuditRecord& record);
  void take(const LogEntry& entry, const AuditLostRecord& record);
  void take(const LogEntry& entry, const ComparisonRecord& record);
  void take(const LogEntry& /*entry*/, const auto& /*record*/) {}

  bool comparisons_count_;
  std::uint64_t one_look_after_;
  std::uint64_t comparisons_ = 0;
  std::map<std::pair<std::string, std::string>, Pair> pairs_;  // by ids, the lower one first
  TextMap<Open> open_;
  TextMap<std::uint32_t> numbers_;
  std::vector<std::string> names_;
  std::size_t kept_ = 0;
};

}  // namespace duel

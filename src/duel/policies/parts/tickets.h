// The duels that went out and were not yet answered, each with what the policy noted when it chose
// it. Few at a time, so a plain list; in a simulation it holds one at most.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "duel/core/duel.h"

namespace duel {

template <class Note>
class Tickets {
 public:
  struct Ticket {
    Duel duel;
    Note note;
    void fields(auto& archive) { archive(duel, note); }
  };

  void issued(const Duel& duel, Note note) { tickets_.push_back({duel, std::move(note)}); }
  // Takes back the ticket of the duel, which its round tells from others; nothing if it has none.
  std::optional<Note> settled(const Duel& duel) {
    for (Ticket& ticket : tickets_) {
      if (ticket.duel.round != duel.round) continue;
      Note note = std::move(ticket.note);
      if (&ticket != &tickets_.back()) ticket = std::move(tickets_.back());
      tickets_.pop_back();
      return note;
    }
    return std::nullopt;
  }

  bool empty() const { return tickets_.empty(); }
  auto begin() const { return tickets_.begin(); }
  auto end() const { return tickets_.end(); }

  void fields(auto& archive) { archive(tickets_); }
  // After a restore: the duels are between arms that there are, and the notes make sense.
  bool restored(std::size_t num_arms, auto sensible) const {
    return std::all_of(tickets_.begin(), tickets_.end(), [&](const Ticket& ticket) {
      return ticket.duel.first < num_arms && ticket.duel.second < num_arms && sensible(ticket.note);
    });
  }

 private:
  std::vector<Ticket> tickets_;
};

}  // namespace duel

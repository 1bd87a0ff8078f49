// What the methods of multileaving share: a list is drawn choice by choice, which sampling and
// going through all lists do alike (every_path.h), and clicks are credited by ranker and then
// compared.
//
//   class Method final : public DrawnMultileaver<Method, MethodOptions> {
//    public:
//     using DrawnMultileaver::DrawnMultileaver;
//     // Fills `shown` from its pool of rankings.
//     template <class Choices>
//     void draw(std::size_t length, Choices& choices, Multileaving& shown) const;
//   };
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "duel/ranking/interleaving/every_path.h"
#include "duel/ranking/interleaving/multileaver.h"

namespace duel {

// `OneDraw`, made of an rng, and `EveryDraw`, an EveryPath, are the choices that `draw` is given.
template <class Method, class Options, class OneDraw = RandomChoices, class EveryDraw = EveryPath>
class DrawnMultileaver : public Multileaver {
 public:
  DrawnMultileaver(std::string canonical, const Options& options)
      : options_(options), canonical_(std::move(canonical)) {}

  std::string canonical() const final { return canonical_; }

  void multileave(Rankings rankings, std::size_t length, RoundRng& rng,
                  Multileaving& shown) const override {
    OneDraw choices(rng);
    draw_list(rankings, length, choices, shown);
  }

  void credit(const Multileaving& shown, std::span<const Position> clicks,
              MultileaveCredit& credit) const final {
    DUEL_CHECK(clicks.empty() || clicks.back() < shown.size());
    start_credit(shown, credit);
    compare(shown, clicks, credit);
    set_outcomes(shown, clicks, credit);
  }

  Result<std::vector<WeightedMultileaving>> enumerate(Rankings rankings,
                                                      std::size_t length) const final {
    return enumerate_paths<EveryDraw, WeightedMultileaving>(
        *this,
        [&](EveryDraw& path, Multileaving& shown) { draw_list(rankings, length, path, shown); });
  }

 protected:
  const Options options_;

 private:
  // Credits and values: here sums of what the clicks are worth, and their differences.
  virtual void compare(const Multileaving& shown, std::span<const Position> clicks,
                       MultileaveCredit& credit) const {
    add_click_credits(shown, clicks, credit);
    take_differences(credit);
  }

  template <class Choices>
  void draw_list(Rankings rankings, std::size_t length, Choices& choices,
                 Multileaving& shown) const {
    shown.memory.pool.assign(rankings);
    shown.clear(rankings.size());
    static_cast<const Method&>(*this).draw(length, choices, shown);
  }

  std::string canonical_;
};

}  // namespace duel

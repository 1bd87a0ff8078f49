// What most methods for two rankings share: a list is drawn choice by choice, which sampling and
// going through all lists do alike (every_path.h), and credit is a sum over the clicks.
//
//   class Method final : public DrawnInterleaver<Method, MethodOptions> {
//    public:
//     using DrawnInterleaver::DrawnInterleaver;
//     // Fills `shown`, whose former content is dropped, from its pool of rankings.
//     template <class Choices>
//     void draw(std::size_t length, Choices& choices, Interleaving& shown) const;
//   };
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "duel/ranking/interleaving/every_path.h"
#include "duel/ranking/interleaving/interleaver.h"

namespace duel {

// `OneDraw`, made of an rng, and `EveryDraw`, an EveryPath, are the choices that `draw` is given.
template <class Method, class Options, class OneDraw = RandomChoices, class EveryDraw = EveryPath>
class DrawnInterleaver : public Interleaver {
 public:
  DrawnInterleaver(std::string canonical, const Options& options)
      : options_(options), canonical_(std::move(canonical)) {}

  std::string canonical() const final { return canonical_; }

  void interleave(std::span<const Document> first, std::span<const Document> second,
                  std::size_t length, RoundRng& rng, Interleaving& shown) const final {
    OneDraw choices(rng);
    draw_list(first, second, length, choices, shown);
  }

  Credit credit(const Interleaving& shown, std::span<const Position> clicks) const override {
    return additive_credit(shown, clicks);
  }

  bool is_additive() const override { return true; }

  Result<std::vector<WeightedInterleaving>> enumerate(std::span<const Document> first,
                                                      std::span<const Document> second,
                                                      std::size_t length) const final {
    return enumerate_paths<EveryDraw>(*this, [&](EveryDraw& path, Interleaving& shown) {
      draw_list(first, second, length, path, shown);
    });
  }

 protected:
  const Options options_;

 private:
  template <class Choices>
  void draw_list(std::span<const Document> first, std::span<const Document> second,
                 std::size_t length, Choices& choices, Interleaving& shown) const {
    shown.memory.pool.assign(first, second);
    static_cast<const Method&>(*this).draw(length, choices, shown);
  }

  std::string canonical_;
};

}  // namespace duel

// Checks the logs of a server's experiments from their first line on, in the background. Serving
// goes on meanwhile: an experiment comes back from its snapshot, and nobody has read what lies
// below it since the start.
//
// Guarantees: a certificate is given only on a log that this process has read whole. Until then the
// experiment holds it back (Experiment::pass_audit), and so do views and notices. An experiment
// whose records turn out to be damaged is out of service until the next start.
// Any thread may call it.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "duel/core/result.h"
#include "duel/core/text_map.h"
#include "duel/core/world.h"
#include "duel/store/store.h"

namespace duel {

class Audits {
 public:
  // `say` hears of each experiment that goes out of service, on any thread.
  Audits(std::shared_ptr<Store> store, World& world, std::function<void(const std::string&)> say);
  ~Audits() { stop(); }
  Audits(const Audits&) = delete;
  Audits& operator=(const Audits&) = delete;

  // Checks the experiment soon, in the background, unless its fate is known.
  void begin(const std::string& experiment_id);
  // Checks all experiments of the store, one after the other, when nothing else is to be checked.
  void begin_all();
  // Checks it now, on the caller's thread, unless its fate is known. An error is the damage, or the
  // store's, which says nothing of the log.
  Status check(const std::string& experiment_id);
  // Somebody else has read the whole log, or has just made it.
  void pass(const std::string& experiment_id);
  // Another process has had it since: what was found before says nothing any more.
  void forget(const std::string& experiment_id);

  bool passed(const std::string& experiment_id) const;
  std::optional<Error> damage(const std::string& experiment_id) const;

  // A load was refused; nothing where the last one went well.
  void note_load(const std::string& experiment_id, const std::optional<Error>& refused);
  // Experiments that are not served, by name, and why.
  std::map<std::string, std::string> out_of_service() const;

  // Lets a check that runs end early. Returns when none does.
  void stop();

 private:
  struct Known {
    bool passed = false;
    std::optional<Error> damage{};
    std::optional<Error> refused{};  // by the last load
  };
  void check_next();
  // Whether there is something to check. What is asked for goes before what is not.
  bool take(std::string& experiment_id);

  std::shared_ptr<Store> store_;
  std::function<void(const std::string&)> say_;
  std::atomic<bool> stopping_ = false;

  mutable std::mutex mutex_;  // guards known_, wanted_ and damaged_
  TextMap<Known> known_;
  std::deque<std::string> wanted_;
  std::atomic<bool> some_damaged_ = false;  // so that a request costs no lock where all are sound

  std::unique_ptr<TaskQueue> queue_;  // last: its thread uses the rest
};

}  // namespace duel

// Scripts played through the routes of a server, without sockets: a fixed clock, secret and seed,
// and callers who name every duel, so that a script gives the same bytes each time.
//
// Steps: a method, a target and perhaps headers and a body (`PATCH e if-match:"2" {..}`); a target
// that does not begin with `/` is below /v1/experiments. `STREAM target` reads a stream to its end.
// `${q.first}`, `${q.second}`, `${q.better}`, `${q.worse}` stand for the arms of the duel `q` as it
// was served, `${q.token}` for its report token, `${q.1}`, `${q.2}`, .. for the items of its page.
//   token NAME SCOPE    makes a token, for `e` unless it is of scope admin; the first has to be
//                       called admin. `as NAME` calls with it, `as nobody` without one
//   pass TIME           moves the clock; from half a second on, what is due has expired then
//   play N PREFIX [from=K] {..}   serves and answers N duels PREFIX1, PREFIX2, ..; the JSON holds
//                       more members of the body that asks for them
//   import FILE         makes the experiment of a log that is recorded in tests/golden/data
//   restart             stops and starts the server; `restart log` without its snapshots;
//                       `restart power synced=N kept=M` as after a loss of power: record N was the
//                       last that is known to be on the disk, record M the last that is there
//   snapshots N         writes a snapshot every N records, from the next start on
//   refuse              the next append to the store fails; it takes records again when time passes
// What every door can do (`open`, `serve`, `answer`, `expire`, `close`) is in local_door.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "duel/core/json.h"
#include "tests/golden/script.h"
#include "tests/server/served_api.h"
#include "tests/store/faulty_store.h"

namespace duel::golden {

// What another process finds in a store.
struct FoldedStore {
  std::string log;
  std::uint64_t sequence = 0;
  std::uint64_t snapshot = 0;  // the last record in the snapshot that was used; 0: there was none
  std::uint64_t state_hash = 0;
};

class RoutesDoor {
 public:
  RoutesDoor();

  void play(const Step& step);

  // Every request and its answer in full; the duels of `play` take one line each.
  const std::string& replies() const { return replies_; }

  // As the server gives them to a reader.
  std::string log();
  std::string certificate();  // empty if the server has none
  std::string result();

  // Of the live experiment as the server holds it.
  std::uint64_t state_hash();
  FoldedStore fold_copy_of_store();

 private:
  class AsAdmin;
  struct Asked {
    HttpMethod method = HttpMethod::get;
    std::string target;
    HttpFields headers{};
    std::string body{};
  };
  HttpResponse send(const Asked& asked);
  // Sends it, writes down both and remembers what was served.
  Told exchange(const Asked& asked);
  void remember(const Json& answer);
  std::string substituted(std::string text) const;
  void pass(long long ms);
  void make_token(const Step& step);
  void play_many(const Step& step);
  void restart(const Step& step);
  void open(const Step& step);
  void audit(const std::string& word);
  Json answer_body(const std::string& duel_id, const std::string& word) const;
  std::string arm_of(const std::string& duel_id, const std::string& what) const;

  bool quick_;
  std::unique_ptr<ServedApi> api_;
  FaultyStore* store_ = nullptr;                                       // the api's, of this start
  std::map<std::string, Json> served_;                                 // by duel
  std::map<std::string, std::map<std::uint64_t, std::string>> pages_;  // by duel and ordinal
  std::map<std::string, std::string> subjects_;  // that the server made of voters, by duel
  std::map<std::string, std::string> tokens_;
  bool both_orders_ = false;
  long long unseen_ms_ = 0;  // that the engine may not have looked at the clock
  std::string replies_;
};

}  // namespace duel::golden

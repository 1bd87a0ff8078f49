// Where the records of experiments are kept: for each experiment its lines (line.h), numbered
// 1, 2, 3, .. without gaps.
//
// A store does not know what a line says, and trusts the hash it bears: whoever reads follows the
// chain (experiment_log.h), in one place for all stores, so that a damaged store is found out
// whatever it is made of. To the store the hash of the last line is the name of a history: an
// append says after which one it comes, and two writers cannot both be right.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"

namespace duel {

// The last line of an experiment, after which the next one goes.
struct Head {
  std::uint64_t sequence = 0;  // 0: there is no line yet, and the hash says nothing
  std::string hash;
};

// Takes a line without its end; kReadableAfterLine bytes after it may be read.
using LineSink = std::function<Status(std::string_view line)>;

class Store {
 public:
  virtual ~Store() = default;

  // The experiments that have a line, sorted by name.
  virtual Result<std::vector<std::string>> list() = 0;

  // A new experiment without lines, or one that is there. It belongs to this store from then on:
  // nobody else may append to it while the store is open. An error where that is impossible, where
  // the new one exists, and where the other does not (`not_found`). What belongs to this store
  // already is opened anew.
  virtual Status create(const std::string& experiment) = 0;
  virtual Status own(const std::string& experiment) = 0;

  // Gives the lines after number `after` in order; an error of the sink ends the reading and is
  // returned. Anybody may read. Returns how many bytes follow the last line: what a kill left of a
  // line that was never complete and does not count. Where the experiment belongs to this store
  // the next append removes them.
  virtual Result<std::uint64_t> read(const std::string& experiment, std::uint64_t after,
                                     const LineSink& sink) = 0;

  // Appends a group of lines after `at`. An error means that none of them is there (`at` is not the
  // head, the disk is full), or that nobody can say; in that case the store takes no more lines of
  // this experiment until it is opened anew. A kill may leave the first lines of a group.
  // REQUIRES: `create` or `own`.
  virtual Status append(const std::string& experiment, const Head& at,
                        std::span<const std::string> lines) = 0;

  // Returns when every line appended to the experiment survives a loss of power. After an error the
  // store takes no more lines of it: the system may have dropped what it could not write.
  virtual Status sync(const std::string& experiment) = 0;
};

}  // namespace duel

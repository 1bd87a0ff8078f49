// Which arms there are: files, globs, names, or a file that lists them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/experiment/questions.h"

namespace duel {

inline constexpr std::size_t kMostBytesOfFile = std::size_t{256} << 20;  // of an arm

struct ListedArm {
  ShownArm shown;
  std::string reference;  // for the log: the path, or where it was listed; "" for a bare name
  std::string sha256;     // of the content; "" for a bare name
  Json content{};         // for the log itself, where the content lies in no file
  std::vector<double> features{};  // what policies are told of it in numbers
};

// What the log says of it.
ArmEntry entry_of(const ListedArm& arm);

// Each item is, first found wins: a file; a glob (`*`, `?`, `[`), whose files come in the order of
// their names and which must match something; several items separated by commas; a bare name, which
// is an id and its own content. `list_file` ("" for none, "-" for standard input) has one arm a
// line, an item or {"arm_id":"b","payload":..,"features":[0.5,2]}; blank lines and lines that begin
// with # are passed over.
//
// A file's id is its name without folder and extension, with `-` for what an id may not contain,
// and made unique (by its extension, else by a number). At least two arms; no id twice; the same
// file twice is one arm.
Result<std::vector<ListedArm>> list_arms(const std::vector<std::string>& items,
                                         const std::string& list_file);

// The same of arms that join others: any number, none too.
Result<std::vector<ListedArm>> list_joining_arms(const std::vector<std::string>& items);

// An id from what people call things: "Prompt (new)" -> "Prompt-new", "1" -> "arm-1".
std::string id_from_name(const std::string& name);

}  // namespace duel

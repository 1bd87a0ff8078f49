// Scripts: what happens to an experiment, step by step, as text that every door can play.
//
// A line is a step: a verb, words, and at its end perhaps a JSON value. A line that begins with a
// blank goes on with the one before; `#` begins a comment line. What the verbs mean is said by the
// doors (routes_door.h, local_door.h).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace duel::golden {

struct Step {
  int line = 0;
  std::string text;  // as written, on one line
  std::string verb;
  std::vector<std::string> words;  // between the verb and the JSON
  std::string json;                // from the first word that begins with `{` or `[`

  // The value of a word `name=value`; `otherwise` if the step has no such word.
  std::string value_of(std::string_view name, const std::string& otherwise = {}) const;
};

std::vector<Step> read_script(const std::string& file);

// Plays a script at a door. An exception says at which step.
template <class Door>
void play_script(Door& door, const std::string& folder, const std::string& name);

// The names of the scripts below tests/golden/scripts/<folder>, sorted.
std::vector<std::string> scripts_in(const std::string& folder);
std::string script_file(const std::string& folder, const std::string& name);

// "20ms", "30s", "5m", "2h", "-1h" in milliseconds.
long long milliseconds_of(std::string_view text);

// How the made-up people and judges of the scripts decide, from the id of the duel alone: mostly
// for the arm whose id comes first, sometimes for the other, sometimes for none.
enum class Said { better, worse, tie };
Said said_about(std::string_view duel_id);
std::string word_of(Said said);  // as `answer` takes it
bool is_score(std::string_view word);

template <class Door>
void play_script(Door& door, const std::string& folder, const std::string& name) {
  for (const Step& step : read_script(script_file(folder, name))) {
    try {
      door.play(step);
    } catch (const std::exception& error) {
      throw std::runtime_error(name + ".script:" + std::to_string(step.line) + ": " + error.what());
    }
  }
}

}  // namespace duel::golden

// The program that an operator has told of certificates: `duel serve --on-certified CMD`.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "duel/core/result.h"

namespace duel::cli {

// Runs the program without a shell, gives it `input`, and waits for its end. An error where it
// cannot be started, ends with another code than 0, or takes longer than `timeout`: then it and
// everything that it started is killed. `stop`: whether to give up.
Status run_certified_command(const std::vector<std::string>& words, const std::string& input,
                             std::chrono::milliseconds timeout, const std::function<bool()>& stop);

}  // namespace duel::cli

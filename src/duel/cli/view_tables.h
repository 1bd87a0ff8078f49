// Views beside a result, for the terminal: what style explains, and how much each judge is worth.
#pragma once

#include <string>

#include "duel/verdict/judge_view.h"
#include "duel/verdict/style_view.h"

namespace duel::cli {

std::string style_text(const StyleView& view);
std::string judges_text(const JudgeView& view);

}  // namespace duel::cli

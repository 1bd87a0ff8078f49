// All commands of the program, in the order in which the help page lists them. Each declares itself
// in the source of its name, and has from here what all of them use: options, context, texts and
// their formats.
#pragma once

#include <string>
#include <vector>

#include "duel/cli/options.h"

namespace duel::cli {

void add_demo_command(Command& program);
void add_run_command(Command& program);
void add_tune_command(Command& program);
void add_gate_command(Command& program);
void add_judge_command(Command& program);
void add_vote_command(Command& program);
void add_result_command(Command& program);
void add_certificate_command(Command& program);
void add_verify_command(Command& program);
void add_import_command(Command& program);
void add_export_command(Command& program);
void add_serve_command(Command& program);
void add_experiment_command(Command& program);
void add_next_command(Command& program);
void add_mcp_command(Command& program);
void add_report_command(Command& program);
void add_token_command(Command& program);
void add_store_command(Command& program);
void add_simulate_command(Command& program);
void add_merge_command(Command& program);
void add_plan_command(Command& program);
void add_plot_command(Command& program);
void add_policies_command(Command& program);
void add_matrix_command(Command& program);
void add_league_command(Command& program);
void add_estimate_command(Command& program);
void add_interleave_command(Command& program);
void add_credit_command(Command& program);
void add_metrics_command(Command& program);
void add_learn_command(Command& program);
void add_reproduce_command(Command& program);
void add_version_command(Command& program);
void add_completion_command(Command& program);

// `duel __complete WORDS...`, which the scripts of `duel completion` call: what the last of the
// words may become. A line each, `word` or `word<tab>what it is`; the lines `:files` and
// `:directories` leave it to the shell to offer these.
std::string completions(const Command& program, const std::vector<std::string>& words);

}  // namespace duel::cli

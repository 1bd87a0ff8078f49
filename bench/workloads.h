// The named workloads of duel_bench, one source each. A workload prints Markdown.
#pragma once

namespace duel {

void engine_workload();  // engine_bench.cc
void field_workload();   // field_bench.cc
void imed_workload();
void tune_workload();          // imed_bench.cc
void outstanding_workload();   // outstanding_bench.cc
void sampling_workload();      // sampling_bench.cc
void interleaving_workload();  // interleaving_bench.cc
void credit_workload();        // credit_bench.cc
void letor_workload();         // letor_bench.cc
void estimation_workload();    // estimation_bench.cc
void dbgd_workload();          // dbgd_bench.cc
void learn_workload();         // learn_bench.cc
void inference_workload();     // inference_bench.cc
void json_workload();          // json_bench.cc
void log_workload();           // log_bench.cc
void store_workload();         // store_bench.cc
void fold_workload();          // fold_bench.cc
void serve_workload();         // serve_bench.cc
void requests_workload();      // serve_bench.cc
void owners_workload();        // serve_bench.cc
void soak_workload();          // serve_bench.cc
void plan_workload();          // plan_bench.cc
void reproduce_workload();     // reproduce_bench.cc

}  // namespace duel

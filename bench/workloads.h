// The named workloads of duel_bench, one source each. A workload prints Markdown.
#pragma once

namespace duel {

void engine_workload();    // engine_bench.cc
void field_workload();     // field_bench.cc
void sampling_workload();  // sampling_bench.cc

}  // namespace duel

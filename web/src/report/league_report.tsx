// A league: policies down, problems across, how many times the best one's regret each paid.
import { count } from "../charts/numbers";
import { shortened } from "../charts/shortened";
import { TableHead } from "../charts/table_head";
import type { ReportData } from "./report_data";

type League = Extract<ReportData, { kind: "league" }>["league"];

// 0 at the best, 1 at a hundred times its regret and beyond.
export function darkness(ratio: number): number {
  return Math.max(0, Math.min(1, Math.log10(ratio) / 2));
}

export function LeagueReport({ title, league }: { title: string; league: League }) {
  const policies = league.ranking.map((one) => one.policy);
  return (
    <>
      <h1>{title}</h1>
      <section class="card" aria-labelledby="h-league">
        <h2 id="h-league">How many times the best policy's regret</h2>
        <p class="small quiet">
          {count(league.rounds)} rounds, {count(league.trials)} trials, seed {league.seed}. Rows are
          sorted by the geometric mean over the problems. Bold: the best on its problem, or
          indistinguishable from it.
        </p>
        <div class="scroll" tabIndex={0} role="group" aria-label="Table of the league">
          <table class="league">
            <TableHead about="Policy" figures={["mean"]}>
              {league.problems.map((one) => (
                <th scope="col" title={one.problem}>
                  <span>{shortened(one.problem, 30)}</span>
                </th>
              ))}
            </TableHead>
            <tbody>
              {league.ranking.map((standing, row) => (
                <tr>
                  <th scope="row">
                    <code>{standing.policy}</code>
                  </th>
                  <td class="number">
                    {standing.log_ratio === null ? "" : Math.exp(standing.log_ratio).toFixed(2)}
                  </td>
                  {league.problems.map((problem) => {
                    const entry = problem.policies.find((one) => one.policy === policies[row]);
                    if (!entry || entry.ratio === null) return <td class="number quiet">–</td>;
                    const text = entry.ratio < 9.95 ? entry.ratio.toFixed(1) : count(entry.ratio);
                    return (
                      <td
                        class="number ratio"
                        style={{ "--strength": darkness(entry.ratio).toFixed(3) }}
                      >
                        {entry.told_apart ? text : <b>{text}</b>}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
    </>
  );
}

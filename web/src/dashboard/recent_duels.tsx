// The last duels and their answers.
import { Fragment } from "preact";
import type { RecentDuel } from "../api/types";
import { ArmLabel } from "../charts/arm_label";
import type { ArmNames } from "../charts/arm_names";

export function answerOf(duel: RecentDuel): string {
  if (duel.serving === "exploit") return "shown alone"; // nobody is asked
  if (duel.state === "served") return "open";
  if (duel.state === "expired") return "expired";
  if (duel.result === "win")
    return (duel.place ?? (duel.winner === duel.first ? 1 : 2)) === 1 ? "left won" : "right won";
  const words = {
    tie: "tie",
    both_bad: "both bad",
    skip: "skipped",
    invalid: "invalid",
    no_feedback: "no click",
    no_contest: "no difference",
  };
  const said = duel.result ? words[duel.result] : "";
  return duel.note ? `${said}: ${duel.note}` : said;
}

export function RecentDuels({ duels, names }: { duels: RecentDuel[]; names: ArmNames }) {
  if (duels.length === 0) return <p class="quiet">No duels yet.</p>;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Table of recent duels">
      <table class="wide">
        <thead>
          <tr>
            <th scope="col">Served</th>
            <th scope="col">Left</th>
            <th scope="col">Right</th>
            <th scope="col">Answer</th>
          </tr>
        </thead>
        <tbody>
          {duels.map((duel) => (
            <Fragment key={duel.duel_id}>
              <tr class={duel.reason ? "has-reason" : undefined}>
                <td class="small">
                  <time dateTime={duel.served_at} title={duel.duel_id}>
                    {new Date(duel.served_at).toLocaleTimeString()}
                  </time>
                </td>
                <td class="arm">
                  <ArmLabel id={duel.first} names={names} />
                </td>
                <td class="arm">
                  {duel.serving !== "exploit" && <ArmLabel id={duel.second} names={names} />}
                </td>
                <td>{answerOf(duel)}</td>
              </tr>
              {duel.reason && (
                <tr>
                  <td colSpan={4} class="quiet small reason">
                    {duel.reason}
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// How many duels an experiment will take, by simulation, before it is created.
import { useEffect, useState } from "preact/hooks";
import { ask } from "../api/client";
import type { ExperimentRequest, Plan } from "../api/types";
import { count, roughCount } from "../charts/numbers";
import { Curl, Failure } from "./parts";

const MOST_PLANNED = 50;

// What an experiment looks for, as bodies of requests say it.
export type GoalFields = Pick<ExperimentRequest, "goal" | "top" | "epsilon" | "assume">;

export function Forecast({ arms, alpha, goal }: { arms: number; alpha: number; goal: GoalFields }) {
  const [gap, setGap] = useState("0.1");
  const [answer, setAnswer] = useState<Plan | null>(null);
  const [asking, setAsking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const many = Math.max(2, Math.min(MOST_PLANNED, arms || 5));
  const body = {
    arms: many,
    gap: Number(gap),
    alpha,
    ...goal,
    shared_causes: true,
    trials: 100,
  };
  useEffect(() => setAnswer(null), [JSON.stringify(body)]);
  const estimate = async (event: Event) => {
    event.preventDefault();
    setAsking(true);
    setError(null);
    try {
      setAnswer(await ask("plan", {}, { body }));
    } catch (caught) {
      setError(caught);
    }
    setAsking(false);
  };
  const best = answer?.policies[0];
  return (
    <section class="card" aria-labelledby="h-plan">
      <h2 id="h-plan">How many duels will it take?</h2>
      <form class="stack" onSubmit={estimate}>
        <label>
          How much better is the best one?
          <select value={gap} onChange={(event) => setGap(event.currentTarget.value)}>
            <option value="0.25">It wins 75 % of its duels</option>
            <option value="0.15">It wins 65 %</option>
            <option value="0.1">It wins 60 %</option>
            <option value="0.05">It wins 55 %</option>
            <option value="0.02">It wins 52 %</option>
          </select>
        </label>
        <p class="small quiet">
          {count(many)} arms{arms === 0 && ", until you have entered yours"}, error level {alpha}.
        </p>
        <button disabled={asking}>{asking ? "Simulating…" : "Estimate"}</button>
      </form>
      <div aria-live="polite">
        {best && (
          <p>
            <strong class="big">About {roughCount(best.duels.p50)} duels</strong>
            <br />
            <span class="small quiet">
              8 of 10 runs end between {roughCount(best.duels.p10)} and {roughCount(best.duels.p90)}{" "}
              ({answer?.trials} simulated runs
              {best.undecided > 0 ? `, ${best.undecided} of them undecided` : ""}).
            </span>
          </p>
        )}
        <Failure error={error} />
      </div>
      <Curl what="ask for the forecast" operation="plan" given={{}} body={body} />
    </section>
  );
}

// A panel counts, so that no simulation is needed: nobody is asked about a pair twice, and a pair
// ends as soon as those who are left cannot change it.
const SECONDS_PER_QUESTION = 10;

export function PanelForecast({ arms, members }: { arms: number; members: number | null }) {
  const many = Math.max(2, arms);
  const fewest = many - 1;
  const most = (many * (many - 1)) / 2;
  const minutes = (questions: number) =>
    Math.max(1, Math.ceil((questions * SECONDS_PER_QUESTION) / 60));
  const asked = members === null ? most : fewest;
  const times = [...new Set([minutes(asked), minutes(most)])].join(" to ");
  return (
    <section class="card" aria-labelledby="h-plan">
      <h2 id="h-plan">What will it take?</h2>
      <p>
        <strong class="big">
          {members === null
            ? "Everybody who comes"
            : members === 0
              ? "The people of the list"
              : `${count(members)} ${members === 1 ? "person" : "people"}`}
          , {asked === most ? count(most) : `${count(fewest)} to ${count(most)}`}{" "}
          {most === 1 ? "question" : "questions"} each
        </strong>
        <br />
        <span class="small quiet">
          About {times} {minutes(most) === 1 ? "minute" : "minutes"} each, at {SECONDS_PER_QUESTION}{" "}
          seconds a question.{" "}
          {members === null
            ? "Close the panel when everybody who counts has answered."
            : "Where most agree, the last ones are asked less, or nothing."}
        </span>
      </p>
    </section>
  );
}

// A form that creates an experiment, with a forecast of what it will take beside it.
import { useEffect, useMemo, useState } from "preact/hooks";
import { ask } from "../api/client";
import type { Experiment, ExperimentRequest } from "../api/types";
import { idOf, parseArms } from "./arm_lines";
import { ArmsField } from "./arms_field";
import {
  armLines,
  auditOf,
  nextId,
  notCarried,
  percentOf,
  policyOf,
  rulesFit,
  rulesOf,
} from "./cloned";
import { Forecast, PanelForecast } from "./forecast";
import { goalFields, GOALS, type Goal } from "./goals";
import { Curl, Failure, Link, useAnswer } from "./parts";
import { experimentPath, go, UPLOAD_PATH } from "./place";
import { PolicyField } from "./policy_field";
import { policyString } from "./policy_string";
import { AuditField, ErrorLevelField, IdField, SlicesField } from "./fields";
import { FEWEST_FOR_EARLY, namesOf, rememberedMembers, rememberMembers } from "./members";
import { PanelFields } from "./panel_fields";
import { parseSlices, sliceLines } from "./slice_lines";
import { SearchAndProof, SpaceFields } from "./space_fields";
import { dimensionRowsOf, EMPTY_ROW, spaceOf } from "./space_rows";

// Who answers decides what the certificate is about, and how the arms are compared.
type Answerers = "people" | "visitors" | "judge" | "clicks";
const ANSWERERS: { value: Answerers; label: string; says: string }[] = [
  {
    value: "people",
    label: "People I know",
    says: "A panel: each is asked about a pair once, and what they prefer is counted. The verdict is certain, and about these people.",
  },
  {
    value: "visitors",
    label: "Visitors",
    says: "Anybody with the link, as a sample of people like them. Of each person one answer to a pair is evidence.",
  },
  {
    value: "judge",
    label: "A judge program",
    says: "A program or a service asks for pairs and answers them, with duel run or the API.",
  },
  {
    value: "clicks",
    label: "Clicks on search results",
    says: "Interleaved results of two rankers: clicks decide.",
  },
];
const answerersOf = (origin: Experiment | null): Answerers =>
  origin?.mode === "interleave"
    ? "clicks"
    : origin?.audit
      ? "judge"
      : origin === null || origin.about === "these-people"
        ? "people"
        : "visitors";

// `from` names an experiment to begin from.
export function NewExperiment({ from }: { from: string | null }) {
  const origin = useAnswer(`from ${from ?? ""}`, async (signal) =>
    from === null ? null : await ask("show_experiment", { eid: from }, { signal }),
  );
  useEffect(() => {
    document.title = "New experiment · Duel";
  }, []);
  if (origin.error !== null) return <Failure error={origin.error} />;
  if (from !== null && !origin.value)
    return (
      <p class="quiet" aria-busy="true">
        Loading…
      </p>
    );
  return <NewExperimentForm origin={origin.value} />;
}

function NewExperimentForm({ origin }: { origin: Experiment | null }) {
  const [name, setName] = useState(origin?.name ?? "");
  const [id, setId] = useState(origin ? nextId(origin.experiment_id) : "");
  const [pasted, setPasted] = useState(origin ? armLines(origin.arms) : "");
  const [isSpace, setIsSpace] = useState(origin?.space !== undefined);
  const [rows, setRows] = useState(origin?.space ? dimensionRowsOf(origin.space) : [EMPTY_ROW]);
  const [chosenWho, setWho] = useState<Answerers>(answerersOf(origin));
  const known = useMemo(() => (origin ? rememberedMembers(origin.experiment_id) : []), [origin]);
  const [size, setSize] = useState(origin?.panel?.size ? String(origin.panel.size) : "");
  const [listed, setListed] = useState(origin?.panel?.listed ?? false);
  const [pastedNames, setPastedNames] = useState(known.join("\n"));
  const [wantsEarly, setWantsEarly] = useState(origin?.panel?.early ?? false);
  const [question, setQuestion] = useState(origin?.voting?.question ?? "");
  const [instructions, setInstructions] = useState(origin?.voting?.instructions ?? "");
  const [showsResult, setShowsResult] = useState(origin?.voting?.shows_result ?? false);
  const [goal, setGoal] = useState<Goal>(origin?.goal ?? "condorcet");
  const [top, setTop] = useState(String(origin?.top ?? 3));
  const [epsilon, setEpsilon] = useState(String(origin?.epsilon ?? 0.05));
  const [ordered, setOrdered] = useState(origin?.assume === "order");
  const [alpha, setAlpha] = useState(String(origin?.stopping.alpha ?? 0.05));
  const [auditPercent, setAuditPercent] = useState<string | null>(percentOf(origin));
  const [sliceText, setSliceText] = useState(sliceLines(origin?.slices ?? {}));
  const [policy, setPolicy] = useState("auto");
  const [options, setOptions] = useState<Record<string, string>>({});
  const [start, setStart] = useState(true);
  const [error, setError] = useState<unknown>(null);
  const policies = useAnswer("policies", (signal) => ask("list_policies", {}, { signal }));
  // The policy of the old one, once it is known which options there are.
  useEffect(() => {
    if (!origin || !policies.value) return;
    const { name, options } = policyOf(origin, policies.value.items);
    setPolicy(name);
    setOptions(options);
  }, [policies.value]);

  const parsed = useMemo(() => parseArms(pasted), [pasted]);
  const chosen = policies.value?.items.find((one) => one.name === policy);
  const eid = id.trim() || idOf(name).toLowerCase() || "experiment";
  const wanted = goalFields(goal, top, epsilon, ordered);
  const looksFor = GOALS.find((one) => one.value === goal);
  // A panel counts what its members say of a few things; the points of a space are too many.
  const answerers = ANSWERERS.filter(({ value }) => !isSpace || value !== "people");
  const who = isSpace && chosenWho === "people" ? "visitors" : chosenWho;
  const isPanel = who === "people";
  const isVoted = isPanel || who === "visitors";
  const rules = origin && rulesFit(origin, isPanel) ? rulesOf(origin) : null;
  const names = namesOf(pastedNames);
  const isEarly = listed && wantsEarly && names.length >= FEWEST_FOR_EARLY;
  const members = listed ? names.length : Number(size) > 0 ? Math.floor(Number(size)) : null;
  const audit = who === "judge" && !isSpace ? auditOf(origin, auditPercent) : undefined;
  // Neither a panel nor people who audit have an error level that could be divided among parts.
  const hasSlices = !isPanel && !isSpace && audit === undefined;
  const { slices, problem: problemOfSlices } = parseSlices(sliceText);
  const voting = {
    ...(question.trim() ? { question: question.trim() } : {}),
    ...(instructions.trim() ? { instructions: instructions.trim() } : {}),
    ...(showsResult ? { shows_result: true } : {}),
  };
  // A panel counts: it has no policy or goal to choose, and an error level only for early verdicts.
  const ofSample = {
    ...(policy === "auto" ? {} : { policy: policyString(policy, chosen?.options ?? [], options) }),
    ...wanted,
    stopping: { ...(rules?.stopping ?? {}), alpha: Number(alpha) },
    ...(audit ? { audit } : {}),
    ...(hasSlices && Object.keys(slices).length > 0 ? { slices } : {}),
  };
  const ofPanel: Partial<ExperimentRequest> = {
    about: "these-people",
    ...(listed
      ? { panel: { members: names, ...(isEarly ? { early: true } : {}) } }
      : members === null
        ? {}
        : { panel: { size: members } }),
    ...(isEarly ? { stopping: { ...(rules?.stopping ?? {}), alpha: Number(alpha) } } : {}),
  };
  const ofSpace: Partial<ExperimentRequest> = {
    space: spaceOf(rows),
    ...(origin?.space ? { policy: origin.policy } : {}),
    stopping: { ...(rules?.stopping ?? {}), alpha: Number(alpha) },
  };
  const body: ExperimentRequest = {
    ...(rules ?? {}),
    ...(name.trim() ? { name: name.trim() } : {}),
    ...(who === "clicks" ? { mode: "interleave" as const } : {}),
    ...(isSpace ? ofSpace : { arms: parsed.arms, ...(isPanel ? ofPanel : ofSample) }),
    ...(isVoted && Object.keys(voting).length > 0 ? { voting } : {}),
  };
  const ready =
    isSpace ||
    (parsed.arms.length >= 2 &&
      parsed.problems.length === 0 &&
      !(isPanel && listed && names.length === 0));

  const create = async (event: Event) => {
    event.preventDefault();
    setError(null);
    try {
      await ask("create_experiment", { eid }, { body });
      if (isPanel && listed) rememberMembers(eid, names);
      if (start) await ask("start_experiment", { eid });
      go(experimentPath(eid));
    } catch (caught) {
      setError(caught);
    }
  };

  return (
    <>
      <div class="heading">
        <h1>New experiment</h1>
        <Link to={UPLOAD_PATH}>Upload answers or a log</Link>
      </div>
      {origin && (
        <p class="notice">
          It begins as <code>{origin.experiment_id}</code> is now: the same{" "}
          {origin.space ? "numbers" : "arms"} and rules, and none of its answers.
          {notCarried(origin, known).map((sentence) => ` ${sentence}`)}
        </p>
      )}
      <div class="columns">
        <form class="card stack" onSubmit={create}>
          <fieldset>
            <legend>What is compared?</legend>
            <label class="choice">
              <input
                type="radio"
                name="what"
                checked={!isSpace}
                onChange={() => setIsSpace(false)}
              />{" "}
              <span>Things: texts, pictures, models, designs, rankers</span>
            </label>
            <label class="choice">
              <input type="radio" name="what" checked={isSpace} onChange={() => setIsSpace(true)} />{" "}
              <span>
                Settings of a system: numbers in ranges
                {isSpace && (
                  <span class="small quiet says">
                    Two settings at a time are compared, until one is certified to beat what is in
                    use today.
                  </span>
                )}
              </span>
            </label>
          </fieldset>
          <fieldset>
            <legend>Who answers?</legend>
            {answerers.map(({ value, label, says }) => (
              <label class="choice">
                <input
                  type="radio"
                  name="who"
                  checked={who === value}
                  onChange={() => setWho(value)}
                />{" "}
                <span>
                  {label}
                  {who === value && <span class="small quiet says">{says}</span>}
                </span>
              </label>
            ))}
            {isPanel && (
              <PanelFields
                size={size}
                setSize={setSize}
                listed={listed}
                setListed={setListed}
                pasted={pastedNames}
                setPasted={setPastedNames}
                names={names}
                early={wantsEarly}
                setEarly={setWantsEarly}
              />
            )}
          </fieldset>
          {who === "judge" && !isSpace && (
            <AuditField percent={auditPercent} onChange={setAuditPercent} />
          )}
          <label>
            Name{" "}
            <input
              value={name}
              maxLength={200}
              placeholder={isSpace ? "Weights of the search, October" : "Subject lines, October"}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </label>
          <IdField label="Id, part of its address" value={id} placeholder={eid} onChange={setId} />
          {isSpace ? (
            <SpaceFields rows={rows} onChange={setRows} />
          ) : (
            <ArmsField pasted={pasted} parsed={parsed} onChange={setPasted} />
          )}
          {(isSpace || (isPanel && isEarly)) && (
            <ErrorLevelField value={alpha} onChange={setAlpha} />
          )}
          {!isPanel && !isSpace && (
            <>
              <div class="pairs">
                <label>
                  Looking for
                  <select
                    value={goal}
                    onChange={(event) => setGoal(event.currentTarget.value as Goal)}
                  >
                    {GOALS.map((one) => (
                      <option value={one.value}>{one.label}</option>
                    ))}
                  </select>
                </label>
                {looksFor?.asks === "top" && (
                  <label>
                    How many of them
                    <input
                      type="number"
                      min="1"
                      max={Math.max(1, parsed.arms.length - 1)}
                      step="1"
                      required
                      value={top}
                      onInput={(event) => setTop(event.currentTarget.value)}
                    />
                  </label>
                )}
                {looksFor?.asks === "epsilon" && (
                  <label>
                    Margin, in win rate below one half
                    <input
                      type="number"
                      min="0.001"
                      max="0.499"
                      step="any"
                      required
                      value={epsilon}
                      onInput={(event) => setEpsilon(event.currentTarget.value)}
                    />
                  </label>
                )}
                <ErrorLevelField value={alpha} onChange={setAlpha} />
              </div>
              {looksFor?.canAssumeOrder && (
                <label class="choice">
                  <input
                    type="checkbox"
                    checked={ordered}
                    onChange={(event) => setOrdered(event.currentTarget.checked)}
                  />{" "}
                  <span>
                    Assume that there is an order: what beats one that beats a third beats the third
                    too.{" "}
                    <span class="small quiet">
                      It takes fewer duels, and the certificate says that it was assumed.
                    </span>
                  </span>
                </label>
              )}
              <PolicyField
                policy={policy}
                options={options}
                known={policies.value?.items ?? []}
                onChange={(name, given) => {
                  setPolicy(name);
                  setOptions(given);
                }}
              />
            </>
          )}
          {hasSlices && (
            <SlicesField text={sliceText} problem={problemOfSlices} onChange={setSliceText} />
          )}
          {isVoted && (
            <details>
              <summary>What voters are told</summary>
              <div class="stack">
                <label>
                  Question
                  <input
                    value={question}
                    maxLength={200}
                    placeholder="Which one is better?"
                    onInput={(event) => setQuestion(event.currentTarget.value)}
                  />
                </label>
                <label>
                  Instructions
                  <textarea
                    class="short"
                    value={instructions}
                    maxLength={2000}
                    onInput={(event) => setInstructions(event.currentTarget.value)}
                  />
                </label>
                {isPanel && (
                  <label class="choice">
                    <input
                      type="checkbox"
                      checked={showsResult}
                      onChange={(event) => setShowsResult(event.currentTarget.checked)}
                    />{" "}
                    Who has answered everything sees how it stands
                  </label>
                )}
              </div>
            </details>
          )}
          <label class="choice">
            <input
              type="checkbox"
              checked={start}
              onChange={(event) => setStart(event.currentTarget.checked)}
            />{" "}
            Start at once
          </label>
          <div class="row">
            <button class="main" disabled={!ready}>
              Create
            </button>
          </div>
          <Failure error={error} />
          <Curl what="create it" operation="create_experiment" given={{ eid }} body={body} />
          {start && <Curl what="start it" operation="start_experiment" given={{ eid }} />}
        </form>
        {isSpace && <SearchAndProof dimensions={rows.length} />}
        {isPanel && <PanelForecast arms={parsed.arms.length} members={members} />}
        {!isSpace && !isPanel && (
          <Forecast arms={parsed.arms.length} alpha={Number(alpha)} goal={wanted} />
        )}
      </div>
    </>
  );
}

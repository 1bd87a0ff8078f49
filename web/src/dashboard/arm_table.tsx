// The arms with their figures, and how one is added or retired.
import { useState } from "preact/hooks";
import { ask } from "../api/client";
import type { Experiment, Result } from "../api/types";
import { ArmLabel } from "../charts/arm_label";
import { nameOf, type ArmNames } from "../charts/arm_names";
import { count } from "../charts/numbers";
import { BestSentence, placesOf, SAMPLE_FIGURES, SampleFigures } from "../charts/places";
import { TableHead } from "../charts/table_head";
import { Curl, Failure } from "./parts";
import { IdField } from "./fields";

const MOST_ARMS = 30;

function AddArm({ experiment, done }: { experiment: Experiment; done: () => void }) {
  const [id, setId] = useState("");
  const [text, setText] = useState("");
  const [error, setError] = useState<unknown>(null);
  const body = text ? { payload: { text } } : {};
  const add = async (event: Event) => {
    event.preventDefault();
    try {
      await ask("put_arm", { eid: experiment.experiment_id, aid: id.trim() }, { body });
      setId("");
      setText("");
      setError(null);
      done();
    } catch (caught) {
      setError(caught);
    }
  };
  return (
    <details>
      <summary>Add an arm</summary>
      <form class="stack" onSubmit={add}>
        <IdField label="Id " required value={id} onChange={setId} />
        <label>
          Text, shown to voters{" "}
          <input value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <button>Add</button>
      </form>
      <Failure error={error} />
      <Curl
        what="add an arm"
        operation="put_arm"
        given={{ eid: experiment.experiment_id, aid: id || "new-arm" }}
        body={body}
      />
    </details>
  );
}

function RetireArm({
  experiment,
  arm,
  done,
}: {
  experiment: Experiment;
  arm: string;
  done: () => void;
}) {
  const [sure, setSure] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const retire = async () => {
    if (!sure) return setSure(true);
    setSure(false);
    try {
      await ask("delete_arm", { eid: experiment.experiment_id, aid: arm });
      done();
    } catch (caught) {
      setError(caught);
    }
  };
  return (
    <>
      <button
        class="small"
        aria-label={sure ? `Retire ${arm}: are you sure?` : `Retire ${arm}`}
        onClick={retire}
      >
        {sure ? "Sure?" : "Retire"}
      </button>
      <Failure error={error} />
    </>
  );
}

// What the name does not say: the id, and the text of the payload.
function ArmMore({ id, names }: { id: string; names: ArmNames }) {
  const text = names.get(id)?.text;
  return (
    <>
      {nameOf(names, id) !== id && <code class="arm-more">{id}</code>}
      {text && <span class="arm-more small quiet">{text}</span>}
    </>
  );
}

export function ArmTable({
  experiment,
  result,
  names,
  done,
}: {
  experiment: Experiment;
  result: Result;
  names: ArmNames;
  done: () => void;
}) {
  const [all, setAll] = useState(false);
  const open = experiment.stopping.arms === "open" || experiment.state === "draft";
  const retired = experiment.arms.filter((arm) => arm.state === "retired");
  return (
    <>
      <div class="scroll" tabIndex={0} role="group" aria-label="Table of arms">
        <table class="wide">
          <TableHead
            about="Arm"
            figures={["Place", "Won", "Lost", ...(result.panel ? [] : SAMPLE_FIGURES)]}
          >
            <th scope="col">
              <span class="hidden-text">Actions</span>
            </th>
          </TableHead>
          <tbody>
            {(all ? result.arms : result.arms.slice(0, MOST_ARMS)).map((arm) => (
              <tr>
                <th scope="row" class="arm">
                  <ArmLabel id={arm.arm_id} names={names} />
                  {arm.arm_id === result.leader && result.tied.length === 0 && (
                    <span class="small good">leads</span>
                  )}
                  <ArmMore id={arm.arm_id} names={names} />
                </th>
                <td class="number">{placesOf(arm)}</td>
                <td class="number">{count(arm.wins)}</td>
                <td class="number">{count(arm.losses)}</td>
                {!result.panel && <SampleFigures arm={arm} digits={2} />}
                <td>
                  {open && <RetireArm experiment={experiment} arm={arm.arm_id} done={done} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {result.arms.length > MOST_ARMS && (
        <p>
          <button class="small" onClick={() => setAll(!all)}>
            {all ? `Show the first ${MOST_ARMS}` : `Show all ${count(result.arms.length)} arms`}
          </button>
        </p>
      )}
      <BestSentence result={result} />
      {retired.length > 0 && (
        <p class="small quiet">Retired: {retired.map((arm) => arm.arm_id).join(", ")}</p>
      )}
      {open ? (
        <AddArm experiment={experiment} done={done} />
      ) : (
        <p class="small quiet">
          The arms are fixed: the certificate is about exactly these. An experiment with{" "}
          <code>"arms": "open"</code> lets arms come and go.
        </p>
      )}
      {open && (
        <Curl
          what="retire an arm"
          operation="delete_arm"
          given={{ eid: experiment.experiment_id, aid: result.arms[0]?.arm_id ?? "" }}
        />
      )}
    </>
  );
}

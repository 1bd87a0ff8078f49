// What a panel has said about the pairs that decide, and how many answers are still to come.
import type { Experiment, PanelPair } from "../api/types";
import { nameOf, type ArmNames } from "./arm_names";
import { count } from "./numbers";
import { TableHead } from "./table_head";

export function panelInWords(panel: NonNullable<Experiment["panel"]>): string {
  const answered = `${count(panel.answered)} answered`;
  if (panel.size === null) return `a panel that is open: ${answered}`;
  const early = panel.early ? ", early verdicts" : "";
  return `a panel of ${count(panel.size)}, ${answered}${early}`;
}

// Between the names of a pair: what is certain of the first, or shown by the evidence of an early panel.
export function relationOf({ certain, evidence, threshold }: PanelPair): string {
  if (certain === "cannot_beat") return "cannot beat";
  const isShown = evidence !== undefined && Number(evidence) >= Number(threshold);
  return certain === "beats" || isShown ? "beats" : "and";
}

// An e-value is written with more digits than a reader needs.
const short = (evidence: string): string =>
  Number.isFinite(Number(evidence)) ? String(+Number(evidence).toPrecision(3)) : evidence;

export function PanelCount({ pairs, names }: { pairs: PanelPair[]; names: ArmNames }) {
  if (pairs.length === 0)
    return <p class="quiet">No pair can be told yet: nobody has preferred an arm.</p>;
  const early = pairs.some((pair) => pair.evidence !== undefined);
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="What the panel has said">
      <table class="wide panel-count">
        <TableHead
          about="Pair"
          figures={[
            "For : against",
            "Neither",
            "To come",
            ...(early ? ["Evidence", "Needed"] : []),
          ]}
        />
        <tbody>
          {pairs.map((pair) => (
            <tr>
              <th scope="row">
                {nameOf(names, pair.first)} {relationOf(pair)} {nameOf(names, pair.second)}
              </th>
              <td class="number">
                {count(pair.for_first)} : {count(pair.for_second)}
              </td>
              <td class="number">{count(pair.for_neither)}</td>
              <td class="number">{pair.unknown === undefined ? "?" : count(pair.unknown)}</td>
              {early && (
                <>
                  <td class="number">{pair.evidence ? short(pair.evidence) : "certain"}</td>
                  <td class="number">{pair.threshold ? short(pair.threshold) : ""}</td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

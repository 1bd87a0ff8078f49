// What a panel has said about the pairs that decide, and how many answers are still to come.
import type { Experiment, Result } from "../api/types";
import type { ArmNames } from "../charts/arm_names";
import { count } from "../charts/numbers";

export function panelInWords(panel: NonNullable<Experiment["panel"]>): string {
  const answered = `${count(panel.answered)} answered`;
  if (panel.size === null) return `a panel that is open: ${answered}`;
  const early = panel.early ? ", early verdicts" : "";
  return `a panel of ${count(panel.size)}, ${answered}${early}`;
}

export function PanelCount({
  panel,
  names,
}: {
  panel: NonNullable<Result["panel"]>;
  names: ArmNames;
}) {
  if (panel.pairs.length === 0)
    return <p class="quiet">No pair can be told yet: nobody has preferred an arm.</p>;
  return (
    <table class="panel-count">
      <thead>
        <tr>
          <th scope="col">Pair</th>
          <th scope="col">For the first</th>
          <th scope="col">For the second</th>
          <th scope="col">Neither</th>
          <th scope="col">To come</th>
        </tr>
      </thead>
      <tbody>
        {panel.pairs.map((pair) => (
          <tr>
            <th scope="row">
              {names.get(pair.first)?.name ?? pair.first}{" "}
              {pair.certain === "beats" ? "beats" : "and"}{" "}
              {names.get(pair.second)?.name ?? pair.second}
            </th>
            <td>{count(pair.for_first)}</td>
            <td>{count(pair.for_second)}</td>
            <td>{count(pair.for_neither)}</td>
            <td>{pair.unknown === undefined ? "?" : count(pair.unknown)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// Several judges: how each answers, and how often two of them name the same arm.
import type { Judging } from "../api/types";
import { agreementRow, judgeRow } from "./judging";
import { TableHead } from "./table_head";

export function JudgesCard({ judging }: { judging: Judging }) {
  const { judges = [], agreements = [] } = judging;
  return (
    <section class="card judges" aria-labelledby="h-judges">
      <h2 id="h-judges">How the judges answer</h2>
      <div class="scroll" tabIndex={0} role="group" aria-label="Table of judges">
        <table class="wide">
          <TableHead about="Judge" figures={["Answers", "For what is shown first", "Flips"]} />
          <tbody>
            {judges.map((one) => (
              <tr>
                <th scope="row">{one.judge}</th>
                {judgeRow(one).map((figure) => (
                  <td class="number">{figure}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {agreements.length > 0 && (
        <div class="scroll" tabIndex={0} role="group" aria-label="Table of agreements">
          <table class="wide">
            <TableHead about="Two judges" figures={["Duels", "Name the same arm"]} />
            <tbody>
              {agreements.map((one) => (
                <tr>
                  <th scope="row">
                    {one.judge} and {one.other}
                  </th>
                  {agreementRow(one).map((figure) => (
                    <td class="number">{figure}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="small quiet">
        In brackets are 95&#8239;% intervals that hold whenever you look. A share for what is shown
        first whose interval leaves out one half is a bias of places, if places were drawn. A flip
        is another answer about the same duel in the other order.
      </p>
    </section>
  );
}

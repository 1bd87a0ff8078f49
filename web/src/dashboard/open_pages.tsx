// Pages of results whose time is not up, with the clicks so far. Provisional: a page decides when it closes.
import type { OpenPagesOfPair, PagesSoFar } from "../api/types";
import { ArmLabel } from "../charts/arm_label";
import { shortNameOf, type ArmNames } from "../charts/arm_names";
import { count } from "../charts/numbers";

function many(number: number, one: string): string {
  return `${count(number)} ${one}${number === 1 ? "" : "s"}`;
}

// "5 min", "90 s": how long a page stays open.
export function shortTime(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

export function openPagesLine(pages: PagesSoFar): string {
  if (pages.open === 0) return "No page is open.";
  const clicks =
    pages.clicked === 0
      ? "none has a click yet"
      : `${many(pages.clicked, "page")} with ${many(pages.clicks, "click")}`;
  return `${many(pages.open, "page")} ${pages.open === 1 ? "is" : "are"} open: ${clicks}.`;
}

export function closedPagesLine(pages: PagesSoFar): string {
  const parts = [];
  if (pages.closed_without_click > 0)
    parts.push(`${many(pages.closed_without_click, "page")} closed without a click`);
  if (pages.closed_without_contest > 0)
    parts.push(
      `${many(pages.closed_without_contest, "page")} could not have told the rankings apart`,
    );
  return parts.length === 0 ? "" : `${parts.join("; ")}: no answer, and no tie.`;
}

const LONGEST_NAME = 40;

// "Boost titles on 4, BM25 on 2, even on 1"
export function aheadLine(pair: OpenPagesOfPair, names: ArmNames): string {
  const called = (arm: string) => shortNameOf(names, arm, LONGEST_NAME);
  return (
    `${called(pair.first)} on ${count(pair.first_ahead)}, ` +
    `${called(pair.second)} on ${count(pair.second_ahead)}, even on ${count(pair.even)}`
  );
}

export function OpenPages({
  pages,
  names,
  timeout,
}: {
  pages: PagesSoFar;
  names: ArmNames;
  timeout: number;
}) {
  const closed = closedPagesLine(pages);
  const next = pages.next_closes_at;
  return (
    <>
      <p>
        <strong>{openPagesLine(pages)}</strong>
        {next !== undefined && (
          <>
            {" "}
            The next closes by itself at{" "}
            <time dateTime={next}>{new Date(next).toLocaleTimeString()}</time>.
          </>
        )}
      </p>
      {pages.clicked > 0 && (
        <div class="scroll" tabIndex={0} role="group" aria-label="Table of open pages">
          <table class="wide">
            <thead>
              <tr>
                <th scope="col">Rankings</th>
                <th scope="col">Open pages</th>
                <th scope="col">Ahead so far</th>
              </tr>
            </thead>
            <tbody>
              {pages.pairs.map((pair) => (
                <tr key={`${pair.first} ${pair.second}`}>
                  <td class="arm">
                    <ArmLabel id={pair.first} names={names} /> and{" "}
                    <ArmLabel id={pair.second} names={names} />
                  </td>
                  <td>{count(pair.open)}</td>
                  <td>{aheadLine(pair, names)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="small quiet">
        Provisional, and never evidence: a page decides when it closes, {shortTime(timeout)} after
        it was served or when you close it.
      </p>
      {closed !== "" && <p class="small quiet">{closed}</p>}
    </>
  );
}

// The K x K matrix, with the names of its arms beside it and above it at every size. A few arms are a
// table of cells that show their rate; more are a picture of coloured squares. Both are walked with
// the arrow keys, and both say the cell in words. The colour is the evidence and not the rate: one
// duel that was won is no colour yet. Of a panel it is what is certain, and figures are its answers.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ArmLabel } from "./arm_label";
import { nameOf, shortNameOf, type ArmNames } from "./arm_names";
import { pixelsOf, type Colour } from "./cell_pixels";
import { colouringOf, EVIDENCE, WEIGHTS, type Weight } from "./evidence_words";
import { describe, hasAnswers, type Cell, type Matrix } from "./matrix";
import { count } from "./numbers";

const MOST_RATES_SHOWN = 14; // more cells with figures in them are too narrow to be read
export const WIDE_FROM = 13; // arms; from here on the matrix takes the whole width of the page

interface Place {
  row: number;
  column: number;
}

export function moved(place: Place, key: string, size: number): Place | null {
  const inside = (value: number) => Math.max(0, Math.min(size - 1, value));
  switch (key) {
    case "ArrowUp":
      return { ...place, row: inside(place.row - 1) };
    case "ArrowDown":
      return { ...place, row: inside(place.row + 1) };
    case "ArrowLeft":
      return { ...place, column: inside(place.column - 1) };
    case "ArrowRight":
      return { ...place, column: inside(place.column + 1) };
    case "Home":
      return { ...place, column: 0 };
    case "End":
      return { ...place, column: size - 1 };
    default:
      return null;
  }
}

// The side of a square of the picture, so that a name fits beside each.
export function squareOf(size: number): number {
  return Math.max(13, Math.min(26, Math.floor(1000 / size)));
}

export function HeatMap({ matrix, names }: { matrix: Matrix; names: ArmNames }) {
  const [place, setPlace] = useState<Place | null>(null);
  const size = matrix.arms.length;
  const shown = place && place.row < size && place.column < size ? place : null;
  const words = shown
    ? describe(matrix, shown.row, shown.column, (arm) => nameOf(names, arm))
    : "Point at a cell, or walk through the matrix with the arrow keys.";
  return (
    <div class="heat-map">
      {size <= MOST_RATES_SHOWN ? (
        <CellTable matrix={matrix} names={names} place={shown} choose={setPlace} />
      ) : (
        <CellPicture matrix={matrix} names={names} place={shown} choose={setPlace} />
      )}
      <p class="cell-words small" aria-live="polite">
        {words}
      </p>
      <Legend figures={size <= MOST_RATES_SHOWN} panel={matrix.panel} />
    </div>
  );
}

function Legend({ figures, panel }: { figures: boolean; panel: Matrix["panel"] }) {
  const isUsed = (weight: Weight) => weight > 0 && (weight !== 2 || !panel || panel.early);
  const certain = WEIGHTS.filter(({ weight }) => isUsed(weight));
  return (
    <>
      <p class="small legend">
        <span class="quiet">row loses</span>
        {[...certain].reverse().map(({ weight }) => (
          <span class={`swatch lose w${weight}`} aria-hidden="true" />
        ))}
        <span class="swatch w0" aria-hidden="true" />
        {certain.map(({ weight }) => (
          <span class={`swatch win w${weight}`} aria-hidden="true" />
        ))}
        <span class="quiet">row wins</span>
      </p>
      {panel ? (
        <p class="small quiet legend">
          Rows against columns.{" "}
          {figures &&
            "Figures: answers that prefer the row, and below how many are still to come. "}
          Full colour: more of these people prefer the one to the other, whatever those say who have
          not answered. {panel.early && "Half of it: the evidence of the drawn order says so. "}
          Faint: the other cannot beat it any more. Grey: open, or a tie.
        </p>
      ) : (
        <p class="small quiet legend">
          Rows against columns.{" "}
          {figures &&
            "Figures: percent of decisive duels that the row won, and below how often the two met. "}
          The colour is how much evidence each pair has, from grey (too little to say) over faint
          (leaning) to full (the 95&#8239;% interval of the pair leaves one half out, and beyond
          that). {EVIDENCE}
        </p>
      )}
    </>
  );
}

function Figures({ cell }: { cell: Cell }) {
  const { panel } = cell;
  if (!panel)
    return (
      <>
        <b>{Math.round(100 * cell.rate)}</b>
        <small>{count(cell.served)}</small>
      </>
    );
  return (
    <>
      <b>{count(panel.forRow)}</b>
      <small>
        {panel.unknown === null ? "?" : panel.unknown > 0 && `+${count(panel.unknown)}`}
      </small>
    </>
  );
}

interface Shown {
  matrix: Matrix;
  names: ArmNames;
  place: Place | null;
  choose: (place: Place) => void;
}

function CellTable({ matrix, names, place, choose }: Shown) {
  const body = useRef<HTMLTableSectionElement>(null);
  const called = (arm: string) => nameOf(names, arm);
  const walk = (event: KeyboardEvent) => {
    const next = moved(place ?? { row: 0, column: 0 }, event.key, matrix.arms.length);
    if (!next) return;
    event.preventDefault();
    choose(next);
    const cell = body.current?.rows[next.row]?.cells[next.column + 1];
    cell?.focus();
  };
  return (
    <div class="scroll">
      <table
        class="cells"
        role="grid"
        aria-label={`${matrix.panel ? "Answers" : "Win rates"}, rows against columns`}
        onKeyDown={walk}
      >
        <thead>
          <tr>
            <td />
            {matrix.arms.map((arm) => (
              <th scope="col">
                <ArmLabel id={arm} names={names} most={20} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {matrix.arms.map((arm, row) => (
            <tr>
              <th scope="row">
                <ArmLabel id={arm} names={names} most={20} />
              </th>
              {matrix.arms.map((_, column) => {
                const cell = matrix.at(row, column);
                const here = place?.row === row && place.column === column;
                const first = !place && row === 0 && column === 0;
                const met = hasAnswers(cell);
                const colouring = met ? colouringOf(cell) : null;
                const side = colouring ? `${colouring.side} w${colouring.weight}` : "empty";
                return (
                  <td
                    role="gridcell"
                    class={`cell ${row === column ? "self" : side}${here ? " here" : ""}`}
                    tabIndex={here || first ? 0 : -1}
                    onMouseEnter={() => choose({ row, column })}
                    onFocus={() => choose({ row, column })}
                  >
                    <span class="hidden-text">{describe(matrix, row, column, called)}</span>
                    {row !== column && (
                      <span aria-hidden="true">{met ? <Figures cell={cell} /> : "·"}</span>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// Which colours the page has now: "light" or "dark".
function useColourScheme(): string {
  const query = useMemo(() => matchMedia("(prefers-color-scheme: dark)"), []);
  const [dark, setDark] = useState(query.matches);
  useEffect(() => {
    const changed = () => setDark(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, [query]);
  return dark ? "dark" : "light";
}

// The names along one side of the picture. A screen reader is told the cells one by one instead.
function Names({
  matrix,
  names,
  at,
  side,
}: {
  matrix: Matrix;
  names: ArmNames;
  at: number;
  side: string;
}) {
  return (
    <div class={`picture-names ${side}`} aria-hidden="true">
      {matrix.arms.map((arm, index) => (
        <span class={index === at ? "here" : ""} title={nameOf(names, arm)}>
          {shortNameOf(names, arm, 20)}
        </span>
      ))}
    </div>
  );
}

// One pixel per cell, which the browser enlarges.
function CellPicture({ matrix, names, place, choose }: Shown) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = matrix.arms.length;
  const scheme = useColourScheme();
  useEffect(() => {
    const element = canvas.current;
    const pen = element?.getContext("2d");
    if (!element || !pen) return;
    const look = getComputedStyle(element);
    const channels = (text: string) => (text.match(/\d+/g) ?? []).slice(0, 3).map(Number) as Colour;
    const image = pen.createImageData(size, size);
    image.data.set(
      pixelsOf(matrix, {
        win: channels(look.getPropertyValue("--win")),
        lose: channels(look.getPropertyValue("--lose")),
        self: channels(look.color),
      }),
    );
    pen.putImageData(image, 0, 0);
  }, [matrix, scheme]);
  const placeAt = (event: MouseEvent): Place => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const at = (offset: number, length: number) =>
      Math.max(0, Math.min(size - 1, Math.floor((offset / length) * size)));
    return {
      row: at(event.clientY - box.top, box.height),
      column: at(event.clientX - box.left, box.width),
    };
  };
  const share = (cells: number) => `${((100 * cells) / size).toFixed(3)}%`;
  return (
    <div class="scroll" tabIndex={-1}>
      <div
        class="cell-picture"
        style={{ "--square": `${squareOf(size)}px`, "--squares": `${size}` }}
      >
        <Names matrix={matrix} names={names} at={place?.column ?? -1} side="above" />
        <Names matrix={matrix} names={names} at={place?.row ?? -1} side="beside" />
        <div class="squares">
          <canvas
            ref={canvas}
            width={size}
            height={size}
            tabIndex={0}
            role="img"
            aria-label={`${matrix.panel ? "Answers about" : "Win rates of"} ${size} arms, rows against columns; the arrow keys walk through it`}
            onMouseMove={(event) => choose(placeAt(event))}
            onClick={(event) => choose(placeAt(event))}
            onKeyDown={(event) => {
              const next = moved(place ?? { row: 0, column: 0 }, event.key, size);
              if (!next) return;
              event.preventDefault();
              choose(next);
            }}
          />
          {place && (
            <span
              class="here"
              style={{
                left: share(place.column),
                top: share(place.row),
                width: share(1),
                height: share(1),
              }}
            />
          )}
        </div>
      </div>
    </div>
  );
}

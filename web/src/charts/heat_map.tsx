// The K x K matrix. Up to a few dozen arms it is a table of cells that show their rate; beyond that a
// picture of coloured squares. Both are walked with the arrow keys, and both say the cell in words.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { pixelsOf, type Colour } from "./cell_pixels";
import { describe, type Matrix } from "./matrix";
import { count } from "./numbers";
import { strength } from "./palette";
import { shortened } from "./shortened";

const MOST_CELLS_SHOWN = 24;

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

export function HeatMap({ matrix }: { matrix: Matrix }) {
  const [place, setPlace] = useState<Place | null>(null);
  const size = matrix.arms.length;
  const shown = place && place.row < size && place.column < size ? place : null;
  const words = shown
    ? describe(matrix, shown.row, shown.column)
    : "Point at a cell, or walk through the matrix with the arrow keys.";
  return (
    <div class="heat-map">
      {size <= MOST_CELLS_SHOWN ? (
        <CellTable matrix={matrix} place={shown} choose={setPlace} />
      ) : (
        <CellPicture matrix={matrix} place={shown} choose={setPlace} />
      )}
      <p class="cell-words small" aria-live="polite">
        {words}
      </p>
      <Legend />
    </div>
  );
}

function Legend() {
  return (
    <p class="small quiet legend">
      <span class="swatch lose" aria-hidden="true" /> row loses
      <span class="swatch even" aria-hidden="true" /> even
      <span class="swatch win" aria-hidden="true" /> row wins. Rows against columns, in percent of
      decisive duels.
    </p>
  );
}

interface Shown {
  matrix: Matrix;
  place: Place | null;
  choose: (place: Place) => void;
}

function CellTable({ matrix, place, choose }: Shown) {
  const body = useRef<HTMLTableSectionElement>(null);
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
        aria-label="Win rates, rows against columns"
        onKeyDown={walk}
      >
        <thead>
          <tr>
            <td />
            {matrix.arms.map((arm) => (
              <th scope="col" title={arm}>
                <span>{shortened(arm, 16)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {matrix.arms.map((arm, row) => (
            <tr>
              <th scope="row" title={arm}>
                <span>{shortened(arm, 18)}</span>
              </th>
              {matrix.arms.map((_, column) => {
                const cell = matrix.at(row, column);
                const decisive = cell ? cell.wins + cell.losses : 0;
                const here = place?.row === row && place.column === column;
                const first = !place && row === 0 && column === 0;
                const side = cell && decisive > 0 ? (cell.rate >= 0.5 ? "win" : "lose") : "empty";
                return (
                  <td
                    role="gridcell"
                    class={`cell ${row === column ? "self" : side}${here ? " here" : ""}`}
                    style={
                      cell && decisive > 0 ? { "--strength": strength(cell.rate).toFixed(3) } : {}
                    }
                    tabIndex={here || first ? 0 : -1}
                    onMouseEnter={() => choose({ row, column })}
                    onFocus={() => choose({ row, column })}
                  >
                    <span class="hidden-text">{describe(matrix, row, column)}</span>
                    {row !== column && (
                      <span aria-hidden="true">
                        {cell && decisive > 0 ? (
                          <>
                            <b>{Math.round(100 * cell.rate)}</b>
                            <small>{count(cell.served)}</small>
                          </>
                        ) : (
                          "·"
                        )}
                      </span>
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

// One pixel per cell, which the browser enlarges.
function CellPicture({ matrix, place, choose }: Shown) {
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
    <div class="cell-picture">
      <canvas
        ref={canvas}
        width={size}
        height={size}
        tabIndex={0}
        role="img"
        aria-label={`Win rates of ${size} arms, rows against columns; the arrow keys walk through it`}
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
  );
}

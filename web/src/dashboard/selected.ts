// Which experiments of the list are shown, and in which order.
import type { ExperimentSummary } from "../api/types";

export type Order = "id" | "name" | "state" | "duels" | "arms";

export const ORDERS: [Order, string][] = [
  ["id", "id"],
  ["name", "name"],
  ["state", "state"],
  ["duels", "duels"],
  ["arms", "arms"],
];

export const STATES: [which: string, label: string][] = [
  ["", "any"],
  ["running", "running"],
  ["paused", "paused"],
  ["draft", "draft"],
  ["completed", "completed"],
  ["archived", "archived"],
  ["certified", "certified"],
  ["open", "not certified yet"],
  ["error", "unreadable"],
];

// Those that ask for somebody come first.
const RANK_OF_STATE = ["running", "paused", "draft", "completed", "archived"];

function isIn(item: ExperimentSummary, which: string): boolean {
  if (which === "") return true;
  if (which === "error") return item.error !== undefined;
  if (which === "certified") return item.certified === true;
  if (which === "open") return item.certified === false;
  return item.state === which;
}

const called = (item: ExperimentSummary): string => item.name || item.experiment_id;

const COMPARED: Record<Order, (a: ExperimentSummary, b: ExperimentSummary) => number> = {
  id: (a, b) => (a.experiment_id < b.experiment_id ? -1 : 1),
  name: (a, b) => called(a).localeCompare(called(b)),
  state: (a, b) =>
    RANK_OF_STATE.indexOf(a.state ?? "archived") - RANK_OF_STATE.indexOf(b.state ?? "archived"),
  duels: (a, b) => (b.served ?? 0) - (a.served ?? 0),
  arms: (a, b) => (b.arms ?? 0) - (a.arms ?? 0),
};

export function selected(
  items: ExperimentSummary[],
  { wanted, state, order }: { wanted: string; state: string; order: Order },
): ExperimentSummary[] {
  const text = wanted.trim().toLowerCase();
  return items
    .filter((item) => isIn(item, state))
    .filter((item) => `${item.name ?? ""} ${item.experiment_id}`.toLowerCase().includes(text))
    .sort((a, b) => COMPARED[order](a, b) || COMPARED.id(a, b));
}

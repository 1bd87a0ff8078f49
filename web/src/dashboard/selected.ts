// Which experiments of the list are shown, and in which order.
import type { ExperimentSummary } from "../api/types";

export type Order = "active" | "created" | "id" | "name" | "state" | "duels" | "arms";

export const ORDERS: [Order, string][] = [
  ["active", "last change"],
  ["created", "creation"],
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
  ["failed", "a check failed"],
  ["error", "unreadable"],
];

// Those that ask for somebody come first.
const RANK_OF_STATE = ["running", "paused", "draft", "completed", "archived"];

function isIn(item: ExperimentSummary, which: string): boolean {
  if (which === "") return true;
  if (which === "error") return item.error !== undefined;
  if (which === "certified") return item.certified === true;
  if (which === "open") return item.certified === false;
  if (which === "failed") return (item.glance?.failed_checks.length ?? 0) > 0;
  return item.state === which;
}

const called = (item: ExperimentSummary): string => item.name || item.experiment_id;

// The newest first. Times of the server are of one form, so that their texts compare.
const newest = (a: string | undefined, b: string | undefined): number =>
  (a ?? "") === (b ?? "") ? 0 : (a ?? "") < (b ?? "") ? 1 : -1;

const COMPARED: Record<Order, (a: ExperimentSummary, b: ExperimentSummary) => number> = {
  active: (a, b) => newest(a.active_at, b.active_at),
  created: (a, b) => newest(a.created_at, b.created_at),
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

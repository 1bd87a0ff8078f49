// What an experiment may look for, as the form asks it.
import type { ExperimentRequest } from "../api/types";
import type { GoalFields } from "./forecast";

export type Goal = NonNullable<ExperimentRequest["goal"]>;

export interface GoalChoice {
  value: Goal;
  label: string;
  asks?: "top" | "epsilon";
  canAssumeOrder?: boolean;
}

export const GOALS: GoalChoice[] = [
  { value: "condorcet", label: "The one that beats all others", canAssumeOrder: true },
  { value: "epsilon", label: "One that loses to no other by more than a margin", asks: "epsilon" },
  { value: "set", label: "The best few, in any order", asks: "top", canAssumeOrder: true },
  { value: "order", label: "The best few, in their order", asks: "top", canAssumeOrder: true },
  { value: "ranking", label: "All of them, in their order", canAssumeOrder: true },
  { value: "copeland", label: "The one that beats the most others" },
  { value: "borda", label: "The highest average win rate" },
];

// The fields of a body; what is the default is left out.
export function goalFields(goal: Goal, top: string, epsilon: string, ordered: boolean): GoalFields {
  const chosen = GOALS.find((one) => one.value === goal);
  const asks = chosen?.asks;
  return {
    ...(goal === "condorcet" ? {} : { goal }),
    ...(asks === "top" ? { top: Number(top) } : {}),
    ...(asks === "epsilon" ? { epsilon: Number(epsilon) } : {}),
    ...(ordered && chosen?.canAssumeOrder ? { assume: "order" as const } : {}),
  };
}

// A result as the charts need it: a server's answer, or what a report holds, which leaves out where the
// log was.
import type { Result } from "../api/types";

export type ShownResult = Omit<Result, "served" | "sequence">;

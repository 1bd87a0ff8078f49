// "rucb(alpha=0.6)": a policy with the options that were changed.
import type { PolicyOption } from "../api/types";

export function policyString(
  name: string,
  options: PolicyOption[],
  given: Record<string, string>,
): string {
  const changed = options
    .map((option) => [option.name, (given[option.name] ?? "").trim(), option.default] as const)
    .filter(([, value, otherwise]) => value !== "" && value !== otherwise)
    .map(([option, value]) => `${option}=${value}`);
  return changed.length === 0 ? name : `${name}(${changed.join(",")})`;
}

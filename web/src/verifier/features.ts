// What policies are told of arms in numbers, and in the context of a duel. Neither says who won.
import { refuse } from "./json";

const MOST = 1e6;
const MOST_WIDTH = 10_000;

type Features = number[];

function checkNumbers(arm: string, features: Features): void {
  if (features.length > MOST_WIDTH) refuse(`'${arm}' has too many features`);
  for (const one of features) {
    if (!(Math.abs(one) <= MOST)) refuse(`'${arm}': ${one} is no feature`);
  }
}

// Every arm has equally many, or none has any.
export function checkFeatures(arms: { arm_id: string; features: Features }[]): void {
  for (const { arm_id, features } of arms) {
    if (features.length !== arms[0]!.features.length)
      refuse(`'${arm_id}' has ${features.length} features, and others have another number`);
    checkNumbers(arm_id, features);
  }
}

// Features of every active arm, as many as it has of its own.
export function checkContext(
  arms: { arm_id: string; features: Features; isActive: boolean }[],
  context: [string, Features][],
): void {
  if (context.length === 0) return;
  const width = arms[0]!.features.length;
  if (width === 0) refuse("a context, where the arms have no features");
  const given = new Set(context.map(([arm]) => arm));
  if (given.size < context.length) refuse("a context has an arm twice");
  for (const [arm, features] of context) {
    if (!arms.some((one) => one.arm_id === arm)) refuse(`there is no arm '${arm}'`);
    if (features.length !== width)
      refuse(`'${arm}' has ${features.length} features in a context, and not ${width}`);
    checkNumbers(arm, features);
  }
  for (const { arm_id, isActive } of arms) {
    if (isActive && !given.has(arm_id)) refuse(`the arm '${arm_id}' is missing in a context`);
  }
}

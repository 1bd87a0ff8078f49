// The health checks (docs/logs-and-certificates.md, "Health"): whether the answers can be trusted.
import { confidenceSequence } from "./evidence";
import type { Counts, Ledger } from "./ledger";
import { erfc } from "./numbers";
import { ROLE } from "./space";

export interface Check {
  name: string;
  verdict: "passed" | "failed" | "unknown";
}

const FEWEST = 20; // duels before a share is called one
const LEVEL = 0.01; // of the intervals

const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
const decisive = (c: Counts) => c.firstWins + c.secondWins + c.graded;
export const answered = (c: Counts) =>
  decisive(c) + c.ties + c.bothBad + c.skips + c.invalid + c.programAlone;
const missing = (c: Counts) => c.expired + c.silentTies - c.clickless - c.moot + c.invalid;
const final = (c: Counts) => answered(c) + c.expired - c.clickless - c.moot;
const lost = (c: Counts) => Number(BigInt.asUintN(64, BigInt(missing(c)) + c.failedTries));

// How many standard errors of a binomial a count is off.
function deviation(count: number, n: number, p: number): number {
  const variance = n * p * (1 - p);
  return variance > 0 ? Math.abs(count - n * p) / Math.sqrt(variance) : 0;
}
// Beyond what chance would do to the worst of so many, at the level of three standard errors.
function standsOut(worst: number, looks: number): boolean {
  const twoSided = (z: number) => erfc(z / Math.sqrt(2));
  return looks > 0 && twoSided(worst) * looks < twoSided(3);
}
const isBiased = (first: number, second: number) => {
  const [lower, upper] = confidenceSequence(first, second, LEVEL);
  return !(lower <= 0.5 && 0.5 <= upper);
};
const inByteOrder = (a: string, b: string) => {
  const one = [...a],
    other = [...b];
  for (let k = 0; k < Math.min(one.length, other.length); ++k) {
    const difference = one[k]!.codePointAt(0)! - other[k]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
};

// Certificates of format 1 took pages without a click for answers that were lost.
export function checkHealth(ledger: Ledger, certificateFormat = 2n): Check[] {
  const read = (counts: Counts): Counts =>
    certificateFormat > 1n ? counts : { ...counts, clickless: 0 };
  const all = read(ledger.total());
  const { order, format } = ledger.experiment;
  const arms = [...ledger.arms.keys()];
  const pairs = arms.flatMap((i) => arms.slice(i + 1).map((j): [number, number] => [i, j]));
  // Two points of a search are counted as they were shown, whichever they were.
  const isSearched = (role: number) => role === ROLE.searched || role === ROLE.searchedToo;
  const compared = ledger.space ? pairs.filter((pair) => !pair.some(isSearched)) : pairs;
  // Undefined: too little is known to tell.
  const isFailed: { [name: string]: () => boolean | undefined } = {
    missing_answers: () => {
      if (final(all) < FEWEST) return undefined;
      let worst = 0,
        looks = 0;
      const look = (counts: Counts, expected: number) => {
        if (final(counts) < FEWEST) return;
        ++looks;
        worst = Math.max(worst, deviation(missing(counts), final(counts), expected));
      };
      for (const [i, j] of pairs) {
        const pair = read(ledger.pair(i, j));
        const ofPair = share(missing(pair), final(pair));
        look(pair, share(missing(all), final(all)));
        look(read(ledger.shown[i]![j]!), ofPair);
        look(read(ledger.shown[j]![i]!), ofPair);
      }
      return standsOut(worst, looks);
    },
    position_balance: () => {
      const served = compared.map(
        ([i, j]) => [ledger.shown[i]![j]!.served, ledger.pair(i, j).served] as const,
      );
      const seen = served.filter(([, both]) => both >= FEWEST);
      if (order === "fixed" || seen.length === 0) return undefined;
      return standsOut(
        Math.max(...seen.map(([first, both]) => deviation(first, both, 0.5))),
        seen.length,
      );
    },
    position_bias: () => {
      if (order === "fixed") return undefined;
      const { judged, toFirst, toSecond } = ledger.flips;
      const [first, second] =
        order === "both" ? [toFirst, toSecond] : [all.firstWins, all.secondWins];
      if (first + second >= FEWEST) return isBiased(first, second);
      return order === "both" && judged >= FEWEST ? false : undefined;
    },
    ties: () => {
      if (ledger.panel) return undefined; // answers like others
      const tied = all.ties + all.bothBad,
        answers = decisive(all) + tied;
      return answers < FEWEST ? undefined : share(tied, answers) > 0.5;
    },
    voters: () => {
      if (ledger.panel) return undefined; // each counts once for a pair
      const people = [...ledger.sources]
        .filter(([who]) => !who.startsWith("judge:"))
        .map(([, count]) => count);
      const answers = people.reduce((sum, one) => sum + one, 0);
      const isOneVoter = people.length === 1 && format > 1n && ledger.comparisons === 0;
      if (people.length === 0 || isOneVoter || answers < FEWEST) return undefined;
      return share(Math.max(...people), answers) > 0.5;
    },
    aa: () =>
      decisive(ledger.aa) < FEWEST
        ? undefined
        : isBiased(ledger.aa.firstWins, ledger.aa.secondWins),
    conflicts: () => share(ledger.conflicts, answered(all)) > 0.01,
  };
  if (format > 1n) {
    isFailed.lost_answers = () => {
      if (BigInt.asUintN(64, BigInt(final(all)) + all.failedTries) < FEWEST) return undefined;
      if (lost(all) === 0) return false;
      const null_ = 0.5 - ledger.experiment.epsilon;
      let least = Infinity;
      for (const i of arms) {
        for (const j of arms) {
          const isSettled = ledger.space
            ? ledger.given && i === ROLE.candidate && j === ROLE.inUse
            : i !== j && ledger.referee.isSettled(i, j);
          if (i === j || !isSettled) continue;
          const pair = read(ledger.pair(i, j));
          if (lost(pair) === 0) continue;
          const wins = pair.firstWins,
            others = pair.secondWins + lost(pair);
          const z =
            (wins * (1 - null_) - others * null_) /
            Math.sqrt(null_ * (1 - null_) * (wins + others));
          least = Math.min(least, z);
        }
      }
      return least === Infinity ? undefined : least < 1.645;
    };
    isFailed.judges = () => {
      let squares = 0,
        degrees = 0;
      const names = [...ledger.judges.keys()].sort(inByteOrder);
      for (const [i, j] of names.length > 1 ? compared : []) {
        const said = names
          .map((name) => ledger.judges.get(name)!.get(`${i},${j},`) ?? ([0, 0] as [number, number]))
          .filter(([low, high]) => low + high >= 5);
        const wins = said.reduce((sum, [low]) => sum + low, 0);
        const duels = said.reduce((sum, [low, high]) => sum + low + high, 0);
        if (said.length < 2 || wins === 0 || wins === duels) continue;
        for (const [low, high] of said) {
          const off = deviation(low, low + high, wins / duels);
          squares += off * off;
        }
        degrees += said.length - 1;
      }
      if (degrees === 0) return undefined;
      // Drawn for each duel, they may differ.
      const isDrawn = ledger.experiment.judge.command.startsWith("one drawn of: ");
      return !isDrawn && squares > degrees + 3 * Math.sqrt(2 * degrees);
    };
    if (ledger.isAudited) {
      isFailed.judge = () => {
        const told = compared
          .map(([i, j]) => ledger.referee.audited(i, j))
          .filter((units) => units !== undefined && units.isTold());
        return told.length === 0 ? undefined : told.some((units) => units!.isUseless());
      };
    }
  }
  return Object.entries(isFailed).map(([name, judge]) => {
    const failed = judge();
    return { name, verdict: failed === undefined ? "unknown" : failed ? "failed" : "passed" };
  });
}

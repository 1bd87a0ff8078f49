// A voter's duels and votes, from the first pair to the last answer on the server's disk.
//
// The next pair is fetched ahead. A vote is held back until the next one is given, for five seconds,
// or until the page is left; so long it can be taken back here. What was sent is final. Every duel
// has an id chosen here, and every vote is sent until the server answers, so a lost connection
// neither loses nor doubles a vote: the server answers a repeat with the same duel, or `duplicate`.
//
// A voter with a share link has two open pairs at most, and a vote that is held back is of an open
// pair. So the pair after the one on the screen is fetched when the held vote has been sent.
import { ApiError, Unreachable } from "../api/client";
import type { OutcomeRequest, DuelArm, Duel } from "../api/types";

export const HOLD_MS = 5000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
const FETCHED_AHEAD = 1;

export type Choice =
  | { result: "win"; side: 0 | 1 }
  | { result: "tie" | "both_bad" }
  | { result: "skip"; reason: string };

export interface Vote {
  duel: Duel;
  choice: Choice;
  responseMs: number;
}

// What survives a reload of the page.
export interface SavedBallots {
  current: Duel | null;
  upcoming: Duel[];
  outbox: Vote[];
  asked: string | null; // the id of a duel that was asked for and not answered yet
  votes: number;
}

export interface Transport {
  // REQUIRES: throws Unreachable or ApiError where it fails.
  serve(duelId: string): Promise<Duel>;
  report(duelId: string, body: OutcomeRequest, leaving: boolean): Promise<void>;
}

export interface Surroundings {
  now(): number;
  after(ms: number, run: () => void): () => void; // returns what cancels it
  newId(): string;
  load(): SavedBallots | null;
  save(ballots: SavedBallots): void;
}

export type Situation =
  | { kind: "loading" }
  | { kind: "voting" }
  | { kind: "closed"; isAudited: boolean } // the experiment serves no pair now
  | { kind: "done"; verdict: string | null } // of a panel: nothing left that could matter
  | { kind: "refused"; message: string; status: number };

export function outcomeOf(vote: Vote): OutcomeRequest {
  const body: OutcomeRequest = {
    result: vote.choice.result,
    source: { type: "human" },
    response_ms: Math.round(vote.responseMs),
  };
  if (vote.duel.report_token) body.report_token = vote.duel.report_token;
  if (vote.choice.result === "win") {
    const winner = vote.duel.arms[vote.choice.side] as DuelArm;
    body.winner = winner.arm_id;
    // One arm shown twice: only the place tells what was chosen.
    if (vote.duel.arms[0]?.arm_id === vote.duel.arms[1]?.arm_id) body.place = vote.choice.side + 1;
  }
  if (vote.choice.result === "skip" && vote.choice.reason) body.note = vote.choice.reason;
  return body;
}

export class BallotBox {
  current: Duel | null = null;
  held: Vote | null = null;
  outbox: Vote[] = [];
  votes = 0;
  situation: Situation = { kind: "loading" };
  offline = false;
  notice = "";

  private upcoming: Duel[] = [];
  private asked: string | null = null;
  private shownAt = 0;
  private cancelHold: (() => void) | null = null;
  private cancelRetry: (() => void) | null = null;
  private pause = FIRST_PAUSE_MS;
  private filling = false;
  private flushing = false;
  private aheadRefused = false; // no other pair before one of the open ones is answered
  private answers = 0; // reports that the server has answered

  constructor(
    private readonly transport: Transport,
    private readonly around: Surroundings,
    private readonly changed: () => void,
  ) {}

  async start(): Promise<void> {
    const saved = this.around.load();
    if (saved) {
      this.current = saved.current;
      this.upcoming = saved.upcoming;
      this.outbox = saved.outbox;
      this.asked = saved.asked;
      this.votes = saved.votes;
    }
    this.dropExpired();
    if (this.current) this.show(this.current);
    await Promise.all([this.flush(false), this.fill()]);
  }

  // False where there is nothing to vote on, so that a second key press is no second vote.
  vote(choice: Choice): boolean {
    if (!this.current || this.situation.kind !== "voting") return false;
    this.commit();
    const responseMs = this.around.now() - this.shownAt;
    this.held = { duel: this.current, choice, responseMs };
    this.votes += 1;
    this.notice = "";
    this.current = null;
    this.dropExpired();
    const next = this.upcoming.shift() ?? null;
    if (next) this.show(next);
    else this.situation = { kind: "loading" };
    this.cancelHold = this.around.after(HOLD_MS, () => this.commit());
    this.keep();
    void this.fill();
    return true;
  }

  canUndo(): boolean {
    return this.held !== null;
  }

  undo(): boolean {
    if (!this.held) return false;
    this.cancelHold?.();
    this.cancelHold = null;
    if (this.current) this.upcoming.unshift(this.current);
    const { duel } = this.held;
    this.held = null;
    this.votes -= 1;
    this.show(duel);
    this.keep();
    return true;
  }

  // The held vote is final from here on.
  commit(leaving = false): void {
    this.cancelHold?.();
    this.cancelHold = null;
    if (this.held) {
      this.outbox.push(this.held);
      this.held = null;
      this.keep();
    }
    void this.flush(leaving);
  }

  // The page goes away: what was given is sent, and kept until the server has it.
  leave(): void {
    this.commit(true);
  }

  // The connection may be back.
  wake(): void {
    this.pause = FIRST_PAUSE_MS;
    this.cancelRetry?.();
    this.cancelRetry = null;
    void this.flush(false);
    void this.fill();
  }

  private show(duel: Duel): void {
    this.current = duel;
    this.shownAt = this.around.now();
    this.situation = { kind: "voting" };
  }

  private keep(): void {
    // A held vote is saved as one to be sent: a voter who closes the page has voted.
    const outbox = this.held ? [...this.outbox, this.held] : this.outbox;
    this.around.save({
      current: this.current,
      upcoming: this.upcoming,
      outbox,
      asked: this.asked,
      votes: this.votes,
    });
    this.changed();
  }

  private dropExpired(): void {
    const open = (duel: Duel | null): duel is Duel =>
      duel !== null && !(duel.expires_at && Date.parse(duel.expires_at) <= this.around.now());
    if (!open(this.current)) this.current = null;
    this.upcoming = this.upcoming.filter(open);
  }

  // Fetches pairs until one is shown and the next is here.
  private async fill(): Promise<void> {
    if (this.filling) return;
    this.filling = true;
    try {
      while (!this.current || (!this.aheadRefused && this.upcoming.length < FETCHED_AHEAD)) {
        const ahead = this.current !== null;
        const id = this.asked ?? this.around.newId();
        const answersBefore = this.answers;
        this.asked = id;
        this.keep();
        let duel: Duel | null = null;
        try {
          duel = await this.transport.serve(id);
        } catch (error) {
          if (this.mayComeLater(error)) return this.retry();
          this.asked = null;
          if (!(error instanceof ApiError)) throw error;
          if (!ahead && !this.held && this.outbox.length === 0 && this.answers === answersBefore) {
            this.situation = { kind: "refused", message: error.message, status: error.status };
            this.keep();
            return;
          }
        }
        this.asked = null;
        if (!duel || this.isHere(duel)) {
          // No other pair yet. A vote that was answered meanwhile may have made room for one.
          if (this.answers !== answersBefore) continue;
          this.aheadRefused = true;
          if (this.current) return;
          // A vote that is on its way makes room, and asks again when it has been answered.
          if (this.outbox.length > 0) return;
          // There is nothing to show, so the vote that was held back makes room.
          this.commit();
          await this.flush(false);
          if (this.outbox.length > 0 || this.answers === answersBefore) return;
          continue;
        }
        this.offline = this.outbox.length > 0 && this.offline;
        if (duel.arms.length < 2 || duel.serving === "fallback") {
          const isDone = duel.serving === "done";
          if (!this.current)
            this.situation = isDone
              ? { kind: "done", verdict: duel.verdict ?? null }
              : { kind: "closed", isAudited: duel.reason === "no_audits" };
          this.keep();
          return;
        }
        if (!this.current) this.show(duel);
        else this.upcoming.push(duel);
        this.keep();
      }
    } finally {
      this.filling = false;
    }
  }

  private isHere(duel: Duel): boolean {
    const votes = this.held ? [...this.outbox, this.held] : this.outbox;
    return [this.current, ...this.upcoming, ...votes.map((vote) => vote.duel)].some(
      (other) => other?.duel_id === duel.duel_id,
    );
  }

  private async flush(leaving: boolean): Promise<void> {
    if (leaving) {
      // There is no time to wait for one before the next.
      for (const vote of this.outbox) {
        void this.transport.report(vote.duel.duel_id, outcomeOf(vote), true).catch(() => {});
      }
      return;
    }
    if (this.flushing) return;
    this.flushing = true;
    try {
      while (this.outbox.length > 0) {
        const vote = this.outbox[0] as Vote;
        try {
          await this.transport.report(vote.duel.duel_id, outcomeOf(vote), false);
        } catch (error) {
          if (this.mayComeLater(error)) return this.retry();
          if (!(error instanceof ApiError)) throw error;
          this.notice =
            error.status === 409
              ? "That pair had been answered before; the first answer counts."
              : `One vote could not be counted: ${error.message}`;
        }
        this.outbox.shift();
        this.answers += 1;
        this.aheadRefused = false;
        this.offline = false;
        this.pause = FIRST_PAUSE_MS;
        this.keep();
        void this.fill();
      }
    } finally {
      this.flushing = false;
    }
  }

  private mayComeLater(error: unknown): boolean {
    return error instanceof Unreachable || (error instanceof ApiError && error.problem.retryable);
  }

  private retry(): void {
    this.offline = true;
    this.keep();
    if (this.cancelRetry) return;
    this.cancelRetry = this.around.after(this.pause, () => {
      this.cancelRetry = null;
      void this.flush(false);
      void this.fill();
    });
    this.pause = Math.min(2 * this.pause, LONGEST_PAUSE_MS);
  }
}

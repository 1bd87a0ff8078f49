// Asks again when there is news, but not as often as there is news: one question at a time, a rest after
// each, and a longer one after a question that took the server long.

// A server that takes long to answer is asked less often.
const REST_PER_WORK = 4;

export interface Clock {
  now: () => number;
  after: (ms: number, then: () => void) => void;
}

const CLOCK: Clock = {
  now: () => performance.now(),
  after: (ms, then) => void setTimeout(then, ms),
};

export class Paced {
  private wanted = false;
  private busy = false;
  private ended = false;

  // `work` handles its own errors. `may` says whether anybody would see the answer: what is wanted
  // meanwhile waits for `look`.
  constructor(
    private readonly work: () => Promise<void>,
    private readonly shortestRestMs: number,
    private readonly may: () => boolean = () => true,
    private readonly clock: Clock = CLOCK,
  ) {}

  want(): void {
    this.wanted = true;
    this.look();
  }

  // Begins what was wanted, if it may begin by now.
  look(): void {
    if (!this.wanted || this.busy || this.ended || !this.may()) return;
    this.wanted = false;
    this.busy = true;
    const begun = this.clock.now();
    void this.work().finally(() => {
      const rest = Math.max(this.shortestRestMs, REST_PER_WORK * (this.clock.now() - begun));
      this.clock.after(rest, () => {
        this.busy = false;
        this.look();
      });
    });
  }

  end(): void {
    this.ended = true;
  }
}

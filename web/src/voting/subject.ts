// Who votes in this browser: made and signed by the server, given with the first pair, and kept here.
// Of one subject's answers to a pair only the first is evidence, so whoever could choose subjects
// could vote as often as there are names.
export class Subject {
  private known: string | null = null; // where the browser keeps nothing

  constructor(private readonly experimentId: string) {}

  get(): string | null {
    for (const storage of storages) {
      try {
        const kept = storage().getItem(this.key());
        if (kept) return kept;
      } catch {
        // Not allowed here; try the next.
      }
    }
    return this.known;
  }

  set(subject: string): void {
    this.known = subject;
    for (const storage of storages) {
      try {
        storage().setItem(this.key(), subject);
        return;
      } catch {
        // Not allowed here, or full; try the next.
      }
    }
  }

  forget(): void {
    this.known = null;
    for (const storage of storages) {
      try {
        storage().removeItem(this.key());
      } catch {
        // It keeps nothing.
      }
    }
  }

  private key(): string {
    return `duel.subject.${this.experimentId}`;
  }
}

const storages = [() => localStorage, () => sessionStorage];

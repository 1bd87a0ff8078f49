// Whether the duels that people audited are those that the coin of the log's key draws
// (docs/certificates.md). The key is told with the last record; what one drew that was lost cannot be
// checked.
import { refuse } from "./json";
import type { AnyRecord, RecordOf } from "./records";
import { sha256 } from "./sha256";

const BLOCK = 64;
const utf8 = new TextEncoder();
const bytesOfHex = (digits: string) =>
  Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const joined = (first: Uint8Array, second: Uint8Array) => {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
};

// HMAC (RFC 2104) with SHA-256, as 64 hexadecimal digits.
export function hmacSha256(key: string, text: string): string {
  const given = utf8.encode(key);
  const padded = new Uint8Array(BLOCK);
  padded.set(given.length > BLOCK ? bytesOfHex(sha256(given)) : given);
  const inner = sha256(
    joined(
      padded.map((byte) => byte ^ 0x36),
      utf8.encode(text),
    ),
  );
  return sha256(
    joined(
      padded.map((byte) => byte ^ 0x5c),
      bytesOfHex(inner),
    ),
  );
}

export function isDrawn(key: string, duelId: string, share: number): boolean {
  const bits = BigInt(`0x${hmacSha256(key, `${duelId}/audit`).slice(0, 16)}`) >> 11n;
  return Number(bits) * 2 ** -53 < share;
}

export class Draws {
  checked = 0;
  unchecked = 0; // by a key that was lost, or that the log will tell at its end
  private key = "";
  private keyHash: string;
  private readonly shares = new Map<string, number>(); // of the duels that are yet to be drawn
  private draws: { id: string; share: number; drawn: boolean }[] = []; // by the present key

  constructor({ audit, seed, experiment_id }: RecordOf<"experiment">) {
    this.keyHash = audit.key_sha256;
    if (!audit.from_seed) return;
    const key = hmacSha256(`audit/${seed}`, experiment_id);
    if (sha256(utf8.encode(key)) === this.keyHash) this.key = key;
  }
  note(record: AnyRecord): void {
    if (record.record === "serve" && record.audit > 0) {
      this.shares.set(record.duel_id, record.audit);
    } else if (record.record === "audit") {
      const { duel_id: id, drawn } = record;
      const share = this.shares.get(id);
      if (share !== undefined) this.draws.push({ id, share, drawn });
      this.shares.delete(id);
    } else if (record.record === "audit_key") {
      this.toss();
      this.key = "";
      this.keyHash = record.sha256;
    } else if (record.record === "completed" && record.audit_key !== "") {
      if (sha256(utf8.encode(record.audit_key)) !== this.keyHash)
        refuse("'audit_key' is not the key that the log named by its hash");
      this.key = record.audit_key;
    }
  }
  // Tosses the coins of the present key again, where it is known; also at the end of the log.
  toss(): void {
    for (const { id, share, drawn } of this.draws) {
      if (this.key === "") ++this.unchecked;
      else if (isDrawn(this.key, id, share) === drawn) ++this.checked;
      else
        refuse(
          `the key ${drawn ? "does not draw" : "draws"} the duel '${id}' for a person, and the log says the opposite`,
        );
    }
    this.draws = [];
  }
}

// SHA-256 (FIPS 180-4). A browser's own is not there in every page that was opened from a file, and
// gives its answer later.

// The first 32 bits of the fraction of `root` of each of the first primes.
function rootsOfPrimes(count: number, root: (x: number) => number): Uint32Array {
  const words: number[] = [];
  for (let n = 2; words.length < count; ++n) {
    let isPrime = true;
    for (let d = 2; d * d <= n; ++d) if (n % d === 0) isPrime = false;
    if (isPrime) words.push((root(n) % 1) * 2 ** 32);
  }
  return Uint32Array.from(words);
}

const START = rootsOfPrimes(8, Math.sqrt);
const ROUNDS = rootsOfPrimes(64, Math.cbrt);

const rotated = (x: number, by: number) => (x >>> by) | (x << (32 - by));

function addBlock(state: Uint32Array, block: DataView, at: number, w: Int32Array): void {
  for (let t = 0; t < 16; ++t) w[t] = block.getInt32(at + 4 * t);
  for (let t = 16; t < 64; ++t) {
    const near = w[t - 2]!,
      far = w[t - 15]!;
    const s1 = rotated(near, 17) ^ rotated(near, 19) ^ (near >>> 10);
    const s0 = rotated(far, 7) ^ rotated(far, 18) ^ (far >>> 3);
    w[t] = s1 + w[t - 7]! + s0 + w[t - 16]!;
  }
  let a = state[0]!,
    b = state[1]!,
    c = state[2]!,
    d = state[3]!;
  let e = state[4]!,
    f = state[5]!,
    g = state[6]!,
    h = state[7]!;
  for (let t = 0; t < 64; ++t) {
    const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const one = (h + s1 + ((e & f) ^ (~e & g)) + ROUNDS[t]! + w[t]!) | 0;
    const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, k) => (state[k] = state[k]! + word));
}

// 64 hexadecimal digits.
export function sha256(bytes: Uint8Array): string {
  const padded = new Uint8Array((((bytes.length + 8) >> 6) << 6) + 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length * 8);
  const state = START.slice();
  const schedule = new Int32Array(64);
  for (let at = 0; at < padded.length; at += 64) addBlock(state, view, at, schedule);
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

// A text as a QR code (ISO/IEC 18004): bytes in UTF-8, error correction level M, versions 1 to 20,
// which is 666 bytes. Enough for a link, and nothing that a page would have to load.

// By version from 1 on: error correction bytes of a block, and blocks.
const CHECK_BYTES = [
  10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16];
const LEVEL_M = 0;

const sizeOf = (version: number) => 17 + 4 * version;

// Bits that are left for data and its error correction.
function bitsOf(version: number): number {
  let bits = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const aligned = Math.floor(version / 7) + 2;
    bits -= (25 * aligned - 10) * aligned - 55;
    if (version >= 7) bits -= 36;
  }
  return bits;
}
const dataBytesOf = (version: number) =>
  Math.floor(bitsOf(version) / 8) - CHECK_BYTES[version - 1]! * BLOCKS[version - 1]!;

// --- Error correction: Reed and Solomon over GF(256) with x^8 + x^4 + x^3 + x^2 + 1 ----------------

function times(x: number, y: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; --bit) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((y >>> bit) & 1) * x;
  }
  return product;
}

// The remainder of data x^degree by (x - 1)(x - 2)(x - 4)..
function checkBytes(data: number[], degree: number): number[] {
  const divisor = Array<number>(degree).fill(0);
  divisor[degree - 1] = 1;
  for (let k = 0, root = 1; k < degree; ++k, root = times(root, 2)) {
    for (let j = 0; j < degree; ++j)
      divisor[j] = times(divisor[j]!, root) ^ (j + 1 < degree ? divisor[j + 1]! : 0);
  }
  const rest = Array<number>(degree).fill(0);
  for (const byte of data) {
    const factor = byte ^ rest.shift()!;
    rest.push(0);
    divisor.forEach((one, k) => (rest[k]! ^= times(one, factor)));
  }
  return rest;
}

// The bytes in the order in which they are drawn: data and checks of all blocks, interleaved.
function drawnBytes(data: number[], version: number): number[] {
  const blocks = BLOCKS[version - 1]!,
    checks = CHECK_BYTES[version - 1]!;
  const all = Math.floor(bitsOf(version) / 8);
  const shorter = blocks - (all % blocks);
  const length = Math.floor(all / blocks) - checks;
  const parts: number[][] = [];
  for (let k = 0, at = 0; k < blocks; ++k) {
    const end = at + length + (k < shorter ? 0 : 1);
    parts.push(data.slice(at, end));
    at = end;
  }
  const sums = parts.map((part) => checkBytes(part, checks));
  const bytes: number[] = [];
  for (let k = 0; k <= length; ++k)
    for (const part of parts) if (k < part.length) bytes.push(part[k]!);
  for (let k = 0; k < checks; ++k) for (const sum of sums) bytes.push(sum[k]!);
  return bytes;
}

// --- The picture ----------------------------------------------------------------------------------

function alignmentPlaces(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((4 * version + 4) / (2 * count - 2)) * 2;
  const places = [6];
  for (let at = sizeOf(version) - 7; places.length < count; at -= step) places.splice(1, 0, at);
  return places;
}

const MASKS: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

// With its remainder by a polynomial of that degree.
function guarded(value: number, bits: number, polynomial: number): number {
  let rest = value;
  for (let k = 0; k < bits; ++k) rest = (rest << 1) ^ ((rest >>> (bits - 1)) * polynomial);
  return (value << bits) | rest;
}

class Picture {
  readonly size: number;
  readonly dark: boolean[][];
  private readonly isFixed: boolean[][];

  constructor(
    private readonly version: number,
    bytes: number[],
    mask: number,
  ) {
    this.size = sizeOf(version);
    const blank = () =>
      Array.from({ length: this.size }, () => Array<boolean>(this.size).fill(false));
    this.dark = blank();
    this.isFixed = blank();
    this.drawPatterns();
    this.drawFormat(mask);
    this.drawData(bytes, MASKS[mask]!);
  }

  private set(x: number, y: number, dark: boolean): void {
    this.dark[y]![x] = dark;
    this.isFixed[y]![x] = true;
  }

  private drawPatterns(): void {
    const { size, version } = this;
    for (let k = 0; k < size; ++k) {
      this.set(6, k, k % 2 === 0);
      this.set(k, 6, k % 2 === 0);
    }
    for (const [cx, cy] of [
      [3, 3],
      [size - 4, 3],
      [3, size - 4],
    ] as const) {
      for (let dy = -4; dy <= 4; ++dy) {
        for (let dx = -4; dx <= 4; ++dx) {
          const [x, y, ring] = [cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy))];
          if (x < 0 || y < 0 || x >= size || y >= size) continue;
          this.set(x, y, ring !== 2 && ring !== 4);
        }
      }
    }
    const places = alignmentPlaces(version);
    const last = places.length - 1;
    places.forEach((cx, i) =>
      places.forEach((cy, j) => {
        // The three corners have a larger pattern.
        if ((i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0)) return;
        for (let dy = -2; dy <= 2; ++dy)
          for (let dx = -2; dx <= 2; ++dx)
            this.set(cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
      }),
    );
    if (version < 7) return;
    const bits = guarded(version, 12, 0x1f25);
    for (let k = 0; k < 18; ++k) {
      const [a, b] = [size - 11 + (k % 3), Math.floor(k / 3)];
      this.set(a, b, ((bits >>> k) & 1) === 1);
      this.set(b, a, ((bits >>> k) & 1) === 1);
    }
  }

  private drawFormat(mask: number): void {
    const bits = guarded((LEVEL_M << 3) | mask, 10, 0x537) ^ 0x5412;
    const bit = (k: number) => ((bits >>> k) & 1) === 1;
    const { size } = this;
    for (let k = 0; k <= 5; ++k) this.set(8, k, bit(k));
    this.set(8, 7, bit(6));
    this.set(8, 8, bit(7));
    this.set(7, 8, bit(8));
    for (let k = 9; k < 15; ++k) this.set(14 - k, 8, bit(k));
    for (let k = 0; k < 8; ++k) this.set(size - 1 - k, 8, bit(k));
    for (let k = 8; k < 15; ++k) this.set(8, size - 15 + k, bit(k));
    this.set(8, size - 8, true);
  }

  // Two columns at a time from the right, up and down in turns, past the column of the timing pattern.
  private drawData(bytes: number[], masks: (x: number, y: number) => boolean): void {
    let k = 0;
    for (let right = this.size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      const isUpward = ((right + 1) & 2) === 0;
      for (let step = 0; step < this.size; ++step) {
        const y = isUpward ? this.size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (this.isFixed[y]![x]) continue;
          const bit = k < 8 * bytes.length && ((bytes[k >>> 3]! >>> (7 - (k & 7))) & 1) === 1;
          ++k;
          this.dark[y]![x] = bit !== masks(x, y);
        }
      }
    }
  }

  // How hard it is to read, by the four rules of the standard.
  penalty(): number {
    const { size, dark } = this;
    const columns = dark.map((_, x) => dark.map((row) => row[x]!));
    let sum = 0;
    for (const line of [...dark, ...columns]) {
      for (let k = 0, run = 1; k < size; ++k, ++run) {
        if (k + 1 < size && line[k + 1] === line[k]) continue;
        if (run >= 5) sum += run - 2;
        run = 0;
      }
      const text = line.map((one) => (one ? "1" : "0")).join("");
      for (let k = 0; k + 11 <= size; ++k) {
        const part = text.slice(k, k + 11);
        if (part === "10111010000" || part === "00001011101") sum += 40;
      }
    }
    let black = 0;
    for (let y = 0; y < size; ++y) {
      for (let x = 0; x < size; ++x) {
        if (dark[y]![x]) ++black;
        if (y + 1 === size || x + 1 === size) continue;
        const one = dark[y]![x];
        if (one === dark[y]![x + 1] && one === dark[y + 1]![x] && one === dark[y + 1]![x + 1])
          sum += 3;
      }
    }
    return sum + 10 * Math.floor(Math.abs((20 * black) / (size * size) - 10));
  }
}

// Rows of dark (true) and light modules; null if the text is too long.
export function qrCode(text: string): boolean[][] | null {
  const content = [...new TextEncoder().encode(text)];
  const isRoom = (version: number) =>
    content.length + (version < 10 ? 2 : 3) <= dataBytesOf(version);
  let version = 1;
  while (version <= BLOCKS.length && !isRoom(version)) ++version;
  if (version > BLOCKS.length) return null;
  // Mode "bytes", the length, the content and four zero bits.
  const bits: number[] = [];
  const push = (value: number, count: number) => {
    for (let k = count - 1; k >= 0; --k) bits.push((value >>> k) & 1);
  };
  push(4, 4);
  push(content.length, version < 10 ? 8 : 16);
  for (const byte of content) push(byte, 8);
  push(0, 4);
  const data: number[] = [];
  for (let k = 0; k < bits.length; k += 8)
    data.push(bits.slice(k, k + 8).reduce((byte, bit, at) => byte | (bit << (7 - at)), 0));
  for (let pad = 0xec; data.length < dataBytesOf(version); pad ^= 0xec ^ 0x11) data.push(pad);
  const bytes = drawnBytes(data, version);
  const pictures = MASKS.map((_, mask) => new Picture(version, bytes, mask));
  return pictures.reduce((best, one) => (one.penalty() < best.penalty() ? one : best)).dark;
}

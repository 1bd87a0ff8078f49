// Logarithm, exponential and the spelling of numbers, to the last bit as a certificate has them. A
// browser's Math.log and Math.exp may differ in the last bit from machine to machine, and a threshold
// that is met by that bit is another verdict. So both are written in + - * / alone, which every
// machine rounds in the same way; the order of the operations is part of the definition.

const LN2_HIGH = 0.6931471803691238; // the first 32 bits of ln 2, so that k times it is exact
const LN2_LOW = 1.9082149292705877e-10; // the rest
const view = new DataView(new ArrayBuffer(8));

// 2^k for a normal number.
function powerOfTwo(k: number): number {
  view.setUint32(0, (k + 1023) << 20);
  view.setUint32(4, 0);
  return view.getFloat64(0);
}

// ln x = k ln 2 + ln m with m in [sqrt(1/2), sqrt(2)), and ln m = 2 artanh((m - 1)/(m + 1)).
export function naturalLog(x: number): number {
  view.setFloat64(0, x);
  const high = view.getUint32(0);
  let k = (high >>> 20) - 1023;
  view.setUint32(0, (high & 0xfffff) | 0x3ff00000);
  let m = view.getFloat64(0);
  if (m >= Math.SQRT2) {
    m /= 2;
    k += 1;
  }
  const f = m - 1;
  const s = f / (2 + f);
  const z = s * s;
  const y = z * z;
  const odd = z * (1 / 3 + y * (1 / 7 + y * (1 / 11 + y * (1 / 15 + y * (1 / 19 + y * (1 / 23))))));
  const even = y * (1 / 5 + y * (1 / 9 + y * (1 / 13 + y * (1 / 17 + y * (1 / 21)))));
  return k * LN2_HIGH + (f - s * (f - 2 * (odd + even)) + k * LN2_LOW);
}

// 1/2!, 1/3!, .. 1/13!
const INVERSE_FACTORIALS: number[] = [];
for (let n = 2, factorial = 2; n <= 13; factorial *= ++n) INVERSE_FACTORIALS.push(1 / factorial);

// e^x = 2^k e^r with |r| <= ln(2)/2, by Taylor's series up to r^13. REQUIRES: x <= 709.
export function exponential(x: number): number {
  if (x < -746) return 0;
  const scaled = x * 1.4426950408889634;
  const k = Math.trunc(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
  const high = x - k * LN2_HIGH;
  const low = k * LN2_LOW;
  const r = high - low;
  let tail = INVERSE_FACTORIALS[11]!;
  for (let n = 10; n >= 0; --n) tail = tail * r + INVERSE_FACTORIALS[n]!;
  const value = 1 + (r + (high - r - low + r * r * tail));
  if (k > 1023) return value * 2 * powerOfTwo(k - 1);
  if (k >= -1022) return value * powerOfTwo(k);
  return value * powerOfTwo(k + 100) * 2 ** -100;
}

// --- Spelling -------------------------------------------------------------------------------------

// "1.25e-7" as its sign, its digits and its exponent.
function partsOf(text: string): [sign: string, digits: string, exponent: number] {
  const [, sign, first, rest, exponent] = /^(-?)(\d)\.?(\d*)e([+-]\d+)$/.exec(text)!;
  return [sign!, first! + rest!, Number(exponent)];
}

function spelled(sign: string, digits: string, exponent: number, mostFixed: number): string {
  const n = digits.length;
  if (exponent < -4 || exponent >= mostFixed) {
    const size = String(Math.abs(exponent)).padStart(2, "0");
    const mantissa = n > 1 ? `${digits[0]}.${digits.slice(1)}` : digits;
    return `${sign}${mantissa}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  if (n <= exponent + 1) return sign + digits.padEnd(exponent + 1, "0");
  return `${sign}${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}

// The fewest digits that are read as the same number; with an exponent from 1e16 and below 1e-4.
export function numberText(x: number): string {
  return Object.is(x, -0) ? "-0" : spelled(...partsOf(x.toExponential()), 16);
}

// Rounded to nine digits, of two that are as near to the even one.
function nineDigits(x: number): [sign: string, digits: string, exponent: number] {
  const exact = partsOf(x.toExponential(60));
  const isTie = /^5?0*$/.test(exact[1].slice(9)) && exact[1][9] === "5";
  const isEven = "02468".includes(exact[1][8]!);
  return isTie && isEven ? [exact[0], exact[1].slice(0, 9), exact[2]] : partsOf(x.toExponential(8));
}

const withoutZeros = (digits: string) => digits.replace(/0+$/, "") || "0";

// An e-value to nine digits from its logarithm, also where no double could hold it.
export function evidenceText(log: number): string {
  if (log < 690 && log > -690) {
    const [sign, digits, exponent] = nineDigits(exponential(log));
    return spelled(sign, withoutZeros(digits), exponent, 9);
  }
  const LN10 = 2.302585092994046;
  let d = Math.floor(log / LN10);
  let parts = nineDigits(exponential(log - d * LN10));
  if (parts[2] > 0) parts = nineDigits(exponential(log - ++d * LN10));
  // Below 1 after a quotient that was rounded across a power of ten: eight decimals are fewer digits.
  const value = exponential(log - d * LN10);
  const digits = parts[2] < 0 ? value.toFixed(8).replace(".", "") : parts[1];
  const kept = withoutZeros(digits.slice(1));
  return `${digits[0]}${kept === "0" ? "" : `.${kept}`}e${d < 0 ? "-" : "+"}${Math.abs(d)}`;
}

// The complementary error function. Only health asks for it, where the last bit decides nothing.
export function erfc(x: number): number {
  if (x < 1.5) {
    let term = x,
      sum = x;
    for (let n = 1; Math.abs(term) > 1e-18; ++n) {
      term *= (-x * x) / n;
      sum += term / (2 * n + 1);
    }
    return 1 - (2 / Math.sqrt(Math.PI)) * sum;
  }
  let fraction = 0;
  for (let n = 120; n > 0; --n) fraction = n / 2 / (x + fraction);
  return Math.exp(-x * x) / (Math.sqrt(Math.PI) * (x + fraction));
}

// A `duel serve` of the test's own, on a free port and a store in a temporary directory.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

export async function startServer(binary, options = {}) {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), "duel-web-"));
  const store = join(directory, "duel.db");
  const child = spawn(
    binary,
    [
      ...["serve", "--listen", `127.0.0.1:${options.port ?? 0}`, "--store", store],
      ...(options.arguments ?? []),
    ],
    {
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  // Whoever started it may end without stopping it.
  const endWithUs = () => child.kill("SIGKILL");
  process.on("exit", endWithUs);
  let said = "";
  child.stderr.on("data", (piece) => (said += piece));
  const origin = await new Promise((done, fail) => {
    let out = "";
    child.stdout.on("data", (piece) => {
      out += piece;
      const found = /http:\/\/\S+/.exec(out);
      if (found) done(found[0]);
    });
    child.on("exit", (code) => fail(new Error(`duel serve ended with ${code}: ${said}`)));
  });
  const ended = new Promise((done) => child.on("exit", done));
  return {
    origin,
    store,
    directory,
    async stop(keep = false) {
      if (child.exitCode === null) child.kill("SIGTERM");
      await ended;
      process.off("exit", endWithUs);
      if (!keep) rmSync(directory, { recursive: true, force: true });
    },
  };
}

// A long way to the server: what `isHeld` says of goes on when it is let go, unless the sender has hung
// up by then.
export async function startLongWay(origin, isHeld) {
  const held = [];
  let tell = () => {};
  const begun = new Promise((done) => (tell = done));
  const way = createServer((asked, answer) => {
    const pieces = [];
    asked.on("data", (piece) => pieces.push(piece));
    asked.on("end", () => {
      const goOn = () => {
        if (answer.destroyed) return;
        const headers = { ...asked.headers, host: new URL(origin).host };
        if (headers.origin) headers.origin = origin;
        const onward = request(origin + asked.url, { method: asked.method, headers }, (told) => {
          answer.writeHead(told.statusCode, told.headers);
          told.pipe(answer);
        });
        answer.on("close", () => onward.destroy());
        onward.on("error", () => answer.destroy());
        onward.end(Buffer.concat(pieces));
      };
      if (!isHeld(asked)) return goOn();
      held.push(goOn);
      tell();
    });
  });
  await new Promise((done) => way.listen(0, "127.0.0.1", done));
  return {
    origin: `http://127.0.0.1:${way.address().port}`,
    begun, // the first of those that are held is on its way
    letGo: () => held.splice(0).forEach((goOn) => goOn()),
    stop: () => {
      way.close();
      way.closeAllConnections();
    },
  };
}

export class Client {
  constructor(origin, token = "") {
    this.origin = origin;
    this.token = token;
  }
  async call(method, path, body) {
    const headers = {};
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const response = await fetch(this.origin + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.detail}`);
    return answer;
  }
  get(path) {
    return this.call("GET", path);
  }
  // An experiment that runs.
  async create(id, body) {
    await this.call("PUT", `/v1/experiments/${id}`, body);
    await this.call("POST", `/v1/experiments/${id}/start`);
  }
  // One duel, decided by `judge(first, second, k, payloads)`, which gives a result and perhaps a winner.
  async duel(id, k, judge, subject) {
    const duel = await this.call(
      "POST",
      `/v1/experiments/${id}/duels`,
      subject ? { subject_id: subject } : {},
    );
    const [first, second] = duel.arms.map((arm) => arm.arm_id);
    if (second === undefined) return;
    await this.call(
      "PUT",
      `/v1/experiments/${id}/duels/${duel.duel_id}/outcome`,
      judge(
        first,
        second,
        k,
        duel.arms.map((arm) => arm.payload),
      ),
    );
  }
}

// The same numbers in every run.
export function chance(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
}

// People who prefer the stronger arm with a logistic chance; now and then a tie, a skip, both bad.
export function judgeBy(strengths, random) {
  return (first, second) => {
    const luck = random();
    const response_ms = 800 + Math.round(4000 * random());
    if (luck < 0.06) return { result: "tie", response_ms };
    if (luck < 0.08) return { result: "both_bad", response_ms };
    if (luck < 0.1) return { result: "skip", response_ms };
    const p = 1 / (1 + Math.exp(strengths[second] - strengths[first]));
    return { result: "win", winner: random() < p ? first : second, response_ms };
  };
}

// Of two points of a space the one that is nearer to `best` wins, except for one time in six.
export function nearerTo(best, random) {
  const distance = (point) =>
    Object.entries(best).reduce((sum, [name, value]) => sum + (point[name] / value - 1) ** 2, 0);
  return (first, second, _, [left, right]) => {
    const better = distance(left) <= distance(right) ? first : second;
    const worse = better === first ? second : first;
    const response_ms = 800 + Math.round(4000 * random());
    return { result: "win", winner: random() < 1 / 6 ? worse : better, response_ms };
  };
}

export const hybridSpace = (more = {}) => ({
  name: "Hybrid ranker",
  space: {
    weight: { low: 0, high: 1, default: 0.2 },
    k1: { low: 0.5, high: 8, scale: "log", default: 4 },
  },
  seed: 5,
  ...more,
});

// Two items side by side. Nothing tells which arm is which, or which one leads.
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { ApiError, ask } from "../api/client";
import { currentToken } from "../api/token";
import type { VotingProgress } from "../api/types";
import { TokenForm } from "../look/token_form";
import {
  BallotBox,
  type Choice,
  type SavedBallots,
  type Surroundings,
  type Transport,
} from "./ballot_box";
import { blockedBy, Pair } from "./pair";
import { Payload } from "./payload";
import { usePictureWatch, Watched } from "./pictures";
import { progressLine } from "./progress_line";
import { Subject } from "./subject";

function randomId(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return prefix + Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function transportOf(experimentId: string, subject: Subject): Transport {
  const serve = async (duelId: string) => {
    const known = subject.get();
    const body = { duel_id: duelId, voter: true, ...(known ? { subject_id: known } : {}) };
    const answer = await ask("serve_duels", { eid: experimentId }, { body });
    if ("items" in answer)
      throw new Error("The server gave several pairs where one was asked for.");
    if (answer.subject_id) subject.set(answer.subject_id);
    return answer;
  };
  return {
    serve: async (duelId) => {
      try {
        return await serve(duelId);
      } catch (error) {
        // It is of another link, or of a server that is no more.
        if (!(error instanceof ApiError) || !error.names("/subject_id")) throw error;
        subject.forget();
        return await serve(duelId);
      }
    },
    report: async (duelId, body) => {
      // The page may be left while a vote is on its way, also one that went out by its time.
      await ask("report_outcome", { eid: experimentId, did: duelId }, { body, keepalive: true });
    },
  };
}

function surroundingsOf(experimentId: string): Surroundings {
  const key = `duel.ballots.${experimentId}`;
  return {
    now: () => Date.now(),
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    newId: () => randomId("v."),
    load: () => {
      try {
        return JSON.parse(sessionStorage.getItem(key) ?? "null") as SavedBallots | null;
      } catch {
        return null;
      }
    },
    save: (ballots) => {
      try {
        sessionStorage.setItem(key, JSON.stringify(ballots));
      } catch {
        // Full or forbidden: votes still go out, they only do not survive a reload.
      }
    },
  };
}

export function VotingPage({ experimentId }: { experimentId: string }) {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [progress, setProgress] = useState<VotingProgress | null>(null);
  const [skipping, setSkipping] = useState(false);
  const [said, setSaid] = useState("");
  const box = useMemo(
    () =>
      new BallotBox(
        transportOf(experimentId, new Subject(experimentId)),
        surroundingsOf(experimentId),
        () => redraw(0),
      ),
    [experimentId],
  );
  const stage = useRef<HTMLElement>(null);
  const pictures = usePictureWatch();
  const [attempt, setAttempt] = useState(0);

  const vote = (choice: Choice) => {
    // What nobody has seen can be skipped and nothing else.
    if (choice.result !== "skip" && blockedBy(pictures)) return;
    if (!box.vote(choice)) return;
    setSkipping(false);
    setSaid(
      choice.result === "win" ? (choice.side === 0 ? "Left chosen." : "Right chosen.") : "Noted.",
    );
    stage.current?.scrollTo?.(0, 0);
  };
  const undo = () => {
    if (box.undo()) setSaid("Taken back.");
  };

  useEffect(() => {
    void box.start();
    const hidden = () => {
      if (document.visibilityState === "hidden") box.leave();
    };
    const leaving = () => box.leave();
    const online = () => box.wake();
    document.addEventListener("visibilitychange", hidden);
    addEventListener("pagehide", leaving);
    addEventListener("online", online);
    return () => {
      document.removeEventListener("visibilitychange", hidden);
      removeEventListener("pagehide", leaving);
      removeEventListener("online", online);
    };
  }, [box]);

  useEffect(() => {
    const keys = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target as HTMLElement;
      if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
      const choices: Record<string, () => void> = {
        ArrowLeft: () => vote({ result: "win", side: 0 }),
        ArrowRight: () => vote({ result: "win", side: 1 }),
        "1": () => vote({ result: "win", side: 0 }),
        "2": () => vote({ result: "win", side: 1 }),
        ArrowDown: () => vote({ result: "tie" }),
        t: () => vote({ result: "tie" }),
        b: () => vote({ result: "both_bad" }),
        s: () => setSkipping(true),
        u: undo,
        Backspace: undo,
        Escape: () => setSkipping(false),
      };
      const chosen = choices[event.key];
      // A key that is held down is one vote.
      if (!chosen || event.repeat) return;
      event.preventDefault();
      chosen();
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  }, [box]);

  const { votes, outbox } = box;
  useEffect(() => {
    const end = new AbortController();
    ask("show_progress", { eid: experimentId }, { signal: end.signal }).then(
      (now) => {
        setProgress(now);
        document.title = `${now.name || now.experiment_id} · Vote`;
      },
      () => {},
    );
    return () => end.abort();
  }, [experimentId, votes, outbox.length]);

  const { current, situation } = box;
  const told = current?.voting;
  const question = told?.question || "Which one is better?";
  const asking = situation.kind === "voting" || situation.kind === "loading";
  const over = progress?.state === "completed" || progress?.state === "archived";
  return (
    <Watched.Provider value={pictures}>
      <div class="voting">
        <header>
          <h1>{progress?.name || (asking ? question : "Vote")}</h1>
          {progress?.name && asking && <p class="question">{question}</p>}
          {asking && told?.instructions && <p class="instructions">{told.instructions}</p>}
          {current?.task && (
            <div class="task card" key={`${current.task.task_id} ${attempt}`}>
              <Payload payload={current.task.payload ?? null} otherwise={current.task.task_id} />
            </div>
          )}
        </header>
        {box.offline && (
          <p class="notice" role="status">
            No connection.{" "}
            {outbox.length > 0 &&
              `${outbox.length} ${outbox.length === 1 ? "vote waits" : "votes wait"} here. `}
            Trying again.{" "}
            <button class="small" onClick={() => box.wake()}>
              Try now
            </button>
          </p>
        )}
        {box.notice && (
          <p class="notice" role="status">
            {box.notice}
          </p>
        )}
        <main ref={stage}>
          {situation.kind === "refused" &&
            (situation.status === 401 || situation.status === 403 ? (
              <TokenForm label="Continue">
                <p>
                  {currentToken() ? "The token does not work here." : "Voting here needs a token."}{" "}
                  Open the link that you were given, or paste its token here.
                </p>
              </TokenForm>
            ) : (
              <p class="card">
                {situation.status === 404 ? "There is no such experiment." : situation.message}
              </p>
            ))}
          {situation.kind === "closed" && (
            <div class="card">
              <p>
                <strong>
                  {over ? "The voting is over. Thank you." : "Nothing to compare right now."}
                </strong>
              </p>
              {!over && (
                <>
                  <p class="quiet">
                    {situation.isAudited
                      ? "No duel waits for a person. There will be more as the judge goes on."
                      : "The experiment is not running, or you have seen all that there is for today."}
                  </p>
                  <button onClick={() => box.wake()}>Look again</button>
                </>
              )}
            </div>
          )}
          {situation.kind === "done" && (
            <div class="card done">
              <p>
                <strong>Thank you. You have answered everything that can matter.</strong>
              </p>
              {situation.verdict !== null && <p>{situation.verdict}</p>}
              <button onClick={() => box.wake()}>Look again</button>
            </div>
          )}
          {situation.kind === "loading" && (
            <p class="card quiet" aria-busy="true">
              {box.offline
                ? "The next pair comes when the connection is back."
                : "Fetching the next pair…"}
            </p>
          )}
          {situation.kind === "voting" && current && (
            <Pair
              duel={current}
              blocked={blockedBy(pictures)}
              attempt={attempt}
              skipping={skipping}
              setSkipping={setSkipping}
              vote={vote}
              loadAgain={() => setAttempt((now) => now + 1)}
            />
          )}
        </main>
        <footer>
          {(asking || box.canUndo()) && (
            <button disabled={!box.canUndo()} onClick={undo}>
              Undo <kbd>U</kbd>
            </button>
          )}
          <p class="quiet small">
            {votes > 0 && `${votes} ${votes === 1 ? "vote" : "votes"} from you. `}
            {progress && progressLine(progress)}
          </p>
          {progress && progress.share_of_evidence !== null && (
            <progress max={1} value={progress.share_of_evidence} aria-label="How sure are we" />
          )}
        </footer>
        <p class="hidden-text" aria-live="polite">
          {said}
        </p>
      </div>
    </Watched.Provider>
  );
}

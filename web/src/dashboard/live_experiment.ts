// One experiment, kept up to date by the server's events.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, follow, routeOf } from "../api/client";
import { Paced } from "../api/paced";
import type { Experiment, HealthCheck, RecentDuel, Result, Timeline } from "../api/types";
import { extended, momentOf } from "../charts/moments";

export interface LiveExperiment {
  experiment: Experiment | null;
  result: Result | null;
  timeline: Timeline | null;
  duels: RecentDuel[];
  health: HealthCheck[];
  live: boolean;
  error: unknown;
  refresh: () => void;
}

const SHORTEST_PAUSE_MS = 500;
// Checks that read the log change slowly, and take the server longest.
const HEALTH_PAUSE_MS = 30_000;

// The checks of a result, which come with it, and the others as they were last told.
export function allChecks(ofResult: HealthCheck[], ofLog: HealthCheck[]): HealthCheck[] {
  const names = new Set(ofResult.map((check) => check.name));
  return [...ofResult, ...ofLog.filter((check) => !names.has(check.name))];
}

export function useLiveExperiment(id: string): LiveExperiment {
  const [state, setState] = useState<Omit<LiveExperiment, "refresh">>({
    experiment: null,
    result: null,
    timeline: null,
    duels: [],
    health: [],
    live: false,
    error: null,
  });
  const again = useRef<() => void>(() => {});
  useEffect(() => {
    const end = new AbortController();
    const { signal } = end;
    const eid = id;
    let healthAsked = -Infinity;

    const refreshHealth = async () => {
      if (performance.now() - healthAsked < HEALTH_PAUSE_MS) return;
      healthAsked = performance.now();
      try {
        const { checks } = await ask("show_health", { eid }, { signal });
        setState((now) => ({ ...now, health: allChecks(now.result?.health ?? [], checks) }));
      } catch {
        // Those of the result stand there.
      }
    };
    const refresh = async () => {
      try {
        const [experiment, result, duels] = await Promise.all([
          ask("show_experiment", { eid }, { signal }),
          ask("show_result", { eid }, { signal }),
          ask("list_duels", { eid, limit: 12 }, { signal }),
        ]);
        setState((now) => ({
          ...now,
          experiment,
          result,
          duels: duels.items,
          health: allChecks(result.health, now.health),
          error: null,
          timeline:
            now.timeline &&
            extended(now.timeline, momentOf(result, now.timeline.arms, new Date().toISOString())),
        }));
        void refreshHealth();
      } catch (error) {
        if (!signal.aborted) setState((now) => ({ ...now, error }));
      }
    };
    const paced = new Paced(refresh, SHORTEST_PAUSE_MS);
    again.current = () => paced.want();

    paced.want();
    // The series is asked for once; each result adds its point.
    ask("show_timeline", { eid, points: 200 }, { signal }).then(
      (timeline) =>
        setState((now) => ({
          ...now,
          timeline: now.result
            ? extended(timeline, momentOf(now.result, timeline.arms, new Date().toISOString()))
            : timeline,
        })),
      () => {},
    );
    void follow(
      routeOf("open_stream", { eid }),
      signal,
      () => paced.want(),
      (live) => setState((now) => ({ ...now, live })),
    );
    return () => {
      end.abort();
      paced.end();
    };
  }, [id]);
  return { ...state, refresh: () => again.current() };
}

// One experiment, kept up to date by the server's events.
import { useEffect, useRef, useState } from "preact/hooks";
import { follow, get, pathOf } from "../api/client";
import type { Experiment, ExperimentResult, Listed, RecentDuel, Timeline } from "../api/types";
import { extended, momentOf } from "../charts/moments";

export interface LiveExperiment {
  experiment: Experiment | null;
  result: ExperimentResult | null;
  timeline: Timeline | null;
  duels: RecentDuel[];
  live: boolean;
  error: unknown;
  refresh: () => void;
}

const SHORTEST_PAUSE_MS = 500;
// A server that takes long to answer is asked less often.
const REST_PER_WORK = 4;

export function useLiveExperiment(id: string): LiveExperiment {
  const [state, setState] = useState<Omit<LiveExperiment, "refresh">>({
    experiment: null, result: null, timeline: null, duels: [], live: false, error: null,
  });
  const again = useRef<() => void>(() => {});
  useEffect(() => {
    const end = new AbortController();
    const { signal } = end;
    const path = (part?: string) => pathOf("experiments", id, ...(part ? [part] : []));
    let asking = false;
    let wanted = false;
    let timer: ReturnType<typeof setTimeout> | undefined;

    const refresh = async () => {
      if (asking) {
        wanted = true;
        return;
      }
      asking = true;
      wanted = false;
      const begun = performance.now();
      try {
        const [experiment, result, duels] = await Promise.all([
          get<Experiment>(path(), signal),
          get<ExperimentResult>(path("result"), signal),
          get<Listed<RecentDuel>>(`${path("duels")}?limit=12`, signal),
        ]);
        setState((now) => ({
          ...now,
          experiment,
          result,
          duels: duels.items,
          error: null,
          timeline: now.timeline && extended(now.timeline, momentOf(result, now.timeline.arms, new Date().toISOString())),
        }));
      } catch (error) {
        if (!signal.aborted) setState((now) => ({ ...now, error }));
      }
      const rest = Math.max(SHORTEST_PAUSE_MS, REST_PER_WORK * (performance.now() - begun));
      timer = setTimeout(() => {
        asking = false;
        if (wanted) void refresh();
      }, rest);
    };
    again.current = () => void refresh();

    void refresh();
    // The series is asked for once; each result adds its point.
    get<Timeline>(`${path("timeline")}?points=200`, signal).then(
      (timeline) => setState((now) => ({
        ...now,
        timeline: now.result ? extended(timeline, momentOf(now.result, timeline.arms, new Date().toISOString())) : timeline,
      })),
      () => {},
    );
    void follow(path("stream"), signal, () => void refresh(), (live) => setState((now) => ({ ...now, live })));
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [id]);
  return { ...state, refresh: () => again.current() };
}

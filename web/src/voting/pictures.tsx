// The pictures of a pair, and whether all of them are there to be judged.
import { createContext } from "preact";
import { useContext, useLayoutEffect, useMemo, useReducer } from "preact/hooks";

type State = "loading" | "shown" | "broken";

// What the pictures below tell; each is known by an object of its own.
export class PictureWatch {
  private readonly states = new Map<object, State>();

  constructor(private readonly changed: () => void) {}

  tell(picture: object, state: State): void {
    if (this.states.get(picture) === state) return;
    this.states.set(picture, state);
    this.changed();
  }
  forget(picture: object): void {
    if (this.states.delete(picture)) this.changed();
  }
  count(state: State): number {
    return [...this.states.values()].filter((one) => one === state).length;
  }
}

export const Watched = createContext<PictureWatch | null>(null);

// A watch that draws its owner again whenever a picture has come or failed.
export function usePictureWatch(): PictureWatch {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  return useMemo(() => new PictureWatch(() => redraw(0)), []);
}

export function Picture({ source, alt }: { source: string; alt: string }) {
  const watch = useContext(Watched);
  const self = useMemo(() => ({}), []);
  // Before the pair is painted, so that nobody can vote while a picture is on its way.
  useLayoutEffect(() => {
    watch?.tell(self, "loading");
    return () => watch?.forget(self);
  }, [watch]);
  return (
    <img
      src={source}
      alt={alt}
      referrerpolicy="no-referrer"
      onLoad={() => watch?.tell(self, "shown")}
      onError={() => watch?.tell(self, "broken")}
    />
  );
}

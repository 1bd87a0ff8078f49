// One picture by Observable Plot, as wide as its place.
import * as Plot from "@observablehq/plot";
import { useEffect, useRef, useState } from "preact/hooks";

export interface FigureProps {
  label: string; // what a picture shows, for whoever cannot see it
  options: (width: number) => Plot.PlotOptions;
}

export function Figure({ label, options }: FigureProps) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const look = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    look.observe(element);
    setWidth(Math.floor(element.clientWidth));
    return () => look.disconnect();
  }, []);
  useEffect(() => {
    const element = place.current;
    if (!element || width < 40) return;
    const drawn = Plot.plot({
      width,
      height: Math.round(Math.max(180, Math.min(280, width * 0.5))),
      marginLeft: 52,
      marginBottom: 38,
      className: "plot",
      ...options(width),
    });
    // Plot brings a style of its own, which the page's policy forbids; charts.css has the rules.
    drawn.querySelectorAll("style").forEach((style) => style.remove());
    // The picture is one image with one label; its parts have none of their own.
    drawn.querySelectorAll("[aria-label]").forEach((part) => part.removeAttribute("aria-label"));
    drawn.setAttribute("role", "img");
    drawn.setAttribute("aria-label", label);
    element.replaceChildren(drawn);
  }, [width, options, label]);
  return <div class="figure" ref={place} />;
}

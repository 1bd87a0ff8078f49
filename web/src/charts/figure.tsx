// One picture by Observable Plot, as wide as its place. Pictures are drawn one at a time, so that a page
// of several stays quick to answer.
import * as Plot from "@observablehq/plot";
import { useEffect, useRef, useState } from "preact/hooks";

export interface FigureProps {
  label: string; // what a picture shows, for readers who cannot see it
  options: (width: number) => Plot.PlotOptions;
}

function drawn(options: Plot.PlotOptions, width: number, label: string): Element {
  const picture = Plot.plot({
    width,
    height: Math.round(Math.max(180, Math.min(280, width * 0.5))),
    marginLeft: 52,
    marginBottom: 38,
    className: "plot",
    ...options,
  });
  // Plot brings a style of its own, which the page's policy forbids; charts.css has the rules.
  picture.querySelectorAll("style").forEach((style) => style.remove());
  // The picture is one image with one label; its parts have none of their own.
  picture.querySelectorAll("[aria-label]").forEach((part) => part.removeAttribute("aria-label"));
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", label);
  return picture;
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
    if (width < 40) return;
    const draw = setTimeout(() =>
      place.current?.replaceChildren(drawn(options(width), width, label)),
    );
    return () => clearTimeout(draw);
  }, [width, options, label]);
  return <div class="figure" ref={place} />;
}

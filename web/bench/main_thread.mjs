// How long a page's main thread was busy at a time, from a trace of the browser. CPU time is given
// beside wall time: on a machine that does other things as well, only the former is the page's own.
export async function longestTask(browser, page, run) {
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline", "__metadata"] });
  await run();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString("utf8"));
  const mainThreads = new Set(
    traceEvents
      .filter((event) => event.name === "thread_name" && event.args.name === "CrRendererMain")
      .map((event) => `${event.pid}/${event.tid}`),
  );
  const tasks = traceEvents.filter(
    (event) =>
      event.ph === "X" &&
      /RunTask$/.test(event.name) &&
      mainThreads.has(`${event.pid}/${event.tid}`),
  );
  const ms = (of) => tasks.reduce((most, event) => Math.max(most, (of(event) ?? 0) / 1000), 0);
  return { wall: ms((event) => event.dur), cpu: ms((event) => event.tdur), tasks: tasks.length };
}

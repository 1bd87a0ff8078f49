import { render } from "preact";
import { LeagueReport } from "./league_report";
import type { ReportData } from "./report_data";
import { ResultReport } from "./result_report";
import { StudyReport } from "./study_report";
import "./report.css";

function Report({ data }: { data: ReportData }) {
  return (
    <main>
      {data.kind === "result" && <ResultReport data={data} />}
      {data.kind === "study" && <StudyReport title={data.title} runs={data.runs} />}
      {data.kind === "league" && <LeagueReport title={data.title} league={data.league} />}
      <p class="small quiet">Made by {data.made_by}.</p>
    </main>
  );
}

const page = document.getElementById("page");
const text = document.getElementById("data")?.textContent;
if (page && text) render(<Report data={JSON.parse(text) as ReportData} />, page);

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { takeTokenFromAddress } from "../api/token";
import { ExperimentList } from "./experiment_list";
import { ExperimentPage } from "./experiment_page";
import { NewExperiment } from "./new_experiment";
import { Link } from "./parts";
import { placeOf } from "./place";
import { Upload } from "./upload";
import "./dashboard.css";

const addressNow = () => ({ path: location.pathname, search: location.search });

function NoSuchPage({ path }: { path: string }) {
  useEffect(() => {
    document.title = "No such page · Duel";
  }, []);
  return (
    <div class="card nothing-yet">
      <h1>There is no such page</h1>
      <p class="quiet">
        Nothing is at <code>{path}</code>. Experiments are at <code>/experiments/ID</code>, and
        their voting pages at <code>/vote/ID</code>.
      </p>
      <Link to="/" class="button main">
        All experiments
      </Link>
    </div>
  );
}

function Dashboard() {
  const [{ path, search }, setAddress] = useState(addressNow);
  useEffect(() => {
    const moved = () => setAddress(addressNow());
    addEventListener("popstate", moved);
    return () => removeEventListener("popstate", moved);
  }, []);
  const place = placeOf(path, search);
  return (
    <>
      <a class="skip-link" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <Link to="/" class="home">
          Duel
        </Link>
        <nav aria-label="Pages">
          <Link to="/">Experiments</Link>
          <Link to="/new">New experiment</Link>
          <a href="/docs/">Documents</a>
        </nav>
      </header>
      <main id="main">
        {place.view === "list" && <ExperimentList />}
        {place.view === "new" && <NewExperiment from={place.from} key={place.from} />}
        {place.view === "upload" && <Upload />}
        {place.view === "none" && <NoSuchPage path={place.path} />}
        {place.view === "experiment" && <ExperimentPage id={place.id} key={place.id} />}
      </main>
    </>
  );
}

takeTokenFromAddress();
const page = document.getElementById("page");
if (page) render(<Dashboard />, page);

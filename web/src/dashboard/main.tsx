import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { takeTokenFromAddress } from "../api/token";
import { ExperimentList } from "./experiment_list";
import { ExperimentPage } from "./experiment_page";
import { NewExperiment } from "./new_experiment";
import { Link } from "./parts";
import { placeOf } from "./place";
import "./dashboard.css";

function Dashboard() {
  const [path, setPath] = useState(location.pathname);
  useEffect(() => {
    const moved = () => setPath(location.pathname);
    addEventListener("popstate", moved);
    return () => removeEventListener("popstate", moved);
  }, []);
  const place = placeOf(path);
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
        </nav>
      </header>
      <main id="main">
        {place.view === "list" && <ExperimentList />}
        {place.view === "new" && <NewExperiment />}
        {place.view === "experiment" && <ExperimentPage id={place.id} key={place.id} />}
      </main>
    </>
  );
}

takeTokenFromAddress();
const page = document.getElementById("page");
if (page) render(<Dashboard />, page);

import { render } from "preact";
import { takeTokenFromAddress } from "../api/token";
import { VotingPage } from "./voting_page";
import "./voting.css";

takeTokenFromAddress();
const id = decodeURIComponent(location.pathname.replace(/^\/vote\//, ""));
const page = document.getElementById("page");
if (page) render(<VotingPage experimentId={id} />, page);

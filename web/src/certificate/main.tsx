import { render } from "preact";
import type { CertificateData } from "./certificate_data";
import { CertificatePage } from "./certificate_page";
import "./certificate.css";

const content = (id: string): unknown =>
  JSON.parse(document.getElementById(id)?.textContent ?? "null");

const page = document.getElementById("page");
const data = content("data") as CertificateData;
if (page) {
  render(
    <main>
      <CertificatePage data={data} verifier={content("verifier") as string} />
      <p class="small quiet">Made by {data.made_by}.</p>
    </main>,
    page,
  );
}

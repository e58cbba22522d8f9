import { render } from "preact";
import { App } from "./app.tsx";

const root = document.querySelector("#console");
if (root) render(<App />, root);

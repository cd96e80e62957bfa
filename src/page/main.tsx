import { render } from "preact";
import { App } from "./app.js";
import { guardHistory } from "./entities/leave-guard.js";
import { followService } from "./live.js";
import { readSession } from "./session.js";

const root = document.getElementById("app");
if (root === null) throw new Error("the document has no place for the page");
followService();
guardHistory();
render(<App />, root);
void readSession();

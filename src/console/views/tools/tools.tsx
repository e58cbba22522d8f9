import type { JSX } from "preact";
import type { Place } from "../../router.ts";
import { useSession } from "../../session.ts";
import { EditTool } from "./edit-tool.tsx";
import { ImportOpenApi } from "./import-openapi.tsx";
import { LintPage } from "./lint-page.tsx";
import { ToolList } from "./tool-list.tsx";
import { ToolPage } from "./tool-page.tsx";

/** `#/tools`, `#/tools/new/http`, `#/tools/import`, `#/tools/lint`, `#/tools/tool/<name>/<tab>`. */
export function Tools({ parts: [what, name = "", tab = "about"] }: Place): JSX.Element {
  const { canWrite } = useSession();
  if (what === "tool") return <ToolPage key={name} name={name} tab={tab} />;
  if (what === "import" && canWrite) return <ImportOpenApi />;
  if (what === "lint" && canWrite) return <LintPage />;
  if (what === "new" && canWrite) return <EditTool key={name} kind={name === "code" ? "code" : "http"} />;
  return <ToolList />;
}

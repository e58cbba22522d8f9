import type { JSX } from "preact";
import type { Place } from "../../router.ts";
import { useSession } from "../../session.ts";
import { NewUpstream } from "./edit-upstream.tsx";
import { UpstreamList } from "./upstream-list.tsx";
import { UpstreamPage } from "./upstream-page.tsx";

/** `#/upstreams`, `#/upstreams/new`, `#/upstreams/upstream/<name>/<tab>`. */
export function Upstreams({ parts: [what, name = "", tab = "about"] }: Place): JSX.Element {
  const { canWrite } = useSession();
  if (what === "upstream") return <UpstreamPage key={name} name={name} tab={tab} />;
  if (what === "new" && canWrite) return <NewUpstream />;
  return <UpstreamList />;
}

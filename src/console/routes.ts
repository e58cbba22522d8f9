// Every view of the console, in the order of its navigation. A view is registered by one line here.

import type { ComponentType } from "preact";
import type { IconName } from "./parts/icon.tsx";
import type { Place } from "./router.ts";
import { Audit } from "./views/audit/audit.tsx";
import { Keys } from "./views/keys/keys.tsx";
import { Live } from "./views/live/live.tsx";
import { Secrets } from "./views/secrets/secrets.tsx";
import { Tools } from "./views/tools/tools.tsx";
import { Upstreams } from "./views/upstreams/upstreams.tsx";

export interface Route {
  /** The first part of the view's address. */
  path: string;
  label: string;
  icon: IconName;
  /** `parts` are those after `path`. */
  view: ComponentType<Place>;
}

export const ROUTES: readonly Route[] = [
  { path: "live", label: "Live", icon: "live", view: Live },
  { path: "tools", label: "Tools", icon: "tools", view: Tools },
  { path: "keys", label: "Keys", icon: "keys", view: Keys },
  { path: "audit", label: "Audit", icon: "audit", view: Audit },
  { path: "upstreams", label: "Upstreams", icon: "upstreams", view: Upstreams },
  { path: "secrets", label: "Secrets", icon: "secrets", view: Secrets },
];

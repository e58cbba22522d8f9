// Every view of the console, in the order of its navigation. A view is registered by one line here.

import type { ComponentType } from "preact";
import type { IconName } from "./parts/icon.tsx";
import type { Place } from "./router.ts";
import { Tools } from "./views/tools/tools.tsx";

export interface Route {
  /** The first part of the view's address. */
  path: string;
  label: string;
  icon: IconName;
  /** `parts` are those after `path`. */
  view: ComponentType<Place>;
}

export const ROUTES: readonly Route[] = [{ path: "tools", label: "Tools", icon: "tools", view: Tools }];

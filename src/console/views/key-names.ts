import { listKeys } from "../api/keys-api.ts";
import { useResource } from "../resource.ts";
import { useSession } from "../session.ts";

/** As many pages of keys as are asked for to name them; the others go by their ids. */
const PAGES = 3;

/** What keys are called, by id. */
export function useKeyNames(): ReadonlyMap<string, string> {
  const { api } = useSession();
  const { data } = useResource(
    async (signal) => {
      const names = new Map<string, string>();
      let cursor: string | undefined;
      for (let page = 0; page < PAGES; page++) {
        const { keys, nextCursor } = await listKeys(api, cursor, signal);
        for (const { id, name } of keys) names.set(id, name);
        if (nextCursor === undefined) break;
        cursor = nextCursor;
      }
      return names;
    },
    [api],
  );
  return data ?? NONE;
}

const NONE: ReadonlyMap<string, string> = new Map();

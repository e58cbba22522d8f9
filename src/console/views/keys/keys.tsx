import type { JSX } from "preact";
import type { Place } from "../../router.ts";
import { useSession } from "../../session.ts";
import { KeyList } from "./key-list.tsx";
import { KeyPage } from "./key-page.tsx";
import { MintKey } from "./mint-key.tsx";

/** `#/keys`, `#/keys/new`, `#/keys/key/<id>/<tab>`. */
export function Keys({ parts: [what, id = "", tab = "about"] }: Place): JSX.Element {
  const { canWrite } = useSession();
  if (what === "key") return <KeyPage key={id} id={id} tab={tab} />;
  if (what === "new" && canWrite) return <MintKey />;
  return <KeyList />;
}

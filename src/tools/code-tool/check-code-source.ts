// What must be true of a code tool's record besides its module: its hosts can be reached, its secrets can be named.

import { SECRET_NAME } from "../../secrets/secret-name.ts";
import { judgeDestination } from "../egress.ts";
import type { CodeSource } from "../tool-record.ts";

interface Fault {
  path: string;
  message: string;
}

/** All that is wrong, in the order of the members; `allow` as `EGRESS_ALLOW`, `ownHosts` as the server is reached by. */
export function checkCodeSource(
  { egress = [], secrets = [] }: Pick<CodeSource, "egress" | "secrets">,
  { allow = "", ownHosts = [] }: { allow?: string; ownHosts?: string[] } = {},
): Fault[] {
  const judge = judgeDestination({ allow, ownHosts });
  return [
    ...egress.flatMap((host, index) => {
      const url = URL.parse(`https://${host}/`);
      const refusal = url ? judge(url) : "it is not a host";
      return refusal === undefined ? [] : [{ path: `egress.${index}`, message: `host refused: ${refusal}` }];
    }),
    ...secrets.flatMap((name, index) =>
      SECRET_NAME.test(name) ? [] : [{ path: `secrets.${index}`, message: `expected ${SECRET_NAME.source}` }],
    ),
  ];
}

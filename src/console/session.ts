// Who is signed in, in this tab: the admin key, what it may do, and the key that calls are made with. Nothing outlives the
// tab, and nothing is kept where another tab or origin could read it.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { createAdminApi, pathOf, type AdminApi } from "./api/admin-api.ts";
import { Problem } from "./api/problem.ts";

/** A key with the scope `mcp`. */
export interface CallKey {
  key: string;
  /** Its id where it was minted for this tab: it is revoked when one signs out. */
  mintedId?: string;
}

export interface SignedIn {
  adminKey: string;
  /** The key's name, or that it is the deployment's own. */
  who: string;
  /** Whether it may change anything. Without it no view shows what it can't do. */
  canWrite: boolean;
  callKey?: CallKey;
}

export interface Session extends SignedIn {
  api: AdminApi;
  setCallKey: (callKey: CallKey | undefined) => void;
  signOut: () => void;
}

const STORED = "toolgate.session";

/** What this tab had when it was loaded. */
export function readStored(): SignedIn | undefined {
  try {
    const text = sessionStorage.getItem(STORED);
    return text === null ? undefined : (JSON.parse(text) as SignedIn);
  } catch {
    return undefined;
  }
}

export function store(signedIn: SignedIn | undefined): void {
  if (signedIn) sessionStorage.setItem(STORED, JSON.stringify(signedIn));
  else sessionStorage.removeItem(STORED);
}

const KEY_ID = /^tg_([A-Za-z0-9-]+)_/;

/** Finds out what an admin key may do. Throws a `Problem` where it opens nothing. */
export async function signIn(adminKey: string): Promise<SignedIn> {
  const api = createAdminApi(adminKey);
  await api.ask("GET", "/keys");
  const id = KEY_ID.exec(adminKey)?.[1];
  const minted = id === undefined ? undefined : await findKey(api, id);
  if (!minted) return { adminKey, who: "the admin key", canWrite: true };
  return {
    adminKey,
    who: minted.name,
    canWrite: minted.scopes.includes("admin"),
    ...(minted.scopes.includes("mcp") && { callKey: { key: adminKey } }),
  };
}

/** A deployment's admin key may look like a minted one. */
async function findKey(api: AdminApi, id: string): Promise<{ name: string; scopes: string[] } | undefined> {
  try {
    return await api.ask("GET", pathOf("keys", id));
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return undefined;
    throw error;
  }
}

const HOURS_OF_CALL_KEY = 12;

/** Mints a key to make calls with from this tab. */
export async function mintCallKey(api: AdminApi): Promise<CallKey> {
  const { id, key } = await api.ask<{ id: string; key: string }>("POST", "/keys", {
    body: {
      name: "console, for one tab",
      scopes: ["mcp"],
      limits: { perMinute: 120 },
      expiresAt: new Date(Date.now() + HOURS_OF_CALL_KEY * 3_600_000).toISOString(),
    },
  });
  return { key, mintedId: id };
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** The session of whoever is signed in; views are shown to nobody else. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("nobody is signed in");
  return session;
}

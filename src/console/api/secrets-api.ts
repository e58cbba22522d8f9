import { pathOf, type AdminApi } from "./admin-api.ts";

/** A secret as it is told: never its value. */
export interface SecretView {
  name: string;
  version: number;
  setAt: string;
  sealedUnder: "current" | "previous" | "unknown";
}

export const listSecrets = (api: AdminApi, signal?: AbortSignal): Promise<{ secrets: SecretView[] }> =>
  api.ask("GET", "/secrets", { ...(signal && { signal }) });

export const setSecret = (api: AdminApi, name: string, value: string): Promise<{ version: number }> =>
  api.ask("PUT", pathOf("secrets", name), { body: { value } });

export const deleteSecret = (api: AdminApi, name: string): Promise<unknown> =>
  api.ask("DELETE", pathOf("secrets", name));

export const resealSecrets = (api: AdminApi): Promise<{ resealed: string[]; unreadable: string[] }> =>
  api.ask("POST", "/secrets/reseal");

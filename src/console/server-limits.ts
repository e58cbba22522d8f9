/** Bounds of the server's that the console shows or keeps to, by the names that the server has for them. */
export const SERVER_LIMITS = {
  auditPageMaxItems: 500,
  keySockets: 16,
  secretMinChars: 8,
  toolNameChars: 64,
} as const;

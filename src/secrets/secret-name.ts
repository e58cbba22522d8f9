/** What a secret may be called: as an environment variable, so that it can be named anywhere. */
export const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

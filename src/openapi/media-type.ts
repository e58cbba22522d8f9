/** A media type without its parameters. */
export const essenceOf = (type: string): string => (type.split(";")[0] ?? "").trim().toLowerCase();

/** Whether a media type is JSON's or built on it. */
export const isJsonType = (type: string): boolean => /^application\/([\w.-]+\+)?json$/.test(essenceOf(type));

/** The items of a configuration value that holds a list, apart by commas or white space. */
export const splitList = (list: string): string[] => list.split(/[\s,]+/).filter((item) => item !== "");

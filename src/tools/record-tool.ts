export const checkRecord = (_r: unknown, _o: unknown): { path: string; message: string }[] => [];

export const root: string
export function bundleFolder(): string

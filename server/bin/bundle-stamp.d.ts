export const root: string
export function bundleFolder(): string
export function companionBundle(): string

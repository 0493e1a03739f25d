/** Newest first. */
export const apiVersions = ['2026-04-07', '2023-05-26'] as const

export type ApiVersion = (typeof apiVersions)[number]

/** What a request without a version header gets. */
export const latestVersion: ApiVersion = apiVersions[0]

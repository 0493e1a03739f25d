/** What each kind of secret that has a form begins with, before an underscore; the log hides what follows. */
export const tokenPrefixes = ['mstr_v1', 'mstr_at', 'mstr_scim', 'mstr_link', 'muspt', 'whsec'] as const

export type TokenPrefix = (typeof tokenPrefixes)[number]

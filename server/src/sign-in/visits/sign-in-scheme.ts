import type { CallerScheme } from '../../http/caller-scheme.ts'

/** People on their way to an application: what their browser brings is for each route to judge. */
export const signIns: CallerScheme = { name: 'sign_in', kinds: ['page', 'form', 'foreign'] }

/** Of a route that shows a page of a sign-in. */
export const page = { scheme: signIns, kind: 'page', origin: 'any', isChatty: true } as const

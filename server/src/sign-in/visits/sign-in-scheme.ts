import type { CallerScheme } from '../../http/caller-scheme.ts'

/** People on their way to an application: what their browser brings is for each route to judge. */
export const signIns: CallerScheme = { name: 'sign_in', kinds: ['page', 'form', 'foreign'] }

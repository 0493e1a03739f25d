import { api } from '../api/api.ts'

/** The whole page is loaded again, so that nothing of the session stays in it. */
export async function signOut(): Promise<void> {
  await api('signOut').catch(() => {})
  location.assign('/console/sign-in')
}

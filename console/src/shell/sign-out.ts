import { request } from '../api/request.ts'

/** The whole page is loaded again, so that nothing of the session stays in it. */
export async function signOut(): Promise<void> {
  await request('/session/sign_out', { method: 'POST' }).catch(() => {})
  location.assign('/console/sign-in')
}

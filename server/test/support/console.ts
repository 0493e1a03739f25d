import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { AdminAccess } from '@muster/contract/admin-users.ts'
import { addAdminUser } from '../../src/access/administrators/add-admin-user.ts'
import { hashPassword } from '../../src/access/sessions/passwords.ts'
import { setPassword } from '../../src/access/sessions/set-password.ts'
import { systemChange } from '../../src/base/change-context.ts'
import { transact } from '../../src/base/db/transact.ts'
import { type Answer, baseUrl, type TestApp } from './app.ts'
import { makePasswordsCheap } from './cheap-passwords.ts'

makePasswordsCheap()

export const password = 'a long walk at dusk'

export type Browser = {
  /** Asks as a page of the console would, with the cookie and the token of the session, if there is one. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  signIn(email: string, withPassword?: string): Promise<Answer>
  /** Of the session, as it is sent; undefined before anyone has signed in. */
  readonly cookie: string | undefined
}

export function openBrowser(trial: TestApp): Browser {
  const cookies = new Map<string, string>()
  let csrfToken: string | undefined
  const browser: Browser = {
    async ask(method, path, body, headers = {}) {
      const answer = await trial.ask(method, `/console/api${path}`, {
        key: undefined,
        body,
        headers: {
          ...(method !== 'GET' && { origin: baseUrl }),
          'sec-fetch-site': 'same-origin',
          ...(cookies.size > 0 && { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }),
          ...(method !== 'GET' && csrfToken !== undefined && { 'x-muster-csrf': csrfToken }),
          ...headers,
        },
      })
      for (const given of [answer.headers['set-cookie'] ?? []].flat()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(given) ?? []
        cookies.set(name, value)
      }
      if (answer.status === 200 && answer.body.csrf_token !== undefined) csrfToken = answer.body.csrf_token
      return answer
    },
    signIn: (email, withPassword = password) =>
      browser.ask('POST', '/session/sign_in', { email, password: withPassword }),
    get cookie() {
      const found = [...cookies].find(([name]) => name.endsWith('muster_session'))
      return found?.join('=')
    },
  }
  return browser
}

type Wanted = { email?: string; access?: AdminAccess; restrictions?: readonly string[]; organizationId?: string }

/** An administrator who signs in with `password`. */
export async function addAdmin(trial: TestApp, wanted: Wanted = {}): Promise<{ id: string; email: string }> {
  const { email = 'maya@acme.example', access = 'full', restrictions = [] } = wanted
  const { organizationId = trial.tenant.organizationId } = wanted
  const now = trial.now()
  const passwordHash = await hashPassword(trial.secrets, password)
  return transact(trial.db, async (tx) => {
    const details = { organizationId, firstName: 'Maya', lastName: 'Lindqvist', email, access, restrictions }
    const id = await addAdminUser(tx, { ...details }, systemChange(organizationId, now))
    await setPassword(tx, { organizationId, adminUserId: id, passwordHash, now })
    return { id, email }
  })
}

/** The browser of an administrator who is signed in: with full access, or with these restrictions. */
export async function signedInAdmin(trial: TestApp, restrictions: readonly string[] = []): Promise<Browser> {
  const access = restrictions.length > 0 ? 'limited' : 'full'
  const admin = await addAdmin(trial, { email: `${randomUUID()}@acme.example`, access, restrictions })
  const browser = openBrowser(trial)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

import { type SecretCookie, secretCookie } from '../../base/secrets/secret-cookie.ts'
import { deviceCookieForm, deviceLifetimeSeconds } from './known-device.ts'
import { sessionLifetimeMs } from './rules.ts'

/** The cookie that is the session. */
export const sessionCookie = (baseUrl: string): SecretCookie =>
  secretCookie(baseUrl, { name: 'muster_session', seconds: sessionLifetimeMs / 1_000, form: /^[\w-]{43}$/ })

/** The cookie that remembers a way to the identity provider and back. */
export const flowCookie = (baseUrl: string): SecretCookie =>
  secretCookie(baseUrl, { name: 'muster_oidc', seconds: 600, form: /^[\w-]{1,2000}$/ })

/** The cookie that remembers who has signed in with a browser; it opens nothing. */
export const deviceCookie = (baseUrl: string): SecretCookie =>
  secretCookie(baseUrl, { name: 'muster_device', seconds: deviceLifetimeSeconds, form: deviceCookieForm })

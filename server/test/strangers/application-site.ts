import { createServer } from 'node:http'
import type { NewConnection } from '../../src/sign-in/connections/create-connection.ts'
import { until } from '../support/muster-process.ts'
import { openApplication, requestKeys } from './openid-application.ts'
import type { SignInPlace } from './sign-in-place.ts'

export type ApplicationSite = Awaited<ReturnType<typeof openApplicationSite>>

/** An application on this machine with an address that browsers come back to; its requests say that they are Ana's. */
export async function openApplicationSite(
  place: SignInPlace,
  hint: { login_hint: string },
  given: Partial<NewConnection> = {},
) {
  const answers: URL[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', redirectUri)
    if (url.pathname === '/callback') answers.push(url)
    response.setHeader('content-type', 'text/html').end('<title>Payroll</title><h1>Payroll</h1>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const redirectUri = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/callback`
  const signing = await requestKeys()
  const own = given.upstreamId ? { kind: 'application' as const } : { kind: 'second_step' as const }
  const connection = await place.tenant.addConnection({
    ...{ ...own, name: 'Payroll', redirectUris: [redirectUri], requestKeys: [signing.jwk], ...given },
  })
  const application = await openApplication(place.tenant.issuer, connection, { redirectUri, signing })

  return {
    redirectUri,
    connectionId: connection.id,
    /** Begins a sign-in: the address to open, and the claims about the person and the device once the browser is back. */
    async begin() {
      const pending = await application.request(hint)
      const isAnswered = () => answers.some(isOwn)
      const isOwn = (url: URL) => url.searchParams.get('state') === pending.checks.expectedState
      return {
        address: pending.address,
        isAnswered,
        async claims(): Promise<Record<string, unknown>> {
          await until(60_000, async () => isAnswered())
          const tokens = await application.take(answers.find(isOwn) ?? new URL(redirectUri), pending.checks)
          return tokens.claims() ?? {}
        },
      }
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

import type { Message } from '../page/draw-page.ts'
import { signOutAddress } from '../upstreams/sign-out-address.ts'
import type { Upstream } from '../upstreams/upstream-queries.ts'

type Application = { name: string }

/** Neither a hint nor a client: nobody knows what is to end. */
export const notNamed: Message = {
  title: 'Sign out in your app',
  text: 'Muster has no session to end: it checks your computer each time you sign in. To sign out, use the app.',
}

export const signOutFault: Message = {
  title: 'You may still be signed in',
  text: 'The app’s request to sign you out was not accepted. Sign out in the app again. If that brings you back here, ask IT.',
}

/** What was ended, and never more than that. */
export function signedOut({ name }: Application, upstream: Upstream | undefined): Message {
  const title = `Signed out of ${name}`
  if (!upstream) return { title, text: 'You can close this tab.' }
  return { title, text: `You are still signed in at ${upstream.name}.`, button: wayOut(upstream) }
}

/** The upstream has led back. */
export const signedOutOfBoth = ({ name }: Application, upstream: Upstream | undefined): Message => ({
  title: upstream ? `Signed out of ${name} and ${upstream.name}` : `Signed out of ${name}`,
  text: 'You can close this tab.',
})

/** The application waits to be led back, to an address that is not registered. */
export const notLedBack = ({ name }: Application, upstream: Upstream | undefined): Message => ({
  title: `You may still be signed in to ${name}`,
  text: `Muster can’t lead you back to ${name}: the address that it asked for is not registered. Close the browser to end your session there, and tell IT.`,
  button: upstream && wayOut(upstream),
})

/** The upstream’s own page for it. */
function wayOut(upstream: Upstream): Message['button'] {
  const href = signOutAddress(upstream)
  return href === undefined ? undefined : { text: `Sign out at ${upstream.name}`, href }
}

import assert from 'node:assert/strict'
import type { Stop } from './application-browser.ts'
import type { applicationPlace } from './application-place.ts'

type Place = ReturnType<typeof applicationPlace>
type Site = Awaited<ReturnType<Place['start']>>

/** How a person uses an application, and what it shows who was blocked and canceled. */
type Walk = {
  signIn: (site: Site) => Promise<Stop>
  signOut: (site: Site) => Promise<Stop>
  refused: { status: number; text: RegExp }
}

/** Signs in, is blocked, cancels, fixes it, signs in again and out. */
export async function walkThrough({ report, email }: Place, site: Site, { signIn, signOut, refused }: Walk) {
  const who = async () => {
    const stop = await site.browser.open(`${site.origin}/me`)
    assert.equal(stop.at, 'application')
    return stop.text
  }
  const isIn = new RegExp(`"${email}"`)
  const signedIn = await signIn(site)
  assert.equal(signedIn.at, 'application', JSON.stringify(signedIn))
  assert.match(await who(), isIn, site.output())
  await signOut(site)

  await report('FAIL')
  const blocked = await signIn(site)
  assert.ok(blocked.at === 'muster', `the page of Muster says what to fix, not ${JSON.stringify(blocked)}`)
  assert.equal(blocked.state, 'blocked')
  const canceled = await blocked.cancel()
  assert.ok(canceled.at === 'application')
  assert.equal(canceled.status, refused.status)
  assert.match(canceled.text, refused.text)
  assert.equal((await who()).trim(), 'null')

  await report('PASS')
  await signIn(site)
  assert.match(await who(), isIn, site.output())
  const out = await signOut(site)
  assert.equal(out.at, 'application', 'it is led back after signing out')
  assert.equal((await who()).trim(), 'null')
}

import type { Page } from 'playwright-core'

type Asked = { readonly method: string; readonly pathname: string }
type Answer = { readonly status: number; readonly json: object; readonly headers?: Readonly<Record<string, string>> }

/** What the page asks the server for, which the test may answer in its place. */
export type Reads = {
  /** Answers from now on what this gives an answer to; everything else goes to the server. */
  answer(by: (asked: Asked) => Promise<Answer> | undefined): Promise<void>
  /** Lets everything through again, also what still waits for its answer. */
  letThrough(): Promise<void>
}

/**
 * The page asks twice more for what fails, a second and two later, before it says so. Half a minute of a walk over every page
 * would be these pauses.
 */
const shortenPauses = () => {
  const wait = globalThis.setTimeout
  const shortened = (work: TimerHandler, ms = 0, ...rest: unknown[]) =>
    wait(work, ms === 1000 || ms === 2000 ? 50 : ms, ...rest)
  globalThis.setTimeout = Object.assign(shortened, wait)
}

/** Unlike `page.route`, this leaves the browser its cache, and does not pass every script of a page through the test. */
export async function openReads(page: Page): Promise<Reads> {
  const client = await page.context().newCDPSession(page)
  let answerBy: Parameters<Reads['answer']>[0] = () => undefined
  const settle = async (requestId: string, given: Answer | undefined) => {
    if (!given) return client.send('Fetch.continueRequest', { requestId })
    const headers = { 'content-type': 'application/json', ...given.headers }
    return client.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: given.status,
      responseHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
      body: Buffer.from(JSON.stringify(given.json)).toString('base64'),
    })
  }
  client.on('Fetch.requestPaused', ({ requestId, request }) => {
    const { pathname } = new URL(request.url)
    const given = answerBy({ method: request.method, pathname }) ?? Promise.resolve(undefined)
    // The page may have gone elsewhere meanwhile.
    given.then((answer) => settle(requestId, answer)).catch(() => {})
  })
  await page.addInitScript(shortenPauses)
  return {
    async answer(by) {
      answerBy = by
      await client.send('Fetch.enable', { patterns: [{ urlPattern: '*/console/api/*' }] })
    },
    async letThrough() {
      answerBy = () => undefined
      await client.send('Fetch.disable')
    },
  }
}

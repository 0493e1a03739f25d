import type { FastifyInstance } from 'fastify'

type Told = { readonly event: string; readonly data: { topics?: string[] } }

/** What a page hears, by the server's own port; that the connection is there still is counted apart. */
export async function openLivePage(app: FastifyInstance, cookie: string, leaving = new AbortController()) {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const answer = await fetch(`http://127.0.0.1:${port}/console/api/live`, {
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
    signal: leaving.signal,
  })
  let beats = 0
  async function* told(): AsyncGenerator<Told> {
    let text = ''
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(text.slice(0, end)) ?? []
        text = text.slice(end + 2)
        if (event === 'here') beats += 1
        else if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) }
      }
    }
  }
  return { answer, told: told(), leave: () => leaving.abort(), beats: () => beats }
}

/** What a body means to an agent of this protocol; the HTTP status says nothing. */
export type Outcome =
  | { kind: 'accepted'; body: Record<string, unknown> }
  | { kind: 'node_invalid'; message: string }
  | { kind: 'refused'; message: string; code?: string }

/**
 * osquery's reading of an answer: an empty body is a success, anything but a JSON object and any key `error` a
 * failure to try again, `node_invalid: true` the end of the node key.
 */
export function interpretAnswer(status: number, text: string): Outcome {
  if (text.trim() === '') return { kind: 'accepted', body: {} }
  const body = parseObject(text)
  if (!body) return { kind: 'refused', message: `the answer is not a JSON object (HTTP ${status})` }
  const said = typeof body['error'] === 'string' ? body['error'] : `HTTP ${status}`
  if (body['node_invalid'] === true) return { kind: 'node_invalid', message: said }
  if ('error' in body) return refusal(body['error'], said)
  return { kind: 'accepted', body }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** An error is a text to an agent, and a code with a message to its companion. */
function refusal(error: unknown, said: string): Outcome {
  if (typeof error !== 'object' || error === null) return { kind: 'refused', message: said }
  const { code, message } = error as { code?: unknown; message?: unknown }
  return {
    kind: 'refused',
    message: typeof message === 'string' ? message : said,
    ...(typeof code === 'string' && { code }),
  }
}

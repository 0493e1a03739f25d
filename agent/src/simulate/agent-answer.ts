/** Why osquery's TLS plugin calls an answer a failure; the HTTP status plays no part. */
export type AnswerFault = 'not_json' | 'error_answer' | 'node_invalid'

export type AgentAnswer =
  | { accepted: true; body: Record<string, unknown> }
  | { accepted: false; fault: AnswerFault; isNodeInvalid: boolean }

/**
 * Judges an answer as osquery does: empty is a success, `error` with any value is a failure, and `node_invalid: true`
 * costs the node key.
 */
export function judgeAnswer(text: string): AgentAnswer {
  if (text === '' || text === '{}') return { accepted: true, body: {} }
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return { accepted: false, fault: 'not_json', isNodeInvalid: false }
  }
  if (!isRecord(body)) return { accepted: false, fault: 'not_json', isNodeInvalid: false }
  if (body['node_invalid'] === true) return { accepted: false, fault: 'node_invalid', isNodeInvalid: true }
  if ('error' in body) return { accepted: false, fault: 'error_answer', isNodeInvalid: false }
  return { accepted: true, body }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

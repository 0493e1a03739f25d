export type Answer = { status: number; text: string }

export const success = (text = '{}'): Answer => ({ status: 200, text })

/** osquery takes any answer with an `error` for a failure, and `node_invalid` for the end of its node key. */
export const failure = (status: number, error: string, isNodeInvalid = false): Answer => ({
  status,
  text: JSON.stringify({ error, node_invalid: isNodeInvalid }),
})

export const unknownNodeKey = failure(401, 'This node key is not valid', true)
export const unknownSecret = failure(401, 'This enrollment secret is not valid', true)
export const identityConflict = failure(
  409,
  'Another agent with the hardware identity of this machine is in use. Give the machine an identity of its own, or stop the other agent.',
  true,
)
export const tooLarge = failure(413, 'The body is too large')
export const unreadable = failure(400, 'The body is not a JSON object')

type Fields = Record<string, unknown>

/** The value if it is a JSON object. */
export const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined

/** The fields of a JSON object as text; undefined for anything else. */
export function parseFields(bytes: Buffer | undefined): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(bytes?.toString('utf8') ?? ''))
  } catch {
    return undefined
  }
}

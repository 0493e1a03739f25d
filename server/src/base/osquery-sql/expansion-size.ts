import { readTokens, type SqlToken } from './read-tokens.ts'

type Expression = { readonly name: string; readonly body: readonly SqlToken[] }

/**
 * How many tokens SQLite handles once it has put a copy of every common table expression where it is named: 30
 * expressions that each name the one before twice are a billion. Never less than the truth, seldom much more.
 */
export function expansionSize(sql: string): number {
  const tokens = readTokens(sql)
  const expressions = Map.groupBy(findExpressions(tokens), (expression) => expression.name)
  const known = new Map<string, number>()
  const measure = (name: string): number => {
    const size = known.get(name)
    if (size !== undefined) return size
    // One that names itself is recursive: SQLite copies it once.
    known.set(name, 1)
    const total = (expressions.get(name) ?? []).reduce((sum, { body }) => sum + sizeOf(body), 0)
    known.set(name, total)
    return total
  }
  const sizeOf = (part: readonly SqlToken[]): number =>
    part.reduce(
      (sum, token) => sum + 1 + (token.kind !== 'sign' && expressions.has(token.text) ? measure(token.text) : 0),
      0,
    )
  return sizeOf(tokens)
}

/** Every `name (columns) AS MATERIALIZED (body)`, with or without the middle. */
function findExpressions(tokens: readonly SqlToken[]): Expression[] {
  const closing = matchParentheses(tokens)
  const isWord = (at: number, text: string) => tokens[at]?.kind === 'word' && tokens[at].text === text
  return tokens.flatMap((token, at) => {
    if (token.kind === 'sign') return []
    let next = at + 1
    if (tokens[next]?.text === '(') next = (closing.get(next) ?? tokens.length) + 1
    if (!isWord(next, 'as')) return []
    next += 1
    if (isWord(next, 'not')) next += 1
    if (isWord(next, 'materialized')) next += 1
    const end = tokens[next]?.kind === 'sign' && tokens[next]?.text === '(' ? closing.get(next) : undefined
    return end === undefined ? [] : [{ name: token.text, body: tokens.slice(next + 1, end) }]
  })
}

function matchParentheses(tokens: readonly SqlToken[]): Map<number, number> {
  const closing = new Map<number, number>()
  const open: number[] = []
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== 'sign') continue
    if (token.text === '(') open.push(at)
    const start = token.text === ')' ? open.pop() : undefined
    if (start !== undefined) closing.set(start, at)
  }
  return closing
}

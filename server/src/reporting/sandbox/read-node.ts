import type { Node } from './parse-select.ts'

// The tree comes as JSON; what is not of the expected form reads as empty, and is refused for what it lacks.

export function nodeOf(value: unknown): Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : {}
}

export function nodesOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.map(nodeOf) : []
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The parts of a name; `*` for all columns. */
export function namesOf(value: unknown): string[] {
  return nodesOf(value).map((part) => ('A_Star' in part ? '*' : textOf(nodeOf(part['String'])['sval'])))
}

/** The text of a literal. */
export function literalOf(tagged: Node): string | undefined {
  const { sval, isnull } = nodeOf(tagged['A_Const'])
  if (sval === undefined || isnull === true) return undefined
  // The parser's JSON leaves an empty string out.
  return textOf(nodeOf(sval)['sval'])
}

/** The value of a whole-number literal, also of a negative one. */
export function integerOf(tagged: Node): number | undefined {
  const { kind, name, lexpr, rexpr } = nodeOf(tagged['A_Expr'])
  if (kind === 'AEXPR_OP' && lexpr === undefined && namesOf(name).join() === '-') {
    const value = integerOf(nodeOf(rexpr))
    return value === undefined ? undefined : -value
  }
  const { ival } = nodeOf(tagged['A_Const'])
  if (ival === undefined) return undefined
  const { ival: value } = nodeOf(ival)
  // The parser's JSON leaves zero out.
  return typeof value === 'number' ? value : 0
}

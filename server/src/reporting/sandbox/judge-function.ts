import { allowedFunctions, regexFunctions, regexOperators, rowFunctions } from './allowed-words.ts'
import type { Node } from './parse-select.ts'
import { refuse } from './query-refused.ts'
import { integerOf, literalOf, namesOf, nodeOf, nodesOf } from './read-node.ts'
import { faultOfPattern } from './regex-rules.ts'

const maxPaddingLength = 1_000
const maxSeries = 1_000

/** Refuses a call that is not allowed, or that is not with these arguments. */
export function judgeFunction({ funcname, args }: Node): { answersRows: boolean } {
  const parts = namesOf(funcname)
  const name = parts.at(-1) ?? ''
  const isQualified = parts.length > 1 && !(parts.length === 2 && parts[0] === 'pg_catalog')
  if (isQualified || !(allowedFunctions.has(name) || rowFunctions.has(name))) {
    refuse(`The function "${parts.join('.').slice(0, 100)}" is not available in reporting queries.`)
  }
  judgeArguments(name, nodesOf(args))
  return { answersRows: rowFunctions.has(name) }
}

function judgeArguments(name: string, args: readonly Node[]): void {
  // A name could put an argument in another's place.
  if (args.some((argument) => 'NamedArgExpr' in argument) && !name.startsWith('make_')) {
    refuse(`The arguments of ${name} are given by position in reporting queries.`)
  }
  const [, second = {}] = args
  if (regexFunctions.has(name)) refuseFault(faultOfPattern(literalOf(second)))
  if (name === 'substring') judgeSubstring(args)
  if (name === 'generate_series') judgeSeries(args)
  if ((name === 'lpad' || name === 'rpad') && !((integerOf(second) ?? Infinity) <= maxPaddingLength)) {
    refuse(`The length for ${name} must be a number up to ${maxPaddingLength}.`)
  }
}

/** Refuses a pattern that may take too long, where the operator matches regular expressions. */
export function judgePattern(operator: string, right: unknown): void {
  if (regexOperators.has(operator)) refuseFault(faultOfPattern(literalOf(nodeOf(right))))
}

function refuseFault(fault: string | undefined): void {
  if (fault !== undefined) refuse(fault)
}

const positions = new Set(['position', 'strpos', 'length', 'char_length'])
const arithmetic = new Set(['+', '-', '*', '/', '%'])

/** `substring(text, text)` takes a regular expression, and only the types tell it from one that takes positions. */
function judgeSubstring([, second = {}, third]: readonly Node[]): void {
  const pattern = literalOf(second)
  if (pattern !== undefined) refuseFault(faultOfPattern(pattern))
  else if (!isNumber(second)) refuse('substring needs a number, a pattern as a literal, or arithmetic.')
  if (third !== undefined && !isNumber(third)) refuse('substring needs a number as its length.')
}

function isNumber(tagged: Node): boolean {
  if (integerOf(tagged) !== undefined) return true
  const { kind, name } = nodeOf(tagged['A_Expr'])
  if (kind === 'AEXPR_OP') return arithmetic.has(namesOf(name).join())
  return positions.has(namesOf(nodeOf(tagged['FuncCall'])['funcname']).at(-1) ?? '')
}

function judgeSeries(args: readonly Node[]): void {
  const [from = 0, to = 0, step = 1] = args.map((argument) => integerOf(argument) ?? Number.NaN)
  const isShort = step !== 0 && Math.abs(to - from) / Math.abs(step) < maxSeries
  if (args.length < 2 || args.length > 3 || !isShort) {
    refuse(`generate_series needs whole numbers, and at most ${maxSeries} rows.`)
  }
}

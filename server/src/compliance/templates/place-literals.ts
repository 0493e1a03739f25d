import { TemplateError } from './template-error.ts'

const mark = '\u0001'
const tokens = new RegExp(
  [
    `'[^']*'?`,
    '"[^"]*"?',
    '`[^`]*`?',
    '\\[[^\\]]*\\]?',
    '--[^\\n]*',
    '/\\*[^]*?(?:\\*/|$)',
    `${mark}[^${mark}]*${mark}`,
    '[^]',
  ].join('|'),
  'g',
)
/** Beside these a literal would grow into another token: x'…' is a blob, 1 and 2 make 12, ?1 is a parameter. */
const growsIntoLiteral = /[\w$'"`.?:@#\u0080-\uffff]/

/** Stands in a rendered template for `sql`; the encoding keeps quotes and line ends of values out of the scan. */
export function markLiteral(sql: string, line: number): string {
  return `${mark}${line}:${Buffer.from(sql).toString('base64url')}${mark}`
}

/** Replaces marks by their SQL; throws TemplateError for a mark within a quotation, a comment or a word. */
export function placeLiterals(marked: string): string {
  let sql = ''
  for (const { 0: token, index } of marked.matchAll(tokens)) {
    if (!token.startsWith(mark)) {
      const inside = token.indexOf(mark)
      if (inside >= 0) throw new TemplateError('a value stands inside quotes or a comment', lineAt(token, inside))
      sql += token
      continue
    }
    const neighbours = [marked[index - 1], marked[index + token.length]]
    if (neighbours.some((character) => character !== undefined && isGlue(character))) {
      throw new TemplateError('a value touches the text beside it', lineAt(token, 0))
    }
    sql += Buffer.from(token.slice(token.indexOf(':') + 1, -1), 'base64url').toString()
  }
  return sql
}

function isGlue(character: string): boolean {
  return character === mark || growsIntoLiteral.test(character)
}

function lineAt(token: string, at: number): number {
  return Number.parseInt(token.slice(at + 1), 10)
}

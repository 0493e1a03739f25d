export type Token = {
  readonly kind: 'keyword' | 'text' | 'number' | 'comment' | 'liquid' | 'plain'
  readonly text: string
}

/** Of osquery's SQLite and of PostgreSQL. */
const keywords =
  'ALL|AND|ANY|AS|ASC|BETWEEN|BY|CASE|CAST|CROSS|DESC|DISTINCT|ELSE|END|ESCAPE|EXCEPT|EXISTS|FALSE|FETCH|FILTER|FIRST|FROM|FULL|GLOB|GROUP|HAVING|ILIKE|IN|INNER|INTERSECT|INTERVAL|IS|ISNULL|JOIN|LAST|LATERAL|LEFT|LIKE|LIMIT|MATCH|NATURAL|NOT|NOTNULL|NULL|NULLS|OFFSET|ON|OR|ORDER|ORDINALITY|OUTER|OVER|PARTITION|RECURSIVE|REGEXP|RIGHT|SELECT|SIMILAR|THEN|TRUE|UNION|USING|VALUES|WHEN|WHERE|WINDOW|WITH|WITHIN'

// Every branch takes at least one character and none of them backtracks over another.
const pattern = new RegExp(
  [
    '(?<liquid>\\{\\{[^}]*\\}?\\}?|\\{%[^%]*%?\\}?)',
    "(?<text>'[^']*'?)",
    '(?<comment>--[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$))',
    '(?<number>\\b\\d[\\d.]*\\b)',
    `(?<keyword>\\b(?:${keywords})\\b)`,
  ].join('|'),
  'gi',
)

/** What is longer is shown in one colour: it would be parsed again at every key. */
const maxColoured = 20_000

/** Parts of SQL with Liquid in it; together they are the whole. */
export function tokensOf(sql: string): Token[] {
  if (sql.length > maxColoured) return [{ kind: 'plain', text: sql }]
  const tokens: Token[] = []
  let end = 0
  for (const match of sql.matchAll(pattern)) {
    if (match.index > end) tokens.push({ kind: 'plain', text: sql.slice(end, match.index) })
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0] ?? 'plain'
    tokens.push({ kind: kind as Token['kind'], text: match[0] })
    end = match.index + match[0].length
  }
  if (end < sql.length) tokens.push({ kind: 'plain', text: sql.slice(end) })
  return tokens
}

export type Token = {
  readonly kind: 'keyword' | 'text' | 'number' | 'comment' | 'liquid' | 'plain'
  readonly text: string
}

const keywords =
  'ALL|AND|AS|ASC|BETWEEN|BY|CASE|CAST|CROSS|DESC|DISTINCT|ELSE|END|ESCAPE|EXCEPT|EXISTS|FROM|GLOB|GROUP|HAVING|IN|INNER|INTERSECT|IS|ISNULL|JOIN|LEFT|LIKE|LIMIT|MATCH|NATURAL|NOT|NOTNULL|NULL|OFFSET|ON|OR|ORDER|OUTER|RECURSIVE|REGEXP|SELECT|THEN|UNION|USING|VALUES|WHEN|WHERE|WITH'

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

/** Parts of SQL with Liquid in it; together they are the whole. */
export function tokensOf(sql: string): Token[] {
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

export type SqlToken = { readonly kind: 'name' | 'word' | 'sign'; readonly text: string }

// As SQLite reads: an unterminated comment ends with the text, characters past ASCII belong to words, and a string
// stands in the class of quoted names, because SQLite takes 'x' for a name where only a name can be.
const tokenPattern =
  /[ \t\n\f\r]+|--[^\n]*|\/\*.*?(?:\*\/|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$)|\[[^\]]*(?:\]|$)|[\w$\u0080-\uffff]+|./gs

/** The words, quoted names and signs of `sql`, without blanks and comments; names unquoted and in lower case. */
export function readTokens(sql: string): SqlToken[] {
  const tokens: SqlToken[] = []
  for (const [text] of sql.matchAll(tokenPattern)) {
    const first = text.charAt(0)
    if (/[ \t\n\f\r]/.test(first) || /^(?:--|\/\*)/.test(text)) continue
    if (/['"`[]/.test(first)) tokens.push({ kind: 'name', text: lowerAscii(unquote(text)) })
    else if (/[\w$\u0080-\uffff]/.test(first)) tokens.push({ kind: 'word', text: lowerAscii(text) })
    else tokens.push({ kind: 'sign', text })
  }
  return tokens
}

/** SQLite folds the case of ASCII letters only: 'ſ' and 'K' are other letters than 's' and 'k'. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** A doubled quote inside stands for one; brackets have no way to hold their end. */
export function unquote(text: string): string {
  const quote = text.charAt(0)
  const inner = text.slice(1, -1)
  return quote === '[' ? inner : inner.replaceAll(quote + quote, quote)
}

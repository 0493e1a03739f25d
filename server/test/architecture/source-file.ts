/** A file of ours: its path from the repository root with `/`, and its text. */
export interface SourceFile {
  readonly path: string
  readonly code: string
}

// Strings and templates come first, so that `//` and `/*` inside them are not taken for comments.
const stringOrComment = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g

/** The code with its comments blanked; strings stay, since the guards read specifiers and SQL. */
export function withoutComments(code: string): string {
  return code.replace(stringOrComment, (match) => (match.startsWith('/') ? ' ' : match))
}

/** As a shell reads it back. */
export const quoted = (text: string): string => (/^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** What chooses the organization in a command to type, where it was said. */
export const organizationWords = (named: string | undefined): string =>
  named === undefined ? '' : ` --organization ${quoted(named)}`

/** `"a"`, `"a" and "b"`, `"a", "b" and "c"`: names as a sentence of the audit log lists them. */
export function quoteNames(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`)
  const last = quoted.at(-1) ?? ''
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} and ${last}`
}

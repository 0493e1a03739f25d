/** An ordered list, one entry per step. */
export function steps(...items: string[]): string {
  return items.map((item, index) => `${index + 1}. ${item}`).join('\n')
}

/** Titled parts, for a remedy that differs by platform or distribution. */
export function sections(parts: Record<string, string>): string {
  return Object.entries(parts)
    .map(([title, body]) => `### ${title}\n\n${body}`)
    .join('\n\n')
}

/** The values of one column in the failing rows as a list, followed by `instructions`. */
export function withFound(introduction: string, column: string, instructions: string): string {
  const list = `{% for row in rows %}\n- {{ row.${column} | code }}{% endfor %}`
  return `{% if rows.size > 0 %}${introduction}\n${list}\n\n{% endif %}${instructions}`
}

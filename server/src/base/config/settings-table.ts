import { settings } from './settings.ts'

export type SettingAnnotations = {
  type?: string
  default?: unknown
  defaultText?: string
  description?: string
  example?: string
  secret?: boolean
}

/** The settings in the order of the schema, with the annotations that help, tables and parsing read. */
export function listSettings(): [name: string, annotations: SettingAnnotations][] {
  // The schema's own type knows the values, not the annotations, which are options of every schema kind.
  return Object.entries(settings.properties as unknown as Record<string, SettingAnnotations>)
}

/** A Markdown table of every setting, for docs/configuration.md. */
export function settingsTable(): string {
  const rows = listSettings().map(([name, annotations]) => {
    const example = annotations.example ? ` For example \`${annotations.example}\`.` : ''
    const secret = annotations.secret ? ' Secret.' : ''
    return `| \`${name}\` | ${defaultOf(annotations)} | ${annotations.description}${example}${secret} |`
  })
  return ['| Setting | Default | Meaning |', '|---|---|---|', ...rows].join('\n')
}

function defaultOf(annotations: SettingAnnotations): string {
  if (annotations.defaultText) return annotations.defaultText
  const value = Array.isArray(annotations.default) ? annotations.default.join(',') : annotations.default
  return value === undefined || value === '' ? '' : `\`${value}\``
}

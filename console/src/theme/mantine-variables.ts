import { DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core'
import { theme } from './theme.ts'

const name = 'virtual:mantine-variables.css'

/** Mantine would put these into a style element at run time, which the content security policy refuses: so a file. */
export const mantineVariables = {
  name: 'mantine-variables',
  resolveId: (id: string) => (id === name ? `\0${name}` : undefined),
  load: (id: string) => (id === `\0${name}` ? writeVariables() : undefined),
}

const ours = {
  text: 'var(--t)',
  bright: 'var(--t)',
  body: 'var(--bg)',
  dimmed: 'var(--t3)',
  placeholder: 'var(--t3)',
  anchor: 'var(--t)',
  error: 'var(--blocked-t)',
  default: 'var(--bg)',
  'default-hover': 'var(--hover)',
  'default-color': 'var(--t)',
  'default-border': 'var(--strong)',
  disabled: 'var(--active)',
  'disabled-color': 'var(--t3)',
  'disabled-border': 'var(--line)',
}

function writeVariables(): string {
  const sets = defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme))
  const named = Object.fromEntries(Object.entries(ours).map(([key, value]) => [`--mantine-color-${key}`, value]))
  return [
    rule(':root', sets.variables),
    rule(':root[data-mantine-color-scheme="light"]', { ...sets.light, ...named }),
    rule(':root[data-mantine-color-scheme="dark"]', { ...sets.dark, ...named }),
  ].join('\n')
}

const rule = (selector: string, values: Readonly<Record<string, string>>): string =>
  `${selector} {\n${Object.entries(values)
    .map(([key, value]) => `  ${key}: ${value};`)
    .join('\n')}\n}`

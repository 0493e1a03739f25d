import { auditActions } from '@muster/contract/audit-actions.ts'

const block = /(<!-- actions:start -->\n)[\s\S]*?(<!-- actions:end -->)/

/** A page of the documentation with its table of actions brought up to date; undefined where it has no block for it. */
export function withActions(page: string): string | undefined {
  if (!block.test(page)) return undefined
  const rows = Object.entries(auditActions).map(([action, words]) => `| \`${action}\` | ${words} |`)
  const table = ['| `action` | what was done |', '|---|---|', ...rows].join('\n')
  return page.replace(block, (_, start: string, end: string) => `${start}\n${table}\n\n${end}`)
}

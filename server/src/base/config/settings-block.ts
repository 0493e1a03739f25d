import { settingsTable } from './settings-table.ts'

const block = /(<!-- settings:start -->)[\s\S]*?(<!-- settings:end -->)/

/** The text with its settings table brought up to date; undefined when it has no markers. */
export function withSettingsTable(page: string): string | undefined {
  if (!block.test(page)) return undefined
  return page.replace(block, (_, start: string, end: string) => `${start}\n${settingsTable()}\n${end}`)
}

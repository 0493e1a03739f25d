import type { ConfigurationPreview } from '@muster/contract/console-checks.ts'

/** Spreadsheets run what begins so. */
const isFormula = /^[=+\-@\t\r]/

const cell = (text: string): string => `"${(isFormula.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`

/** Saves the devices that would be blocked as a file. */
export function exportBlocked(preview: ConfigurationPreview, name: string): void {
  const head = ['device_id', 'device', 'owner', 'today', 'after_saving', 'at_end', 'blocks_at', 'only_device']
  const rows = preview.blocked.map((row) => [
    row.device_id,
    row.device_name,
    row.owner_name ?? '',
    row.today,
    row.after_saving,
    row.at_end,
    row.blocks_at,
    String(row.is_only_device),
  ])
  const text = [head, ...rows].map((cells) => cells.map(cell).join(',')).join('\r\n')
  const address = URL.createObjectURL(new Blob([`${text}\r\n`], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = `${name}-blocked.csv`
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 1_000)
}

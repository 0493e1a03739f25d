import type { ConfigurationPreview } from '@muster/contract/console-checks.ts'
import { csvLine } from '@muster/contract/csv-cells.ts'

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
  const address = URL.createObjectURL(new Blob([head, ...rows].map(csvLine), { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = `${name}-blocked.csv`
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 1_000)
}

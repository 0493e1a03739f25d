import { readFile } from 'node:fs/promises'

export type DocumentedMetric = {
  type: string
  /** With the values that the page names; none where it names none. */
  labels: ReadonlyMap<string, readonly string[]>
}

const page = new URL('../../../docs/metrics.md', import.meta.url)

/** The tables of docs/metrics.md, by the name of the metric. */
export async function documentedMetrics(): Promise<Map<string, DocumentedMetric>> {
  const rows = (await readFile(page, 'utf8')).matchAll(/^\| `(muster_\w+)` \| (\w+) \|([^|]*)\|/gm)
  return new Map(rows.map(([, name = '', type = '', labels = '']) => [name, { type, labels: labelsOf(labels) }]))
}

function labelsOf(cell: string): Map<string, string[]> {
  const labels = cell.split(';').map((part) => [...part.matchAll(/`(\w+)`/g)].map(([, word = '']) => word))
  return new Map(labels.flatMap(([label, ...values]) => (label === undefined ? [] : [[label, values] as const])))
}

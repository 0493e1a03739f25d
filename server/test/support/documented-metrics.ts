import { readFile } from 'node:fs/promises'

export type DocumentedMetric = {
  type: string
  /** With the values that the page names; none where it names none. */
  labels: ReadonlyMap<string, readonly string[]>
  /** How the figures of processes make one: sum, maximum, minimum, or not at all (each). */
  over: string
}

const page = new URL('../../../docs/metrics.md', import.meta.url)
const row = /^\| `(muster_\w+)` \| (\w+) \|([^|]*)\|[^|]*\| (\w+) \|/gm

/** The tables of docs/metrics.md, by the name of the metric. */
export async function documentedMetrics(): Promise<Map<string, DocumentedMetric>> {
  const rows = (await readFile(page, 'utf8')).matchAll(row)
  return new Map(
    rows.map(([, name = '', type = '', labels = '', over = '']) => [name, { type, labels: labelsOf(labels), over }]),
  )
}

function labelsOf(cell: string): Map<string, string[]> {
  const labels = cell.split(';').map((part) => [...part.matchAll(/`(\w+)`/g)].map(([, word = '']) => word))
  return new Map(labels.flatMap(([label, ...values]) => (label === undefined ? [] : [[label, values] as const])))
}

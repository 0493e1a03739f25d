import type { Finding } from './figure.ts'

const verdict = ({ isMet }: Finding): string => (isMet === undefined ? '' : isMet ? 'met' : 'MISSED')

export function printFinding(finding: Finding): void {
  const { what, ours, limit, ratio, target, notes = [] } = finding
  const measured = [`ours ${ours}`, limit && `limit ${limit}`, ratio && `ratio ${ratio}`, target && `target ${target}`]
  console.log(`   ${what}: ${[...measured, verdict(finding)].filter((part) => part !== '').join(' · ')}`)
  for (const note of notes) console.log(`     ${note}`)
}

export function printSummary(findings: readonly Finding[]): void {
  const head = ['', 'figure', 'ours', 'limit', 'ratio', 'target', '']
  const rows = [
    head,
    ...findings.map((one) => [one.figure, one.what, one.ours, one.limit, one.ratio, one.target, verdict(one)]),
  ]
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  console.log('')
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Bench, Finding } from './figure.ts'
import { figures } from './figures/figures.ts'
import { parseBenchArguments } from './parse-bench-arguments.ts'
import { printFinding, printSummary } from './print-findings.ts'
import type { Engine } from './trial/open-trial.ts'

// npm run bench                 all figures but 5 and 21 on a temporary PostgreSQL
// npm run bench -- 1 4          only these
// npm run bench -- --load       figure 5: a fleet held for ten minutes
// npm run bench -- --quick      smaller, on the embedded engine
const asked = parseBenchArguments(process.argv.slice(2))
const url = process.env['MUSTER_TEST_DATABASE_URL']
if (!asked.isEmbedded && url === undefined) process.exitCode = await rerunWithPostgres()
else await runFigures(asked.isEmbedded || url === undefined ? { kind: 'embedded' } : { kind: 'postgres', url })

/** The cluster keeps what it commits, as a production database does: without fsync writes would look too cheap. */
async function rerunWithPostgres(): Promise<number> {
  const script = fileURLToPath(new URL('../../scripts/with-postgres.ts', import.meta.url))
  const own = [process.execPath, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(process.execPath, [script, '--durable', '--', ...own], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  return code ?? 1
}

async function runFigures(engine: Engine): Promise<void> {
  const findings: Finding[] = []
  for (const figure of figures.filter(({ number }) => asked.figures.includes(number))) {
    console.log(`\n${figure.number}. ${figure.title}`)
    const bench: Bench = { engine, scale: asked.scale, say: (line) => console.log(`   … ${line}`) }
    for (const finding of await figure.run(bench)) {
      findings.push(finding)
      printFinding(finding)
    }
  }
  printSummary(findings)
  process.exitCode = findings.some(({ isMet }) => isMet === false) ? 1 : 0
}

import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { outliveLostOutput } from './outlive-lost-output.ts'
import { readInstallation } from './read-installation.ts'
import { runAgent } from './run-agent.ts'

// The program of an installation package: `run-installed-agent.ts [--once] <agent.json>`. It runs until it is told to
// stop, and ends with 1 where it cannot run at all.
const { positionals, values } = parseArgs({ allowPositionals: true, options: { once: { type: 'boolean' } } })
const [file = '/etc/muster-agent/agent.json'] = positionals
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
outliveLostOutput()
try {
  const installation = await readInstallation(file, process.env['STATE_DIRECTORY'])
  const log = (line: string) => void process.stdout.write(`${line}\n`)
  await runAgent({ ...installation, once: values.once ?? false, log, signal: stopping.signal })
} catch (error) {
  process.exitCode = 1
  const text = error instanceof Error ? error.message : String(error)
  if (!process.stderr.write(`muster-agent: ${text}\n`)) await once(process.stderr, 'drain')
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

// After an install: what starts of this version have ready. They can do without all of it, and packages of the companion say what
// they lack, so nothing here fails an install.
const root = fileURLToPath(new URL('../', import.meta.url))
const steps = [
  ['console/build.ts', '--when-stale'],
  ['server/bundle.ts'],
  ['server/src/cli/write-prepared-database.ts'],
]

async function run(step: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, step, { cwd: root, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) console.error(`${step[0]} failed: the first start will take longer`)
}

await Promise.all(steps.map(run))

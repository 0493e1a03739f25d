import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runSimulation } from './run-simulation.ts'
import { formatReport } from './simulation-report.ts'
import { startTrialServer } from './trial-server.ts'

/** The server runs in a process of its own, so that the processor share is the simulator's alone. */
async function serveInThisProcess() {
  const server = await startTrialServer({ keepsRequests: false })
  process.send?.(server.url)
  process.once('disconnect', () => void server.close())
}

async function loadInThisProcess() {
  const child = fork(fileURLToPath(import.meta.url), ['serve'], { execArgv: [] })
  try {
    const [server] = await once(child, 'message')
    const report = await runSimulation({
      server,
      enrollSecret: 'open sesame',
      devices: 5000,
      failRate: 0.1,
      periodMs: 60_000,
      seed: 1,
      spreadMs: 3000,
      intervals: { configMs: 15_000, distributedMs: 3000, logMs: 3000 },
      rounds: 3,
      log: console.log,
    })
    console.log(formatReport(report))
    return report
  } finally {
    child.disconnect()
    await once(child, 'exit')
  }
}

// fork() starts this same file as the server.
if (process.argv[2] === 'serve') await serveInThisProcess()
else {
  test('5,000 devices are held from one process on less than one core', async () => {
    const report = await loadInThisProcess()
    assert.equal(report.devicesEnrolled, 5000)
    assert.deepEqual(report.errors, {})
    // How fast the server answers depends on what else the machine does; what a request costs here hardly does.
    const msPerRequest = (report.processorShare * report.elapsedMs) / report.requests
    // Each device reads every 3 seconds, and fetches its configuration every 15.
    const cores = (msPerRequest / 1000) * (5000 / 3 + 5000 / 15)
    assert.ok(cores < 1, `${cores} cores`)
  })
}

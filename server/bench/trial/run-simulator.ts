import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { SimulationOptions } from '@muster/agent/simulate/run-simulation.ts'
import type { SimulationReport } from '@muster/agent/simulate/simulation-report.ts'
import type { FromSimulator } from '../simulate.ts'

/** Runs the simulator until its duration is over. */
export async function runSimulator(
  options: Omit<SimulationOptions, 'log' | 'signal'>,
  onProgress: (line: string) => void,
): Promise<SimulationReport> {
  const file = new URL('../simulate.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env['PATH'], BENCH_SIMULATION: JSON.stringify(options) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  let report: SimulationReport | undefined
  child.on('message', (message: FromSimulator) => {
    if (message.kind === 'progress') onProgress(message.line)
    else report = message.report
  })
  const [code] = await once(child, 'exit')
  process.off('exit', end)
  if (!report) throw new Error(`The simulator ended with ${code} and no report`)
  return report
}

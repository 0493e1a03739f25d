import { runSimulation, type SimulationOptions } from '@muster/agent/simulate/run-simulation.ts'

// The simulator in a process of its own: its options come in the environment, its progress and its report by IPC.
export type FromSimulator =
  | { kind: 'progress'; line: string }
  | { kind: 'report'; report: Awaited<ReturnType<typeof runSimulation>> }

const options: Omit<SimulationOptions, 'log'> = JSON.parse(process.env['BENCH_SIMULATION'] ?? '{}')
const send = (message: FromSimulator) => process.send?.(message)
const report = await runSimulation({ ...options, log: (line) => send({ kind: 'progress', line }) })
send({ kind: 'report', report })
process.disconnect?.()

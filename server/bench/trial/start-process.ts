import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { FromChild, ToChild, Usage } from './process-report.ts'

export type Subject = {
  origin: string
  usage(): Promise<Usage>
  stop(): Promise<void>
}

const startTimeLimitMs = 120_000

/** Runs a file of the bench in a process of its own until it says where it listens. Its output is thrown away. */
export async function startProcess(file: URL, env: Readonly<Record<string, string>>): Promise<Subject> {
  const child = spawn(process.execPath, [...execArguments(env), file.pathname], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  const ready = await nextMessage(child, 'ready')
  return {
    origin: ready.origin,
    async usage() {
      const answer = nextMessage(child, 'usage')
      send(child, 'usage')
      return answer
    },
    async stop() {
      const exited = once(child, 'exit')
      send(child, 'stop')
      await exited
      process.off('exit', end)
    },
  }
}

/** BENCH_NODE_OPTIONS is for profiling: `--cpu-prof`, for instance. */
const execArguments = (env: Readonly<Record<string, string>>): string[] =>
  (env['BENCH_NODE_OPTIONS'] ?? process.env['BENCH_NODE_OPTIONS'] ?? '').split(' ').filter((word) => word !== '')

const send = (child: ChildProcess, message: ToChild): void => void child.send(message)

function nextMessage<Kind extends FromChild['kind']>(child: ChildProcess, kind: Kind) {
  return new Promise<Extract<FromChild, { kind: Kind }>>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`No ${kind} from the process under test`)), startTimeLimitMs)
    const onExit = (code: number | null) => reject(new Error(`The process under test ended with ${code}`))
    const onMessage = (message: FromChild) => {
      if (message.kind !== kind) return
      clearTimeout(timer)
      child.off('message', onMessage)
      child.off('exit', onExit)
      resolve(message as Extract<FromChild, { kind: Kind }>)
    }
    child.on('message', onMessage)
    child.once('exit', onExit)
  })
}

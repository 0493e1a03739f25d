import { spawn } from 'node:child_process'

/** What a command did: its exit code (1 when a signal ended it), all it printed, and its wall time in seconds. */
export interface Outcome {
  readonly code: number
  readonly output: string
  readonly seconds: number
}

export interface RunOptions {
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
  /** Called with each piece of output as it comes; without it the output is only collected. */
  readonly onOutput?: (chunk: string) => void
}

/** Runs a program without a shell and collects stdout and stderr in the order in which they arrive. */
export function runCaptured(file: string, args: readonly string[], options: RunOptions): Promise<Outcome> {
  const startedAt = performance.now()
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => {
      output += chunk
      options.onOutput?.(chunk)
    })
  }
  child.on('error', reject)
  child.on('close', (code) => resolve({ code: code ?? 1, output, seconds: (performance.now() - startedAt) / 1000 }))
  return promise
}

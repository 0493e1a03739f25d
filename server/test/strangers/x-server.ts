import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { placeOf } from './run-program.ts'

const run = promisify(execFile)

/** A screen in memory: windows open on it, and keys are pressed on it as on a keyboard. */
export async function openScreen() {
  const child = spawn(placeOf('Xvfb'), ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const [chosen] = (await once(child.stdio[3] as Readable, 'data')) as [Buffer]
  const display = `:${String(chosen).trim()}`
  return {
    display,
    press: async (...keys: string[]): Promise<void> => {
      await run(placeOf('xdotool'), ['key', '--delay', '100', ...keys], { env: { ...process.env, DISPLAY: display } })
    },
    async stop() {
      process.off('exit', kill)
      if (child.kill('SIGTERM')) await once(child, 'exit')
    },
  }
}

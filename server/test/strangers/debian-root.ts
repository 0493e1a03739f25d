import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** Runs a program below the root, with a /proc of its own. */
const within = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' }

export type DebianRoot = ReturnType<typeof openDebianRoot>

/** A Debian of its own below a folder, as its packages install it, for packages of ours. */
export function openDebianRoot(packages: readonly string[]) {
  const scratch = mkdtempSync(join(tmpdir(), 'muster-debian-'))
  const path = join(scratch, 'root')
  const include = `--include=${packages.join(',')}`
  execFileSync('mmdebstrap', ['--mode=root', '--variant=essential', include, 'bookworm', path], { stdio: 'pipe' })
  mkdirSync(join(path, 'packages'))
  const running = new Set<{ stop(): Promise<void> }>()
  const args = (command: readonly string[]) => [
    '--mount',
    '--fork',
    '--kill-child',
    'sh',
    '-c',
    within,
    path,
    ...command,
  ]

  return {
    scratch,
    path,
    /** What it printed on both outputs; fails when the program does. */
    run: (...command: string[]): string =>
      execFileSync('unshare', args(['sh', '-c', 'exec "$@" 2>&1', 'sh', ...command]), { env, encoding: 'utf8' }),
    /** Starts a server; `stop` ends it as systemd does. */
    start(...command: string[]) {
      const child = spawn('unshare', args(command), { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
      const isRunning = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null
      // The tests' process may be ended before it stops this one.
      process.once('exit', () => isRunning() && process.kill(-Number(child.pid), 'SIGKILL'))
      let output = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += String(part)))
      const server = {
        async untilReady(address: string): Promise<void> {
          for (;;) {
            const answer = await fetch(address).catch(() => undefined)
            if (answer?.ok) return
            if (!isRunning()) throw new Error(`It has ended: ${output}`)
            await pause(100)
          }
        },
        async stop(): Promise<void> {
          running.delete(server)
          if (!isRunning()) return
          const exit = once(child, 'exit')
          process.kill(-Number(child.pid), 'SIGTERM')
          await exit
        },
      }
      running.add(server)
      return server
    },
    async close(): Promise<void> {
      await Promise.all([...running].map((server) => server.stop()))
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { until } from '../support/muster-process.ts'

/** Debian has the programs of servers where only root's PATH looks. */
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']

/** Where a program is; fails when it is not installed. */
export function placeOf(program: string): string {
  const found = folders.map((folder) => join(folder, program)).find((path) => existsSync(path))
  if (!found) throw new Error(`${program} is not installed`)
  return found
}

/** The account that Debian gives web servers; where tests do not run as root, the one that runs them. */
const account = process.getuid?.() === 0 ? { uid: 33, gid: 33 } : {}

/** A folder for a program that another account runs; removed with the process of the tests, or before. */
export function programFolder(name: string) {
  const path = mkdtempSync(join(tmpdir(), `muster-${name}-`))
  const give = (one: string) => account.uid !== undefined && chownSync(one, account.uid, account.gid)
  give(path)
  const remove = () => rmSync(path, { recursive: true, force: true })
  process.once('exit', remove)
  return {
    path,
    remove,
    write(file: string, content: string): string {
      const full = join(path, file)
      if (!existsSync(dirname(full))) {
        mkdirSync(dirname(full), { recursive: true })
        give(dirname(full))
      }
      writeFileSync(full, content)
      give(full)
      return full
    },
    read: (file: string): string => readFileSync(join(path, file), 'utf8'),
  }
}

export type Running = {
  stop(): Promise<void>
  /** Tells it that its settings have changed. */
  reload(): void
}

/** Starts a server in the foreground, with the account of web servers, and resolves when its port answers. */
export async function runProgram(program: string, args: readonly string[], port: number): Promise<Running> {
  const child = spawn(placeOf(program), args, {
    ...account,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: '/usr/bin:/bin' },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  await until(30_000, async () => {
    if (child.exitCode !== null) throw new Error(`${program} has ended with ${child.exitCode}: ${output}`)
    return isAnswering(port)
  })
  return {
    reload: () => void child.kill('SIGHUP'),
    async stop() {
      process.off('exit', kill)
      if (child.exitCode === null && child.kill('SIGTERM')) await ended(child)
    },
  }
}

const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

/** Whether anything listens at a port of this machine. */
export function isAnswering(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startOf } from '../../process-start.ts'

type Lock = { pid: number; startedAt: string; host: string; token: string }

const lockName = 'muster.lock'
/** A lock of another host, or of a container that is gone, is only judged by its age: the holder touches it. */
const touchEveryMs = 10_000
const foreignLockLivesMs = 60_000
const heldHere = new Set<string>()

/**
 * Takes the data folder for this process, because two engines on one folder lose rows without a word. Throws, naming
 * the holder's pid, while it lives; takes over what a dead process left. Returns the release.
 */
export function lockFolder(dataDir: string): () => void {
  const file = path.join(fs.realpathSync(dataDir), lockName)
  const lock: Lock = {
    pid: process.pid,
    startedAt: startOf(process.pid) ?? '',
    host: os.hostname(),
    token: randomUUID(),
  }
  if (heldHere.has(file)) throw refusal(dataDir, lock)
  while (!tryCreate(file, lock)) {
    const found = readLock(file)
    if (found === 'gone') continue
    if (found && isAlive(found, file)) throw refusal(dataDir, found)
    removeStale(file, found)
  }
  heldHere.add(file)
  const touch = setInterval(() => touchFile(file), touchEveryMs).unref()
  return () => {
    clearInterval(touch)
    if (!heldHere.delete(file)) return
    const found = readLock(file)
    if (found && found !== 'gone' && found.token === lock.token) fs.rmSync(file, { force: true })
  }
}

function refusal(dataDir: string, { pid, host }: Lock): Error {
  const where = host === os.hostname() ? '' : ` on ${host}`
  return new Error(`The data folder ${dataDir} is in use by process ${pid}${where}: stop it, or use another folder`)
}

/** Linked into place, so that the lock never exists without its content. */
function tryCreate(file: string, lock: Lock): boolean {
  const draft = `${file}.${lock.token}`
  fs.writeFileSync(draft, JSON.stringify(lock), { flush: true })
  try {
    fs.linkSync(draft, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    fs.rmSync(draft, { force: true })
  }
}

function readLock(file: string): Lock | 'gone' | undefined {
  try {
    const lock = JSON.parse(fs.readFileSync(file, 'utf8')) as Lock
    return typeof lock.pid === 'number' ? lock : undefined
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 'gone' : undefined
  }
}

/** A pid alone is not enough: pids are reused, in containers at every start. */
function isAlive({ pid, startedAt, host }: Lock, file: string): boolean {
  if (host !== os.hostname()) return Date.now() - fs.statSync(file).mtimeMs < foreignLockLivesMs
  try {
    process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
  const start = startOf(pid)
  return start === undefined || start === startedAt
}

/** Moves the lock aside before removing it: if another process replaced it meanwhile, theirs goes back. */
function removeStale(file: string, judged: Lock | undefined): void {
  const aside = `${file}.stale-${randomUUID()}`
  try {
    fs.renameSync(file, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  const moved = readLock(aside)
  if (moved && moved !== 'gone' && moved.token !== judged?.token) fs.linkSync(aside, file)
  fs.rmSync(aside, { force: true })
}

function touchFile(file: string): void {
  const now = new Date()
  try {
    fs.utimesSync(file, now, now)
  } catch {
    // Only another host reads the time; a missed touch is made up by the next.
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

import { spawn } from 'node:child_process'

type Asked = {
  args: readonly string[]
  /** What it reads from its standard input. */
  input?: string
  limitMs?: number
}

const usualLimitMs = 3_000
const maxBytes = 4 * 1024 * 1024

/**
 * Asks a program of macOS, in English and with nothing of this environment. Resolves to what it wrote, whatever it ended with; to undefined
 * where it cannot be started, writes too much, or takes too long. A program that hangs in the kernel, as one does that waits for a file
 * server that is gone, outlives its signal: then it is not started again before it has ended.
 */
export function programAsker(path: string): (asked: Asked) => Promise<string | undefined> {
  let isHanging = false

  return ({ args, input = '', limitMs = usualLimitMs }) => {
    if (isHanging) return Promise.resolve(undefined)
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    const child = spawn(path, args, { env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' }, cwd: '/' })
    const chunks: Buffer[] = []
    let bytes = 0
    const give = (text: string | undefined) => {
      clearTimeout(timer)
      resolve(text)
    }
    const end = () => {
      isHanging = true
      child.kill('SIGKILL')
      give(undefined)
    }
    const timer = setTimeout(end, limitMs)
    child.on('error', () => give(undefined))
    child.on('close', () => {
      isHanging = false
      give(Buffer.concat(chunks).toString('utf8'))
    })
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBytes) end()
      else chunks.push(chunk)
    })
    child.stderr.resume()
    // It may end without reading.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    return promise
  }
}

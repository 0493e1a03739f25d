import { randomBytes } from 'node:crypto'
import { chmod, mkdir, rename, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Check } from 'typebox/value'
import { exitCodes } from './command-error.ts'
import type { CommandContext, CommandIo, DataCommand } from './data-command.ts'
import { describeFailure } from './describe-failure.ts'

export type CommandSocket = { path: string; close(): Promise<void> }

export type CommandSocketSettings = {
  dataDir: string
  commands: readonly DataCommand[]
  /** Called once for each command. */
  context: () => CommandContext
}

/** What Linux and macOS can bind is 108 and 104 bytes with the closing NUL. */
const maxPathBytes = 103
const maxArgumentsBytes = 1 << 20

export const socketPath = (dataDir: string): string => join(dataDir, 'muster.sock')

/**
 * Offers the commands to other processes of the same user: HTTP over a Unix socket of mode 0600. A request is a line
 * of JSON arguments and then standard input; the answer is lines of `{"out"}`, `{"err"}` and at last `{"exit"}`.
 * Only the holder of the data folder's lock may call this, so a socket that is already there is a dead one.
 */
export async function openCommandSocket(settings: CommandSocketSettings): Promise<CommandSocket> {
  const path = socketPath(settings.dataDir)
  // Bound under another name and renamed once its mode is set, so that it is never open to others.
  const draft = join(settings.dataDir, `.${randomBytes(4).toString('hex')}.sock`)
  if (Buffer.byteLength(draft) > maxPathBytes) {
    throw new Error(`The path of ${settings.dataDir} is too long for a socket: use a data folder with a shorter one`)
  }
  const running = new Set<AbortController>()
  const server = createServer((request, response) => {
    const controller = new AbortController()
    running.add(controller)
    void answer(settings, request, response, controller).finally(() => running.delete(controller))
  })
  // An import streams for as long as it takes.
  server.requestTimeout = 0
  await mkdir(settings.dataDir, { recursive: true, mode: 0o700 })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(draft, resolve)
  })
  await chmod(draft, 0o600)
  await rename(draft, path)
  return {
    path,
    async close() {
      await rm(path, { force: true })
      for (const controller of running) controller.abort()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

async function answer(
  settings: CommandSocketSettings,
  request: IncomingMessage,
  response: ServerResponse,
  controller: AbortController,
): Promise<void> {
  // Piped, because leaving a loop over the request itself would destroy the connection before it is answered.
  const body = new PassThrough()
  request.pipe(body)
  request.on('error', (error) => body.destroy(error))
  response.on('close', () => {
    body.destroy()
    if (!response.writableFinished) controller.abort()
  })
  response.on('error', () => controller.abort())
  response.writeHead(200, { 'content-type': 'application/x-ndjson', connection: 'close' })
  response.flushHeaders()
  const io = { ...writers(response, controller.signal), signal: controller.signal }
  try {
    const exit = await runNamed(settings, request.url ?? '', body, io)
    response.end(`${JSON.stringify({ exit })}\n`)
  } catch (error) {
    const { exitCode, text } = describeFailure(error)
    response.end(`${JSON.stringify({ err: text })}\n${JSON.stringify({ exit: exitCode })}\n`)
  }
  // What is left of the input is read and dropped, or the sender would never read the answer.
  request.unpipe(body)
  request.resume()
}

async function runNamed(
  { commands, context }: CommandSocketSettings,
  url: string,
  body: PassThrough,
  io: Omit<CommandIo, 'input'>,
): Promise<number> {
  const command = commands.find(({ name }) => url === `/commands/${name}`)
  const { args, input } = await readArguments(body)
  if (!command || !Check(command.args, args)) {
    await io.error('The running server does not know this command: it is of another version. Restart it')
    return exitCodes.usage
  }
  return (await command.run(context(), args, { ...io, input })) ?? exitCodes.ok
}

/** Reads the first line and leaves the rest for the command. */
async function readArguments(body: PassThrough): Promise<{ args: unknown; input: AsyncIterable<Uint8Array> }> {
  const chunks = body[Symbol.asyncIterator]()
  const held: Buffer[] = []
  for (let length = 0; length <= maxArgumentsBytes; ) {
    const { value, done } = await chunks.next()
    if (done) break
    const chunk: Buffer = value
    const end = chunk.indexOf(10)
    held.push(end < 0 ? chunk : chunk.subarray(0, end))
    length += chunk.length
    if (end < 0) continue
    return { args: parseJson(Buffer.concat(held)), input: startWith(chunk.subarray(end + 1), chunks) }
  }
  return { args: undefined, input: startWith(Buffer.alloc(0), chunks) }
}

async function* startWith(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

function parseJson(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString('utf8'))
  } catch {
    return undefined
  }
}

function writers(response: ServerResponse, signal: AbortSignal): Pick<CommandIo, 'write' | 'line' | 'error'> {
  async function send(line: object): Promise<void> {
    signal.throwIfAborted()
    if (response.write(`${JSON.stringify(line)}\n`)) return
    await new Promise<void>((resolve, reject) => {
      const settle = () => {
        response.off('drain', settle)
        signal.removeEventListener('abort', settle)
        if (signal.aborted) reject(signal.reason)
        else resolve()
      }
      response.on('drain', settle)
      signal.addEventListener('abort', settle)
    })
  }
  return {
    write: (text) => send({ out: text }),
    line: (text) => send({ out: `${text}\n` }),
    error: (text) => send({ err: text }),
  }
}

import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import Type from 'typebox'
import { Check } from 'typebox/value'
import { CommandError, exitCodes } from './command-error.ts'
import type { CommandIo } from './data-command.ts'
import { splitLines } from './split-lines.ts'

const answerLine = Type.Union([
  Type.Object({ out: Type.String() }),
  Type.Object({ err: Type.String() }),
  Type.Object({ exit: Type.Integer() }),
])
/** Commands write in pieces far smaller than this. */
const maxLineBytes = 256 << 20

export type Call = { name: string; args: unknown; readsInput: boolean }

/** Runs a command in the server that listens there and resolves to its exit code; to undefined when none does. */
export async function callCommandSocket(path: string, call: Call, io: CommandIo): Promise<number | undefined> {
  const opened = await openRequest(path, call, io.signal)
  if (!opened) return undefined
  const sending = send(opened, call, io)
  try {
    return await readAnswer(await responseOf(opened), io)
  } catch (error) {
    opened.destroy()
    // Input that cannot be read is what broke the connection, and the better reason.
    throw (await sending) ?? error
  } finally {
    opened.destroy()
    await sending
  }
}

/** Resolves once connected, so that "no server" is told apart from a server that fails. */
function openRequest(path: string, { name }: Call, signal: AbortSignal): Promise<ClientRequest | undefined> {
  return new Promise((resolve, reject) => {
    const opened = request({ socketPath: path, method: 'POST', path: `/commands/${name}`, signal })
    opened.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => resolve(opened))
      else resolve(opened)
    })
    opened.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(undefined)
      else if (error.code === 'EACCES') reject(notOwner(path))
      else reject(error)
    })
  })
}

function notOwner(path: string): CommandError {
  return new CommandError(exitCodes.database, `${path} belongs to another user: run the command as the server's user`)
}

function responseOf(opened: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    opened.once('response', resolve)
    opened.once('error', reject)
  })
}

/** Resolves to why the input could not be read. That the server stops listening is no fault: its answer says why. */
async function send(opened: ClientRequest, { args, readsInput }: Call, io: CommandIo): Promise<unknown> {
  opened.write(`${JSON.stringify(args)}\n`)
  if (!readsInput) {
    opened.end()
    return undefined
  }
  let fault: unknown
  const input = Readable.from(io.input, { objectMode: false })
  input.on('error', (error) => {
    fault = error
    opened.destroy(error)
  })
  input.pipe(opened)
  await finished(opened).catch(() => {})
  input.destroy()
  return fault
}

async function readAnswer(response: IncomingMessage, io: CommandIo): Promise<number> {
  try {
    for await (const bytes of splitLines(response, maxLineBytes)) {
      const line: unknown = JSON.parse(bytes.toString('utf8'))
      if (!Check(answerLine, line)) throw new Error('The running server gave an answer that is not one')
      if ('exit' in line) return line.exit
      if ('out' in line) await io.write(line.out)
      else await io.error(line.err)
    }
  } catch (error) {
    io.signal.throwIfAborted()
    if (!isDisconnect(error)) throw error
  }
  throw new CommandError(exitCodes.failure, 'The server stopped before the command was done')
}

function isDisconnect(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['ECONNRESET', 'EPIPE'].includes(String(error.code))
}

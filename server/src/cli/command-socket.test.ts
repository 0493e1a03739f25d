import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import Type from 'typebox'
import { testDatabase } from '../../test/support/database.ts'
import { loadConfig } from '../base/config/load-config.ts'
import { openSecrets } from '../base/secrets/secrets.ts'
import { callCommandSocket } from './call-command-socket.ts'
import { CommandError, exitCodes } from './command-error.ts'
import { openCommandSocket } from './command-socket.ts'
import { type CommandIo, type DataCommand, defineCommand } from './data-command.ts'
import { OutputClosed } from './terminal-io.ts'

const database = testDatabase()
const piece = 'x'.repeat(1 << 16)

async function openSocket(t: TestContext, commands: DataCommand[]) {
  const dataDir = await mkdtemp(join(tmpdir(), 'muster-socket-'))
  const config = loadConfig({ MUSTER_DATA_DIR: dataDir })
  const { connection } = database
  const secrets = openSecrets(Buffer.alloc(32))
  const context = () => ({ connection, secrets, config, now: '2026-11-20T10:00:00.000Z' })
  const socket = await openCommandSocket({ dataDir, commands, context })
  t.after(async () => {
    await socket.close()
    await rm(dataDir, { recursive: true })
  })
  return socket
}

function makeIo(input: AsyncIterable<Uint8Array> = (async function* () {})(), takeMs = 0) {
  const seen = { out: '', err: '', outLength: 0 }
  const controller = new AbortController()
  const write = async (text: string) => {
    if (takeMs > 0) await pause(takeMs)
    seen.outLength += text.length
    if (seen.out.length < 10_000) seen.out += text
  }
  const io: CommandIo = {
    write,
    line: (text) => write(`${text}\n`),
    async error(text) {
      seen.err += `${text}\n`
    },
    input,
    signal: controller.signal,
  }
  return { io, seen, abort: () => controller.abort() }
}

const call = (name: string, args: unknown = {}, readsInput = false) => ({ name, args, readsInput })

const greet = defineCommand({
  name: 'greet',
  args: Type.Object({ name: Type.String() }),
  async run({ connection, now }, { name }, io) {
    const one = await connection.db.selectNoFrom((build) => build.lit(1).as('one')).executeTakeFirstOrThrow()
    await io.line(`hello ${name} at ${now}`)
    await io.error(`${one.one} database\u2028seen`)
    return exitCodes.notFound
  },
})

test('a command runs in the server with its arguments, and its output and exit code come back', async (t) => {
  const { path } = await openSocket(t, [greet])
  const { io, seen } = makeIo()
  assert.equal(await callCommandSocket(path, call('greet', { name: 'Ada\u2028\n🙂' }), io), exitCodes.notFound)
  assert.equal(seen.out, 'hello Ada\u2028\n🙂 at 2026-11-20T10:00:00.000Z\n')
  assert.equal(seen.err, '1 database\u2028seen\n')
})

test('the socket is open to its owner only, and is gone after closing', async (t) => {
  const { path, close } = await openSocket(t, [])
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  await close()
  await assert.rejects(stat(path), { code: 'ENOENT' })
  assert.equal(await callCommandSocket(path, call('greet'), makeIo().io), undefined)
})

test('a socket that a dead server left behind is replaced, and callers of it find nobody', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'muster-socket-'))
  t.after(() => rm(dataDir, { recursive: true }))
  const path = join(dataDir, 'muster.sock')
  await writeFile(path, '')
  assert.equal(await callCommandSocket(path, call('greet'), makeIo().io), undefined)
  const socket = await openCommandSocket({ dataDir, commands: [], context: () => assert.fail('not called') })
  assert.equal(await callCommandSocket(path, call('greet'), makeIo().io), exitCodes.usage)
  await socket.close()
})

test('a reader of the output that goes away is told apart from a server that stops', async (t) => {
  const { path } = await openSocket(t, [greet])
  const closed = { ...makeIo().io, write: () => Promise.reject(new OutputClosed()) }
  await assert.rejects(callCommandSocket(path, call('greet', { name: 'Ada' }), closed), OutputClosed)
})

test('unknown commands and arguments of another version are refused', async (t) => {
  const { path } = await openSocket(t, [greet])
  for (const wrong of [call('dance'), call('greet', { name: 7 }), call('greet')]) {
    const { io, seen } = makeIo()
    assert.equal(await callCommandSocket(path, wrong, io), exitCodes.usage)
    assert.match(seen.err, /another version/)
  }
})

test('a request that is not one is answered and harms nobody', async (t) => {
  const { path } = await openSocket(t, [greet])
  const raw = connect(path)
  raw.end('POST /commands/greet HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{"name":\n')
  const answer = (await Array.fromAsync(raw)).join('')
  assert.match(answer, /another version/)
  assert.equal(await callCommandSocket(path, call('greet', { name: 'x' }), makeIo().io), exitCodes.notFound)
})

test('a refusal and a fault end the command with their message and exit code, without a stack', async (t) => {
  const refuse = defineCommand({
    name: 'refuse',
    args: Type.Object({}),
    run: async () => {
      throw new CommandError(exitCodes.notFound, 'There is no such organization')
    },
  })
  const breaks = defineCommand({
    name: 'breaks',
    args: Type.Object({}),
    run: async () => {
      throw new Error('broken')
    },
  })
  const { path } = await openSocket(t, [refuse, breaks])
  const [first, second] = [makeIo(), makeIo()]
  assert.equal(await callCommandSocket(path, call('refuse'), first.io), exitCodes.notFound)
  assert.equal(first.seen.err, 'There is no such organization\n')
  assert.equal(await callCommandSocket(path, call('breaks'), second.io), exitCodes.failure)
  assert.equal(second.seen.err, 'broken\n')
})

test('two commands run at the same time', async (t) => {
  const waiting: (() => void)[] = []
  const meet = defineCommand({
    name: 'meet',
    args: Type.Object({}),
    run: async (_context, _args, io) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
        if (waiting.length === 2) for (const go of waiting) go()
      })
      await io.line('met')
      return undefined
    },
  })
  const { path } = await openSocket(t, [meet])
  const exits = await Promise.all([1, 2].map(() => callCommandSocket(path, call('meet'), makeIo().io)))
  assert.deepEqual(exits, [0, 0])
})

test('a caller that goes away stops its command', { timeout: 10_000 }, async (t) => {
  const stopped = Promise.withResolvers<void>()
  const endless = defineCommand({
    name: 'endless',
    args: Type.Object({}),
    run: async (_context, _args, io) => {
      io.signal.addEventListener('abort', () => stopped.resolve())
      for (;;) await io.write(piece)
    },
  })
  const { path } = await openSocket(t, [endless])
  const { io, seen, abort } = makeIo()
  const calling = callCommandSocket(path, call('endless'), io)
  while (seen.outLength === 0) await pause(5)
  abort()
  await assert.rejects(calling)
  await stopped.promise
})

test('a server that stops in the middle is told from a command that ended', async (t) => {
  const wait = defineCommand({
    name: 'wait',
    args: Type.Object({}),
    run: async (_context, _args, io) => {
      await io.line('begun')
      await new Promise((_, reject) => io.signal.addEventListener('abort', () => reject(io.signal.reason)))
      return undefined
    },
  })
  const { path, close } = await openSocket(t, [wait])
  const { io, seen } = makeIo()
  const calling = callCommandSocket(path, call('wait'), io)
  calling.catch(() => {})
  while (seen.out === '') await pause(5)
  await close()
  await assert.rejects(calling, /stopped before the command was done/)
})

test('a slow reader slows the command down instead of filling the memory', async (t) => {
  let written = 0
  let furthestAhead = 0
  const reader = makeIo(undefined, 1)
  const pour = defineCommand({
    name: 'pour',
    args: Type.Object({}),
    run: async (_context, _args, io) => {
      for (let count = 0; count < 512; count += 1) {
        await io.write(piece)
        written += piece.length
        furthestAhead = Math.max(furthestAhead, written - reader.seen.outLength)
      }
      return undefined
    },
  })
  const { path } = await openSocket(t, [pour])
  assert.equal(await callCommandSocket(path, call('pour'), reader.io), 0)
  assert.equal(reader.seen.outLength, 512 * piece.length)
  assert.ok(furthestAhead < 32 * piece.length, `${furthestAhead} bytes ahead`)
})

test('a slow command slows its input down instead of filling the memory', async (t) => {
  let sent = 0
  let taken = 0
  let furthestAhead = 0
  async function* input() {
    for (let count = 0; count < 256; count += 1) {
      yield Buffer.from(piece)
      sent += piece.length
      furthestAhead = Math.max(furthestAhead, sent - taken)
    }
  }
  const swallow = defineCommand({
    name: 'swallow',
    args: Type.Object({}),
    readsInput: true,
    run: async (_context, _args, io) => {
      for await (const chunk of io.input) {
        taken += chunk.length
        await pause(1)
      }
      await io.line(`${taken}`)
      return undefined
    },
  })
  const { path } = await openSocket(t, [swallow])
  const { io, seen } = makeIo(input())
  assert.equal(await callCommandSocket(path, call('swallow', {}, true), io), 0)
  assert.equal(seen.out, `${256 * piece.length}\n`)
  assert.ok(furthestAhead < 32 * piece.length, `${furthestAhead} bytes ahead`)
})

test('a command that refuses its input half-way gets its answer through', async (t) => {
  const picky = defineCommand({
    name: 'picky',
    args: Type.Object({}),
    readsInput: true,
    run: async (_context, _args, io) => {
      for await (const chunk of io.input) {
        if (chunk.length > 0) throw new CommandError(exitCodes.failure, 'It is damaged')
      }
      return undefined
    },
  })
  const { path } = await openSocket(t, [picky])
  async function* input() {
    for (let count = 0; count < 200; count += 1) yield Buffer.from(piece)
  }
  const { io, seen } = makeIo(input())
  assert.equal(await callCommandSocket(path, call('picky', {}, true), io), exitCodes.failure)
  assert.equal(seen.err, 'It is damaged\n')
})

test('input that cannot be read is the reason that is given', async (t) => {
  const swallow = defineCommand({
    name: 'swallow',
    args: Type.Object({}),
    readsInput: true,
    run: async (_context, _args, io) => {
      for await (const _ of io.input);
      return undefined
    },
  })
  const { path } = await openSocket(t, [swallow])
  async function* input() {
    yield Buffer.from('a')
    throw new Error('the disk is broken')
  }
  await assert.rejects(callCommandSocket(path, call('swallow', {}, true), makeIo(input()).io), /the disk is broken/)
})

test('a data folder with a path too long for a socket is refused with a reason', async () => {
  const dataDir = join(tmpdir(), 'x'.repeat(100))
  await assert.rejects(
    openCommandSocket({ dataDir, commands: [], context: () => assert.fail() }),
    /too long for a socket/,
  )
})

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { callOrigin } from '../../server/test/support/call-origin.ts'
import { freePort, type Hooks, until } from '../../server/test/support/muster-process.ts'

export type Identity = { readonly cert: string; readonly private: string }

const startLimitMs = 300_000

/**
 * The suite of a folder that build-suite.ts made, in development mode on a loopback port with its database in memory, and
 * with `identity` for its TLS. Resolves to its address once it answers.
 */
export async function startSuite(hooks: Hooks, folder: string, identity: Identity): Promise<string> {
  const { start, file, output } = openJava(hooks, folder)
  const [mongo, port] = [await freePort(), await freePort()]
  const origin = `https://localhost:${port}`
  start('MongoStandIn', String(mongo))
  const suite = start(
    ...['-Xmx1g', 'net.openid.conformance.Application', '--spring.profiles.active=dev'],
    ...['--server.address=127.0.0.1', `--server.port=${port}`],
    `--server.ssl.certificate=file:${file('suite.crt', identity.cert)}`,
    `--server.ssl.certificate-private-key=file:${file('suite.key', identity.private)}`,
    `--spring.mongodb.uri=mongodb://127.0.0.1:${mongo}/test_suite`,
    ...[`--fintechlabs.base_url=${origin}`, `--fintechlabs.base_mtls_url=${origin}`],
  )
  await until(startLimitMs, async () => {
    if (suite.pid === undefined || suite.exitCode !== null) {
      throw new Error(`${java()} does not start the suite:\n${output()}`)
    }
    const answer = await callOrigin(origin, 'GET', '/api/server', { isTrusting: true }).catch(() => undefined)
    return answer?.status === 200
  })
  return origin
}

/** Starts programs of the folder, which are ended afterwards, and keeps files for them. */
function openJava(hooks: Hooks, folder: string) {
  const [classes, libraries] = [resolve(folder, 'classes'), resolve(folder, 'lib')]
  for (const part of [classes, libraries]) {
    if (!existsSync(part)) throw new Error(`${folder} is no suite: ${part} is missing (docs/conformance.md)`)
  }
  const home = mkdtempSync(join(tmpdir(), 'muster-suite-'))
  const children: ChildProcess[] = []
  const killAll = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  // Also where this process is interrupted.
  process.once('exit', killAll)
  hooks.after(async () => {
    killAll()
    await Promise.all(children.map(ended))
    process.off('exit', killAll)
    await rm(home, { recursive: true, force: true })
  })
  let written = ''
  const note = (text: string) => {
    written = (written + text).slice(-8_000)
  }
  return {
    start(...args: string[]): ChildProcess {
      const path = [classes, join(libraries, '*')].join(delimiter)
      const child = spawn(java(), ['-cp', path, ...args], { cwd: home, stdio: ['ignore', 'pipe', 'pipe'] })
      // Such as that there is no Java.
      child.once('error', ({ message }) => note(message))
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', note)
      children.push(child)
      return child
    },
    file(name: string, content: string): string {
      writeFileSync(join(home, name), content, { mode: 0o600 })
      return join(home, name)
    },
    /** The end of what they wrote. */
    output: () => written,
  }
}

function java(): string {
  const home = process.env['JAVA_HOME']
  return home === undefined ? 'java' : join(home, 'bin', 'java')
}

async function ended(child: ChildProcess): Promise<void> {
  const isRunning = child.pid !== undefined && child.exitCode === null && child.signalCode === null
  if (isRunning) await once(child, 'exit')
}

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { findPostgres } from './find-postgres.ts'
import { type Cluster, makeCluster } from './postgres-cluster.ts'

/**
 * Runs a command with a temporary PostgreSQL: node scripts/with-postgres.ts [--durable] -- <command…>
 * The cluster listens on a free loopback port, its superuser URL is in MUSTER_TEST_DATABASE_URL, and it is gone
 * afterwards. Exits with the command's code, or with 3 when no PostgreSQL is installed. With `--durable` it keeps what
 * it commits and has the memory of a small production server, for measurements.
 */
const separator = process.argv.indexOf('--')
const command = separator < 0 ? [] : process.argv.slice(separator + 1)
const [option] = process.argv.slice(2, Math.max(2, separator))
const isDurable = option === '--durable'
if (command.length === 0 || (option !== undefined && !isDurable)) {
  console.error('Usage: node scripts/with-postgres.ts [--durable] -- <command…>')
  process.exit(2)
}

const binaries = findPostgres()
if (!binaries) {
  console.error('No PostgreSQL found: initdb is neither on PATH nor in /usr/lib/postgresql/*/bin')
  process.exit(3)
}

const fast = '-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_wal_size=64MB'
const durable = '-c shared_buffers=1GB -c max_wal_size=4GB -c maintenance_work_mem=256MB -c random_page_cost=1.1'

/** A server that nobody set up for Muster, also in its locale: what depends on its settings shows. */
const elsewhere = '-c timezone=Asia/Kolkata -c datestyle=German -c bytea_output=escape'

/** PostgreSQL refuses to run as root, so root hands over to the packaged account. */
const isRoot = process.getuid?.() === 0
const asServer = (program: string, ...options: string[]): [string, string[]] =>
  isRoot ? ['runuser', ['-u', 'postgres', '--', program, ...options]] : [program, options]

process.exitCode = await runWithCluster(binaries, command)

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('No port was given')
  return address.port
}

async function runWithCluster(folder: string, [program = '', ...options]: string[]): Promise<number> {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'muster-postgres-'))
  if (isRoot) execFileSync('chown', ['postgres', root])
  const data = path.join(root, 'data')
  const cluster = clusterIn(folder, root)
  // An interrupt reaches the command as well; this process stays to stop the cluster.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  try {
    await makeCluster(cluster, data)
    return await run(program, options, await cluster.start(data))
  } finally {
    if (fs.existsSync(path.join(data, 'postmaster.pid'))) cluster.stop(data, 'immediate')
    fs.rmSync(root, { recursive: true, force: true })
  }
}

function clusterIn(binaries: string, root: string): Cluster {
  const runProgram = (name: string, ...words: string[]) => {
    const [file, all] = asServer(path.join(binaries, name), ...words)
    execFileSync(file, all, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  return {
    binaries,
    run: runProgram,
    async start(data) {
      const port = await freePort()
      const settings = [`-c listen_addresses=127.0.0.1 -c port=${port} -c unix_socket_directories=`]
      settings.push('-c max_connections=200', elsewhere, isDurable ? durable : fast)
      runProgram('pg_ctl', '-D', data, '-s', '-w', '-l', path.join(root, 'log'), '-o', settings.join(' '), 'start')
      return `postgres://postgres@127.0.0.1:${port}/postgres`
    },
    stop: (data, mode = 'fast') => runProgram('pg_ctl', '-D', data, '-s', '-w', '-m', mode, 'stop'),
  }
}

async function run(program: string, options: string[], url: string): Promise<number> {
  const child = spawn(program, options, { stdio: 'inherit', env: { ...process.env, MUSTER_TEST_DATABASE_URL: url } })
  try {
    const [code, signal] = await once(child, 'exit')
    return code ?? 128 + (os.constants.signals[signal as NodeJS.Signals] ?? 0)
  } catch (error) {
    console.error(`Cannot run ${program}: ${error instanceof Error ? error.message : String(error)}`)
    return 127
  }
}

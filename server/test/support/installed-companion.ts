import { chmod, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInstalledCompanion } from '@muster/agent/companion/run-installed-companion.ts'
import type { testAgents } from './agent-server.ts'
import { companionMachine } from './companion-client.ts'
import { reportLinkFiles } from './link-report.ts'
import { makeIn } from './make.ts'
import { until } from './muster-process.ts'

type Agents = ReturnType<typeof testAgents>

export async function found<Value>(look: () => Promise<Value | undefined>): Promise<Value> {
  let value: Value | undefined
  await until(30_000, async () => {
    value = await look()
    return value !== undefined
  })
  if (value === undefined) throw new Error('Not found')
  return value
}

/** osquery's shell, which notes the arguments and the environment of each call. */
async function fakeOsqueryi(folder: string): Promise<string> {
  const path = join(folder, 'osqueryi')
  const { hardware_uuid: uuid, hardware_serial: serial } = companionMachine
  await writeFile(
    path,
    `#!/bin/sh
{ printf '%s' "$1"; shift; printf '\\t%s' "$@"; echo; } >> ${join(folder, 'calls')}
env | cut -d= -f1 | grep -vx -e PWD -e SHLVL -e _ -e OLDPWD >> ${join(folder, 'variables')}
for sql; do :; done
case "$sql" in
  *system_info*) echo '[{"uuid":"${uuid}","hardware_serial":"${serial}"}]' ;;
  *absent*) echo 'Error: no such table: absent' >&2; exit 1 ;;
  *) echo '[{"KOLIDE_CHECK_STATUS":"FAIL"}]' ;;
esac
`,
  )
  await chmod(path, 0o755)
  return path
}

/** Companions as they are installed beside osqueryd, in folders of their own. */
export function installedCompanions(agents: Agents) {
  const { database } = agents
  const make = makeIn(database)
  const folders: string[] = []
  const running = new Set<() => Promise<void>>()
  const keyOf = () => database.db.selectFrom('companion_keys').selectAll().executeTakeFirst()

  async function scratchFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'companion-'))
    folders.push(folder)
    return folder
  }

  type Place = { folder: string; enrollSecret: string; isNewKeyWanted?: boolean; server?: string }

  /** Starts the companion of a folder, which may hold what an earlier one has left. */
  async function start({ folder, enrollSecret, isNewKeyWanted = false, server = agents.server.origin }: Place) {
    const stopping = new AbortController()
    const lines: string[] = []
    const ended = runInstalledCompanion({
      ...{ server, enrollSecret, isNewKeyWanted },
      stateFile: join(folder, 'companion.json'),
      osqueryi: await fakeOsqueryi(folder),
      flagFile: join(folder, 'osquery.flags'),
      linkFolder: join(folder, 'link'),
      log: (line) => void lines.push(line),
      signal: stopping.signal,
    })
    const stop = async () => {
      running.delete(stop)
      stopping.abort()
      await ended
    }
    running.add(stop)
    return { lines, stop }
  }

  /** Lets the osquery node report the file that the companion of the folder makes. */
  async function link(folder: string, client: Awaited<ReturnType<Agents['enrolled']>>['client']): Promise<void> {
    const linkFolder = join(folder, 'link')
    const name = await found(async () => (await readdir(linkFolder).catch(() => []))[0])
    await until(30_000, async () => {
      const isAsked = await reportLinkFiles(client, [name])
      if (!isAsked) agents.pass(20)
      return isAsked
    })
  }

  return {
    keyOf,
    scratchFolder,
    start,
    link,
    /** A device, its node and a real companion beside it, linked. */
    async run(sqlTemplate = 'select 1 as number') {
      const { id: organizationId } = await make.organization()
      const check = await make.check(organizationId, { sql_template: sqlTemplate })
      const machine = { uuid: companionMachine.hardware_uuid, serial: companionMachine.hardware_serial }
      const { client, deviceId } = await agents.enrolled(organizationId, machine)
      const folder = await scratchFolder()
      const enrollSecret = await agents.enrollmentSecret(organizationId)
      const { lines, stop } = await start({ folder, enrollSecret })
      await link(folder, client)
      const port = await found(async () => (await keyOf())?.port ?? undefined)
      const linkFolder = join(folder, 'link')
      return { organizationId, deviceId, check, client, folder, linkFolder, enrollSecret, port, lines, stop }
    },
    /** A copy of what a companion keeps, as on another machine. */
    async copyOf(folder: string): Promise<string> {
      const copy = await scratchFolder()
      await cp(join(folder, 'companion.json'), join(copy, 'companion.json'))
      return copy
    },
    async stopAll(): Promise<void> {
      for (const stop of [...running]) await stop()
      await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })))
    },
  }
}

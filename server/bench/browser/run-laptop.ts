import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { linkFolder as usualLinkFolder } from '@muster/agent/companion/link-file.ts'
import { runCompanion } from '@muster/agent/companion/run-companion.ts'
import { runInstalledCompanion } from '@muster/agent/companion/run-installed-companion.ts'
import { runAgent } from '@muster/agent/run-agent.ts'
import { laptopModels } from '@muster/agent/simulate/sign-ins/sign-in-setup.ts'
import type { QueryAnswer } from '@muster/agent/sql/open-engine.ts'
import { noCost, type QueryRunner } from '@muster/agent/sql/query-runner.ts'
import { startWorkerRunner } from '@muster/agent/sql/start-worker-runner.ts'

/** The bundled agent has its companion in its process; beside osqueryd the companion asks `osqueryi`. */
export type LaptopAgent = 'bundled' | 'beside osqueryd'

export type RunningLaptop = {
  serial: string
  /** Whether the check that blocks it fails from now on. */
  setBroken: (isBroken: boolean) => Promise<void>
  stop: () => Promise<void>
}

/** A laptop that enrolls with a secret of its owner, with its companion at a port of this machine. */
export async function runLaptop(server: string, enrollSecret: string, agent: LaptopAgent): Promise<RunningLaptop> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-bench-laptop-'))
  const places = { state: join(folder, 'agent.json'), link: join(folder, 'link'), status: join(folder, 'status') }
  const setBroken = async (isBroken: boolean) => {
    status = isBroken ? 'FAIL' : 'PASS'
    await writeFile(places.status, `${status}\n`)
  }
  let status = ''
  await setBroken(true)
  const ending = new AbortController()
  const shared = { server, enrollSecret, signal: ending.signal, log: () => {} }
  const osqueryi = await writeShell(join(folder, 'osqueryi'), places.status, machineOf(agent))
  const running = runAgent({
    ...{ ...shared, stateFile: places.state },
    runner: tablesOf(machineOf(agent), { linkFolder: places.link, status: () => status }),
    companion: (options) =>
      agent === 'bundled'
        ? runCompanion({ ...options, linkFolder: places.link })
        : runInstalledCompanion({
            ...{ ...shared, osqueryi, linkFolder: places.link, stateFile: join(folder, 'companion.json') },
            flagFile: join(folder, 'osquery.flags'),
          }),
  })
  return {
    serial: machineOf(agent).hardware_serial,
    setBroken,
    async stop() {
      ending.abort()
      await running
      await rm(folder, { recursive: true, force: true })
    },
  }
}

type Machine = { uuid: string; hardware_serial: string }

const machineOf = (agent: LaptopAgent): Machine =>
  agent === 'bundled'
    ? { uuid: '4C4C4544-0042-3510-8056-0000000B0001', hardware_serial: 'PF0B0001' }
    : { uuid: '4C4C4544-0042-3510-8056-0000000B0002', hardware_serial: 'PF0B0002' }

/** What the check that blocks looks for, and no other one. */
const blockedModel = `'${laptopModels.blocked}'`

const answer = (rows: Record<string, string>[]): QueryAnswer => ({ ok: true, rows, cost: noCost })

/** The tables of this machine, with an identity of its own, all checks passing but one, and root's file of its companion. */
function tablesOf(machine: Machine, { linkFolder, status }: { linkFolder: string; status: () => string }): QueryRunner {
  const tables = startWorkerRunner()
  return {
    close: tables.close,
    async run(sql, facts) {
      if (sql.includes(blockedModel)) return answer([{ KOLIDE_CHECK_STATUS: status() }])
      if (sql.includes('KOLIDE_CHECK_STATUS')) return answer([{ KOLIDE_CHECK_STATUS: 'PASS' }])
      if (sql.includes(usualLinkFolder('linux'))) return answer(await listLinkFiles(linkFolder))
      const given = await tables.run(sql, facts)
      if (!given.ok || !/\bsystem_info\b/.test(sql)) return given
      return { ...given, rows: given.rows.map((row) => ({ ...row, ...machine })) }
    },
  }
}

async function listLinkFiles(folder: string): Promise<Record<string, string>[]> {
  const usual = usualLinkFolder('linux')
  const names = await readdir(folder).catch(() => [])
  const root = { uid: '0', gid: '0' }
  const files = names.map((name) => ({ ...root, path: `${usual}/${name}`, type: 'regular', mode: '0600' }))
  return [{ ...root, path: usual, type: 'directory', mode: '0700' }, ...files]
}

/** Stands in for osquery's shell: a process for each query, which takes as long as a slow start of it. */
async function writeShell(path: string, statusFile: string, machine: Machine): Promise<string> {
  await writeFile(
    path,
    `#!/bin/sh
for sql; do :; done
sleep 0.5
case "$sql" in
  *"${blockedModel}"*) read -r status < ${statusFile}; echo "[{\\"KOLIDE_CHECK_STATUS\\":\\"$status\\"}]" ;;
  *KOLIDE_CHECK_STATUS*) echo '[{"KOLIDE_CHECK_STATUS":"PASS"}]' ;;
  *system_info*) echo '[${JSON.stringify(machine)}]' ;;
  *) echo '[]' ;;
esac
`,
  )
  await chmod(path, 0o755)
  return path
}

import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCompanion } from '@muster/agent/companion/run-companion.ts'
import { registerDevice } from '../../src/administration/registrations/register-device.ts'
import { companionPorts } from '../../src/agents/companion-keys/companion-ports.ts'
import type { ChangeContext } from '../../src/base/change-context.ts'
import { type Db, transact } from '../../src/base/db/transact.ts'
import { until } from '../support/muster-process.ts'
import { osqueryClient } from '../support/osquery-client.ts'
import { isAnswering } from './run-program.ts'

export type Laptop = {
  readonly deviceId: string
  /** Where its companion listens. */
  readonly port: number
  stop(): Promise<void>
}

type Parts = {
  db: Db
  origin: string
  organizationId: string
  hostname: string
  secret: string
  ownerId: string | undefined
  /** Whether another port than the first does, which pages reach by fetch alone. */
  isAnyPort: boolean
  change: () => ChangeContext
}

const [firstPort = 0] = companionPorts
const cost = { wallTimeMs: 1, userMs: 1, systemMs: 0, memoryBytes: 0 }

/** An osquery node that enrolls, and the companion of the agent in the same process. */
export async function openLaptop({ db, origin, secret, hostname, ownerId, change, ...parts }: Parts): Promise<Laptop> {
  const machine = { uuid: randomUUID().toUpperCase(), serial: `PF${randomUUID().slice(0, 6).toUpperCase()}` }
  const node = osqueryClient(origin)
  await node.enroll(secret, { ...machine, hostname })
  const { id: deviceId } = await db
    .selectFrom('devices')
    .select('id')
    .where('organization_id', '=', parts.organizationId)
    .where('serial', '=', machine.serial)
    .executeTakeFirstOrThrow()
  if (ownerId !== undefined) {
    await transact(db, (tx) => registerDevice(tx, { deviceId, personId: ownerId }, change()))
  }
  const folder = await mkdtemp(join(tmpdir(), 'laptop-'))
  const companion = await startCompanion(parts.isAnyPort, {
    port: () => portOf(db, deviceId),
    run: (signal) =>
      runCompanion({
        server: origin,
        enrollSecret: secret,
        stateFile: join(folder, 'companion.json'),
        hardware: async () => machine,
        nodeKey: () => node.nodeKey,
        linkFolder: join(folder, 'link'),
        run: async () => ({ ok: true, rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }], cost }),
        log: () => {},
        signal,
      }),
  })
  return {
    deviceId,
    port: companion.port,
    async stop() {
      await companion.stop()
      node.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

type Companion = { port: () => Promise<number | null>; run: (signal: AbortSignal) => Promise<void> }

/** Another test's companion may have the first port: without a permission a page finds no other. */
async function startCompanion(isAnyPort: boolean, { port, run }: Companion) {
  for (;;) {
    if (!isAnyPort) await until(120_000, async () => !(await isAnswering(firstPort)), 200)
    const stopping = new AbortController()
    const running = run(stopping.signal)
    const stop = async () => {
      stopping.abort()
      await running
    }
    await until(30_000, async () => (await port()) !== null).catch((error) => stop().then(() => Promise.reject(error)))
    const taken = await port()
    if (taken !== null && (isAnyPort || taken === firstPort)) return { port: taken, stop }
    await stop()
  }
}

async function portOf(db: Db, deviceId: string): Promise<number | null> {
  const key = await db.selectFrom('companion_keys').select('port').where('device_id', '=', deviceId).executeTakeFirst()
  return key?.port ?? null
}

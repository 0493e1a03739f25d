import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { generate } from 'selfsigned'
import { Agent, request } from 'undici'
import type { Bench } from '../figure.ts'
import { openTrial, type Trial } from './open-trial.ts'
import { type Subject, startProcess } from './start-process.ts'

export const devices = 5_000

/** A server with devices, a receiver that it trusts, and the least that could send to that receiver. */
export type Transmission = {
  trial: Trial
  ours: Subject
  bare: Subject
  receiver: Subject
  database: pg.Client
  /** What a process needs to trust the receiver. */
  trusting: Record<string, string>
  rounds: number
  roundMs: number
  say: Bench['say']
  /** In order. */
  deviceIds(): Promise<string[]>
  /** What arrived since the last time, by the device that it is about. */
  taken(): Promise<[deviceId: string, atMs: number][]>
  /** Waits until so many more have arrived, by asking the receiver, so that the database is billed for nothing of it. */
  arrived(expected: number): Promise<void>
  close(): Promise<void>
}

/** Needs PostgreSQL: changes are committed beside the server. */
export async function openTransmission(
  { engine, scale, say }: Bench,
  name: string,
  bareScript: URL,
): Promise<Transmission> {
  const trial = await openTrial(engine, name)
  const identity = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  })
  const authority = path.join(trial.folder, 'receiver.pem')
  await writeFile(authority, identity.cert)
  const trusting = { NODE_EXTRA_CA_CERTS: authority, MUSTER_ALLOW_PRIVATE_RECEIVERS: 'true' }
  await trial.load(`insert into devices (organization_id, name, device_type, form_factor, created_at)
    select ${trial.organizationId}, 'Device ' || n, 'Mac', 'computer', now() from generate_series(1, ${devices}) as n`)
  await trial.ready()
  const identityOf = { BENCH_KEY: identity.private, BENCH_CERTIFICATE: identity.cert, BENCH_REMEMBER: 'yes' }
  const receiver = await startProcess(new URL('../bare/serve-receiver.ts', import.meta.url), identityOf)
  const bareEnv = { ...trusting, BENCH_RECEIVER: receiver.origin }
  const bare = await startProcess(bareScript, bareEnv)
  const ours = await startProcess(new URL('../serve.ts', import.meta.url), { ...trial.env, ...trusting })
  const database = new pg.Client({ connectionString: trial.databaseUrl })
  await database.connect()

  const taken = async () => {
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
    const { body } = await request(`${receiver.origin}/taken`, { dispatcher })
    const answer = (await body.json()) as [string, number][]
    await dispatcher.close()
    return answer
  }
  return {
    ...{ trial, receiver, bare, ours, database, trusting, rounds: scale.rounds, roundMs: scale.roundMs, say },
    async deviceIds() {
      const of = 'select id from devices where organization_id = $1 order by id'
      const { rows } = await database.query(of, [trial.organizationId])
      return rows.map(({ id }) => String(id))
    },
    taken,
    async arrived(expected) {
      for (let count = 0; count < expected; count += (await taken()).length) await pause(200)
    },
    async close() {
      await database.end()
      await Promise.all([ours.stop(), bare.stop(), receiver.stop()])
      await trial.remove()
    },
  }
}
